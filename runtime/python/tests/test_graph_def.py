"""GraphDef files: there and back, imported, frozen, damaged; and compared with TensorFlow's."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def small_network():
    """A graph with every kind of attribute that files carry."""
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable(tf.zeros([4, 3]), name="w")
    with tf.device("/cpu:0"), tf.control_dependencies([x]):
        y = tf.nn.relu(tf.matmul(x, w) + tf.constant([1.0, 2.0, 3.0], name="bias"), name="y")
    tf.reshape(y, [-1, 3, 1], name="z")
    tf.constant(["a", b"\xff"], name="words")
    tf.constant(np.arange(6, dtype=np.int64).reshape(2, 3), name="numbers")
    tf.constant(True, name="truth")
    tf.constant(np.ones(3, np.float16), name="halves")
    return y


def test_a_graph_survives_the_way_through_bytes():
    small_network()
    data = tf.get_default_graph().as_graph_def().SerializeToString()
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(data)
    assert graph_def == tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph_def, name="")
        assert other.as_graph_def() == graph_def
        assert other.get_tensor_by_name("y:0").shape.as_list() == [None, 3]


def test_nodes_can_be_read():
    small_network()
    nodes = {node.name: node for node in tf.get_default_graph().as_graph_def().node}
    assert nodes["x"].op == "Placeholder"
    assert nodes["x"].attr["dtype"].type == tf.float32
    assert tf.TensorShape(nodes["x"].attr["shape"].shape).as_list() == [None, 4]
    assert nodes["y"].device == "/device:CPU:0"
    assert nodes["bias"].input == ["^x"]
    arrays = {name: tf.make_ndarray(nodes[name].attr["value"].tensor).tolist()
              for name in ("numbers", "words", "truth", "halves")}  # fmt: skip
    assert arrays == {"numbers": [[0, 1, 2], [3, 4, 5]], "words": [b"a", b"\xff"], "truth": True,
                      "halves": [1.0, 1.0, 1.0]}  # fmt: skip
    assert nodes["w/Assign"].attr["_class"].list.s == [b"loc:@w"]


def test_nodes_can_be_written(run):
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="c", op="Const")
    source = tf.constant([1, 2]).op.node_def
    node.attr["dtype"].CopyFrom(source.attr["dtype"])
    node.attr["value"].CopyFrom(source.attr["value"])
    (found,) = tf.import_graph_def(graph_def, return_elements=["c:0"])
    assert run(found).tolist() == [1, 2]


def test_import_puts_a_prefix_and_replaces_inputs(run):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(x * 2.0, name="y")
        graph_def = graph.as_graph_def()
    mine = tf.constant([1.0, 5.0])
    y, op = tf.import_graph_def(graph_def, {"x:0": mine}, ["y:0", "y"])
    assert y.name == "import/y:0"
    assert op is y.op
    assert run(y).tolist() == [2.0, 10.0]
    (again,) = tf.import_graph_def(graph_def, {"x": mine}, ["y:0"])
    assert again.name == "import_1/y:0"
    (named,) = tf.import_graph_def(graph_def, {"x": mine}, ["y:0"], name="part")
    assert named.name == "part/y:0"


def test_wrong_imports_leave_the_graph_as_it_was():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        graph_def = graph.as_graph_def()
    tf.constant(1.0, name="c")
    with pytest.raises(ValueError, match="c"):
        tf.import_graph_def(graph_def, name="")
    with pytest.raises(ValueError, match="not found"):
        tf.import_graph_def(graph_def, return_elements=["d:0"])
    for wrong in (3, tf.MetaGraphDef(graph_def=graph_def), tf.ConfigProto()):
        with pytest.raises(TypeError, match="graph_def must be a GraphDef"):
            tf.import_graph_def(wrong)
    graph_def.node.add(name="e", op="NoSuchOp")
    before = len(tf.get_default_graph().get_operations())
    with pytest.raises(tf.errors.NotFoundError, match="NoSuchOp"):
        tf.import_graph_def(graph_def)
    assert len(tf.get_default_graph().get_operations()) == before


def test_freezing_gives_the_same_answers_without_variables():
    y = small_network()
    array = np.ones((2, 4), np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(tf.trainable_variables()[0], np.full((4, 3), 2.0, np.float32)))
        expected = session.run(y, {"x:0": array})
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
    assert not [node for node in frozen.node if node.op.startswith("Variable")]
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(frozen, return_elements=["y:0"])
        np.testing.assert_array_equal(session.run(y, {"import/x:0": array}), expected)


_TENSORFLOW_ROUND_TRIP = """
import sys
import tensorflow.compat.v1 as tf
graph_def = tf.GraphDef.FromString(sys.stdin.buffer.read())
with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
    sys.stdout.buffer.write(graph.as_graph_def().SerializeToString())
"""


@pytest.mark.tensorflow
def test_tensorflow_reads_and_rewrites_our_graph_unchanged(tensorflow):
    small_network()
    graph_def = tf.get_default_graph().as_graph_def()
    theirs = tensorflow(_TENSORFLOW_ROUND_TRIP, data=graph_def.SerializeToString())
    again = tf.GraphDef.FromString(theirs)
    assert again.node == graph_def.node


_TENSORFLOW_GRAPH = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 4], name="x")
w = tf.get_variable("w", [4, 3], initializer=tf.zeros_initializer())
y = tf.nn.softmax(tf.matmul(x, w) + tf.constant([1.0, 2.0, 3.0]), name="y")
loss = tf.reduce_mean(tf.square(y), name="loss")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    frozen = tf.graph_util.convert_variables_to_constants(
        session, tf.get_default_graph().as_graph_def(), ["y", "loss"])
    array = np.arange(8, dtype=np.float32).reshape(2, 4)
    values = session.run([y, loss], {x: array})
sys.stdout.buffer.write(np.concatenate([values[0].ravel(), [values[1]]]).astype("<f8").tobytes())
sys.stdout.buffer.write(frozen.SerializeToString(deterministic=True))
"""

_NAMES = """
import sys
import importlib
tf = importlib.import_module(sys.argv[1])
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
labels = tf.placeholder(tf.int64, [None], name="labels")
with tf.variable_scope("conv") as scope:
    w = tf.get_variable("w", [3, 3, 1, 4], initializer=tf.truncated_normal_initializer())
    b = tf.Variable(tf.zeros([4]), name="b")
with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
    assert tf.get_variable("w") is w
    tf.get_variable("other", [2])
for _ in range(2):
    with tf.variable_scope(None, "block"):
        tf.get_variable("q", [2], initializer=tf.ones_initializer())
h = tf.nn.relu(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME") + b)
h = tf.reshape(tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [-1, 64])
logits = 2.0 * tf.matmul(h, tf.ones([64, 10])) - 1
right = tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32)
tf.stack([tf.reduce_mean(right, name="accuracy"), -tf.reduce_max(logits[:, 1:3])])
tf.global_variables_initializer()
with tf.name_scope("a"), tf.device("/cpu:0"):
    tf.add(tf.constant([1, 2]), 3)
for node in tf.get_default_graph().as_graph_def().node:
    print(node.name, node.op, sorted(node.input), node.device,
          sorted(name for name in node.attr if not name.startswith("_")))
"""


@pytest.mark.tensorflow
def test_programs_make_the_nodes_that_tensorflow_makes(tensorflow, python):
    theirs = tensorflow(_NAMES, "tensorflow.compat.v1").decode()
    assert python(_NAMES, "tfbuild_runtime.compat.v1") == theirs


@pytest.mark.tensorflow
def test_a_graph_frozen_by_tensorflow_gives_its_answers_here(tensorflow):
    output = tensorflow(_TENSORFLOW_GRAPH)
    expected, data = np.frombuffer(output[:56], "<f8"), output[56:]
    graph_def = tf.GraphDef.FromString(data)
    y, loss = tf.import_graph_def(graph_def, return_elements=["y:0", "loss:0"])
    with tf.Session() as session:
        array = np.arange(8, dtype=np.float32).reshape(2, 4)
        values = session.run([y, loss], {"import/x:0": array})
    np.testing.assert_allclose(np.append(values[0].ravel(), values[1]), expected, rtol=1e-5)
