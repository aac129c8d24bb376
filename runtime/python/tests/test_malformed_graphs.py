"""Damaged and absurd graphs: each must end in an error or a result, never in a crash."""

import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from google.protobuf import message

_SHAPES = ((), (0,), (1,), (2,), (3, 1), (2, 0, 2), (4, 4, 4, 2), (1, 1, 1, 1, 1, 1))
_TYPES = ("float32", "float64", "int32", "int64", "bool", "float16", "uint8")


def network():
    """A graph that uses ops of every family."""
    x = tf.placeholder(tf.float32, [None, 8, 8, 2], name="x")
    w = tf.Variable(tf.ones([3, 3, 2, 4]), name="w")
    h = tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"))
    h = tf.reshape(h, [-1, 256])
    h = tf.nn.bias_add(tf.matmul(h, tf.ones([256, 3])), tf.constant([1.0, 2.0, 3.0]))
    p = tf.nn.softmax(h)
    tf.reduce_mean(tf.square(p - 0.5), axis=1)
    tf.transpose(tf.concat([p, h], 1), [1, 0])
    tf.pad(tf.slice(p, [0, 1], [-1, 2]), [[0, 0], [1, 1]])
    tf.cast(tf.equal(tf.constant([1, 2, 3]), 2), tf.float32)
    tf.reduce_sum(tf.expand_dims(tf.range(4), 0), [0, 1])
    labels, logits = tf.constant([0, 2]), tf.constant([[1.0, 2, 3]] * 2)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.squeeze(tf.fill([2, 1], 7.0), [1])
    tf.constant(["a", "b"])


def damaged_files(data, count, seed):
    """Copies of data with bytes changed, cut out, doubled, cut off."""
    source = random.Random(seed)
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(source.randint(1, 3)):
            place = source.randrange(len(damaged))
            kind = source.randrange(8)
            if kind < 5:
                damaged[place] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
            elif kind == 5:
                del damaged[place : place + source.randint(1, 9)]
            elif kind == 6:
                damaged[place:place] = damaged[place : place + source.randint(1, 40)]
            else:
                del damaged[max(place, 1) :]
        yield bytes(damaged)


def make_absurd(value, source):
    """Give an attribute another value of its kind."""
    numbers = (0, -1, 1, 5, 2**31 - 1, -(2**63), 2**63 - 1)
    kind = value.WhichOneof("value")
    if kind == "i":
        value.i = source.choice(numbers)
    elif kind == "list" and value.list.i:
        value.list.i[:] = [source.choice(numbers) for _ in range(source.randint(0, 5))]
    elif kind == "shape":
        shape = source.choice([None, *_SHAPES, (-1, 2**40), (2**31, 2**31)])
        value.shape.CopyFrom(tf.TensorShape(None).as_proto())
        if shape is not None:
            value.shape.unknown_rank = False
            for size in shape:
                value.shape.dim.add(size=size)


def absurd_graph(data, source):
    """A well-formed file whose nodes do not fit together."""
    graph_def = tf.GraphDef.FromString(data)
    for _ in range(source.randint(1, 3)):
        node = source.choice(graph_def.node)
        other = source.choice(graph_def.node)
        kind = source.randrange(6)
        if kind == 0 and node.input:
            node.input[source.randrange(len(node.input))] = other.name
        elif kind == 1 and node.op == "Const":
            array = np.full(source.choice(_SHAPES), source.choice((0, 1, -1, 3, 2**30)))
            with np.errstate(all="ignore"):
                array = array.astype(source.choice(_TYPES))
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(array))
            node.attr["dtype"].type = tf.as_dtype(array.dtype).as_datatype_enum
        elif kind == 2 and node.attr:
            make_absurd(node.attr[source.choice(list(node.attr))], source)
        elif kind == 3:
            node.op = other.op
        elif kind == 4:
            for name, value in other.attr.items():
                node.attr[name].CopyFrom(value)
        elif node.input:
            del node.input[-1]
    return graph_def


def try_graph(graph_def):
    """Import and run a graph; anything but an orderly error fails the test."""
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except (tf.errors.OpError, ValueError):
            return "refused"
        outcome = "ran"
        with tf.Session() as session:
            for op in graph.get_operations():
                feeds = feeds_of(graph)
                try:
                    session.run(op.outputs or op, feeds)
                except (tf.errors.OpError, ValueError, TypeError):
                    outcome = "failed"
    return outcome


def feeds_of(graph):
    op = graph._by_name.get("x")
    if op is None or not op.outputs or op.outputs[0].dtype != tf.float32:
        return {}
    return {op.outputs[0]: np.ones((2, 8, 8, 2), np.float32)}


@pytest.fixture
def data():
    with tf.Graph().as_default() as graph:
        network()
        return graph.as_graph_def().SerializeToString(deterministic=True)


def test_the_sound_graph_is_imported(data):
    assert try_graph(tf.GraphDef.FromString(data)) != "refused"


def test_damaged_files(data):
    outcomes = [try_graph(damaged) for damaged in damaged_files(data, 300, seed=1)]
    assert len(outcomes) == 300
    assert {"refused", "failed"} <= set(outcomes)


def test_absurd_graphs(data):
    source = random.Random(2)
    outcomes = [try_graph(absurd_graph(data, source)) for _ in range(200)]
    assert {"refused", "failed"} <= set(outcomes)


def try_training(data):
    """Import a graph and run what it has to be run; a loop may go on for ever."""
    with tf.Graph().as_default():
        try:
            tf.import_graph_def(data, name="")
        except (tf.errors.OpError, ValueError):
            return "refused"
        feeds = {"x:0": np.ones((2, 4), np.float32)}
        with tf.Session() as session:
            try:
                for fetch, fed in (("init", {}), ("loss:0", feeds), ("train", feeds)):
                    session.run(fetch, fed, options=tf.RunOptions(timeout_in_ms=2000))
            except (tf.errors.OpError, ValueError, TypeError, KeyError):
                return "failed"
    return "ran"


@pytest.mark.parametrize("name", ["branch_in_loop_v2", "switch_case_v2", "loop_in_loop_v1"])
def test_damaged_files_with_functions_and_loops(name):
    """Of TensorFlow's own, which have libraries."""
    archive = Path(__file__).parent / "tensorflow_graphs" / "graphs.zip"
    with zipfile.ZipFile(archive) as graphs:
        data = graphs.read(name + ".train.pb")
    outcomes = [try_training(damaged) for damaged in damaged_files(data, 100, seed=len(name))]
    assert try_training(data) == "ran"
    assert "refused" in outcomes
    assert set(outcomes) & {"failed", "ran"}


@pytest.mark.parametrize("field", [b"\x0a", b"\x12", b"\x1a"])
def test_a_name_that_is_no_text(field):
    """Of a node, of an op, of an input."""
    node = b"\x0a\x01x" + field + b"\x02\xff\xfe"
    graph_def = b"\x0a" + bytes([len(node)]) + node
    with pytest.raises(tf.errors.DataLossError, match="not UTF-8"):
        tf.import_graph_def(graph_def)
    with pytest.raises(message.DecodeError, match="GraphDef"):
        tf.GraphDef.FromString(graph_def)


_SHORT = (b"", b"\x0a", b"\xff" * 40, b"\x0a\x80\x80\x80\x80\x10", bytes(9))


@pytest.mark.parametrize("data", _SHORT)
def test_short_files(data):
    try:
        tf.import_graph_def(data)
    except (tf.errors.OpError, ValueError):
        return
    assert not data
