"""How graphs are built: names, scopes, devices, types, shapes, errors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def names():
    return [op.name for op in tf.get_default_graph().get_operations()]


def test_names_are_unique_and_follow_scopes():
    tf.constant(1, name="a")
    tf.constant(1, name="a")
    with tf.name_scope("s") as scope:
        tf.constant(1, name="a")
        with tf.name_scope("t"):
            tf.constant(1)
    with tf.name_scope("s"):
        tf.constant(1, name="a")
    with tf.name_scope(scope):
        tf.constant(1, name="b")
    tf.constant(1, name="A")
    assert names() == ["a", "a_1", "s/a", "s/t/Const", "s_1/a", "s/b", "A_2"]


def test_operators_name_their_constants_as_tensorflow_does():
    x = tf.placeholder(tf.float32, [2], name="x")
    y = 2 * x + 1
    assert names() == ["x", "mul/x", "mul", "add/y", "add"]
    assert y.op.type == "AddV2"


@pytest.mark.parametrize("name", ["", "/a", "a b", "é", "-a"])
def test_malformed_names_are_refused(name):
    with pytest.raises(ValueError, match="name"), tf.name_scope("s" if not name else None):
        tf.get_default_graph().create_op("NoOp", (), {}, name or "a/b c")


def test_elements_are_found_by_name():
    graph = tf.get_default_graph()
    a = tf.constant(1, name="a")
    assert graph.get_tensor_by_name("a:0") is a
    assert graph.get_operation_by_name("a") is a.op
    assert graph.as_graph_element("a") is a.op
    with pytest.raises(KeyError, match="does not exist"):
        graph.get_tensor_by_name("b:0")
    with pytest.raises(KeyError, match="only has 1 outputs"):
        graph.get_tensor_by_name("a:1")
    with pytest.raises(ValueError, match="looks like"):
        graph.get_tensor_by_name("a")
    with pytest.raises(ValueError, match="refer to a Tensor"):
        graph.get_operation_by_name("a:0")
    with pytest.raises(KeyError):
        graph.get_operation_by_name("b")


def test_shapes_are_known_while_the_graph_is_built():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.matmul(x, tf.zeros([3, 5]))
    assert y.shape.as_list() == [None, 5]
    y.set_shape([7, None])
    assert y.shape.as_list() == [7, 5]
    assert int(y.shape[0]) == 7
    assert y.get_shape()[1].value == 5
    with pytest.raises(ValueError, match="incompatible"):
        y.set_shape([8, None])
    assert tf.placeholder(tf.float32).shape.rank is None


def test_a_wrong_shape_is_an_error_on_the_line_that_makes_it():
    with pytest.raises(ValueError, match="MatMul"):
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="add"):
        tf.add(tf.zeros([2]), tf.zeros([3]), name="add")


def test_wrong_types_are_named():
    x, y = tf.constant(1.0), tf.constant(1)
    with pytest.raises(TypeError, match=r"type int32 that does not match type float32"):
        tf.add(x, y)
    with pytest.raises(TypeError, match="float"):
        tf.logical_not(x)
    with pytest.raises(TypeError, match="int32"):
        y + 1.5
    with pytest.raises(TypeError, match="cannot decide"):
        bool(x > 0)


def test_unknown_ops_and_attributes_are_refused():
    from tfbuild_runtime.framework import ops

    with pytest.raises(tf.errors.NotFoundError, match="did you mean 'MatMul'"):
        ops.apply_op("MatMull", [1.0, 2.0])
    with pytest.raises(ValueError, match="no attribute"):
        ops.apply_op("NoOp", [], {"speed": 3})
    with pytest.raises(TypeError, match="takes 2 inputs"):
        ops.apply_op("MatMul", [1.0])


def test_the_order_of_operands_does_not_decide_the_type(run):
    x = tf.constant([1.5], tf.float64)
    assert run(2 + x).tolist() == [3.5]
    assert run(tf.maximum(2, x)).tolist() == [2.0]
    assert (np.float64(2) * x).dtype == tf.float64
    assert run(np.array([2.0]) * x).tolist() == [3.0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, tf.int32), (2**40, tf.int64), (1.0, tf.float32), (True, tf.bool), ("a", tf.string),
        ([1, 2], tf.int32), ([1.0, 2], tf.float32), (np.float64(1), tf.float64),
        (np.zeros(2, np.int64), tf.int64), ([], tf.float32), (np.int8(3), tf.int8),
    ],
)  # fmt: skip
def test_constants_get_tensorflows_types(value, dtype):
    assert tf.constant(value).dtype == dtype


@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged")  # NumPy 1.23
def test_constants_are_checked(run):
    with pytest.raises(TypeError, match="int32"):
        tf.constant(1.5, tf.int32)
    with pytest.raises(ValueError, match="None"):
        tf.constant(None)
    with pytest.raises(ValueError, match="constant"):
        tf.constant([[1], [1, 2]])
    with pytest.raises((ValueError, TypeError)):
        tf.constant(300, tf.uint8)
    with pytest.raises(TypeError):
        tf.constant(object())
    with pytest.raises(TypeError):
        tf.constant([1, "a"])
    assert run(tf.constant([b"a\x00", "b"])).tolist() == [b"a\x00", b"b"]
    assert run(tf.constant(0.5, shape=[2, 2])).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_lists_with_tensors_become_one_tensor(run):
    a = tf.constant(2.0)
    assert run(tf.convert_to_tensor([a, 1.0, [a][0] * 3])).tolist() == [2.0, 1.0, 6.0]


def test_operators(run):
    x, y = tf.constant([7.0, -7.0]), tf.constant([2.0, 2.0])
    got = run([x + y, x - y, x * y, x / y, x // y, x % y, x**2, -x, abs(x), 1 - x, 14 / x])
    a, b = np.array([7.0, -7.0]), 2.0
    wanted = [a + b, a - b, a * b, a / b, a // b, a % b, a**2, -a, abs(a), 1 - a, 14 / a]
    assert len(got) == len(wanted)
    for mine, expected in zip(got, wanted):
        np.testing.assert_allclose(mine, expected, rtol=1e-6)
    i = tf.constant([7, -7])
    assert run(i / 2).tolist() == [3.5, -3.5]
    assert run([x > 0, x <= 0, i // 2])[2].tolist() == [3, -4]
    t = tf.constant([True, False])
    assert run([t & True, t | True, t ^ True, ~t])[2].tolist() == [False, True]
    m = tf.constant([[1.0, 2.0]])
    assert run(m @ [[3.0], [4.0]]).tolist() == [[11.0]]


def test_control_dependencies_order_a_step():
    v = tf.Variable(1.0)
    with tf.control_dependencies([tf.assign_add(v, 10.0)]):
        after = v.read_value()
        with tf.control_dependencies(None):
            free = tf.constant(1.0)
    assert free.op.control_inputs == []
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 11.0


def test_devices_merge_from_outside_to_inside():
    with tf.device("/job:localhost/task:0"), tf.device("/gpu:1"):
        a = tf.constant(1)
        with tf.device(None):
            b = tf.constant(1)
        with tf.device("/cpu:0"):
            c = tf.constant(1)
    assert a.op.device == "/job:localhost/task:0/device:GPU:1"
    assert b.op.device == ""
    assert c.op.device == "/job:localhost/task:0/device:CPU:0"
    with pytest.raises(ValueError, match="device name"), tf.device("/tpu"):
        pass


def test_collections():
    graph = tf.get_default_graph()
    tf.add_to_collection("k", 1)
    graph.add_to_collections(["k", "l"], 2)
    assert tf.get_collection("k") == [1, 2]
    assert tf.get_collection("m") == []
    tf.get_collection_ref("l").append(3)
    assert tf.get_collection("l") == [2, 3]


def test_a_finalized_graph_is_left_alone():
    graph = tf.get_default_graph()
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(1)


def test_graphs_do_not_mix():
    a = tf.constant(1.0)
    with tf.Graph().as_default():
        b = tf.constant(1.0)
        with pytest.raises(AssertionError, match="reset_default_graph"):
            tf.reset_default_graph()
    with pytest.raises(ValueError, match="same graph"):
        tf.add(a, b)


def test_attributes_can_be_read():
    op = tf.placeholder(tf.float32, [None, 2]).op
    assert op.get_attr("dtype") == tf.float32
    assert op.get_attr("shape").as_list() == [None, 2]
    with pytest.raises(ValueError, match="no attr"):
        op.get_attr("speed")
    assert op.node_def.attr["dtype"].type == 1


def test_imported_operations_make_their_tensors_when_asked_and_once():
    tf.negative(tf.constant(1.0, name="a"), name="b")
    data = tf.get_default_graph().as_graph_def()
    tf.reset_default_graph()
    tf.import_graph_def(data, name="")
    a, b = tf.get_default_graph().get_operations()
    with pytest.raises(AttributeError, match="no attribute 'output'"):
        a.output  # noqa: B018
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: a.outputs[0], range(64)))
    assert all(tensor is b.inputs[0] for tensor in found)
    assert tf.get_default_graph().get_tensor_by_name("a:0") is a.outputs[0]
    assert a.outputs[0].dtype == tf.float32


def test_consumers_and_inputs():
    a = tf.constant(1.0)
    b = a + a
    assert a.consumers() == [b.op]
    assert tuple(b.op.inputs) == (a, a)
    c = tf.negative(a)  # behind the first answer
    assert a.consumers() == [b.op, c.op]
    looped = tf.while_loop(lambda i: i < 3.0, lambda i: i + a, [a])
    merge = next(op for op in tf.get_default_graph().get_operations() if op.type == "Merge")
    (closing,) = {t.op for t in merge.inputs if t.op.type == "NextIteration"}
    assert closing.outputs[0].consumers() == [merge]
    assert looped.consumers() == []


def test_dtypes_stand_for_numpy_types():
    assert tf.float32 == np.float32
    assert tf.float32 == np.dtype("f4")
    assert tf.float32 == "float32"
    assert tf.float32 != tf.float64
    assert tf.as_dtype(float) == tf.float32
    assert np.zeros(1, tf.int64.as_numpy_dtype).dtype == np.int64
    assert (tf.int8.min, tf.int8.max, tf.float16.size) == (-128, 127, 2)
    assert {tf.float32: 1}[tf.as_dtype("float")] == 1
    with pytest.raises(TypeError, match="data type"):
        tf.as_dtype("quint8")


def test_shapes_as_objects():
    shape = tf.TensorShape([None, 3])
    assert shape.merge_with([2, None]).as_list() == [2, 3]
    assert shape[1].value == 3
    assert shape.concatenate([1]).as_list() == [None, 3, 1]
    assert not shape.is_fully_defined()
    assert tf.TensorShape([2, 3]).num_elements() == 6
    assert tf.TensorShape([2]) == (2,)
    with pytest.raises(ValueError, match="incompatible"):
        shape.assert_is_compatible_with([2, 4])
    tf.enable_v2_tensorshape()
    try:
        assert shape[1] == 3
        assert shape[0] is None
    finally:
        tf.disable_v2_tensorshape()


def _scope_names(*args):
    with tf.variable_scope(*args) as scope:
        return scope.name, tf.no_op("n").name


def test_default_names_of_variable_scopes_are_tensorflows():
    """The whole default name is opened; who leaves a scope by its name frees the names below it."""
    assert _scope_names(None, "k/l") == ("k/l", "k/l/n")
    assert _scope_names(None, "k/l") == ("k/l_1", "k/l_1/n")
    assert _scope_names(None, "k") == ("k", "k/n")
    assert _scope_names(None, "k/l") == ("k/l", "k/l_2/n")
    with tf.variable_scope("a") as scope:
        assert _scope_names(None, "x") == ("a/x", "a/x/n")
        with tf.variable_scope(scope):
            assert _scope_names(None, "x") == ("a/x_1", "a/a/x/n")
        assert _scope_names(None, "x") == ("a/x_1", "a/x_1/n")
    with tf.variable_scope("a"):
        assert _scope_names(None, "x") == ("a/x", "a_1/x/n")


def test_ranges_cast_as_tensorflow_does_and_know_their_sizes():
    for numbers, size, casts in (
        ((1.0, 5.0), 4, 1), ((1, 5.0), 4, 2), ((5.0,), 5, 2), ((1, 9, 2), 4, 0),
        ((1, np.float64(5)), 4, 2), ((0, 2**40, 2**39), 2, 1),
    ):  # fmt: skip
        with tf.Graph().as_default() as graph:
            counted = tf.range(*numbers)
            assert counted.shape.as_list() == [size], numbers
            kinds = [op.type for op in graph.get_operations()]
            assert kinds == ["Const"] * 3 + ["Cast"] * casts + ["Range"], numbers


def test_the_scope_of_all_variables_leaves_open_names_as_they_are():
    """As in TensorFlow 2.21, where towers are distinguished by the names of their operations."""
    root = tf.get_variable_scope()
    names = []

    def note():
        names.append(tf.constant(1.0, name="c").op.name)

    with tf.name_scope("tower_0") as tower:
        for scope in (root, ""):
            with tf.variable_scope(scope) as entered:
                note()
                assert entered.original_name_scope == ""
        with tf.variable_scope(root, reuse=tf.AUTO_REUSE), tf.variable_scope("layer"):
            weight = tf.get_variable("w", [2])
            tf.add_to_collection("losses", tf.nn.l2_loss(weight))
    with tf.variable_scope("other"), tf.variable_scope(root):
        note()
    assert names == ["tower_0/c", "tower_0/c_1", "other/c"]
    assert weight.op.name == "layer/w"
    assert [loss.op.name for loss in tf.get_collection(key="losses", scope=tower)] == [
        "tower_0/layer/L2Loss"
    ]
