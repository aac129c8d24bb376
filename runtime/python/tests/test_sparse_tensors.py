"""Sparse tensors: made, fetched, fed."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def _sparse(**changed):
    parts = {"indices": [[0, 1], [2, 3]], "values": [1.5, 2.5], "dense_shape": [3, 4], **changed}
    return tf.SparseTensor(**parts)


def test_parts_and_names_are_tensorflows():
    sparse = _sparse()
    assert sparse.indices.name == "SparseTensor/indices:0"
    assert sparse.values.name == "SparseTensor/values:0"
    assert sparse.dense_shape.name == "SparseTensor/dense_shape:0"
    assert (sparse.dtype, sparse.indices.dtype) == (tf.float32, tf.int64)
    assert sparse.get_shape().as_list() == [3, 4]
    assert sparse.op is sparse.values.op
    assert tf.sparse.SparseTensor is tf.SparseTensor


def test_the_shape_is_as_much_as_is_known():
    size = tf.placeholder(tf.int64, [])
    assert _sparse(dense_shape=tf.stack([3, size])).shape.as_list() == [3, None]
    assert _sparse(dense_shape=tf.placeholder(tf.int64, [2])).shape.as_list() == [None, None]
    indices = tf.placeholder(tf.int64, [None, None])
    unknown = _sparse(indices=indices, dense_shape=tf.placeholder(tf.int64, [None]))
    assert unknown.shape.rank is None


@pytest.mark.parametrize(
    "changed", [{"indices": [[0, 1]]}, {"values": [[1.0, 2.0]]}, {"dense_shape": [3, 4, 5]}]
)
def test_parts_that_do_not_fit_are_refused(changed):
    with pytest.raises(ValueError, match=r"incompatible|rank"):
        _sparse(**changed)


def test_it_is_fetched_as_arrays(run):
    sparse = _sparse()
    value, nested = run([sparse, {"twice": sparse.with_values(sparse.values * 2)}])
    assert type(value) is tf.SparseTensorValue
    np.testing.assert_array_equal(value.indices, [[0, 1], [2, 3]])
    np.testing.assert_array_equal(nested["twice"].values, [3, 5])
    with tf.Session():
        np.testing.assert_array_equal(sparse.eval().dense_shape, [3, 4])


def test_it_is_fed_as_arrays():
    fed = tf.SparseTensor(
        tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32, [None]),
        tf.placeholder(tf.int64, [2]),
    )  # fmt: skip
    scale = tf.placeholder(tf.float32, [])
    scaled = tf.reduce_sum(fed.values) * scale
    value = tf.SparseTensorValue([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
    with tf.Session() as session:
        for factor in (1.0, 10.0):
            assert session.run(scaled, {fed: value, scale: factor}) == 3 * factor
        assert session.run(scaled, {scale: 2.0, fed: ([[0, 1]], [4.0], [2, 2])}) == 8.0
        assert session.make_callable(scaled, [fed, scale])(value, 3.0) == 9.0
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert session.run(scaled, {fed: value, scale: 1.0}, options, metadata) == 3.0
        with pytest.raises(ValueError, match="tuple of 3"):
            session.run(scaled, {fed: [1.0], scale: 1.0})


def test_conversion_keeps_what_is_sparse():
    sparse = _sparse()
    convert = tf.convert_to_tensor_or_sparse_tensor
    assert convert(sparse) is sparse
    made = convert(tf.SparseTensorValue([[0]], [1], [1]))
    assert isinstance(made, tf.SparseTensor)
    assert convert([1.0]).dtype == tf.float32
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
        convert(sparse, tf.int32)
    with pytest.raises(TypeError, match="neither a SparseTensor nor"):
        tf.SparseTensor.from_value([1])


# ---- element by element, against the dense tensors ----------------------------------------------

PLACES, OTHERS = [[0, 1], [0, 3], [2, 0], [2, 2]], [[0, 0], [0, 3], [1, 1], [2, 2]]


def _of(values, places=PLACES):
    return tf.SparseTensor(places, values, [3, 4])


def _dense(values, places=PLACES):
    whole = np.zeros((3, 4))
    whole[tuple(np.transpose(places))] = values
    return whole


A, B = np.array([1.0, -2, 3, 4]), np.array([5.0, 2, 0.5, -4.05])
DENSE = np.random.default_rng(5).standard_normal((3, 4))


def test_sums(run):
    whole = run(tf.sparse_tensor_to_dense(tf.sparse_add(_of(A), _of(B, OTHERS))))
    np.testing.assert_allclose(whole, _dense(A) + _dense(B, OTHERS))
    kept = run(tf.sparse_add(_of(A), _of(B, OTHERS), 0.1))
    np.testing.assert_array_equal(kept.indices, [[0, 0], [0, 1], [1, 1], [2, 0]])
    for both in ((_of(A), DENSE), (DENSE, _of(A))):
        np.testing.assert_allclose(run(tf.sparse_add(*both)), _dense(A) + DENSE)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.sparse_add(DENSE, DENSE)


def test_joined_and_cut(run):
    parts = [_of(A), _of(B, OTHERS)]
    for axis in (0, 1):
        joined = run(tf.sparse_tensor_to_dense(tf.sparse_concat(axis, parts)))
        np.testing.assert_array_equal(joined, np.concatenate([_dense(A), _dense(B, OTHERS)], axis))
    tall = tf.sparse_reset_shape(_of(A), [5, 4])
    wide = tf.sparse_concat(1, [tall, _of(B, OTHERS)], expand_nonconcat_dim=True)
    assert run(wide).dense_shape.tolist() == [5, 8]
    cut = run(tf.sparse_tensor_to_dense(tf.sparse_slice(_of(A), [0, 1], [3, 9])))
    np.testing.assert_array_equal(cut, _dense(A)[:, 1:])
    pieces = tf.sparse_split(sp_input=_of(A), num_split=3, axis=1)
    widths = [run(piece).dense_shape.tolist() for piece in pieces]
    assert widths == [[3, 2], [3, 1], [3, 1]]
    with pytest.raises(ValueError, match="Keyword"):
        tf.sparse_split(1, 2, _of(A))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 1]])
@pytest.mark.parametrize("keep", [False, True])
def test_reductions_of_what_is_there(run, axis, keep):
    along = tuple(axis) if isinstance(axis, list) else axis
    sums = run(tf.sparse_reduce_sum(_of(A), axis, keepdims=keep))
    np.testing.assert_allclose(sums, _dense(A).sum(along, keepdims=keep))
    there = _dense(np.ones(4)) == 0
    largest = np.ma.array(_dense(A), mask=there).max(along, keepdims=keep)
    found = run(tf.sparse_reduce_max(_of(A), axis, keepdims=keep))
    np.testing.assert_allclose(found, np.ma.filled(largest, 0))
    if axis is not None and not isinstance(axis, list) and not keep:
        sparse = tf.sparse_reduce_sum_sparse(_of(A), axis)
        np.testing.assert_allclose(run(tf.sparse_tensor_to_dense(sparse)), sums)


def test_functions_of_elements(run):
    there = _dense(np.ones(4))
    for dense in (DENSE, DENSE[0], DENSE[:, :1]):
        product, quotient = run([_of(A) * dense, _of(A) / dense])
        np.testing.assert_allclose(_dense(product.values), _dense(A) * dense)
        np.testing.assert_allclose(_dense(quotient.values), _dense(A) / dense * there)
    exps = np.exp(_dense(A)) * there
    softmax = run(tf.sparse_softmax(_of(A)))
    shares = exps / np.maximum(exps.sum(1, keepdims=True), 1e-9)
    np.testing.assert_allclose(_dense(softmax.values), shares)
    larger, smaller = (f(_of(A), _of(B, OTHERS)) for f in (tf.sparse_maximum, tf.sparse_minimum))
    pair = _dense(A), _dense(B, OTHERS)
    np.testing.assert_array_equal(run(tf.sparse_tensor_to_dense(larger)), np.maximum(*pair))
    np.testing.assert_array_equal(run(tf.sparse_tensor_to_dense(smaller)), np.minimum(*pair))


def test_rows_without_elements_are_filled(run):
    filled, empty = run(tf.sparse_fill_empty_rows(_of(A), 9.0))
    np.testing.assert_array_equal(empty, [False, True, False])
    assert filled.indices.tolist() == [[0, 1], [0, 3], [1, 0], [2, 0], [2, 2]]
    assert filled.values.tolist() == [1, -2, 9, 3, 4]


def test_other_shapes(run):
    turned = tf.sparse_reshape(_of(A), [2, -1])
    assert turned.shape.as_list() == [2, 6]
    np.testing.assert_array_equal(run(tf.sparse_tensor_to_dense(turned)), _dense(A).reshape(2, 6))
    mixed = tf.SparseTensor([PLACES[2], PLACES[0]], [3.0, 1.0], [3, 4])
    assert run(tf.sparse_reorder(mixed)).values.tolist() == [1, 3]
    assert run(tf.sparse_reset_shape(_of(A))).dense_shape.tolist() == [3, 4]
    assert run(tf.sparse.expand_dims(_of(A), 1)).dense_shape.tolist() == [3, 1, 4]
    back = run(tf.sparse.from_dense(_dense(A)))
    assert (back.indices.tolist(), back.values.tolist()) == (PLACES, A.tolist())
    np.testing.assert_array_equal(run(tf.sparse_tensor_to_dense(tf.sparse.eye(2, 3))), np.eye(2, 3))
    with pytest.raises(ValueError, match="dimension sizes"):
        tf.sparse_reset_shape(_of(A), [2, 4])
    with pytest.raises(ValueError, match="reshape"):
        tf.sparse_reshape(_of(A), [5, 2])


def test_elements_as_columns(run):
    ids = tf.SparseTensor(PLACES, tf.constant([0, 2, 1, 1], tf.int64), [3, 4])
    expected = [[True, False, True], [False] * 3, [False, True, False]]
    assert run(tf.sparse_to_indicator(ids, 3)).tolist() == expected
    two = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([2, 0, 1], tf.int64), [2, 2])
    merged = run(tf.sparse_merge(two, two.with_values([1.0, 2.0, 3.0]), 4))
    assert (merged.indices.tolist(), merged.values.tolist()) == (
        [[0, 0], [0, 2], [1, 1]],
        [2, 1, 3],
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.sparse_add(_of(x), _of(B, OTHERS)).values,
        lambda x: tf.sparse_add(_of(x), DENSE),
        lambda x: tf.sparse_slice(_of(x), [0, 1], [3, 9]).values,
        lambda x: tf.sparse_reduce_sum(_of(x), 0),
        lambda x: tf.sparse_reduce_sum(_of(x), -1, keepdims=True),
        lambda x: (_of(x) * DENSE[0]).values,
        lambda x: (_of(A) * tf.reshape(x, [1, 4])).values,
        lambda x: (_of(A) / tf.reshape(x, [1, 4])).values,
        lambda x: tf.sparse_softmax(_of(x)).values,
        lambda x: tf.sparse_reorder(_of(x, [PLACES[i] for i in (2, 0, 3, 1)])).values,
        lambda x: tf.sparse_fill_empty_rows(_of(x), 0.0)[0].values,
        lambda x: tf.sparse_reshape(_of(x), [2, -1]).values,
    ],
)
def test_gradients_of_elements(function):
    with tf.Session():
        x = tf.constant(A)
        result = function(x)
        error = tf.test.compute_gradient_error(x, [4], result, result.eval().shape, A)
    assert error < 1e-5
