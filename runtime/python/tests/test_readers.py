"""Readers and files: what TensorFlow gives for the same bytes."""

import gzip
import zlib

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

_RECORDS = b"HH" + b"".join(b"%03d" % i for i in range(5)) + b"FFF"
_END = "OutOfRangeError"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to be in, with some files."""
    monkeypatch.chdir(tmp_path)
    files = {
        "a.txt": b"one\r\ntw\ro\n\nlast", "b.txt": b"", "c.txt": b"h1\nh2\nx\n",
        "f.bin": _RECORDS, "g.bin": gzip.compress(_RECORDS), "z.bin": zlib.compress(_RECORDS),
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def _drain(reader, names, at_most=None, steps=20):
    """Return what the steps give, or the name of the error, and the reader's two counts."""
    queue = tf.FIFOQueue(20, [tf.string], shapes=[()])
    read = reader.read(queue) if at_most is None else reader.read_up_to(queue, at_most)
    given = []
    with tf.Session() as session:
        session.run(queue.enqueue_many([names]))
        session.run(queue.close())
        for _ in range(steps):
            try:
                key, value = session.run(read)
                given.append((key, value) if at_most is None else (key.tolist(), value.tolist()))
            except tf.errors.OpError as error:
                given.append(type(error).__name__)
            if given[-1] == _END:
                break
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        return given, session.run(counts)


def test_lines_of_text(here):
    given, counts = _drain(tf.TextLineReader(), ["a.txt", "b.txt", "c.txt"])
    assert given == [
        (b"a.txt:1", b"one"), (b"a.txt:2", b"tw\ro"), (b"a.txt:3", b""), (b"a.txt:4", b"last"),
        (b"c.txt:1", b"h1"), (b"c.txt:2", b"h2"), (b"c.txt:3", b"x"), _END,
    ]  # fmt: skip
    assert counts == [7, 3]
    given, _ = _drain(tf.TextLineReader(skip_header_lines=2), ["c.txt", "b.txt"])
    assert given == [(b"c.txt:3", b"x"), _END]
    given, _ = _drain(tf.TextLineReader(), ["a.txt", "c.txt"], at_most=3)
    assert [values for _, values in given[:-1]] == [
        [b"one", b"tw\ro", b""], [b"last"], [b"h1", b"h2", b"x"],
    ]  # fmt: skip


def test_whole_files_and_names(here):
    given, counts = _drain(tf.WholeFileReader(), ["b.txt", "c.txt"])
    assert given == [(b"b.txt", b""), (b"c.txt", b"h1\nh2\nx\n"), _END]
    assert counts == [2, 2]
    given, counts = _drain(tf.WholeFileReader(), ["missing"], steps=2)
    assert given == ["NotFoundError"] * 2
    assert counts == [0, 0]
    given, counts = _drain(tf.IdentityReader(), ["x", "y"])
    assert given == [(b"x", b"x"), (b"y", b"y"), _END]
    assert counts == [2, 2]


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ({"header_bytes": 2}, ["000", "001", "002", "003", "004", "FFF"]),
        ({"header_bytes": 2, "footer_bytes": 3}, ["000", "001", "002", "003", "004"]),
        ({"header_bytes": 2, "hop_bytes": 6}, ["000", "002", "004"]),
        (
            {"header_bytes": 2, "hop_bytes": 2},
            ["000", "000", "010", "002", "200", "030", "004", "4FF"],
        ),
        ({"header_bytes": 100}, []),
    ],
)
def test_records_of_one_size(layout, expected, here):
    for encoding, name in (("", "f.bin"), ("GZIP", "g.bin"), ("ZLIB", "z.bin")):
        reader = tf.FixedLengthRecordReader(3, encoding=encoding, **layout)
        given, _ = _drain(reader, [name])
        wanted = [(f"{name}:{i}".encode(), value.encode()) for i, value in enumerate(expected)]
        assert given == [*wanted, _END]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_tfrecords(compression, here):
    options = tf.python_io.TFRecordOptions(compression)
    with tf.python_io.TFRecordWriter("r", options) as writer:
        for i in range(3):
            writer.write(b"rec%d" % i * (i + 1))
    given, counts = _drain(tf.TFRecordReader(options=options), ["r"])
    assert given == [(b"r:0", b"rec0"), (b"r:20", b"rec1rec1"), (b"r:44", b"rec2rec2rec2"), _END]
    assert counts == [3, 1]
    given, _ = _drain(tf.TFRecordReader(options=options), ["r", "r"], at_most=2)
    assert [len(keys) for keys, _ in given[:-1]] == [2, 1, 2, 1]


def test_a_damaged_file_stays_damaged(here):
    given, counts = _drain(tf.TFRecordReader(), ["a.txt"], steps=3)
    assert given == ["DataLossError"] * 3
    assert counts == [0, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.FixedLengthRecordReader(0),
        lambda: tf.FixedLengthRecordReader(3, header_bytes=-1),
        lambda: tf.FixedLengthRecordReader(2**60),
        lambda: tf.TextLineReader(skip_header_lines=-1),
        lambda: tf.FixedLengthRecordReader(3, encoding="LZ4"),
    ],
)
def test_impossible_readers_are_refused(make, here):
    with pytest.raises(tf.errors.InvalidArgumentError):
        _drain_one(make())


def _drain_one(reader):
    with tf.Session() as session:
        session.run(reader.num_records_produced())


def test_where_a_reader_is_can_be_kept(here):
    reader = tf.WholeFileReader()
    queue = tf.FIFOQueue(20, [tf.string], shapes=[()])
    read = reader.read(queue)
    with tf.Session() as session:
        session.run(queue.enqueue_many([["a.txt", "c.txt", "b.txt"]]))
        session.run(read)
        state = session.run(reader.serialize_state())
        assert state == b'\x08\x01\x10\x01\x18\x01"\x05a.txt'
        session.run(read)
        session.run(reader.restore_state(state))
        assert session.run(reader.num_records_produced()) == 1
        assert session.run(read) == (b"b.txt", b"")
        session.run(reader.reset())
        assert session.run(reader.num_records_produced()) == 0
        for damaged in (b"\xff\xff", b"\x08\x05\x10\x01"):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(reader.restore_state(damaged))
        with pytest.raises(tf.errors.UnimplementedError, match="SerializeState"):
            session.run(tf.TextLineReader().serialize_state())


def test_files_are_read_written_and_found(here, run):
    assert run(tf.write_file("sub/dir/x", b"\x00hello")) is None
    assert run(tf.read_file("sub/dir/x")) == b"\x00hello"
    found = run([tf.matching_files("*.txt"), tf.matching_files(["[ac].txt", "no*", "a.txt"])])
    np.testing.assert_array_equal(found[0], [b"./a.txt", b"./b.txt", b"./c.txt"])
    np.testing.assert_array_equal(found[1], [b"./a.txt", b"./c.txt", b"a.txt"])
    assert run(tf.matching_files(str(here / "s*/d*/x"))).tolist() == [
        str(here / "sub/dir/x").encode()
    ]
    for path, kind in (("nope", tf.errors.NotFoundError), ("sub", tf.errors.OpError)):
        with pytest.raises(kind):
            run(tf.read_file(path))


def test_a_file_is_read_again_in_each_step(here):
    text = tf.read_file("b.txt")
    with tf.Session() as session:
        assert session.run(text) == b""
        (here / "b.txt").write_bytes(b"new")
        assert session.run(text) == b"new"
