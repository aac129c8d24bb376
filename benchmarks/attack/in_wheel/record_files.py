"""Damaged records, event files, lines, Examples, rows of CSV, and saved models."""

import gzip
import shutil
import struct
import zlib

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from google.protobuf.message import DecodeError
from message_edits import edited, masked_sum
from smoke_malformed import changed

_LENGTHS = (0, 1, 255, 1 << 20, 1 << 31, 1 << 40, 1 << 60, (1 << 64) - 1)
_JSON = (
    b'{"features": {"feature": {"a": {"int64List": {"value": [1, "-2", 1e2]}}, "b": '
    b'{"bytesList": {"value": ["aGk="]}}, "\\u00e9": {"floatList": {"value": ["NaN", 0.5]}}}}}'
)
_PIECES = (b",", b'"', b'""', b"\n", b"\r", b"\0", b"9" * 30, b"-", b"1e999", b"nan", b" ", b"\xff")
_PACK = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


def framed(record, length=None):
    """A record as it lies in a file; with another length its checksum is right all the same."""
    head = struct.pack("<Q", len(record) if length is None else length)
    sums = [struct.pack("<I", masked_sum(part)) for part in (head, record)]
    return head + sums[0] + record + sums[1]


def good_example(tf):
    """A serialized Example, with numbers, floats and strings."""
    made = tf.train.Example()
    made.features.feature["i"].int64_list.value.extend([1, -2, 1 << 40])
    made.features.feature["f"].float_list.value.extend([1.5, 2.5])
    made.features.feature["s"].bytes_list.value.extend([b"abc" * 20, b""])
    return made.SerializeToString()


def good_sequence(tf):
    """A serialized SequenceExample with a context and two lists."""
    made = tf.train.SequenceExample()
    made.context.feature["i"].int64_list.value.append(7)
    for number in range(3):
        lists = made.feature_lists.feature_list
        lists["f"].feature.add().float_list.value.extend([1.5, number])
        lists["i"].feature.add().int64_list.value.extend(range(number))
    return made.SerializeToString()


def good_event(tf):
    """A serialized Event with a summary."""
    event = tf.Event(wall_time=1.0, step=3)
    event.summary.value.add(tag="loss", simple_value=0.5)
    event.summary.value.add(tag="h").histo.bucket.extend([1.0, 2.0])
    return event.SerializeToString()


def damaged_file(goods, chance):
    """Records of which one is damaged, or their frame is."""
    given = [chance.choice(goods) for _ in range(3)]
    at = chance.randrange(3)
    if chance.random() < 0.5 and given[at]:
        given[at] = edited(given[at], chance)
    frames = [framed(record) for record in given]
    if chance.random() < 0.3:
        frames[at] = framed(given[at], chance.choice(_LENGTHS))
    raw = b"".join(frames)
    return changed(raw, chance.getrandbits(60)) if chance.random() < 0.5 else raw


def records(folder):
    """Give what tries a damaged file on every reader of records, lines and events."""
    name = str(folder / "damaged")
    goods = [good_example(tf), good_event(tf), b"", b"x" * 300]
    lines = b'1,"a,b",2.5\n4,,\r\n-7,"c""d",1e9\n'
    with tf.Graph().as_default() as graph:
        kind = tf.placeholder(tf.string, [])
        data, columns = tf.data, [[0], ["x"], [0.5]]
        made = {
            "records": data.TFRecordDataset(name, kind),
            "lines": data.TextLineDataset(name, kind),
            "fixed": data.FixedLengthRecordDataset(name, 7, 2, 3),
            "rows": data.experimental.CsvDataset(name, columns, compression_type=kind),
        }
        iterators = {key: data.make_initializable_iterator(each) for key, each in made.items()}
        given = {key: iterator.get_next() for key, iterator in iterators.items()}
        queue = tf.FIFOQueue(1 << 20, [tf.string], shapes=[()])
        put = queue.enqueue(name)
        readers = [reader.read(queue) for reader in (
            tf.TFRecordReader(), tf.TextLineReader(), tf.FixedLengthRecordReader(5, 1, 1),
            tf.WholeFileReader())]  # fmt: skip
    session = tf.Session(graph=graph)

    def read_all(key, packed):
        session.run(iterators[key].initializer, {kind: packed})
        for _ in range(20):
            session.run(given[key])

    def attempt(chance):
        what = chance.choice(["python", "reader", *made])
        packed = chance.choice(("", "", "GZIP", "ZLIB"))
        is_text = what in {"lines", "rows"}
        raw = damaged_text(lines, chance) if is_text else damaged_file(goods, chance)
        raw = _PACK[packed](raw)
        if packed and chance.random() < 0.5:
            raw = changed(raw, chance.getrandbits(60))
        (folder / "damaged").write_bytes(raw)
        if what in made:
            read_all(what, packed)
        elif what == "reader":
            session.run(put)
            session.run(chance.choice(readers), options=tf.RunOptions(timeout_in_ms=100))
        elif packed or chance.random() < 0.5:
            options = tf.python_io.TFRecordOptions({"GZIP": 2, "ZLIB": 1}.get(packed, 0))
            list(tf.python_io.tf_record_iterator(name, options))
        else:
            list(tf.train.summary_iterator(name))

    # protobuf reports what is no Event, as in TensorFlow.
    return attempt, (tf.errors.OpError, ValueError, DecodeError)


def damaged_text(raw, chance):
    """Rows with pieces put in, left out or doubled."""
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
        piece = chance.choice(_PIECES)
        raw = chance.choice(
            (raw[:at] + piece + raw[at:], raw[:at] + raw[end:], raw[:end] + raw[at:])
        )
    return raw[:4000]


def messages(folder):
    """Give what tries damaged Examples, SequenceExamples, rows and JSON on what parses them."""
    examples, sequences = good_example(tf), good_sequence(tf)
    with tf.Graph().as_default() as graph:
        one, many = tf.placeholder(tf.string, []), tf.placeholder(tf.string, [None])
        sparse = {"i": tf.VarLenFeature(tf.int64), "f": tf.VarLenFeature(tf.float32),
                  "s": tf.VarLenFeature(tf.string)}  # fmt: skip
        dense = {"i": tf.FixedLenFeature([3], tf.int64),
                 "f": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
                 "s": tf.FixedLenFeature([2], tf.string, default_value=["", "x"])}  # fmt: skip
        cut = tf.io.RaggedFeature
        ragged = {"i": cut(tf.int64), "f": cut(tf.float32, row_splits_dtype=tf.int64),
                  "s": cut(tf.string, value_key="s", partitions=[cut.RowLengths("i")])}  # fmt: skip
        context = {"i": tf.FixedLenFeature([], tf.int64, default_value=3)}
        lists = [
            {"f": tf.FixedLenSequenceFeature([2], tf.float32), "i": tf.VarLenFeature(tf.int64)},
            {"f": tf.VarLenFeature(tf.float32),
             "i": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)},
            {"f": cut(tf.float32), "i": cut(tf.int64)},
        ]  # fmt: skip
        parsers = [
            (examples, [tf.parse_example(many, asked) for asked in (sparse, dense, ragged)]),
            (examples, [tf.parse_single_example(one, asked) for asked in (sparse, dense, ragged)]),
            (sequences, [tf.io.parse_sequence_example(many, context, each) for each in lists]),
            (sequences, [tf.parse_single_sequence_example(one, context, each) for each in lists]),
        ]
        rows = [tf.decode_csv(many, [[1], ["x"], [0.5]], na_value="-"),
                tf.decode_csv(many, [[""]], use_quote_delim=False, select_cols=[1])]  # fmt: skip
        json = tf.decode_json_example(many)
    session = tf.Session(graph=graph)

    def attempt(chance):
        if chance.random() < 0.1:
            session.run(json, {many: [damaged_text(_JSON, chance)]})
            return
        if chance.random() < 0.25:
            given = [damaged_text(b'1,"a,b",2.5', chance) for _ in range(2)]
            session.run(chance.choice(rows), {many: given})
            return
        good, fetches = chance.choice(parsers)
        raw = good
        for _ in range(chance.randint(1, 3)):
            change = chance.getrandbits(60) if chance.random() < 0.3 else None
            if raw:
                raw = edited(raw, chance) if change is None else changed(raw, change)
        fed = {one: raw, many: chance.sample([raw, good, good], 3)}
        session.run(chance.choice(fetches), fed)

    return attempt, (tf.errors.OpError,)


def saved_models(folder):
    """Give what tries a damaged file of a saved model, and runs what was loaded."""
    good = folder / "good"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, tf.Variable(tf.ones([2, 3])), name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(good), {"x": x}, {"y": y})
    files = [path.relative_to(good) for path in good.rglob("*") if path.is_file()]

    def attempt(chance):
        bad = folder / "bad"
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(good, bad)
        path = bad / chance.choice(files)
        raw = path.read_bytes()
        is_graph = path.suffix == ".pb" and chance.random() < 0.8
        path.write_bytes(edited(raw, chance) if is_graph else changed(raw, chance.getrandbits(60)))
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], str(bad))
            options = tf.RunOptions(timeout_in_ms=5000)
            session.run("y:0", {"x:0": np.ones((2, 2), "f4")}, options=options)

    return attempt, (tf.errors.OpError, ValueError, KeyError, TypeError, OSError, RuntimeError)
