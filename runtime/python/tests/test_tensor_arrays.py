"""Arrays of tensors, and what is built of loops over rows."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

ROWS = np.arange(1, 7, dtype=np.float64).reshape(2, 3) / 3


def test_an_array_is_written_and_read(run):
    array = tf.TensorArray(tf.float32, size=3).write(0, [1.0, 2.0]).write(2, [3.0, 4.0])
    assert array.element_shape.as_list() == [2]
    read, size = run([array.read(2), array.size()])
    np.testing.assert_array_equal(read, [3, 4])
    assert size == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="not been written"):
        run(array.read(1))


def test_an_array_takes_rows_apart_and_joins_them(run):
    array = tf.TensorArray(tf.float64, size=2).unstack(ROWS)
    np.testing.assert_array_equal(run(array.stack()), ROWS)
    np.testing.assert_array_equal(run(array.gather([1])), ROWS[1:])


def test_what_an_array_refuses():
    with pytest.raises(ValueError, match="Size must be provided"):
        tf.TensorArray(tf.float32)
    array = tf.TensorArray(tf.float32, size=1).write(0, [1.0])
    with pytest.raises(ValueError, match=r"incompatible|not compatible"):
        array.write(1, [1.0, 2.0])


def test_an_array_cannot_be_fetched(run):
    array = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="resource"):
        run(array.handle)


@pytest.mark.parametrize("known", [True, False])
def test_map_fn(run, known):
    x = tf.placeholder(tf.float64, [2, 3] if known else [None, 3])
    squares = tf.map_fn(tf.square, x)
    assert squares.shape.as_list() == [2 if known else None, 3]
    np.testing.assert_allclose(run(squares, {x: ROWS}), ROWS**2)
    total, count = tf.map_fn(
        lambda row: (tf.reduce_sum(row[0] * row[1]), tf.constant(1)), (x, x),
        dtype=(tf.float64, tf.int32),
    )  # fmt: skip
    total, count = run([total, count], {x: ROWS})
    np.testing.assert_allclose(total, (ROWS**2).sum(1))
    assert list(count) == [1, 1]


def test_folds(run):
    x = tf.placeholder(tf.float64, [None, 3])
    step = lambda total, row: total * 2 + row  # noqa: E731
    forwards, backwards = tf.foldl(step, x), tf.foldr(step, x)
    started = tf.foldl(step, x, initializer=tf.ones([3], tf.float64))
    forwards, backwards, started = run([forwards, backwards, started], {x: ROWS})
    np.testing.assert_allclose(forwards, ROWS[0] * 2 + ROWS[1])
    np.testing.assert_allclose(backwards, ROWS[1] * 2 + ROWS[0])
    np.testing.assert_allclose(started, 4 + ROWS[0] * 2 + ROWS[1])


def test_scan(run):
    x = tf.placeholder(tf.float64, [None, 3])
    sums = tf.scan(lambda total, row: total + row, x)
    reverse = tf.scan(lambda total, row: total + row, x, reverse=True)
    started = tf.scan(lambda n, _: n + 1, x, initializer=tf.constant(10))
    sums, reverse, started = run([sums, reverse, started], {x: ROWS})
    np.testing.assert_allclose(sums, np.cumsum(ROWS, 0))
    np.testing.assert_allclose(reverse, np.cumsum(ROWS[::-1], 0)[::-1])
    assert list(started) == [11, 12]


def test_what_they_refuse():
    x = tf.ones([2])
    with pytest.raises(TypeError, match="callable"):
        tf.map_fn(1, x)
    with pytest.raises(ValueError, match="no rows"):
        tf.map_fn(tf.square, tf.constant(1.0))


def test_each_call_of_gradients_has_its_own_sums(run):
    x = tf.placeholder(tf.float64, [2, 3])
    squares = tf.map_fn(tf.square, x)
    twice = [tf.gradients(squares, x, name="mine")[0] for _ in range(2)]
    for gradient in run(twice, {x: ROWS}):
        np.testing.assert_allclose(gradient, 2 * ROWS)


@pytest.mark.parametrize("grows", [False, True])
def test_a_loops_state_has_a_gradient_beside_an_array_that_has_none(grows):
    x = tf.constant([2.0, 3.0])
    array = tf.TensorArray(tf.float32, 0 if grows else 3, dynamic_size=grows)
    _, state, kept = tf.while_loop(
        lambda i, *_: i < 3, lambda i, s, a: (i + 1, s * x, a.write(i, s * x)),
        [0, tf.ones([2]), array],
    )  # fmt: skip
    by_state, by_array = tf.gradients(state, x)[0], tf.gradients(kept.stack(), x)[0]
    with tf.Session() as session:
        for _ in range(20):  # whichever is first: the loop, or the array of gradients
            assert session.run(by_state).tolist() == [12.0, 27.0]
        assert session.run(by_array).tolist() == [1 + 4 + 12, 1 + 6 + 27]


def test_second_derivatives_through_arrays_are_refused():
    x = tf.constant([1.0, 2.0, 3.0])
    first = tf.gradients(tf.map_fn(lambda a: a * a + a * a * a, x), x)[0]
    with pytest.raises(NotImplementedError, match="Second-order gradients through TensorArrays"):
        tf.gradients(first, x)
