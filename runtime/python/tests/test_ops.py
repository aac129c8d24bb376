"""The wrappers against NumPy, on shapes and values that hypothesis draws."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from accuracy import assert_within
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

settings.register_profile(
    "quick", max_examples=25, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("quick")

NUMBERS = st.floats(-8, 8, width=32, allow_subnormal=False)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def arrays(shape=SHAPES, elements=NUMBERS):
    return hnp.arrays(np.float32, shape, elements=elements)


def compute(build, *values):
    """Run build on the values twice: as constants, and fed through placeholders."""
    with tf.Graph().as_default(), tf.Session() as session:
        by_constants = session.run(build(*map(tf.constant, values)))
        fed = [tf.placeholder(v.dtype, None) for v in values]
        by_feeds = session.run(build(*fed), dict(zip(fed, values)))
    assert len(np.atleast_1d(by_constants)) == len(np.atleast_1d(by_feeds))
    for one, other in zip(np.atleast_1d(by_constants), np.atleast_1d(by_feeds)):
        np.testing.assert_array_equal(one, other)
    return by_feeds


UNARY = {
    "abs": np.abs, "negative": np.negative, "sign": np.sign, "square": np.square, "exp": np.exp,
    "sin": np.sin, "cos": np.cos, "expm1": np.expm1, "tanh": np.tanh, "floor": np.floor,
    "ceil": np.ceil, "round": np.round, "is_nan": np.isnan, "is_inf": np.isinf,
    "is_finite": np.isfinite,
}  # fmt: skip
POSITIVE = {
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x,
    "log": np.log, "log1p": np.log1p,
}  # fmt: skip
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "squared_difference": lambda x, y: (x - y) ** 2, "equal": np.equal,
    "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
@given(x=arrays())
def test_unary(name, x):
    found = compute(getattr(tf, name), x)
    truth = UNARY[name](x.astype(np.float64))
    if truth.dtype == bool:
        np.testing.assert_array_equal(found, truth)
    else:
        assert_within(found, truth, 2)


@pytest.mark.parametrize("name", POSITIVE)
@given(x=arrays(elements=st.floats(0.125, 100, width=32)))
def test_unary_on_positive_numbers(name, x):
    found = compute(getattr(tf, name), x)
    assert_within(found, POSITIVE[name](x.astype(np.float64)), 2)


@pytest.mark.parametrize("name", BINARY)
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4),
       data=st.data())  # fmt: skip
def test_binary_with_broadcasting(name, shapes, data):
    x, y = (data.draw(arrays(shape)) for shape in shapes.input_shapes)
    found = compute(getattr(tf, name), x, y)
    expected = BINARY[name](x, y)
    assert np.shape(found) == expected.shape == shapes.result_shape
    if expected.dtype == bool:
        np.testing.assert_array_equal(found, expected)
    else:
        assert_within(found, BINARY[name](x.astype(np.float64), y.astype(np.float64)), 2)


@given(x=arrays(), y=st.floats(0.5, 8, width=32))
def test_division_and_powers(x, y):
    divisor = np.float32(y)
    np.testing.assert_array_equal(compute(tf.divide, x, divisor), x / divisor)
    np.testing.assert_allclose(compute(tf.floordiv, x, divisor), np.floor_divide(x, divisor))
    assert_within(compute(tf.floormod, x, divisor), np.mod(x.astype(float), float(divisor)), 1)
    base = np.abs(x) + np.float32(0.5)  # NumPy 1 makes float64 of a scalar and 0.5
    assert_within(compute(tf.pow, base, divisor), base.astype(float) ** float(divisor), 2)
    np.testing.assert_allclose(compute(tf.div_no_nan, x, np.float32(0)), np.zeros_like(x))


def test_integers_are_divided_exactly(run):
    assert run(tf.constant(7) / 2) == 3.5
    assert run(tf.divide(7, 2)) == 3.5
    assert run(tf.div(tf.constant(-7), 2)) == -4
    assert run(tf.constant(-7) // 2) == -4
    assert run(tf.constant(-7) % 3) == 2


REDUCTIONS = {"reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_max": np.max,
              "reduce_min": np.min, "reduce_prod": np.prod}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@given(data=st.data(), keep=st.booleans())
def test_reductions(name, data, keep):
    small = arrays(hnp.array_shapes(min_dims=1, max_dims=4, max_side=3), st.floats(-2, 2, width=16))
    x = data.draw(small)
    axes = data.draw(st.none() | st.lists(st.integers(-x.ndim, x.ndim - 1), max_size=2,
                                          unique_by=lambda a, n=x.ndim: a % n))  # fmt: skip
    found = compute(lambda t: getattr(tf, name)(t, axis=axes, keepdims=keep), x)
    wide = REDUCTIONS[name](
        x.astype(np.float64), axis=None if axes is None else tuple(axes), keepdims=keep
    )
    assert np.shape(found) == np.shape(wide)
    assert_within(found, wide, 4, 4e-6, "terms of both signs cancel")


def test_reductions_of_truth_values(run):
    x = np.array([[True, False], [True, True]])
    assert run(tf.reduce_all(x)) == np.False_
    np.testing.assert_array_equal(run(tf.reduce_all(x, axis=1)), x.all(1))
    np.testing.assert_array_equal(run(tf.reduce_any(x, axis=0, keepdims=True)), [[True, True]])


def test_old_names_of_arguments(run):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(
        run(tf.reduce_sum(x, reduction_indices=[1], keep_dims=True)), x.sum(1, keepdims=True)
    )
    with pytest.raises(ValueError, match="reduction_indices"):
        tf.reduce_sum(x, axis=1, reduction_indices=1)
    assert run(tf.argmax(x, dimension=1)).tolist() == [2, 2]
    assert run(tf.expand_dims(x, dim=0)).shape == (1, 2, 3)


@given(data=st.data())
def test_argmax(data):
    x = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    axis = data.draw(st.integers(0, x.ndim - 1))
    np.testing.assert_array_equal(compute(lambda t: tf.argmax(t, axis), x), x.argmax(axis))
    found = compute(lambda t: tf.argmin(t, axis, output_type=tf.int32), x)
    np.testing.assert_array_equal(found, x.argmin(axis))
    assert found.dtype == np.int32


@given(data=st.data(), flip_a=st.booleans(), flip_b=st.booleans())
@pytest.mark.parametrize("batch", [(), (2,)])
def test_matmul(data, flip_a, flip_b, batch):
    m, k, n = (data.draw(st.integers(0, 5)) for _ in range(3))
    a = data.draw(arrays((*batch, *((k, m) if flip_a else (m, k)))))
    b = data.draw(arrays((*batch, *((n, k) if flip_b else (k, n)))))
    found = compute(lambda x, y: tf.matmul(x, y, transpose_a=flip_a, transpose_b=flip_b), a, b)
    expected = (a.swapaxes(-1, -2) if flip_a else a) @ (b.swapaxes(-1, -2) if flip_b else b)
    assert_within(found, expected, 4, 4e-5, "terms of both signs cancel")


def test_matmul_refuses_transposed_and_adjoint():
    with pytest.raises(ValueError, match="both"):
        tf.matmul([[1.0]], [[1.0]], transpose_a=True, adjoint_a=True)


# ---- shape, order and extent --------------------------------------------------------------------


@given(x=arrays(), data=st.data())
def test_transpose_reshape_and_friends(x, data):
    order = data.draw(st.permutations(range(x.ndim)))
    np.testing.assert_array_equal(compute(lambda t: tf.transpose(t, order), x), x.transpose(order))
    np.testing.assert_array_equal(compute(tf.transpose, x), x.T)
    np.testing.assert_array_equal(compute(lambda t: tf.reshape(t, [x.size]), x), x.reshape(-1))
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    grown = compute(lambda t: tf.expand_dims(t, axis), x)
    np.testing.assert_array_equal(grown, np.expand_dims(x, axis))
    np.testing.assert_array_equal(compute(lambda t: tf.squeeze(t, [axis]), grown), x)
    assert compute(tf.shape, x).tolist() == list(x.shape)
    assert compute(tf.size, x) == x.size
    assert compute(tf.rank, x) == x.ndim


@given(data=st.data())
def test_joining_and_taking_apart(data):
    x = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    np.testing.assert_array_equal(
        compute(lambda t: tf.concat([t, t * 2, t], axis), x), np.concatenate([x, x * 2, x], axis)
    )
    np.testing.assert_array_equal(
        compute(lambda t: tf.stack([t, t * 2], axis), x), np.stack([x, x * 2], axis)
    )
    count = x.shape[axis]
    parts = compute(lambda t: tf.unstack(t, count, axis), x)
    for index, part in enumerate(parts):
        np.testing.assert_array_equal(part, x.take(index, axis))
    split = compute(lambda t: tf.split(t, count, axis), x)
    assert len(split) == count
    for part, expected in zip(split, np.split(x, count, axis)):
        np.testing.assert_array_equal(part, expected)


@given(data=st.data())
def test_getitem(data):
    x = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4)))
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True, allow_ellipsis=True))
    np.testing.assert_array_equal(compute(lambda t: t[key], x), x[key])


def test_getitem_takes_tensors_and_masks(run):
    x = tf.constant(np.arange(12).reshape(3, 4))
    one = tf.constant(1)
    assert run(x[one, one + 1]) == 6
    assert run(x[one:, 3]).tolist() == [7, 11]
    assert run(x[x > 9]).tolist() == [10, 11]
    assert run(tf.boolean_mask(x, [True, False, True])).tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    with pytest.raises(TypeError, match="index"):
        x["a"]
    with pytest.raises(ValueError, match=r"\.\.\."):
        x[..., 1, ...]


@given(data=st.data())
def test_slice_pad_and_tile(data):
    x = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    begin = [data.draw(st.integers(0, size)) for size in x.shape]
    size = [data.draw(st.integers(0, s - b)) for b, s in zip(begin, x.shape)]
    key = tuple(slice(b, b + s) for b, s in zip(begin, size))
    np.testing.assert_array_equal(compute(lambda t: tf.slice(t, begin, size), x), x[key])
    borders = [[data.draw(st.integers(0, 2)) for _ in range(2)] for _ in x.shape]
    np.testing.assert_array_equal(compute(lambda t: tf.pad(t, borders), x), np.pad(x, borders))
    padded = compute(lambda t: tf.pad(t, borders, constant_values=3.0), x)
    np.testing.assert_array_equal(padded, np.pad(x, borders, constant_values=3))
    times = [data.draw(st.integers(0, 2)) for _ in x.shape]
    np.testing.assert_array_equal(compute(lambda t: tf.tile(t, times), x), np.tile(x, times))
    few = [[min(b, s) for b in pair] for pair, s in zip(borders, x.shape)]
    mirrored = compute(lambda t: tf.pad(t, few, "SYMMETRIC"), x)
    np.testing.assert_array_equal(mirrored, np.pad(x, few, "symmetric"))
    less = [[min(b, s - 1) for b in pair] for pair, s in zip(borders, x.shape)]
    mirrored = compute(lambda t: tf.pad(t, less, "REFLECT"), x)
    np.testing.assert_array_equal(mirrored, np.pad(x, less, "reflect"))
    with pytest.raises(ValueError, match="Unknown padding mode"):
        tf.pad(x, borders, mode="WRAP")


@given(data=st.data())
def test_gather(data):
    x = data.draw(arrays(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    axis = data.draw(st.integers(0, x.ndim - 1))
    picks = hnp.arrays(np.int32, hnp.array_shapes(min_dims=0, max_dims=2, max_side=3),
                       elements=st.integers(0, x.shape[axis] - 1))  # fmt: skip
    indices = data.draw(picks)
    found = compute(lambda t: tf.gather(t, indices, axis=axis), x)
    np.testing.assert_array_equal(found, x.take(indices, axis))


def test_making_tensors(run):
    assert run(tf.zeros([2, 3])).tolist() == [[0.0] * 3] * 2
    assert run(tf.ones([40, 50], tf.int32)).sum() == 2000
    assert run(tf.fill([2], 5)).tolist() == [5, 5]
    assert run(tf.range(2, 9, 3)).tolist() == [2, 5, 8]
    assert run(tf.range(3.0)).tolist() == [0.0, 1.0, 2.0]
    assert run(tf.one_hot([1, 0, 5], 3)).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert run(tf.one_hot([1], 2, on_value=7, off_value=3)).tolist() == [[3, 7]]
    x = tf.placeholder(tf.float32, [None, 2])
    feed = {x: np.ones((3, 2))}
    assert run(tf.zeros_like(x), feed).tolist() == [[0, 0]] * 3
    assert run(tf.ones_like(x, dtype=tf.int32), feed).tolist() == [[1, 1]] * 3
    assert run(tf.zeros(tf.shape(x)), feed).shape == (3, 2)
    assert run(tf.broadcast_to([1, 2], [3, 2])).tolist() == [[1, 2]] * 3
    assert run(tf.placeholder_with_default(3.0, [])) == 3.0
    assert run(tf.invert_permutation([2, 0, 1])).tolist() == [1, 2, 0]


def test_where(run):
    x = np.array([-1.0, 2.0, -3.0])
    assert run(tf.where(x > 0, x, -x)).tolist() == [1.0, 2.0, 3.0]
    rows = run(tf.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]))
    assert rows.tolist() == [[1, 2], [7, 8]]
    assert run(tf.where([[True, False], [False, True]])).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(ValueError, match="both"):
        tf.where([True], [1.0])


def test_casts(run):
    assert run(tf.cast([1.7, -1.7], tf.int32)).tolist() == [1, -1]
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x
    assert run(tf.saturate_cast([1e20, -1e20], tf.int32)).tolist() == [2147483520, -(2**31)]
    infinite = tf.constant([np.inf, -np.inf], tf.float16)
    assert run(tf.saturate_cast(infinite, tf.int64)).tolist() == [65504, -65504]
    wide = tf.cast(infinite, tf.bfloat16)
    assert run(tf.saturate_cast(wide, tf.float16)).tolist() == [65280, -65280]
    assert run(tf.to_float(3)).dtype == np.float32


def test_order_of_operations(run):
    v = tf.Variable(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        first = v.assign_add(1.0)
        a, b = tf.tuple([tf.constant(1.0), first])
        assert session.run(a) == 1.0
        assert session.run(v) == 2.0
        assert session.run(tf.group(first, b)) is None
    assert run(tf.no_op()) is None
    with pytest.raises(ValueError, match="at least one"):
        tf.tuple([None])


# ---- neural networks ----------------------------------------------------------------------------


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@given(x=arrays(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5)))
def test_activations_and_softmax(x):
    wide = x.astype(np.float64)
    expected = {
        tf.nn.relu: np.maximum(wide, 0), tf.nn.relu6: np.clip(wide, 0, 6),
        tf.nn.leaky_relu: np.where(wide > 0, wide, 0.2 * wide),
        tf.nn.elu: np.where(wide > 0, wide, np.expm1(wide)),
        tf.nn.sigmoid: 1 / (1 + np.exp(-wide)), tf.nn.swish: wide / (1 + np.exp(-wide)),
        tf.nn.softplus: np.log1p(np.exp(wide)), tf.nn.softsign: wide / (1 + np.abs(wide)),
        tf.nn.softmax: softmax(wide), tf.nn.log_softmax: np.log(softmax(wide)),
    }  # fmt: skip
    for function, values in expected.items():
        assert_within(compute(function, x), values, 4)
    # A processor adds in double, a GPU as many as 125 squares in float.
    assert_within(
        compute(tf.nn.l2_loss, x), (wide**2).sum() / 2, 4 if tf.test.is_gpu_available() else 1
    )


def test_softmax_over_another_axis(run):
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    np.testing.assert_allclose(run(tf.nn.softmax(x, axis=1)), softmax(x, 1), rtol=1e-12)
    np.testing.assert_allclose(run(tf.nn.log_softmax(x, axis=0)), np.log(softmax(x, 0)), rtol=1e-12)
    with pytest.raises(ValueError, match="rank"):
        tf.nn.softmax(tf.placeholder(tf.float32, None), axis=1)


def test_cross_entropies(run):
    random = np.random.default_rng(1)
    logits = random.standard_normal((4, 3))
    targets = softmax(random.standard_normal((4, 3)))
    classes = np.array([2, 0, 1, 1])
    logs = np.log(softmax(logits))
    soft, old, sparse, sigmoid = run([
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits(labels=targets, logits=logits),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits),
    ])  # fmt: skip
    np.testing.assert_allclose(soft, -(targets * logs).sum(1), rtol=1e-12)
    np.testing.assert_allclose(old, soft, rtol=1e-12)
    np.testing.assert_allclose(sparse, -logs[np.arange(4), classes], rtol=1e-12)
    p = 1 / (1 + np.exp(-logits))
    np.testing.assert_allclose(sigmoid, -targets * np.log(p) - (1 - targets) * np.log(1 - p))
    with pytest.raises(ValueError, match="both labels and logits"):
        tf.nn.softmax_cross_entropy_with_logits(targets)
    with pytest.raises(ValueError, match="one dimension less"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)


def patches(x, height, width, stride, pad):
    """Yield (row, column, window of x) for padding SAME or VALID, padded with NaN."""
    size = [-(-n // stride) if pad == "SAME" else -(-(n - k + 1) // stride)
            for n, k in zip(x.shape[1:3], (height, width))]  # fmt: skip
    need = [max((s - 1) * stride + k - n, 0) if pad == "SAME" else 0
            for s, n, k in zip(size, x.shape[1:3], (height, width))]  # fmt: skip
    border = [(0, 0), *[(n // 2, n - n // 2) for n in need], (0, 0)]
    x = np.pad(x, border, constant_values=np.nan)
    for i in range(size[0]):
        for j in range(size[1]):
            yield i, j, x[:, i * stride : i * stride + height, j * stride : j * stride + width]


@pytest.mark.parametrize("pad", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
def test_convolution_and_pooling(pad, stride, run):
    random = np.random.default_rng(2)
    x, f = random.standard_normal((2, 7, 6, 3)), random.standard_normal((3, 2, 3, 4))
    conv, most, mean = run([
        tf.nn.conv2d(x, f, stride, pad), tf.nn.max_pool(x, [3, 2], stride, pad),
        tf.nn.avg_pool(x, [1, 3, 2, 1], [1, stride, stride, 1], pad),
    ])  # fmt: skip
    for i, j, window in patches(x, 3, 2, stride, pad):
        expected = np.tensordot(np.nan_to_num(window), f, 3)
        np.testing.assert_allclose(conv[:, i, j], expected, rtol=1e-10, atol=1e-12)  # sums cancel
        np.testing.assert_allclose(most[:, i, j], np.nanmax(window, (1, 2)))
        np.testing.assert_allclose(mean[:, i, j], np.nanmean(window, (1, 2)), atol=1e-12)  # cancel
    assert conv.shape[1:3] == (i + 1, j + 1)


def test_convolution_refuses_what_makes_none():
    x, f = tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1])
    with pytest.raises(ValueError, match="padding"):
        tf.nn.conv2d(x, f, 1, "HALF")
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.conv2d(x, f, 1, "SAME", data_format="HWCN")
    with pytest.raises(ValueError, match="strides"):
        tf.nn.conv2d(x, f, [1, 2, 3], "SAME")
    with pytest.raises(ValueError, match="filters"):
        tf.nn.conv2d(x, f, 1, "SAME", filters=f)


def test_normalisation(run):
    x = np.random.default_rng(3).standard_normal((5, 3))
    mean, variance = tf.nn.moments(tf.constant(x), [0])
    normal = tf.nn.batch_normalization(x, mean, variance, 0.5, 2.0, 1e-3)
    np.testing.assert_allclose(
        run(normal), (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3) * 2 + 0.5, rtol=1e-9
    )
    unit = run(tf.nn.l2_normalize(x, 1))
    np.testing.assert_allclose((unit**2).sum(1), 1)
    assert run(tf.nn.moments(tf.constant(x), [0], keepdims=True))[0].shape == (1, 3)


def test_dropout(run):
    x = tf.ones([100, 100])
    dropped = run(tf.nn.dropout(x, rate=0.25, seed=1))
    assert set(np.unique(dropped)) == {np.float32(0), np.float32(1 / 0.75)}
    assert 0.72 < (dropped > 0).mean() < 0.78
    rows = run(tf.nn.dropout(x, keep_prob=0.5, noise_shape=[100, 1], seed=1))
    assert all(len(set(row)) == 1 for row in rows)
    assert tf.nn.dropout(x, rate=0) is x
    for wrong in ({}, {"rate": 1.0}, {"rate": 0.1, "keep_prob": 0.9}):
        with pytest.raises(ValueError, match="rate"):
            tf.nn.dropout(x, **wrong)
    for wrong in ([None], [None, 1, 1]):
        with pytest.raises(ValueError, match="noise_shape"):
            tf.nn.dropout(x, rate=0.5, noise_shape=wrong)


def test_clipping(run):
    x = np.array([[3.0, 4.0]])
    np.testing.assert_allclose(run(tf.clip_by_norm(x, 1.0)), [[0.6, 0.8]])
    np.testing.assert_allclose(run(tf.clip_by_norm(x, 10.0)), x)
    assert run(tf.clip_by_value(x, 3.5, 3.8)).tolist() == [[3.5, 3.8]]
    (first, none, second), norm = tf.clip_by_global_norm([x, None, np.array([12.0])], 6.5)
    assert none is None
    values = run([first, second, norm])
    for found, expected in zip(values, (x / 2, [6.0], 13.0)):
        np.testing.assert_allclose(found, expected)


def test_losses(run):
    labels, guesses = np.array([[1.0, 0.0]]), np.array([[0.5, 0.25]])
    assert run(tf.losses.mean_squared_error(labels, guesses)) == np.float32(0.15625)
    assert run(tf.losses.absolute_difference(labels, guesses, weights=[[1.0, 0.0]])) == 0.5
    assert run(tf.losses.mean_squared_error(labels, guesses, weights=0.0)) == 0.0
    huber = tf.losses.huber_loss(labels, guesses * 8, reduction="none", loss_collection=None)
    assert run(huber).tolist() == [[2.5, 1.5]]
    np.testing.assert_allclose(run(tf.losses.log_loss(labels, guesses)),
                               -(np.log(0.5) + np.log(0.75)) / 2, rtol=1e-5)  # fmt: skip
    np.testing.assert_allclose(run(tf.losses.hinge_loss(labels, guesses)), (0.5 + 1.25) / 2)
    logits = np.array([[2.0, -1.0]], np.float32)
    np.testing.assert_allclose(
        run(tf.losses.softmax_cross_entropy(labels, logits)),
        run(tf.losses.sparse_softmax_cross_entropy([0], logits)),
        rtol=1e-6,
    )
    assert len(tf.losses.get_losses()) == 7
    assert run(tf.losses.get_total_loss()) > 0
    with pytest.raises(ValueError, match="Reduction"):
        tf.losses.mean_squared_error(labels, guesses, reduction="half")


def test_layers_make_and_share_variables():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    y = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu)
    y = tf.layers.max_pooling2d(y, 2, 2)
    y = tf.layers.dense(tf.layers.flatten(y), 5, name="head")
    again = tf.layers.dense(tf.zeros([2, 36]), 5, name="head", reuse=True)
    assert y.shape.as_list() == [None, 5]
    assert again.shape.as_list() == [2, 5]
    assert tf.layers.dense(tf.zeros([2, 7, 3]), 5).shape.as_list() == [2, 7, 5]
    assert [(v.name, v.shape.as_list()) for v in tf.trainable_variables()] == [
        ("conv2d/kernel:0", [3, 3, 3, 4]), ("conv2d/bias:0", [4]),
        ("head/kernel:0", [36, 5]), ("head/bias:0", [5]),
        ("dense/kernel:0", [3, 5]), ("dense/bias:0", [5]),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="already exists"):
        tf.layers.dense(tf.zeros([2, 36]), 5, name="head")
    with pytest.raises(ValueError, match="last dimension"):
        tf.layers.dense(tf.placeholder(tf.float32, [3, None]), 5)


def test_layer_dropout_follows_training(run):
    x, training = tf.ones([50, 50]), tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(x, 0.5, training=training, seed=1)
    assert run(y, {training: False}).min() == 1.0
    assert run(y, {training: True}).min() == 0.0
    assert run(tf.layers.dropout(x)).min() == 1.0
