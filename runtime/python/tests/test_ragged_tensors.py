"""Ragged tensors beyond what is held against TensorFlow: feeding, fetching, gradients, errors."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

ROWS = [[1.0, 2.0], [], [3.0]]


def test_a_session_gives_its_value(run):
    value = run({"x": [tf.ragged.constant([ROWS, []])]})["x"][0]
    assert isinstance(value, tf.ragged.RaggedTensorValue)
    assert value.to_list() == [ROWS, []]
    assert (value.shape, value.ragged_rank, value.dtype) == ((2, None, None), 2, np.float32)
    assert str(value) == "<tf.RaggedTensorValue [[[1.0, 2.0], [], [3.0]], []]>"
    assert [splits.tolist() for splits in value.nested_row_splits] == [[0, 3, 3], [0, 2, 2, 3]]


def test_a_value_is_fed():
    whole = tf.ragged.placeholder(tf.float32, 1)
    doubled = whole * 2.0
    deep = tf.ragged.placeholder(tf.string, 2, [2])
    assert deep.shape.as_list() == [None, None, None, 2]
    other = tf.ragged.constant_value([[5.0], [6.0, 7.0]], np.float32)
    with tf.Session() as session:
        fed = session.run(doubled, {whole: other})
        assert fed.to_list() == [[10.0], [12.0, 14.0]]
        for wrong in (np.zeros(3), [[1.0]], tf.ragged.constant_value([[[1.0]]])):
            with pytest.raises(ValueError, match="must be a RaggedTensorValue with 1 ragged"):
                session.run(doubled, {whole: wrong})


def test_what_is_known_of_shapes():
    fed = tf.placeholder(tf.float32, [None, 3])
    known = tf.RaggedTensor.from_row_splits(fed, tf.placeholder(tf.int64, [5]))
    assert known.shape.as_list() == [4, None, 3]
    assert known.to_tensor().shape.as_list() == [4, None, 3]
    assert known.to_tensor(shape=[None, 7, None]).shape.as_list() == [None, 7, 3]
    assert known.to_sparse().shape.as_list() == [None, None, None]
    even = tf.RaggedTensor.from_uniform_row_length(fed, 2)
    assert even.shape.as_list() == [None, 2, 3]
    assert tf.RaggedTensor.from_value_rowids([1, 2], [0, 3], 5).shape.as_list() == [5, None]
    assert tf.ragged.range([1, 2, 3]).shape.as_list() == [3, None]


def test_partitions_that_are_fed_are_checked():
    splits, lengths = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [None])
    ids = tf.placeholder(tf.int64, [None])
    values = tf.constant([1, 2, 3])
    by_splits = tf.RaggedTensor.from_row_splits(values, splits)
    by_lengths = tf.RaggedTensor.from_row_lengths(values, lengths)
    by_ids = tf.RaggedTensor.from_value_rowids(values, ids, nrows=3)
    unchecked = tf.RaggedTensor.from_row_splits(values, splits, validate=False).to_tensor()
    with tf.Session() as session:
        assert session.run(by_ids, {ids: [0, 0, 2]}).to_list() == [[1, 2], [], [3]]
        for fetch, fed, message in (
            (by_splits, {splits: [1, 3]}, "first of row_splits"),
            (by_splits, {splits: [0, 2, 1, 3]}, "must not fall"),
            (by_splits, {splits: [0, 4]}, "number of values"),
            (by_lengths, {lengths: [4, -1]}, "must not fall"),
            (by_lengths, {lengths: [1, 1]}, "number of values"),
            (by_ids, {ids: [0, 1]}, "a row id for each value"),
            (by_ids, {ids: [0, 2, 1]}, "must not fall"),
            (by_ids, {ids: [-1, 0, 0]}, "must not be negative"),
            (by_ids, {ids: [0, 0, 3]}, "less than nrows"),
            (unchecked, {splits: [0, 1 << 60]}, "for 3 values|and not 3"),
            (unchecked, {splits: []}, "one number at least"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(fetch, fed)


def test_it_is_no_tensor():
    whole = tf.ragged.constant(ROWS)
    with pytest.raises(TypeError, match="to_tensor makes one of it"):
        tf.reshape(whole, [-1])
    with pytest.raises(TypeError, match="not iterable"):
        list(whole)
    with pytest.raises(ValueError, match=r"session.run\(ragged\).to_list"):
        whole.to_list()
    with pytest.raises(ValueError, match="same rows and scalars"):
        whole * tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="one ragged_rank"):
        whole + tf.ragged.constant([ROWS])
    with pytest.raises(ValueError, match="all ragged arguments must have the same rows"):
        whole + tf.ragged.constant([[1.0, 2.0], [3.0]])


def test_values_that_are_none():
    splits = np.array([0, 1])
    for values, wrong in (([1], splits), (np.ones(1), [0, 1]), (np.ones(1), splits.astype(float))):
        with pytest.raises(TypeError, match="numpy array"):
            tf.ragged.RaggedTensorValue(values, wrong)
    inner = tf.ragged.RaggedTensorValue(np.ones(1), splits.astype(np.int32))
    with pytest.raises(ValueError, match="same dtype"):
        tf.ragged.RaggedTensorValue(inner, splits.astype(np.int64))


def test_gradients_of_flat_values(run):
    x = tf.constant([1.0, 2.0, 3.0])
    rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 2, 3])
    weights = tf.constant([[1.0, 2.0], [9.0, 9.0], [4.0, 9.0]])
    loss = tf.reduce_sum(tf.square(rows.to_tensor()) * weights)
    assert run(tf.gradients(loss, x))[0].tolist() == [2.0, 8.0, 24.0]
    squares = tf.ragged.map_flat_values(tf.square, rows)
    assert run(tf.gradients(squares.flat_values, x))[0].tolist() == [2.0, 4.0, 6.0]
    cut = tf.reduce_sum(rows.to_tensor(shape=[2, 1]))
    assert run(tf.gradients(cut, x))[0].tolist() == [1.0, 0.0, 0.0]
    turned = tf.RaggedTensor.from_row_splits(rows, [0, 1, 3])[::-1].flat_values * [1.0, 2.0, 3.0]
    assert run(tf.gradients(turned, x))[0].tolist() == [2.0, 3.0, 1.0]
    assert run(tf.gradients(rows.to_sparse().values * x, x))[0].tolist() == [2.0, 4.0, 6.0]
    nested = tf.RaggedTensor.from_row_splits(rows, [0, 1, 3]).to_tensor(default_value=5.0)
    scale = tf.reshape(tf.range(8.0), [2, 2, 2])
    assert run(tf.gradients(tf.reduce_sum(nested * scale), x))[0].tolist() == [0.0, 1.0, 6.0]


def test_gradients_of_defaults(run):
    rows = tf.ragged.constant([ROWS, []])
    default = tf.constant(5.0)
    loss = tf.reduce_sum(rows.to_tensor(default) * tf.reshape(tf.range(12.0), [2, 3, 2]))
    # The values stand at 0, 1 and 4 of twelve places.
    assert run(tf.gradients(loss, default)) == [66.0 - 5.0]
    pairs = tf.RaggedTensor.from_row_splits([[1.0, 2.0]], [0, 1, 1])
    stretched, whole = tf.constant([3.0]), tf.constant([3.0, 4.0])
    for given, expected in ((stretched, [7.0]), (whole, [3.0, 4.0])):
        loss = tf.reduce_sum(pairs.to_tensor(given) * [[[1.0, 2.0]], [[3.0, 4.0]]])
        assert run(tf.gradients(loss, given))[0].tolist() == expected


def test_shares_of_rows_and_of_what_is_around_them(run):
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]])
    deep = tf.ragged.constant([[[1.0, 2.0], []], [], [[3.0], [4.0, 5.0]]])
    pairs = tf.ragged.constant([[[1.0, 2.0], [3.0, 5.0]], [], [[5.0, 6.0]]], ragged_rank=1)
    slope = tf.gradients(tf.reduce_sum(tf.nn.softmax(rows) * rows), rows.flat_values)[0]
    given = run([tf.nn.softmax(rows), tf.nn.softmax(deep), tf.nn.softmax(pairs),
                 tf.nn.softmax(pairs, axis=1), slope])  # fmt: skip

    def shares(values):
        powers = np.exp(np.array(values))
        return (powers / powers.sum(0)).tolist()

    np.testing.assert_allclose(given[0].flat_values[:2], shares([1, 2]), rtol=1e-6)
    np.testing.assert_allclose(given[0].flat_values[3:], shares([4, 5, 6]), rtol=1e-6)
    np.testing.assert_allclose(given[1].flat_values[3:], shares([4, 5]), rtol=1e-6)
    np.testing.assert_allclose(given[2].flat_values[1], shares([3, 5]), rtol=1e-6)
    np.testing.assert_allclose(given[3].flat_values[:2], shares([[1, 2], [3, 5]]), rtol=1e-6)
    low, high = shares([1, 2])
    mean = low * 1 + high * 2
    np.testing.assert_allclose(
        given[4][:2], [low + low * (1 - mean), high + high * (2 - mean)], rtol=1e-5
    )


def test_places_that_are_in_no_row():
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    for made in (
        tf.gather(rows, [[0], [0], [0]], axis=1, batch_dims=1),
        tf.gather_nd(rows, [[1, 0]]),
        tf.gather_nd(rows, [[3, 0]]),
        tf.batch_gather(rows, tf.ragged.constant([[2], [], [0]])),
        tf.batch_gather(rows, tf.ragged.constant([[0], [0]])),
    ):
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
            session.run(made)


def test_numbers_through_functions_of_their_elements(run):
    rows = tf.ragged.constant([[1.0, 4.0], [], [3.0]])
    for made, expected in (
        (tf.math.reciprocal_no_nan(rows), [[1.0, 0.25], [], [1 / 3]]),
        (tf.scalar_mul(2.0, rows), [[2.0, 8.0], [], [6.0]]),
        (tf.image.adjust_brightness(rows, 1.0), [[2.0, 5.0], [], [4.0]]),
        (tf.string_to_number(tf.as_string(rows)), [[1.0, 4.0], [], [3.0]]),
        (tf.bitcast(rows, tf.int32), [[0x3F800000, 0x40800000], [], [0x40400000]]),
    ):
        value = run(made).to_list()
        for got, right in zip(value, expected):
            np.testing.assert_allclose(got, right, rtol=1e-6)
    looked = tf.nn.safe_embedding_lookup_sparse(
        tf.constant([[1.0], [2.0], [4.0]]), tf.ragged.constant([[0, 2], [], [1]])
    )
    assert run(looked).tolist() == [[2.5], [0.0], [2.0]]
    with pytest.raises(TypeError, match="both be ragged"):
        tf.nn.embedding_lookup_sparse(tf.ones([2, 1]), tf.ragged.constant([[0]]), tf.ones([1, 1]))
