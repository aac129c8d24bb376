"""Damaged checkpoints: whatever a file holds, restoring ends in values or in an OpError."""

import io
import json
import random
import zipfile

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


@pytest.fixture
def saver():
    tf.Variable([[1.0, 2.0]], name="layer/w")
    tf.Variable(np.int64(3), name="step", trainable=False)
    return tf.train.Saver()


@pytest.fixture
def saved(saver, tmp_path):
    """The bytes of a sound file."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, tmp_path / "sound")
    return (tmp_path / (path + ".npz")).read_bytes()


def archive(**entries):
    """An .npz file of those bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in entries.items():
            file.writestr(name.replace("__slash__", "/") + ".npy", data)
    return stream.getvalue()


def npy(value):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(value), allow_pickle=True)
    return stream.getvalue()


def types(value):
    return npy(np.array(json.dumps(value)))


GOOD = {"layer/w": "float32", "step": "int64"}
W = npy(np.ones((1, 2), np.float32))
STEP = npy(np.int64(1))
HUGE = W.replace(b"(1, 2)", b"(1, 200000000000000)").replace(b" " * 14 + b"\n", b"\n")
DAMAGED = {
    "types are a list": archive(__types__=types(["layer/w"])),
    "types are a number": archive(__types__=types(7)),
    "types are no JSON": archive(__types__=npy(np.array("{"))),
    "a type is a list": archive(__types__=types({"layer/w": [1]}), layer__slash__w=W),
    "a type is unknown": archive(__types__=types({"layer/w": "float33"}), layer__slash__w=W),
    "a type is null": archive(__types__=types({"layer/w": None}), layer__slash__w=W),
    "an entry is missing": archive(__types__=types(GOOD), step=STEP),
    "an entry is no array": archive(__types__=types(GOOD), layer__slash__w=b"x", step=STEP),
    "an entry is empty": archive(__types__=types(GOOD), layer__slash__w=b"", step=STEP),
    "an entry is an object": archive(__types__=types(GOOD), layer__slash__w=npy(np.array([{}]))),
    "an entry is cut off": archive(__types__=types(GOOD), layer__slash__w=W[:-3], step=STEP),
    "an entry has a bad header": archive(
        __types__=types(GOOD), layer__slash__w=W.replace(b"'descr'", b"'descr(")
    ),
    "an entry has a huge shape": archive(__types__=types(GOOD), layer__slash__w=HUGE),
    "an entry has another type": archive(
        __types__=types(GOOD), layer__slash__w=npy(np.array([["a", "b"]])), step=STEP
    ),
    "bfloat16 in bytes of another size": archive(
        __types__=types({"layer/w": "bfloat16"}), layer__slash__w=npy(np.zeros((1, 3), np.uint8))
    ),
    "an array": npy(np.ones(3)),
    "a pickle": b"\x80\x04N.",
    "nothing": b"",
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damage_is_told_with_file_and_entry(what, saver, tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(DAMAGED[what])
    refused = pytest.raises((tf.errors.DataLossError, tf.errors.ResourceExhaustedError))
    with tf.Session() as session, refused as caught:
        saver.restore(session, path)
    entry = "layer/w" if what.startswith(("a type", "an entry", "bfloat16")) else "("
    assert str(path) in str(caught.value)
    assert entry in str(caught.value) or "__types__" in str(caught.value)


def test_random_damage_is_an_error_or_harmless(saver, saved, tmp_path):
    source = random.Random(3)
    path = tmp_path / "model.npz"
    outcomes = set()
    with tf.Session() as session:
        for _ in range(400):
            damaged = bytearray(saved)
            for _ in range(source.randint(1, 3)):
                place = source.randrange(len(damaged))
                damaged[place] = source.choice((0, 0xFF, source.randrange(256)))
            if source.random() < 0.2:
                del damaged[source.randrange(1, len(damaged)) :]
            path.write_bytes(damaged)
            try:
                saver.restore(session, path)
                outcomes.add("restored")
            except tf.errors.OpError as error:
                outcomes.add(type(error).__name__)
    assert "DataLossError" in outcomes


@pytest.mark.parametrize(
    "state",
    [b"\xff\xfe", b'model_checkpoint_path: "a\\"', b'model_checkpoint_path: "a" "b"',
     b'model_checkpoint_path: "\\u0000"', b'model_checkpoint_path: "\\ud800"', b""],
)  # fmt: skip
def test_a_damaged_state_names_no_checkpoint(state, tmp_path):
    (tmp_path / "checkpoint").write_bytes(state)
    assert tf.train.latest_checkpoint(tmp_path) is None
