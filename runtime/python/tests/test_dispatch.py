"""What a step costs besides its kernels: prepared once, then next to nothing."""

import time

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def count_preparations(session):
    made = []
    original = session._native_step

    def counted(*arguments):
        made.append(arguments)
        return original(*arguments)

    session._native_step = counted
    return made


def test_a_step_is_prepared_once():
    x = tf.placeholder(tf.float32, [])
    y, z = x + 1.0, tf.constant(1.0) + 1.0
    with tf.Session() as session:
        made = count_preparations(session)
        for _ in range(3):
            session.run(z)
            session.run([z])
            session.run(y, {x: 1.0})
            session.run([y, z], {x: 1.0})
            session.run([y, z], {x: 1.0, z: 2.0})
        assert len(made) == 5


def test_nested_fetches_give_the_same_each_time():
    y = tf.constant(1.0) + 1.0
    with tf.Session() as session:
        for _ in range(3):
            assert session.run({"a": [y], "b": (y, [y])}) == {"a": [2.0], "b": (2.0, [2.0])}


def best_time(function, rounds=15, repeats=2000):
    """The least seconds that one call took."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            function()
        best = min(best, time.perf_counter() - start)
    return best / repeats


@pytest.mark.cpu
def test_a_scalar_step_costs_a_few_numpy_calls():
    y = tf.constant(1.0) + tf.constant(2.0)
    a, b = np.array([1.0], np.float32), np.array([2.0], np.float32)
    with tf.Session() as session:
        session.run(y)
        step = best_time(lambda: session.run(y))
    assert step < 20 * best_time(lambda: np.add(a, b))


def test_fetching_does_not_copy_large_results():
    x = tf.placeholder(tf.float32, [None])
    y = tf.nn.relu(x)
    with tf.Session() as session:
        array = session.run(y, {x: np.ones(1 << 20, np.float32)})
        assert type(array.base).__name__ == "PyCapsule"
        shared = session.run([y, y], {x: np.ones(1 << 20, np.float32)})
        assert not np.shares_memory(*shared)
        assert session.run(y, {x: np.ones(4, np.float32)}).base is None
