"""Runs damaged graphs, feeds and files of all kinds in the interpreter of a built wheel.

Each input's number goes out before it is tried, so that a crash is known by its number. Errors of
the runtime's own are answers; other kinds of exceptions, crashes and hangs are faults.
"""

import argparse
import json
import random
import resource
import signal
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tfbuild" / "probes"))
import graph_source as source
import numpy as np
import tfbuild_runtime.compat.v1 as tf
from image_files import images
from kept_values import kept_values
from message_edits import edited, masked_sum
from old_checkpoints import old_checkpoints
from record_files import messages, records, saved_models
from smoke_malformed import changed
from threads import threads

MEMORY = 6 << 30
SECONDS = 20
_DATA = ".data-00000-of-00001"
DTYPES = ("f4", "f8", "f2", "i4", "i8", "u1", "i1", "?", "c8", "S3", "U2", "O", "M8[s]")


def graphs(folder):
    """Give what tries a damaged GraphDef: imported, its last operations run."""
    goods = [source.good_graph(tf), trained_graph(), *source.senseless_graphs().values()]
    weights = [6, 6, *([1] * (len(goods) - 2))]
    written = tensorflow_graphs()
    goods += written
    weights += [6 / len(written)] * len(written)
    image = np.zeros((1, 8, 8, 2), "f4")

    def attempt(chance):
        raw = chance.choices(goods, weights)[0]
        if chance.random() < 0.25:
            raw = changed(raw, chance.getrandbits(60))
        else:
            for _ in range(chance.randint(1, 3)):
                raw = edited(raw, chance)
        graph = tf.Graph()
        with graph.as_default():  # the bytes themselves, not what protobuf has read of them
            tf.import_graph_def(raw, name="")
        operations = graph.get_operations()
        if not operations:
            return
        names = {op.name for op in operations}
        fed = {"image:0": image} if "image" in names else {}
        wanted = "out:0" if "out" in names else [op.outputs for op in operations[-1:]]
        if {"loss", "x"} <= names:
            wanted, fed = "loss:0", {"x:0": np.ones((2, 4), "f4")}
        with tf.Session(graph=graph) as session:  # a damaged loop may have no end
            session.run(wanted, fed, options=tf.RunOptions(timeout_in_ms=5000))

    return attempt, (tf.errors.OpError, ValueError, TypeError)


def tensorflow_graphs():
    """Return graphs with loops and functions that TensorFlow wrote."""
    root = Path(__file__).resolve().parents[3]
    with zipfile.ZipFile(root / "runtime/python/tests/tensorflow_graphs/graphs.zip") as graphs:
        names = [n for n in graphs.namelist() if n.endswith(".pb") and "resources" not in n]
        return [graphs.read(name) for name in names]


def feeds(folder):
    """Give what tries arrays of any type and shape, and fetches by any name."""
    with tf.Graph().as_default() as graph:
        source.build(tf)
        scalar = tf.placeholder(tf.int32, [], name="scalar")
        tf.reshape(tf.placeholder(tf.float32, name="any"), tf.stack([scalar, -1]), name="shaped")
    session = tf.Session(graph=graph)
    names = ["out:0", "relu:0", "shaped:0", "image:0", "conv:0", "any:0", "scalar:0", "flat:0"]

    def attempt(chance):
        fed = {}
        for name in chance.sample(["image:0", "scalar:0", "any:0", "weights:0", "relu:0"], 2):
            odd = chance.choice((name[:-2], "ghost:0", 7, None))
            fed[odd if chance.random() < 0.02 else name] = value(chance, name)
        fetch = chance.choice(names)
        session.run(chance.choice((*[fetch] * 20, [fetch] * 2, "ghost", None, 3)), fed)

    return attempt, (tf.errors.OpError, ValueError, TypeError, OverflowError)


def checkpoints(folder):
    """Give what tries damaged files of saved variables."""
    with tf.Graph().as_default() as graph:
        kinds = ("f4", "i4", "f4", "f2", "?")
        for number, shape in enumerate(((), (3,), (2, 2), (2, 1, 2), (0, 3))):
            tf.Variable(np.ones(shape, kinds[number]), name=f"v{number}")
        tf.Variable(["one", "", "three"], name="words")
        saver = tf.train.Saver()
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())
        saver.save(session, str(folder / "good"))
    good = {end: (folder / f"good{end}").read_bytes() for end in (".index", _DATA, ".meta")}

    def attempt(chance):
        for end, whole in good.items():
            (folder / f"bad{end}").write_bytes(whole)
        end = chance.choice(list(good))
        fix = damaged_index if end == ".index" and chance.random() < 0.6 else changed
        (folder / f"bad{end}").write_bytes(fix(good[end], chance.getrandbits(60)))
        if end == ".meta":
            with tf.Graph().as_default():
                tf.train.import_meta_graph(str(folder / "bad.meta"))
        else:
            saver.restore(session, str(folder / "bad"))

    return attempt, (tf.errors.OpError, ValueError, KeyError, TypeError, OSError)


def trained_graph():
    """The bytes of a graph with variables, gradients and an optimizer."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(tf.ones([3, 2]), name="w")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        tf.train.AdamOptimizer(0.1).minimize(loss)
        tf.concat([tf.transpose(w), tf.zeros([2, 1])], 1, name="joined")
        return graph.as_graph_def().SerializeToString(deterministic=True)


def value(chance, name):
    """An array, a list, a number, or something that is none."""
    if chance.random() < 0.2:
        return chance.choice(
            (None, "text", b"raw", 1 << 70, 1e400, [[1], [1, 2]], {}, object(), [])
        )
    shape = [chance.choice((0, 1, 1, 2, 3, 8)) for _ in range(chance.randrange(6))]
    usual = {
        "image:0": [chance.choice((0, 1, 2)), 8, 8, 2],
        "scalar:0": [],
        "weights:0": [3, 3, 2, 4],
    }
    if chance.random() < 0.8:
        shape = usual.get(name, shape)
    usual_kind = "i4" if name == "scalar:0" else "f4"
    numbers = np.full(shape, chance.choice((1, 0, -1, 3, 2**31 - 1, -(2**31))))
    made = numbers.astype(usual_kind if chance.random() < 0.8 else chance.choice(DTYPES))
    return chance.choice((made, made, made.T, made[::-1] if made.ndim else made, made.tolist()))


def damaged_index(raw, seed):
    """The index of a checkpoint with its entries changed and its checksum right."""
    size = raw.index(b"\0\0\0\0\1\0\0\0", 0, -48) + 8  # of the block: one place, how many places
    block = changed(raw[:size], seed)
    sum_at = size + 1
    if len(block) != size:
        return block + raw[size:]
    masked = masked_sum(block + raw[size:sum_at])
    return block + raw[size:sum_at] + masked.to_bytes(4, "little") + raw[sum_at + 4 :]


KINDS = {
    "graphs": graphs, "feeds": feeds, "checkpoints": checkpoints, "images": images,
    "records": records, "messages": messages, "saved models": saved_models,
    "old checkpoints": old_checkpoints, "threads": threads, "kept values": kept_values,
}  # fmt: skip


def main():
    """Try the numbers from first to last, every step of them; say each before it is tried."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=tuple(KINDS))
    for name in ("seed", "first", "last", "step"):
        parser.add_argument(name, type=int)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        attempt, answers = KINDS[given.kind](Path(folder))
        for number in range(given.first, given.last, given.step):
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            signal.alarm(SECONDS)
            sys.stdout.write(json.dumps(_ending(attempt, answers, given, number)) + "\n")
    sys.stdout.flush()


def _ending(attempt, answers, given, number):
    """How an input ended: [what, fault]."""
    try:
        attempt(random.Random(f"{given.seed}/{given.kind}/{number}"))
    except answers as error:
        return [type(error).__name__, ""]
    except Exception as error:  # noqa: BLE001  (any other kind is a fault)
        return ["another exception", f"{type(error).__name__}: {error}"]
    return ["done", ""]


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main()
