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
        told = session.run([step, loss, clip], feed)
        assert told[1] == pytest.approx(0.0128, rel=1e-5)
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
