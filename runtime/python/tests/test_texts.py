"""A str of Python need not be text: half a surrogate pair is refused or shown, and ends nothing."""

import os

import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.framework import native

HALF = "half a pair: \ud83d"
SHOWN = "half a pair: \\ud83d"


def fails(error):
    raise error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError(HALF), tf.errors.InvalidArgumentError),
        (OSError(HALF), tf.errors.UnknownError),
        (SystemExit(HALF), tf.errors.UnknownError),
        (KeyboardInterrupt(HALF), tf.errors.UnknownError),
    ],
)
def test_errors_of_a_function_are_shown(error, kind, run):
    with pytest.raises(kind) as caught:
        run(tf.py_func(lambda: fails(error), [], tf.float32))
    assert SHOWN in caught.value.message


def test_an_error_that_cannot_be_shown_is_one(run):
    class Mute(BaseException):
        def __str__(self):
            raise ValueError(HALF)

    with pytest.raises(tf.errors.UnknownError, match="Mute"):
        run(tf.py_func(lambda: fails(Mute()), [], tf.float32))


def add(**changed):
    words = {"op": "NoOp", "name": "a", "inputs": [], "control_inputs": [], "attrs": {},
             "device": "", **changed}  # fmt: skip
    return tf.get_default_graph()._native.add_node(*words.values())


USES = {
    "a name": lambda: tf.constant(1, name=HALF),
    "a scope": lambda: tf.name_scope(HALF).__enter__(),
    "a device": lambda: add(device=HALF),
    "a node's name": lambda: add(name=HALF),
    "an op": lambda: add(op=HALF),
    "an op's definition": lambda: native.op_def(HALF),
    "an attribute's name": lambda: add(attrs={HALF: 1}),
    "an attribute": lambda: add(attrs={"_a": HALF}),
    "attributes": lambda: add(attrs={"_a": ["a", HALF]}),
    "an attribute of an op": lambda: tf.as_string(1.5, width=3, fill=HALF),
    "a constant": lambda: tf.constant(["a", HALF]),
    "a value that is fed": lambda: tf.Session().run(
        text := tf.placeholder(tf.string), {text: HALF}
    ),
    "a value that is no number": lambda: tf.Session().run(
        number := tf.placeholder(tf.float32), {number: [HALF]}
    ),
    "the result of a function": lambda: tf.Session().run(tf.py_func(lambda: HALF, [], tf.string)),
    "a name that is fetched": lambda: (tf.constant(1), tf.Session().run(HALF)),
    "a prefix": lambda: tf.import_graph_def(tf.GraphDef(), name=HALF),
    "an input that is replaced": lambda: tf.import_graph_def(
        tf.GraphDef(), input_map={HALF: tf.constant(1)}
    ),
    "nodes of a message": lambda: tf.NodeDef(name=HALF),
    "inputs of a message": lambda: tf.NodeDef(input=[HALF]),
    "a file of records": lambda: tf.python_io.TFRecordWriter(HALF),
    "a folder of events": lambda: tf.summary.FileWriter(HALF),
    "a file": lambda: tf.gfile.GFile(HALF).read(),
    "a compression": lambda: native.RecordReader(b"/no/such/file", HALF),
    "a file of a dataset": lambda: tf.data.TextLineDataset(HALF),
}


@pytest.mark.parametrize("use", USES)
def test_half_a_pair_is_refused(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, KeyError, tf.errors.OpError)) as caught:
        USES[use]()
    assert "bad_cast" not in str(caught.value)


def test_records_may_have_a_name_that_is_no_text(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff"
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"one")
    assert list(tf.python_io.tf_record_iterator(os.fsdecode(path))) == [b"one"]
    folder = tmp_path / os.fsdecode(b"\xff-events")
    with tf.summary.FileWriter(str(folder)):
        pass
    assert list(folder.iterdir())
