"""An LSTM that goes through all steps in one call, and queues that are filled ahead."""

import numpy as np
import tfbuild_runtime.compat.v1 as tf

X = np.sin(np.arange(24, dtype=np.float32)).reshape(4, 2, 3)  # steps, examples, inputs


def test_it_is_the_cell_of_one_step_over_all(run):
    fused = tf.contrib.rnn.LSTMBlockFusedCell(5)
    lengths = [4, 2]
    outputs, state = fused(tf.constant(X), dtype=tf.float32, sequence_length=lengths)
    assert [v.name for v in tf.trainable_variables()] == [
        "lstm_fused_cell/kernel:0", "lstm_fused_cell/bias:0",
    ]  # fmt: skip
    assert fused.num_units == 5
    assert fused.trainable_weights == tf.trainable_variables()
    cell = tf.contrib.rnn.LSTMBlockCell(5, name="other")
    theirs, their_state = tf.nn.dynamic_rnn(
        cell, tf.constant(X), lengths, dtype=tf.float32, time_major=True
    )
    same = [tf.assign(theirs, ours) for theirs, ours in zip(cell.weights, fused.trainable_weights)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(same)
        ours, expected = session.run([[outputs, *state], [theirs, *their_state]])
    for one, other in zip(ours, expected):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert not ours[0][2:, 1].any()


def test_it_takes_lists_and_a_state_to_begin_with():
    fused = tf.contrib.rnn.LSTMBlockFusedCell(5)
    zeros = tf.zeros([2, 5])
    outputs, state = fused([tf.constant(step) for step in X], (zeros, zeros))
    again, _ = fused(tf.constant(X))
    assert len(outputs) == 4
    assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple)
    assert len(tf.trainable_variables()) == 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, other = session.run([outputs, again])
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_queue_is_filled_ahead():
    slim = tf.contrib.slim
    count = tf.Variable(0)
    parts = {"number": count.assign_add(1) * 1, "image": tf.ones([2, 3])}
    queue = slim.prefetch_queue.prefetch_queue(parts, capacity=2)
    plain = slim.prefetch_queue.prefetch_queue([tf.ones([4])], num_threads=2).dequeue()
    taken = queue.dequeue()
    assert taken["image"].shape.as_list() == [2, 3]
    assert len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)) == 2
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert [session.run(taken["number"]) for _ in range(3)] == [1, 2, 3]
        assert session.run(plain).tolist() == [1, 1, 1, 1]
        coordinator.request_stop()
        session.run(queue.close(cancel_pending_enqueues=True))
        coordinator.join(threads, stop_grace_period_secs=10, ignore_live_threads=True)
