"""Bits, moved and scattered elements, checks of numbers and second derivatives, against NumPy."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_segments import gradient_error, numbers


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_bits_of_whole_numbers(run, dtype):
    x, y = np.array([12, 7, 5, 1], dtype), np.array([[10], [3]], dtype)
    bits = tf.bitwise
    for function, expected in (
        (bits.bitwise_and, np.bitwise_and), (bits.bitwise_or, np.bitwise_or),
        (bits.bitwise_xor, np.bitwise_xor), (bits.right_shift, np.right_shift),
    ):  # fmt: skip
        np.testing.assert_array_equal(run(function(x, y)), expected(x, y))
    np.testing.assert_array_equal(run(bits.invert(x)), np.invert(x))
    assert run(bits.left_shift(x, np.array(2, dtype))).tolist() == [48, 28, 20, 4]


def test_bytes_as_another_type(run):
    values = np.array([1.5, -2.0], np.float32)
    assert run(tf.bitcast(values, tf.int32)).tolist() == values.view(np.int32).tolist()
    narrow = tf.bitcast(values, tf.uint8)
    assert narrow.shape.as_list() == [2, 4]
    np.testing.assert_array_equal(run(tf.bitcast(narrow, tf.float32)), values)
    with pytest.raises(ValueError, match="last dimension"):
        tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.float32)


def test_rolled(run):
    x = numbers(3, 4)
    np.testing.assert_array_equal(run(tf.roll(x, 1, 0)), np.roll(x, 1, 0))
    np.testing.assert_array_equal(run(tf.roll(x, [-5, 2], [1, 0])), np.roll(x, [-5, 2], [1, 0]))
    assert gradient_error(lambda t: tf.roll(t, [1, 2], [0, 1]), x) < 1e-8


def scatter_nd_non_aliasing_add(x, rows, updates):
    return tf.raw_ops.ScatterNdNonAliasingAdd(input=x, indices=rows, updates=updates)


def test_scattered_into_a_tensor(run):
    x, updates, rows = numbers(3, 2), numbers(2, 2, seed=4), [[2], [0]]
    for function, change in (
        (tf.tensor_scatter_update, lambda a, b: b),
        (tf.tensor_scatter_add, np.add),
        (tf.tensor_scatter_sub, np.subtract),
        (scatter_nd_non_aliasing_add, np.add),
    ):
        expected = x.copy()
        expected[[2, 0]] = change(expected[[2, 0]], updates)
        np.testing.assert_allclose(run(function(x, rows, updates)), expected)
        assert gradient_error(lambda a, b, f=function: f(a, rows, b), x, updates) < 1e-8


def test_places_in_memory(run):
    np.testing.assert_array_equal(run(tf.unravel_index([22, 41], [7, 6])), [[3, 6], [4, 5]])
    found = run(tf.batch_gather([[1, 2], [3, 4]], [[1, 1], [0, 1]]))
    assert found.tolist() == [[2, 2], [3, 4]]


def test_numbers_that_are_not_finite(run):
    x = tf.placeholder(tf.float32, [2])
    checked = tf.verify_tensor_all_finite(x, "the input")
    assert run(checked, {x: [1, 2]}).tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the input : Tensor had NaN"):
        run(checked, {x: [1, np.nan]})
    assert gradient_error(lambda t: tf.check_numerics(t, "m") * 2.0, numbers(3)) < 1e-8
    with tf.Graph().as_default(), tf.Session() as session:
        quotient = tf.constant(1.0) / tf.placeholder_with_default(0.0, [], name="zero")
        checks = tf.add_check_numerics_ops()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Inf"):
            session.run([quotient, checks])
        session.run(checks, {"zero:0": 2.0})


def test_selu(run):
    x = np.array([-3.0, -0.5, 0.5, 2.0])
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    expected = np.where(x < 0, scale * alpha * np.expm1(x), scale * x)
    np.testing.assert_allclose(run(tf.nn.selu(x)), expected)
    assert gradient_error(tf.nn.selu, x) < 1e-5

    def slope(t):
        return tf.gradients(tf.nn.selu(t) * t, t)[0]

    assert gradient_error(slope, x) < 1e-5


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("training", [True, False])
def test_second_derivatives_of_batch_normalisation(layout, training):
    sizes = (2, 3, 2, 3)  # three channels in both layouts
    x, weights = numbers(*sizes).astype("f4"), numbers(*sizes, seed=7).astype("f4")
    moments = [None, None] if training else [np.float32([0.1, -0.2, 0.3]), np.float32([1, 2, 0.5])]
    scale = np.float32([0.7, 1.2, 0.9])

    def slopes(x, scale):
        y = tf.nn.fused_batch_norm(x, scale, np.zeros(3, "f4"), *moments, is_training=training,
                                   data_format=layout)[0]  # fmt: skip
        by_x, by_scale = tf.gradients(y, [x, scale], weights)
        return tf.concat([tf.reshape(by_x, [-1]), by_scale], 0)

    with tf.Session() as session:
        tensors = [tf.constant(value) for value in (x, scale)]
        result = slopes(*tensors)
        size = session.run(result).shape
        for tensor, value in zip(tensors, (x, scale)):
            error = tf.test.compute_gradient_error(tensor, list(value.shape), result, size, value,
                                                   delta=1e-2)  # fmt: skip
            assert error < 2e-3


def test_a_transposed_convolution_of_volumes(run):
    value, filters = numbers(1, 2, 2, 3, 3), numbers(2, 3, 2, 2, 3)
    made = tf.nn.conv3d_transpose(value, filters, [1, 4, 4, 3, 2], [1, 2, 2, 1, 1])
    assert made.shape.as_list() == [1, 4, 4, 3, 2]
    # Its product with any volumes is that of value with their convolution.
    volumes = numbers(1, 4, 4, 3, 2, seed=9)
    forward = run(tf.nn.conv3d(volumes, filters, [1, 2, 2, 1, 1], "SAME"))
    assert (run(made) * volumes).sum() == pytest.approx((value * forward).sum())

    def transposed(x, f):
        return tf.nn.conv3d_transpose(x, f, [1, 4, 4, 3, 2], [1, 2, 2, 1, 1])

    assert gradient_error(transposed, value, filters) < 1e-8
    with pytest.raises(ValueError, match="output_shape"):
        tf.nn.conv3d_transpose(value, filters, [1, 4, 4, 3, 5], [1, 2, 2, 1, 1])
