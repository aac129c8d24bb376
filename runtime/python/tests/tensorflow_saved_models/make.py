"""Writes models.zip beside it: a SavedModel in both forms, and what TensorFlow computes of it.

Run it with the Python of a TensorFlow 2.21. The model has what newer versions add to graphs:
attributes that say what becomes of indices outside, functions, and the list of the ops it needs.
ops.pb is the list of all of TensorFlow's ops, without texts for people.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import tensorflow as tf2
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry

tf = tf2.compat.v1
raw = tf2.raw_ops
HERE = Path(__file__).resolve().parent
X = np.arange(6, dtype=np.float32).reshape(2, 3)
PLACES = [[0, 1], [9, 0], [1, -1], [1, 2]]  # two of them lie outside
ROWS = [[0], [7], [1]]
CHANGES = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]


def _variables(x: object) -> dict[str, object]:
    """What ops that change variables leave there: by reference and by handle."""
    found = {}
    for kind in ("Update", "Add", "Sub"):
        start = tf.constant_initializer([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        handle = tf.get_variable(f"handle_{kind}", [2, 3], initializer=start, use_resource=True)
        change = getattr(raw, f"ResourceScatterNd{kind}")
        words = {"indices": ROWS, "updates": CHANGES, "bad_indices_policy": "IGNORE"}
        with tf.control_dependencies([x, change(ref=handle.handle, **words)]):
            found[f"handle_{kind}"] = handle.read_value()
        reference = tf.get_variable(
            f"reference_{kind}", [2, 3], initializer=start, use_resource=False
        )
        change = getattr(raw, f"ScatterNd{kind}")
        found[f"reference_{kind}"] = change(ref=reference._variable, **words)
    return found


def model(x: object) -> dict[str, object]:
    """Build the graph; return its outputs."""
    words = {"tensor": x, "indices": ROWS, "updates": CHANGES, "bad_indices_policy": "IGNORE"}
    sparse = tf.sparse.from_dense(tf.cast(x > 1, tf.float32))
    start = tf.constant_initializer(3.0)
    parts = tf.get_variable(
        "parts", [2, 3], initializer=start, partitioner=tf.fixed_size_partitioner(2)
    )
    return {
        "sparse": tf.sparse.to_dense(sparse),
        "inside": tf.gather_nd(x, [[0, 1], [1, 2]]),
        "parts": x + parts,
        "gathered": tf.gather_nd(x, PLACES, bad_indices_policy="IGNORE"),
        "scattered": raw.ScatterNd(
            indices=ROWS, updates=CHANGES, shape=[2, 3], bad_indices_policy="IGNORE"
        ),
        "update": raw.TensorScatterUpdate(**words),
        "add": raw.TensorScatterAdd(**words),
        "sub": raw.TensorScatterSub(**words),
        "branch": tf.cond(tf.reduce_sum(x) > 3, lambda: tf.gather_nd(x, ROWS[:1]) * 2, lambda: x),
        **_variables(x),
    }


def write() -> dict[str, object]:
    """Write the model into the current folder; return what TensorFlow computes of it."""
    Path("words.txt").write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], "x")
        outputs = model(x)
        name = tf.constant("words.txt")
        session.run(tf.global_variables_initializer())
        infos = {key: tf.saved_model.build_tensor_info(value) for key, value in outputs.items()}
        signature = tf.saved_model.build_signature_def(
            {"x": tf.saved_model.build_tensor_info(x)}, infos, "tensorflow/serving/predict"
        )
        builder = tf.saved_model.Builder("model")
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, assets_collection=[name]
        )
        builder.save()
        builder.save(as_text=True)
    return {key: np.asarray(value).tolist() for key, value in _run().items()}


def _run() -> dict[str, object]:
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], "model")
        signature = meta.signature_def["serving_default"]
        names = {key: info.name for key, info in signature.outputs.items()}
        return {key: session.run(name, {"x:0": X}) for key, name in names.items()}


def _all_ops() -> bytes:
    found = (op_def_registry.get(name) for name in sorted(raw.__dict__))
    ops = op_def_pb2.OpList(op=[op for op in found if op is not None])
    for op in ops.op:
        op.ClearField("summary")
        op.ClearField("description")
        for part in (*op.input_arg, *op.output_arg, *op.attr):
            part.ClearField("description")
    return ops.SerializeToString(deterministic=True)


def main() -> None:
    """Write everything again."""
    tf.disable_eager_execution()
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(HERE / "models.zip", "w") as to:
        os.chdir(folder)
        values = write()
        for path in sorted(Path("model").rglob("*")):
            if path.is_file():
                _save(to, str(path), path.read_bytes())
        expected = {"tensorflow": tf2.__version__, "x": X.tolist(), "outputs": values}
        _save(to, "expected.json", json.dumps(expected).encode())
        _save(to, "ops.pb", _all_ops())


def _save(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)  # of a fixed date


if __name__ == "__main__":
    sys.exit(main())
