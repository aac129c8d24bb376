"""Feeds whose keys are nested, such as the state of a recurrent program; as in TensorFlow 2.21."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


class Pair(NamedTuple):
    """Two tensors, or their values."""

    x: Any
    y: Any


@pytest.fixture
def two():
    return tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])


@pytest.mark.parametrize(
    ("nest", "values"),
    [
        (lambda a, b: (a, b), (1, 2)),
        (lambda a, b: (a, b), [1, 2]),
        (lambda a, b: ((a,), (b,)), ((1,), (2,))),
        (lambda a, b: ((a,), (b,)), (1, 2)),
        (lambda a, b: (a, b), ((1,), (2,))),
        (Pair, Pair(1, 2)),
        (Pair, (1, 2)),
        (Pair, {"x": 1, "y": 2}),
        (lambda a, b: (a.name, b.name), (1, 2)),
        (lambda a, b: (Pair(a, b), ()), (Pair(1, 2), [])),
    ],
)
def test_values_are_taken_in_the_order_of_the_keys(run, two, nest, values):
    for _ in range(2):  # a prepared step, too
        assert run(list(two), {nest(*two): values}) == [1, 2]


def test_nested_keys_stand_beside_others(run, two):
    sparse = tf.sparse_placeholder(tf.float32)
    fetches = [*two, tf.sparse_tensor_to_dense(sparse)]
    value = tf.SparseTensorValue([[1]], [5.0], [2])
    a, b, dense = run(fetches, {two: (1, 2), sparse: value})
    assert (a, b, dense.tolist()) == (1, 2, [0, 5])


def test_a_recurrent_program_feeds_its_state_back():
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(2) for _ in range(2)])
    inputs = tf.ones([1, 1, 3])
    start = cell.zero_state(1, tf.float32)
    _, end = tf.nn.dynamic_rnn(cell, inputs, initial_state=start)
    _, twice = tf.nn.dynamic_rnn(cell, tf.ones([1, 2, 3]), initial_state=start)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        state = session.run(end)
        assert isinstance(state[0], tf.nn.rnn_cell.LSTMStateTuple)
        state, whole = session.run(end, {start: state}), session.run(twice)
        np.testing.assert_allclose(state, whole, rtol=1e-6)
        step = session.make_callable(end, [start])
        np.testing.assert_allclose(step(step(session.run(start))), whole, rtol=1e-6)


def test_as_many_values_as_keys_are_needed(run, two):
    message = (
        "Could not flatten dictionary. Key had 2 elements, but value had {} elements. "
        "Key: {}, value: {}."
    )
    for values, flat in (((1,), [1]), ((1, 2, 3), [1, 2, 3]), (None, [None])):
        with pytest.raises(ValueError) as error:
            run(two[0], {two: values})
        assert str(error.value) == message.format(len(flat), list(two), flat)


def test_no_tensor_is_fed_twice(run, two):
    a, b = two
    for feeds in ({(a, b): (1, 2), a: 3}, {(a, b, a): (1, 2, 3)}):
        with pytest.raises(ValueError, match="Cannot flatten dict because this key is not unique"):
            run(a, feeds)


@pytest.mark.parametrize(
    ("other", "words"), [(lambda a: a.op, "a Operation"), (lambda a: 1, "a int")]
)
def test_what_is_no_tensor_is_named(run, two, other, words):
    with pytest.raises(TypeError, match=f"Cannot interpret feed_dict key as Tensor: .* {words} in"):
        run(two[0], {(two[0], other(two[1])): (1, 2)})


def test_callables_take_lists_of_feeds(two):
    with tf.Session() as session, pytest.raises(TypeError, match="must be a list or tuple"):
        session.make_callable(two[0], two[0])
