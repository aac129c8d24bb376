"""In which order a step changes and reads a variable."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_a_cheap_update_comes_before_a_loss_and_before_the_optimizer():
    """As in TensorFlow: weights that are clipped beside a step keep the step."""
    x = tf.placeholder(tf.float32, [None, 784])
    first, second = tf.Variable(tf.ones([784, 128])), tf.Variable(tf.ones([128, 1]))
    loss = tf.reduce_mean(tf.matmul(tf.nn.relu(tf.matmul(x, first)), second))
    step = tf.train.RMSPropOptimizer(1e-4).minimize(-loss)
    clip = [v.assign(tf.clip_by_value(v, -0.01, 0.01)) for v in (first, second)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feed = {x: np.ones((32, 784), np.float32) / 784}
        found = session.run([step, loss, clip], feed)
        assert found[1] == pytest.approx(0.0128, rel=1e-5)
        # 0.010001054 in TensorFlow 2.21: clipped, then moved.
        assert session.run(second)[0, 0] == pytest.approx(0.010001054, abs=1e-7)


def test_a_cheap_reader_of_a_counter_sees_the_old_value():
    """As in TensorFlow: a rate is that of the step before."""
    count = tf.Variable(0, name="count")
    rate = tf.train.polynomial_decay(1.0, count, 10, 0.0)
    loss = tf.reduce_sum(tf.nn.softmax([[1.0, 2.0]])) * rate
    counted = count.assign(count + 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([loss, counted])[0] == pytest.approx(1.0)
        assert session.run([loss, counted])[0] == pytest.approx(0.9)


@pytest.mark.parametrize(
    "computed",
    [
        lambda v: v * 1,
        lambda v: v - 0,
        lambda v: v / 1,
        lambda v: v**1,
        lambda v: tf.stop_gradient(v) * 1,
        lambda v: tf.squeeze(tf.expand_dims(v, 0) * 1, 0),
        lambda v: tf.nn.dropout(v, rate=0.0) * 1,
    ],
)
def test_what_was_computed_of_a_variable_stays_when_it_is_updated(computed):
    """As in TensorFlow, though the operation changes no number."""
    variable = tf.Variable([1.0, 2.0])
    number = computed(variable)
    update = variable.assign_add(number)
    with tf.Session() as session:
        for fetched, at in (([number, update], 0), ([update, number], 1)):
            session.run(variable.initializer)
            assert session.run(fetched)[at].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("optimizer", [tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer])
def test_gradients_beside_a_step_are_those_before_it(optimizer):
    variable = tf.Variable([1.0, 2.0])
    trained = optimizer(0.5)
    gradients = trained.compute_gradients(tf.nn.l2_loss(variable))
    step = trained.apply_gradients(gradients)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([gradients[0][0], step])[0].tolist() == [1.0, 2.0]


def _looped(step, variable):
    """Three turns of a loop that asks `step` for an op to wait for and a number to add up."""

    def body(turn, total):
        update, number = step(turn)
        with tf.control_dependencies([update]):
            return turn + 1, 10 * total + number()

    loop = tf.while_loop(lambda turn, _: turn < 3, body, [0, 0.0], parallel_iterations=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(loop)[1], session.run(variable)


def test_a_loop_that_changes_a_variable_reads_what_it_has_written():
    """234 in TensorFlow 2.21: 2, 3 and 4."""
    variable = tf.Variable(1.0)
    total, left = _looped(
        lambda _: (tf.assign_add(variable, 1.0), lambda: tf.abs(variable)), variable
    )
    assert (total, left) == (234, 4)


def test_a_branch_in_a_loop_reads_it_too():
    """-166 in TensorFlow 2.21: -2, then 3 and 4."""
    variable = tf.Variable(1.0)

    def step(turn):
        return tf.assign_add(variable, 1.0), lambda: tf.cond(
            turn > 0, lambda: variable * 1.0, lambda: -variable
        )

    assert _looped(step, variable) == (-166, 4)


@pytest.mark.parametrize("read", [tf.identity, lambda variable: variable.read_value()])
def test_a_loop_that_trains_walks_from_where_it_has_come(read):
    """As in TensorFlow: each turn has the gradient of the weights that the turn before left."""
    weights = tf.Variable(np.ones([2, 3], np.float32))

    def step(_):
        gradient = tf.gradients(2 * tf.reduce_sum(tf.square(read(weights))), weights)[0]
        return tf.assign_sub(weights, 0.1 * gradient), lambda: tf.reduce_sum(weights)

    total, left = _looped(step, weights)
    # 0.6 of what was there is left in each turn.
    assert total == pytest.approx(6 * (100 * 0.6 + 10 * 0.36 + 0.216), rel=1e-5)
    assert left == pytest.approx(np.full([2, 3], 0.216), rel=1e-5)


@pytest.mark.parametrize("use_resource", [False, True])
def test_what_is_applied_twice_by_one_adam_moves_its_powers_twice(use_resource):
    """0.729 after a step in TensorFlow 2.21, which starts at 0.9."""
    with tf.variable_scope("", use_resource=use_resource):
        one, two = (tf.get_variable(name, initializer=np.ones(3, np.float32)) for name in "ab")
        optimizer = tf.train.AdamOptimizer(0.1)
        first = optimizer.apply_gradients([(2 * one, one)])
        # Its gradient is there when the first are done, as of a layer that lies before theirs.
        with tf.control_dependencies([first]):
            second = optimizer.apply_gradients([(tf.identity(2 * two), two)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([first, second])
        powers = session.run([v for v in tf.global_variables() if "power" in v.op.name])
    assert powers == pytest.approx([0.9**3, 0.999**3], rel=1e-6)
