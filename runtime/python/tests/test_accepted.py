"""What TensorFlow accepts, and what it refuses while a graph is built, is so here as well."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_a_device_function_sees_the_operation():
    seen = []

    def choose(op):
        seen.append((op.type, op.name, op.node_def.op, [t.name for t in op.inputs]))
        return "/cpu:0" if op.type == "Const" else None

    with tf.device("/job:worker"), tf.device(choose):
        a = tf.constant(1.0, name="a")
        b = tf.negative(a, name="b")
    assert (a.device, b.device) == ("/job:worker/device:CPU:0", "/job:worker")
    assert seen == [("Const", "a", "Const", []), ("Neg", "b", "Neg", ["a:0"])]


def test_what_a_device_function_returns_replaces_what_is_further_in():
    with tf.device(lambda op: "/gpu:1" if op.device == "/job:ps" else "/cpu:0"):
        with tf.device("/job:ps"):
            assert tf.constant(1.0).device == "/device:GPU:1"
        assert tf.constant(1.0).device == "/device:CPU:0"


@pytest.mark.parametrize("kind", [list, iter, tuple, lambda values: values])
def test_any_iterable_of_variables_is_trained(kind):
    variables = {"a": tf.Variable(2.0), "b": tf.Variable(3.0)}
    loss = variables["a"] ** 2
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=kind(variables.values()))
    assert len(tf.gradients(loss, variables.values())) == 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(variables["a"]) == pytest.approx(1.6)


def test_an_interactive_session_leaves_the_graph_alone():
    session = tf.InteractiveSession()
    three = tf.constant(3.0)
    assert three.eval() == 3.0
    tf.reset_default_graph()
    assert tf.get_default_graph() is not three.graph
    session.close()
    graph = tf.Graph()
    session = tf.InteractiveSession(graph=graph)
    assert tf.get_default_graph() is graph
    session.close()
    assert tf.get_default_graph() is not graph


def test_whole_floats_are_sizes():
    assert tf.zeros([2.0, 3]).shape.as_list() == [2, 3]
    assert tf.get_variable("v", [3.0, 2]).shape.as_list() == [3, 2]
    with pytest.raises(ValueError, match="Ambiguous dimension"):
        tf.get_variable("w", [3.5, 2])


def test_sparse_matrices_are_multiplied(run):
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [3.0]])
    for product in (tf.matmul(a, b, b_is_sparse=True), tf.sparse_matmul(a, b, a_is_sparse=True)):
        np.testing.assert_array_equal(run(product), [[7.0]])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda x: tf.concat(1, [x, x]), "must have rank 0"),
        (lambda x: tf.split(tf.ones([3]), [4, -2, 1]), "size_splits"),
        (lambda x: tf.split(tf.ones([3]), [1, 1]), "cannot split"),
        (lambda x: tf.nn.max_pool(x, [1, 5, 5, 1], [1, 1, 1, 1], "VALID"), "Negative dimension"),
        (
            lambda x: tf.nn.conv2d(
                x, tf.ones([3, 3, 1, 1]), [1, 1, 1, 1], "VALID", dilations=[1, 2, 2, 1]
            ),
            "Negative dimension size caused by subtracting 5 from 4",
        ),
        (lambda x: tf.pad(x[0, 0, 0], [[1, 0]], "REFLECT") + tf.ones([5]), "shapes"),
    ],
)
def test_shapes_that_cannot_be_are_refused_at_once(build, says):
    with pytest.raises(ValueError, match=says):
        build(tf.ones([1, 4, 4, 1]))


def test_counting_ends_at_its_limit():
    for use_resource in (False, True):
        tf.reset_default_graph()
        counter = tf.Variable(0, use_resource=use_resource)
        count = counter.count_up_to(2)
        with tf.Session() as session:
            session.run(counter.initializer)
            assert [session.run(count) for _ in range(2)] == [0, 1]
            with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
                session.run(count)


@pytest.mark.parametrize("use_resource", [False, True])
def test_parts_of_variables_change(use_resource):
    variable = tf.Variable(np.zeros((3, 2), np.float32), use_resource=use_resource)
    ones = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 2]))
    changes = [
        (lambda: variable.scatter_add(ones), [[1, 1], [0, 0], [1, 1]]),
        (lambda: variable.scatter_nd_update([[1, 0]], [5.0]), [[1, 1], [5, 0], [1, 1]]),
        (lambda: tf.scatter_nd_add(variable, [[1]], [[1.0, 2.0]]), [[1, 1], [6, 2], [1, 1]]),
        (lambda: tf.scatter_nd_sub(variable, [[0, 1]], [3.0]), [[1, -2], [6, 2], [1, 1]]),
        (lambda: variable[1:, 0].assign([8.0, 9.0]), [[1, -2], [8, 2], [9, 1]]),
    ]
    with tf.Session() as session:
        session.run(variable.initializer)
        for change, expected in changes:
            np.testing.assert_array_equal(session.run(change()), expected)
        np.testing.assert_array_equal(session.run(variable.sparse_read([2])), [[9, 1]])
        np.testing.assert_array_equal(session.run(variable.gather_nd([[1, 0]])), [8])
        with pytest.raises(tf.errors.InvalidArgumentError, match="slice"):
            session.run(variable[0].assign([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.train.GradientDescentOptimizer(0.1),
        lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        lambda: tf.train.AdagradOptimizer(0.1),
        lambda: tf.train.AdamOptimizer(0.1),
        lambda: tf.train.RMSPropOptimizer(0.1),
    ],
)
def test_rows_of_variables_behind_handles_train_the_same(make):
    tables = []
    for use_resource in (False, True):
        tf.reset_default_graph()
        table = tf.Variable(np.ones((4, 2), np.float32), use_resource=use_resource)
        ids = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
        (found,) = tf.gradients(loss, [table])
        assert isinstance(found, tf.IndexedSlices)
        step = make().minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for rows in ([0, 1], [2], [2, 2, 0]):
                session.run(step, {ids: rows})
            tables.append(session.run(table))
    np.testing.assert_array_equal(*tables)


def test_slices_are_no_tensor_without_a_shape():
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]))
    assert slices.shape.as_list() == [None, 3]
    assert str(slices).startswith('IndexedSlices(indices=Tensor("')
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(slices)


def test_slices_are_fetched_in_their_nest(run):
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3]))
    found = run({"both": [-slices, tf.constant(1)]})
    assert found["both"][1] == 1
    values, indices, whole = found["both"][0]
    assert (values.tolist(), indices.tolist(), whole.tolist()) == ([[-1] * 3] * 2, [0, 4], [5, 3])


def test_a_constraint_needs_a_whole_gradient():
    table = tf.Variable(np.ones((4, 2), np.float32), constraint=lambda x: x)
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0]))
    with pytest.raises(RuntimeError, match="constraint"):
        tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_is_found_again_by_its_definition(use_resource):
    made = tf.Variable([1.0, 2.0], name="v", trainable=False, use_resource=use_resource)
    definition = made.to_proto()
    assert definition.variable_name == "v:0"
    assert definition.initializer_name == "v/Assign"
    damaged = type(definition).FromString(definition.SerializeToString())
    damaged.variable_name = damaged.variable_name.split(":")[0]
    with pytest.raises(ValueError, match=r"[Tt]ensor"):
        tf.Variable.from_proto(damaged)
    again = tf.Variable.from_proto(type(definition).FromString(definition.SerializeToString()))
    assert type(again) is type(made)
    assert not again.trainable
    with tf.Session() as session:
        session.run(again.initializer)
        np.testing.assert_array_equal(session.run(again + 1.0), [2.0, 3.0])
    assert made.to_proto(export_scope="elsewhere") is None


def test_cross_entropy_along_a_middle_axis_keeps_the_order_of_the_others(run):
    logits = np.random.default_rng(5).standard_normal((2, 3, 4)).astype(np.float32)
    labels = np.full((2, 3, 4), 0.25, np.float32)
    for axis in (0, 1, -2, 2):
        shifted = logits - logits.max(axis, keepdims=True)
        log_softmax = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
        found = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=axis)
        wanted = -(labels * log_softmax).sum(axis)
        assert found.shape.as_list() == list(wanted.shape)
        np.testing.assert_allclose(run(found), wanted, rtol=1e-5)


def test_linspace_of_doubles_ends_at_the_double(run):
    found = run(tf.linspace(np.float64(0), 0.1, 12))
    assert found.dtype == np.float64
    assert found[-1] == 0.1


def test_range_of_several_types_has_a_known_size(run):
    numbers = tf.range(2.5, 0, -0.5)
    assert numbers.shape.as_list() == [5]
    assert numbers.dtype == tf.float32
    assert run(numbers).tolist() == [2.5, 2.0, 1.5, 1.0, 0.5]
    assert tf.range(0, 2**40, 2**39).dtype == tf.int64
    assert tf.range(np.int64(3)).dtype == tf.int64
    assert run(tf.range(tf.constant(1), 3.5)).tolist() == [1.0, 2.0, 3.0]


def test_a_stitched_tensor_has_as_many_slices_as_constant_indices_say():
    found = tf.dynamic_stitch([[0, 4], 2], [tf.ones([2, 3]), tf.ones([3])])
    assert found.shape.as_list() == [5, 3]
    open_ended = tf.dynamic_stitch([tf.placeholder(tf.int32, [2])], [tf.ones([2, 3])])
    assert open_ended.shape.as_list() == [None, 3]


def test_template_has_its_scope_from_the_first_call_on():
    def make():
        tf.Variable(0, name="beside")
        return tf.get_variable("inside", [1]) + 1

    late, early = tf.make_template("t", make), tf.make_template("u", make, True)
    assert late.variable_scope is None
    assert late.global_variables == []
    assert early.variable_scope.name == "u"
    assert [late().op.name, late().op.name] == ["t/add", "t_1/add"]
    assert early().op.name == "u/add"
    assert [v.op.name for v in late.global_variables] == ["t/beside", "t/inside"]


def test_a_stateless_function_without_results_gives_an_empty_list():
    assert tf.py_func(lambda: None, [], [], stateful=False) == []


def test_what_is_a_tensor():
    sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
    for value in (tf.ones([2]), tf.Variable(1.0), sparse, tf.IndexedSlices([1.0], [0])):
        assert tf.is_tensor(value)
    for value in (np.ones(2), 3.0, [tf.ones([2])], None, tf.no_op()):
        assert not tf.is_tensor(value)


def test_a_tensor_divided_by_its_norm(run):
    value = np.float32([[3, 4], [6, 8]])
    for order, axis in (("euclidean", None), (1, 0), (np.inf, 1), (3, -1)):
        found, norm = run(list(tf.linalg.normalize(value, order, axis)))
        flat = value if axis is not None else value.reshape(-1)
        wanted = np.linalg.norm(flat, 2 if order == "euclidean" else order, axis)
        np.testing.assert_allclose(norm.reshape(np.shape(wanted)), wanted, rtol=1e-6)
        np.testing.assert_allclose(found, value / norm, rtol=1e-6)


def test_a_mask_of_another_shape_is_refused_while_the_graph_is_built():
    with pytest.raises(ValueError, match="3"):
        tf.boolean_mask([1, 2], [True, False, True])
    with pytest.raises(ValueError, match="3"):
        tf.boolean_mask(tf.ones([2, 2]), [True, False, True], axis=1)


def test_versions_are_of_the_graphs_that_are_read():
    assert tf.GRAPH_DEF_VERSION == tf.version.GRAPH_DEF_VERSION == 134
    assert tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER <= tf.GRAPH_DEF_VERSION
    assert tf.VERSION == tf.version.VERSION == tf.__version__


def test_programs_that_look_at_the_version_take_the_way_of_tensorflow_1():
    assert tf.__version__.startswith("1.")
    assert int(tf.__version__.split(".")[0]) < 2
    assert tf.__version__ >= "1.15"
    major, minor, patch = map(int, tf.VERSION.split("."))
    assert (major, minor, patch) >= (1, 15, 0)


@pytest.mark.parametrize("known", [True, False])
def test_the_spectral_norm_of_any_axes(run, known):
    value = np.random.default_rng(8).standard_normal((2, 3, 4)).astype(np.float32)
    x = tf.placeholder(tf.float32, value.shape if known else None)
    for axis in ((0, 1), (-2, -1), (2, 0)):
        found = run(tf.norm(x, 2, axis), {x: value})
        np.testing.assert_allclose(found, np.linalg.norm(value, 2, axis), rtol=1e-5)
    with pytest.raises(ValueError, match="supported vector norm"):
        tf.norm(x, "fro")


def test_bincount_refuses_negative_numbers_and_setdiff_keeps_the_order():
    numbers = tf.placeholder(tf.int32, [None])
    counts = tf.bincount(numbers, minlength=4)
    pairs = [
        tf.setdiff1d([5, 3, 5, 1, 9], [3, 9]), tf.setdiff1d(["a", "b"], tf.constant([], tf.string)),
        tf.setdiff1d(tf.constant([], tf.float32), [1.0]),
    ]  # fmt: skip
    with tf.Session() as session:
        assert session.run(counts, {numbers: [1, 2, 2]}).tolist() == [0, 1, 2, 0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
            session.run(counts, {numbers: [1, -2]})
        found = [[part.tolist() for part in session.run(pair)] for pair in pairs]
    assert found == [[[5, 5, 1], [0, 2, 3]], [[b"a", b"b"], [0, 1]], [[], []]]


@pytest.mark.parametrize(
    "build",
    [
        lambda big: tf.reshape(tf.ones([2]), np.array([big + 2])),
        lambda big: tf.reduce_sum(tf.ones([2, 3]), big),
        lambda big: tf.concat([[1], [2]], big),
        lambda big: tf.expand_dims(tf.ones([4]), big),
        lambda big: tf.transpose(tf.ones([1, 4]), np.array([big, 1])),
        lambda big: tf.nn.top_k(tf.ones([2]), big + 1).values,
        lambda big: tf.one_hot([1], big + 3),
        lambda big: tf.cumsum(tf.ones([2]), big),
    ],
)
def test_numbers_of_numpy_never_become_others(build, run):
    with pytest.raises((ValueError, TypeError, tf.errors.OpError)):
        run(build(np.int64(1 << 32)))


def test_numbers_of_numpy_that_fit_are_sizes(run):
    made = tf.reshape(tf.ones([2]), np.array([1, 2]))
    assert made.op.get_attr("Tshape") == tf.int32
    assert run(tf.one_hot([1], np.int64(3))).tolist() == [[0, 1, 0]]


def test_zeros_at_the_end_of_bytes_stay(run):
    text = b"ab\0\0"
    place = tf.placeholder(tf.string)
    assert run(tf.constant(text, shape=[2])).tolist() == [text, text]
    assert run(tf.constant([text, b"c\0"], shape=[3])).tolist() == [text, b"c\0", b"c\0"]
    assert run(tf.constant(np.bytes_(text))) == text
    for given in (np.bytes_(text), [np.bytes_(text)], [text]):
        found = run(tf.identity(place), {place: given})
        assert (found if isinstance(found, bytes) else found.tolist()[0]) == text


def test_a_product_without_nan_has_the_gradients_of_a_product(run):
    x, y = tf.constant([[3.0], [np.inf]]), tf.constant([0.0, 2.0])
    by_x, by_y = tf.gradients(tf.math.multiply_no_nan(x, y), [x, y])
    assert run(by_x).tolist() == [[2.0], [2.0]]
    assert run(by_y).tolist() == [np.inf, np.inf]
    assert run(tf.gradients(tf.math.multiply_no_nan(x[0], y), y)[0]).tolist() == [3.0, 3.0]
    assert run(tf.gradients(by_y, x)[0]).tolist() == [[2.0], [2.0]]


def test_the_slope_of_asinh_is_small_and_not_zero(run):
    for kind, number in ((tf.float16, 13600.0), (tf.float32, 1e30), (tf.float64, -1e200)):
        x = tf.constant(number, kind)
        slope = float(run(tf.gradients(tf.asinh(x), x)[0]))
        assert slope == pytest.approx(1 / abs(number), rel=1e-2)


def test_an_axis_that_is_not_there_is_refused_in_words():
    for axis in (2, -3, 1 << 32):
        with pytest.raises(ValueError, match=f"axis {axis} is out of range"):
            tf.unstack(tf.ones([2, 2]), axis=axis)
