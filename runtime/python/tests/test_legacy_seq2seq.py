"""Sequences as lists of steps: decoders, buckets, and the cells that go with them."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

legacy = tf.contrib.legacy_seq2seq
BATCH, BEFORE, AFTER, UNITS = 4, 9, 7, 8


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def words(count, limit):
    random = np.random.default_rng(count)
    return [tf.constant(random.integers(0, limit, BATCH), tf.int32) for _ in range(count)]


def initialised(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def translate(given, wanted, feed_previous=False):
    return legacy.embedding_attention_seq2seq(
        given, wanted, tf.nn.rnn_cell.GRUCell(UNITS), BEFORE, AFTER, 5, feed_previous=feed_previous
    )


def test_a_decoder_goes_on_where_the_encoder_ended():
    inputs = [tf.constant(np.random.default_rng(i).standard_normal((2, 3)), tf.float32)
              for i in range(5)]  # fmt: skip
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    outputs, state = legacy.basic_rnn_seq2seq(inputs[:3], inputs[3:], cell)
    names = {v.op.name.split("/")[1] for v in tf.trainable_variables()}
    assert names == {"rnn", "rnn_decoder"}
    # The same by hand: both parts have variables of their own.
    with tf.variable_scope("basic_rnn_seq2seq", reuse=True):
        _, middle = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(UNITS), inputs[:3], dtype=tf.float32)
        with tf.variable_scope("rnn_decoder"):
            again = tf.nn.rnn_cell.GRUCell(UNITS, name="gru_cell")
            first, middle = again(inputs[3], middle)
            second, middle = again(inputs[4], middle)
    found = initialised([outputs, state, [first, second], middle])
    np.testing.assert_allclose(found[0], found[2], atol=1e-6)
    np.testing.assert_allclose(found[1], found[3], atol=1e-6)


def test_buckets_share_their_variables():
    given, wanted = words(6, BEFORE), words(5, AFTER)
    weights = [tf.ones([BATCH])] * 5
    outputs, losses = legacy.model_with_buckets(
        given, wanted, wanted, weights, [(3, 2), (6, 5)], translate
    )
    names = [variable.op.name for variable in tf.trainable_variables()]
    assert len(names) == len(set(names)) == 20
    assert "embedding_attention_seq2seq/rnn/embedding_wrapper/embedding" in names
    prefix = "embedding_attention_seq2seq/embedding_attention_decoder"
    assert f"{prefix}/attention_decoder/Attention_0/kernel" in names
    assert [len(made) for made in outputs] == [2, 5]
    values, logits = initialised([losses, outputs[1]])
    truth = 0
    for step, logit in enumerate(logits):
        logs = logit - np.log(np.exp(logit).sum(1, keepdims=True))
        target = initialised(wanted[step])
        truth -= logs[np.arange(BATCH), target] / 5
    np.testing.assert_allclose(values[1], truth.mean(), rtol=1e-5)


@pytest.mark.parametrize("computed", [False, True])
def test_the_word_before_is_fed(computed):
    given, wanted = words(3, BEFORE), words(4, AFTER)
    feed = tf.placeholder_with_default(True, []) if computed else True
    outputs, _ = translate(given, wanted, feed)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        taught = [wanted[0], *(tf.cast(tf.argmax(out, 1), tf.int32) for out in outputs[:-1])]
        again, _ = translate(given, taught)
    found, expected = initialised([outputs, again])
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_training_learns_to_copy():
    given = words(3, AFTER)
    outputs, _ = legacy.embedding_rnn_seq2seq(given, given, tf.nn.rnn_cell.BasicLSTMCell(UNITS),
                                              BEFORE, AFTER, 5)  # fmt: skip
    loss = legacy.sequence_loss(outputs, given, [tf.ones([BATCH])] * 3)
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(loss)
        for _ in range(60):
            session.run(step)
        assert first > 1
        assert session.run(loss) < 0.05


def test_lists_must_fit():
    with pytest.raises(ValueError, match="Lengths"):
        legacy.sequence_loss_by_example([tf.zeros([2, 3])], [], [])
    with pytest.raises(ValueError, match="last bucket"):
        legacy.model_with_buckets(words(2, 5), words(2, 5), [], [], [(3, 2)], translate)
    with pytest.raises(ValueError, match="at least 1 input"):
        legacy.attention_decoder([], None, tf.zeros([1, 2, 3]), None)


def test_words_begin_with_variance_one():
    cell = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(2), 4000, 5)
    cell(tf.zeros([1], tf.int32), cell.zero_state(1, tf.float32))
    (table,) = [v for v in tf.global_variables() if v.op.name.endswith("embedding")]
    value = initialised(table)
    assert abs(value.var() - 1) < 0.03
    assert np.abs(value).max() <= np.sqrt(3)


def test_the_cell_of_the_search_over_architectures():
    cell = tf.contrib.rnn.NASCell(3, use_bias=True)
    x, c, m = (tf.constant(np.random.default_rng(i).standard_normal((2, size)), tf.float32)
               for i, size in enumerate((4, 3, 3)))  # fmt: skip
    output, state = cell(x, tf.nn.rnn_cell.LSTMStateTuple(c, m))
    names = [v.op.name for v in tf.trainable_variables()]
    assert names == ["nas_cell/recurrent_kernel", "nas_cell/kernel", "nas_cell/bias"]
    found = initialised([output, state, x, c, m, tf.trainable_variables()])
    got, got_state, x, c, m, (recurrent, kernel, bias) = found
    a, h = np.split(x @ kernel, 8, 1), np.split(m @ recurrent + bias, 8, 1)

    def relu(value):
        return np.maximum(value, 0)

    first = np.tanh(sigmoid(a[0] + h[0]) * relu(a[1] + h[1]))
    second = np.tanh(sigmoid(a[2] + h[2]) + relu(a[3] * h[3]))
    third = np.tanh(np.tanh(a[4] + h[4]) * sigmoid(a[5] + h[5]))
    fourth = sigmoid(np.tanh(a[6] + h[6]) + sigmoid(a[7] + h[7]))
    memory = np.tanh(first + c) * second
    np.testing.assert_allclose(got_state.c, memory, atol=1e-6)
    np.testing.assert_allclose(got, np.tanh(memory * np.tanh(third + fourth)), atol=1e-6)


def test_the_fused_cell_is_the_other_under_its_names():
    x = tf.ones([2, 3, 4])
    outputs, _ = tf.nn.dynamic_rnn(tf.contrib.rnn.LSTMBlockCell(5), x, dtype=tf.float32)
    assert [v.op.name for v in tf.trainable_variables()] == [
        "rnn/lstm_cell/kernel", "rnn/lstm_cell/bias",
    ]  # fmt: skip
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        cell = tf.nn.rnn_cell.LSTMCell(5, name="lstm_cell")
        plain, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    np.testing.assert_array_equal(*initialised([outputs, plain]))
