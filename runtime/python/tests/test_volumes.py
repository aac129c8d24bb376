"""Convolutions and pooling over volumes, and matrices of three diagonals, against NumPy."""

import itertools

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

SIZES, WINDOW = (4, 5, 6), (2, 3, 2)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


def windows(padding, strides):
    """Yield each output's place with the slices of input and window that lie upon one another."""
    lines = []
    for size, reach, step in zip(SIZES, WINDOW, strides):
        count = -(-size // step) if padding == "SAME" else (size - reach) // step + 1
        before = max((count - 1) * step + reach - size, 0) // 2 if padding == "SAME" else 0
        line = []
        for at in range(count):
            first = at * step - before
            begin, end = max(first, 0), min(first + reach, size)
            line.append((slice(begin, end), slice(begin - first, end - first)))
        lines.append(line)
    for place in itertools.product(*(range(len(line)) for line in lines)):
        parts = [line[at] for line, at in zip(lines, place)]
        yield place, tuple(p[0] for p in parts), tuple(p[1] for p in parts)


def slid(padding, strides, channels, of_window):
    """Return what a function of the place's slices gives for each output."""
    found = {}
    for place, inside, window in windows(padding, strides):
        found[place] = of_window(inside, window)
    shape = tuple(max(place[i] for place in found) + 1 for i in range(3))
    made = np.zeros((2, *shape, channels))
    for place, value in found.items():
        made[(slice(None), *place)] = value
    return made


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 3)])
def test_volumes_are_convolved_and_pooled(padding, strides):
    x, w = numbers(2, *SIZES, 3), numbers(*WINDOW, 3, 4, seed=1)
    step = [1, *strides, 1]
    convolved = slid(padding, strides, 4, lambda inside, window: np.einsum(
        "bzyxi,zyxio->bo", x[(slice(None), *inside)], w[window]))  # fmt: skip
    largest = slid(padding, strides, 3,
                   lambda inside, _: x[(slice(None), *inside)].max(axis=(1, 2, 3)))  # fmt: skip
    mean = slid(padding, strides, 3,
                lambda inside, _: x[(slice(None), *inside)].mean(axis=(1, 2, 3)))  # fmt: skip
    y = tf.nn.conv3d(x, w, step, padding)
    pooled = [tf.nn.max_pool3d(x.astype("f4"), [1, *WINDOW, 1], step, padding),
              tf.nn.avg_pool3d(x, [1, *WINDOW, 1], step, padding)]  # fmt: skip
    assert [t.op.type for t in (y, *pooled)] == ["Conv3D", "MaxPool3D", "AvgPool3D"]
    assert y.shape.as_list() == list(convolved.shape)
    with tf.Session() as session:
        found = session.run([y, *pooled])
    np.testing.assert_allclose(found[0], convolved, atol=1e-12)
    np.testing.assert_allclose(found[1], largest, rtol=1e-6)
    np.testing.assert_allclose(found[2], mean, atol=1e-12)


def test_channels_may_be_second():
    x, w = numbers(2, *SIZES, 3), numbers(*WINDOW, 3, 4, seed=1)
    turned = np.moveaxis(x, -1, 1)
    last = tf.nn.conv3d(x, w, [1, 2, 1, 1, 1], "SAME")
    first = tf.nn.conv3d(turned, w, [1, 1, 2, 1, 1], "SAME", data_format="NCDHW")
    with tf.Session() as session:
        last, first = session.run([last, first])
    np.testing.assert_allclose(first, np.moveaxis(last, -1, 1), atol=1e-12)


def _error(inputs, output):
    with tf.Session() as session:
        shapes, values = [tensor.shape.as_list() for tensor in inputs], session.run(inputs)
        return tf.test.compute_gradient_error(inputs, shapes, output, output.shape.as_list(),
                                              values)  # fmt: skip


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradients_are_those_of_differences(padding):
    x = tf.constant(numbers(1, 3, 4, 3, 2))
    w = tf.constant(numbers(2, 2, 2, 2, 3, seed=1))
    y = tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], padding)
    by_x, by_w = tf.gradients(tf.reduce_sum(y**2), [x, w])
    assert _error([x, w], y) < 1e-6
    assert _error([x, w], by_x) < 1e-6
    assert _error([x, w], by_w) < 1e-6
    mean = tf.nn.avg_pool3d(x, 2, 1, padding)
    assert _error([x], mean) < 1e-9
    assert _error([x], tf.gradients(tf.reduce_sum(mean**2), x)[0]) < 1e-7


def test_the_gradient_of_a_maximum_is_that_of_differences():
    x = tf.constant(numbers(1, 3, 4, 3, 2).astype("f4"))
    largest = tf.nn.max_pool3d(x, 2, 1, "SAME")
    assert _error([x], largest) < 1e-3


def test_the_gradient_of_a_maximum_goes_to_all_that_are_largest():
    x = tf.constant(np.float32([1, 3, 3, 2]).reshape(1, 1, 1, 4, 1))
    y = tf.nn.max_pool3d(x, [1, 1, 1, 4, 1], [1, 1, 1, 4, 1], "VALID")
    with tf.Session() as session:
        assert session.run(tf.gradients(y, x)[0]).ravel().tolist() == [0, 1, 1, 0]


def test_transposed_convolutions_know_their_channels():
    value, w = tf.ones([1, 2, 2, 2, 4]), tf.ones([2, 2, 2, 3, 4])
    made = tf.nn.conv3d_transpose(value, w, [1, 4, 4, 4, 3], [1, 2, 2, 2, 1])
    assert made.op.type == "Conv3DBackpropInputV2" and made.shape.as_list() == [1, 4, 4, 4, 3]
    with tf.Session() as session:
        assert (session.run(made) == 4).all()
    with pytest.raises(ValueError, match="output channels"):
        tf.nn.conv3d_transpose(value, w, [1, 4, 4, 4, 2], [1, 2, 2, 2, 1])


DIAGONALS = np.array([[1, 4, 99], [2, 0, 6], [99, 3, 5.0]])
MATRIX = np.array([[2, 1, 0], [3, 0, 4], [0, 5, 6.0]])
RIGHT = np.array([[4, 1], [15, 2], [28, 3.0]])


@pytest.mark.parametrize(("diagonals", "kind"), [
    (DIAGONALS, "compact"), (MATRIX, "matrix"), (tuple(DIAGONALS), "sequence"),
    ((DIAGONALS[0, :2], DIAGONALS[1], DIAGONALS[2, 1:]), "sequence"),
])  # fmt: skip
def test_systems_of_three_diagonals(diagonals, kind):
    solved = tf.linalg.tridiagonal_solve(diagonals, RIGHT, kind)
    product = tf.linalg.tridiagonal_matmul(diagonals, RIGHT, kind)
    with tf.Session() as session:
        solved, product = session.run([solved, product])
    np.testing.assert_allclose(solved, np.linalg.solve(MATRIX, RIGHT), atol=1e-12)
    np.testing.assert_allclose(product, MATRIX @ RIGHT)


def test_right_sides_may_be_vectors_and_rows():
    vector = tf.linalg.tridiagonal_solve(DIAGONALS, RIGHT[:, 0])
    rows = tf.linalg.tridiagonal_solve(DIAGONALS, RIGHT.T.copy(), transpose_rhs=True)
    with tf.Session() as session:
        vector, rows = session.run([vector, rows])
    np.testing.assert_allclose(vector, [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(rows[0], [1, 2, 3], atol=1e-12)


def test_gradients_of_three_diagonals():
    inside = np.where(DIAGONALS == 99, 0, DIAGONALS)
    d, b = tf.constant(inside), tf.constant(RIGHT)
    assert _error([d, b], tf.linalg.tridiagonal_solve(d, b)) < 1e-6
    assert _error([d, b], tf.linalg.tridiagonal_matmul(d, b)) < 1e-6


def test_strides_and_rates_of_convolutions_by_channel_do_not_go_together():
    x, w, one = tf.ones([1, 6, 6, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 2])
    for made in (
        lambda: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME", rate=[2, 2]),
        lambda: tf.nn.separable_conv2d(x, w, one, [1, 2, 2, 1], "SAME", rate=[2, 2]),
    ):
        with pytest.raises(ValueError, match="in conjunction with a rate"):
            made()
    assert tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", rate=[2, 2]).shape == (1, 6, 6, 1)
