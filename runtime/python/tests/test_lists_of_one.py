"""Lists of one tensor, and of none, as a program with one tower makes them."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

X = np.array([[1, 2], [3, 4]], np.float32)


@pytest.mark.parametrize(
    "split",
    [
        lambda x: tf.split(x, 1),
        lambda x: tf.split(x, 1, axis=-1),
        lambda x: tf.split(x, [2]),
        lambda x: tf.split(x, [-1], axis=1),
    ],
)
def test_a_split_into_one_part_has_gradients(run, split):
    x = tf.constant(X)
    (tower,) = split(x)
    (slope,) = tf.gradients(tower * tower, x)
    (curvature,) = tf.gradients(slope, x)
    first, second = run([slope, curvature])
    assert first.tolist() == (2 * X).tolist()
    assert second.tolist() == [[2, 2], [2, 2]]


def test_a_program_with_one_tower_is_trained(run):
    weight = tf.Variable([[1.0], [1.0]])
    losses = [tf.reduce_sum(tf.matmul(part, weight)) for part in tf.split(tf.constant(X), 1)]
    loss = tf.add_n(losses) / len(losses)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    step = optimizer.apply_gradients(optimizer.compute_gradients(loss))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(weight).tolist() == [[-1.0], [-2.0]]


def test_nothing_at_all_is_stacked_to_no_numbers(run):
    assert run(tf.stack([])).tolist() == []


def test_no_gradients_have_a_norm_of_zero(run):
    assert run(tf.global_norm([])) == 0
    assert run(tf.global_norm([None])) == 0
    clipped, norm = tf.clip_by_global_norm([None], 1.0)
    assert clipped == [None]
    assert run(norm) == 0
