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
