"""Gradients that programs bring: of functions, of op types under other names; Hessians."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

X = np.array([1.0, -2.0, 3.0], np.float32)


@tf.RegisterGradient("SevenTimes")
def seven_times(_, gradient):
    return gradient * 7


def test_a_function_brings_its_gradient(run):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e)) * 3

    x = tf.constant(X)
    y = log1pexp(x)
    assert y.op.type == "IdentityN"
    assert y.shape == (3,)
    value, slope = run([y, tf.gradients(y, x)[0]])
    np.testing.assert_allclose(value, np.log1p(np.exp(X)), rtol=1e-6)
    np.testing.assert_allclose(slope, 3 / (1 + np.exp(-X)), rtol=1e-5)


def test_several_results_and_arguments(run):
    @tf.custom_gradient
    def both(a, b):
        return (a * b, a + b), lambda da, db: (da * 2, db * 5)

    a, b = tf.constant(X), tf.constant(2 * X)
    product, total = both(a, b)
    by_a, by_b = run(tf.gradients([product, total], [a, b]))
    assert (by_a.tolist(), by_b.tolist()) == ([2.0] * 3, [5.0] * 3)


@pytest.mark.parametrize("handles", [False, True])
def test_variables_that_the_function_reads_get_gradients(run, handles):
    with tf.variable_scope("s", use_resource=handles):
        v = tf.get_variable("v", initializer=np.ones(3, np.float32))

    @tf.custom_gradient
    def scaled(x):
        def gradient(dy, variables=None):
            assert [one.name for one in variables] == ["s/v:0"]
            return dy * 10, [dy * 100]

        return x * v, gradient

    x = tf.constant(X)
    by_x, by_v = run(tf.gradients(scaled(x), [x, v]))
    assert (by_x.tolist(), by_v.tolist()) == ([10.0] * 3, [100.0] * 3)


def test_a_function_that_reads_variables_must_take_them():
    v = tf.get_variable("v", initializer=np.ones(3, np.float32))
    function = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
    with pytest.raises(TypeError, match="must take `variables`"):
        function(tf.constant(X))
    with pytest.raises(TypeError, match="a function of their gradients"):
        tf.custom_gradient(lambda x: (x, 3))(tf.constant(X))


def test_op_types_take_gradients_by_other_names(run):
    x = tf.constant(X)
    graph = tf.get_default_graph()
    with graph.gradient_override_map({"Relu": "SevenTimes"}):
        inside = tf.nn.relu(x)
        with graph.gradient_override_map({"Abs": "SevenTimes"}):
            nested = tf.abs(tf.nn.relu(x))
    outside = tf.nn.relu(x)
    slopes = run([tf.gradients(y, x)[0] for y in (inside, nested, outside)])
    assert [slope.tolist() for slope in slopes] == [[7.0] * 3, [49.0] * 3, [1.0, 0.0, 1.0]]
    with pytest.raises(TypeError, match="op types"), graph.gradient_override_map({"Relu": 3}):
        pass
    with graph.gradient_override_map({"Neg": "Nobody"}):
        lost = -x
    with pytest.raises(LookupError, match="Nobody"):
        tf.gradients(lost, x)


def test_the_name_of_the_gradient_goes_with_the_graph():
    with tf.get_default_graph().gradient_override_map({"Relu": "SevenTimes"}):
        tf.nn.relu(tf.constant(X), name="y")
    graph_def = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph_def, name="")
        y, x = other.get_tensor_by_name("y:0"), other.get_tensor_by_name("Const:0")
        with tf.Session() as session:
            assert session.run(tf.gradients(y, x)[0]).tolist() == [7.0] * 3


def test_second_derivatives_of_a_vector(run):
    x = tf.constant(X)
    found = run(tf.hessians(tf.reduce_sum(x**3) * x[0], x)[0])
    wanted = [[12.0, 12.0, 27.0], [12.0, -12.0, 0.0], [27.0, 0.0, 18.0]]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_second_derivatives_of_rows_that_are_not_known():
    x = tf.placeholder(tf.float32, [None, 2])
    hessian = tf.hessians(tf.reduce_sum(x**3), x)[0]
    assert hessian.shape.as_list() == [None, 2, None, 2]
    with tf.Session() as session:
        found = session.run(hessian, {x: [[1, 2], [3, 4]]}).reshape(4, 4)
    np.testing.assert_allclose(found, np.diag([6.0, 12.0, 18.0, 24.0]), rtol=1e-6)
    with pytest.raises(ValueError, match="do not depend"):
        tf.hessians(tf.constant(1.0), x)
