"""Graphs with loops, branches and functions that TensorFlow wrote: loaded, run, trained, derived.

tensorflow_graphs/make.py has the programs, and wrote what TensorFlow computes of them.
"""

import json
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

ARCHIVE = Path(__file__).parent / "tensorflow_graphs" / "graphs.zip"


@cache
def expected():
    return json.loads(_read("expected.json"))


def _read(name):
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(name)


PROGRAMS = expected()["programs"]
x = np.asarray(expected()["x"], np.float32)
by_name = pytest.mark.parametrize("program", PROGRAMS, ids=[p["name"] for p in PROGRAMS])


@by_name
def test_what_tensorflow_wrote_to_train_trains(program):
    tf.import_graph_def(_read(program["name"] + ".train.pb"), name="")
    with tf.Session() as session:
        session.run("init")
        losses = [session.run(["loss:0", "train"], {"x:0": x})[0] for _ in program["losses"]]
    np.testing.assert_allclose(losses, program["losses"], rtol=1e-4, atol=1e-7)


@by_name
def test_our_gradients_go_through_what_tensorflow_wrote(program):
    tf.import_graph_def(_read(program["name"] + ".pb"), name="")
    graph = tf.get_default_graph()
    loss = graph.get_tensor_by_name("loss:0")
    variables = [graph.get_tensor_by_name(name + ":0") for name in program["variables"]]
    gradients = tf.gradients(loss, variables)
    with tf.Session() as session:
        session.run("init")
        value, found = session.run([loss, gradients], {"x:0": x})
    np.testing.assert_allclose(value, program["losses"][0], rtol=1e-4, atol=1e-7)
    for ours, theirs in zip(found, program["gradients"]):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_effects_in_bodies_happen_once_a_step_and_in_their_order():
    tf.import_graph_def(_read("effects.pb"), name="")
    with tf.Session() as session:
        session.run("init")
        losses = [session.run("loss:0", {"x:0": x}) for _ in expected()["effects"]["losses"]]
    np.testing.assert_allclose(losses, expected()["effects"]["losses"], rtol=1e-5)


def test_functions_are_written_as_they_came():
    data = _read("branch_in_loop_v2.pb")
    tf.import_graph_def(tf.GraphDef.FromString(data), name="")
    again = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(again, name="")
        session.run("init")
        loss = session.run("loss:0", {"x:0": x})
    program = next(p for p in PROGRAMS if p["name"] == "branch_in_loop_v2")
    # A sum of numbers near 1 that cancel: an H200 is 5e-8 away.
    slack = 1e-7 if tf.test.is_gpu_available() else 0
    np.testing.assert_allclose(loss, program["losses"][0], rtol=1e-5, atol=slack)


def test_what_gradients_write_out_is_run_once():
    """The loss and the gradient of it are of the same random numbers."""
    tf.import_graph_def(_read("function_v2.pb"), name="")
    graph = tf.get_default_graph()
    calls = [op for op in graph.get_operations() if "PartitionedCall" in op.type]
    assert calls
    gradient = tf.gradients(graph.get_tensor_by_name("loss:0"), graph.get_tensor_by_name("w:0"))
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as session:
        session.run("init")
        session.run(["loss:0", gradient], {"x:0": x}, options=options, run_metadata=metadata)
    assert "inline_functions" not in [record.name for record in metadata.passes]
