"""Recurrent networks: cells against their formulas, lengths, both directions, names, gradients."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

CELLS = tf.nn.rnn_cell
X = np.random.RandomState(0).rand(3, 5, 4).astype(np.float32)
LENGTHS = [5, 2, 0]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def names(things):
    return [thing.name for thing in things]


def initialised(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def test_lstm_with_all_that_it_can():
    cell = CELLS.LSTMCell(6, use_peepholes=True, num_proj=3, cell_clip=0.5, proj_clip=0.3,
                          initializer=tf.random_uniform_initializer(-1, 1, seed=2))  # fmt: skip
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    assert names(tf.trainable_variables()) == [
        f"rnn/lstm_cell/{name}:0" for name in ("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag",
                                               "projection/kernel")
    ]  # fmt: skip
    got, last, variables = initialised([outputs, state, tf.trainable_variables()])
    kernel, bias, w_f, w_i, w_o, projection = (v.astype(np.float64) for v in variables)
    c, h = np.zeros([3, 6]), np.zeros([3, 3])
    for step in range(5):
        i, j, f, o = np.split(np.concatenate([X[:, step], h], 1) @ kernel + bias, 4, axis=1)
        c = sigmoid(f + 1 + w_f * c) * c + sigmoid(i + w_i * c) * np.tanh(j)
        c = np.clip(c, -0.5, 0.5)
        h = np.clip((sigmoid(o + w_o * c) * np.tanh(c)) @ projection, -0.3, 0.3)
        np.testing.assert_allclose(got[:, step], h, atol=1e-6)
    np.testing.assert_allclose(last.c, c, atol=1e-6)


def test_gru_and_plain_cells():
    x = tf.constant(X[:, 0])
    gru, _ = CELLS.GRUCell(2)(x, tf.ones([3, 2]))
    rnn, _ = CELLS.BasicRNNCell(2)(x, tf.ones([3, 2]))
    got, plain, variables = initialised([gru, rnn, tf.trainable_variables()])
    assert names(tf.trainable_variables()) == [
        "gru_cell/gates/kernel:0", "gru_cell/gates/bias:0", "gru_cell/candidate/kernel:0",
        "gru_cell/candidate/bias:0", "basic_rnn_cell/kernel:0", "basic_rnn_cell/bias:0",
    ]  # fmt: skip
    gates, gate_bias, kernel, bias, own, own_bias = variables
    both = np.concatenate([X[:, 0], np.ones([3, 2])], 1)
    r, u = np.split(sigmoid(both @ gates + gate_bias), 2, axis=1)
    assert gate_bias.tolist() == [1] * 4
    candidate = np.tanh(np.concatenate([X[:, 0], r], 1) @ kernel + bias)
    np.testing.assert_allclose(got, u + (1 - u) * candidate, atol=1e-6)
    np.testing.assert_allclose(plain, np.tanh(both @ own + own_bias), atol=1e-6)


@pytest.mark.parametrize("flat", [True, False])
def test_beyond_its_length_an_example_gives_zeros_and_keeps_its_state(flat):
    x = tf.placeholder(tf.float32, [None, 5, 4])
    cell = CELLS.BasicLSTMCell(3, state_is_tuple=not flat)
    outputs, state = tf.nn.dynamic_rnn(cell, x, LENGTHS, dtype=tf.float32)
    assert outputs.shape.as_list() == [None, 5, 3]
    got, last = initialised([outputs, state], {x: X})
    h = last[:, 3:] if flat else last.h
    assert not got[1, 2:].any() and not got[2].any()
    np.testing.assert_array_equal(h[0], got[0, 4])
    np.testing.assert_array_equal(h[1], got[1, 1])
    assert not h[2].any()


def test_static_and_dynamic_networks_agree():
    tf.set_random_seed(3)
    cell = CELLS.BasicLSTMCell(3)
    x = tf.constant(X)
    one, last = tf.nn.dynamic_rnn(cell, x, LENGTHS, dtype=tf.float32)
    other, end = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32,
                                  sequence_length=LENGTHS)  # fmt: skip
    assert len(tf.trainable_variables()) == 2
    got = initialised([one, tf.stack(other, 1), last, end])
    np.testing.assert_allclose(got[0], got[1], atol=1e-6)
    np.testing.assert_allclose(got[2], got[3], atol=1e-6)


def test_both_directions_read_an_example_from_its_end():
    cells = [CELLS.GRUCell(2, kernel_initializer=tf.constant_initializer(0.1)) for _ in range(2)]
    x = tf.constant(X)
    (_, bw), states = tf.nn.bidirectional_dynamic_rnn(*cells, x, LENGTHS, dtype=tf.float32)
    assert {v.name.split("/")[1] for v in tf.trainable_variables()} == {"fw", "bw"}
    backwards = X.copy()
    for row, length in enumerate(LENGTHS):
        backwards[row, :length] = X[row, :length][::-1]
    again, _ = tf.nn.dynamic_rnn(cells[0], tf.constant(backwards), LENGTHS, dtype=tf.float32)
    got, expected, last = initialised([bw, again, states])
    for row, length in enumerate(LENGTHS):
        np.testing.assert_allclose(got[row, :length], expected[row, :length][::-1], atol=1e-6)
        assert not got[row, length:].any()
    np.testing.assert_allclose(last[1][0], got[0, 0], atol=1e-6)


def test_cells_on_top_of_each_other_and_wrapped():
    cell = CELLS.MultiRNNCell([
        CELLS.DropoutWrapper(CELLS.BasicLSTMCell(4), output_keep_prob=0.5, seed=4),
        CELLS.DeviceWrapper(CELLS.ResidualWrapper(CELLS.GRUCell(4)), "/cpu:0"),
    ])  # fmt: skip
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    assert names(tf.trainable_variables())[:3] == [
        "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel:0",
        "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias:0",
        "rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel:0",
    ]
    assert isinstance(state, tuple) and isinstance(state[0], CELLS.LSTMStateTuple)
    assert len(cell.trainable_variables) == 6
    assert initialised(outputs).shape == (3, 5, 4)


def test_gradients_go_through_time():
    cell = CELLS.BasicRNNCell(3)
    x = tf.placeholder(tf.float32, [2, 4, 2])
    outputs, _ = tf.nn.dynamic_rnn(cell, x, [4, 2], dtype=tf.float32)
    values = np.random.RandomState(5).rand(2, 4, 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        error = tf.test.compute_gradient_error(x, [2, 4, 2], outputs, [2, 4, 3], values, 1e-2)
    assert error < 1e-3


def test_what_is_missing_is_said():
    with pytest.raises(ValueError, match="you must give a dtype"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.constant(X))
    with pytest.raises(ValueError, match="Input size"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.placeholder(tf.float32, [2, 3, None]),
                          dtype=tf.float32)  # fmt: skip
    with pytest.raises(TypeError, match="must be a sequence"):
        tf.nn.static_rnn(CELLS.GRUCell(2), tf.constant(X), dtype=tf.float32)


def test_static_rnn_wants_a_length_for_each_example():
    with pytest.raises(ValueError, match="must be a vector"):
        tf.nn.static_rnn(
            tf.nn.rnn_cell.BasicRNNCell(2), [tf.ones([3, 4])], dtype=tf.float32, sequence_length=4
        )


def test_a_getter_decides_what_a_cell_trains():
    def kept(getter, *args, **kwargs):
        kwargs["trainable"] = False
        return getter(*args, **kwargs)

    with tf.variable_scope("root", custom_getter=kept):
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        cell(tf.ones([1, 2]), tf.ones([1, 2]))
    assert cell.trainable_variables == []
    names = [v.op.name for v in cell.non_trainable_variables]
    assert names == ["root/basic_rnn_cell/kernel", "root/basic_rnn_cell/bias"]


def normalised(x, gain, shift):
    x = x - x.mean(1, keepdims=True)
    return gain * x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-12) + shift


def test_an_lstm_that_normalises_its_gates():
    cell = tf.contrib.rnn.LayerNormBasicLSTMCell(6, norm_gain=0.7, norm_shift=0.2)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    places = ("input", "transform", "forget", "output", "state")
    assert names(tf.trainable_variables()) == [
        "rnn/layer_norm_basic_lstm_cell/kernel:0",
        *(f"rnn/layer_norm_basic_lstm_cell/{place}/{name}:0" for place in places
          for name in ("gamma", "beta")),
    ]  # fmt: skip
    got, last, kernel = initialised([outputs, state, tf.trainable_variables()[0]])
    c, h = np.zeros([3, 6]), np.zeros([3, 6])
    for step in range(5):
        product = np.concatenate([X[:, step], h], 1) @ kernel.astype(np.float64)
        i, j, f, o = (normalised(part, 0.7, 0.2) for part in np.split(product, 4, axis=1))
        c = normalised(c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j), 0.7, 0.2)
        h = np.tanh(c) * sigmoid(o)
        np.testing.assert_allclose(got[:, step], h, atol=1e-5)
    np.testing.assert_allclose(last.c, c, atol=1e-5)


def test_an_lstm_with_a_bias_and_a_dropout_of_what_it_takes_in():
    cell = tf.contrib.rnn.LayerNormBasicLSTMCell(
        4, layer_norm=False, dropout_keep_prob=1e-6, forget_bias=0.0
    )
    start = tf.nn.rnn_cell.LSTMStateTuple(tf.ones([3, 4]), tf.zeros([3, 4]))
    _, (c, _) = cell(tf.zeros([3, 2]), start)
    assert names(tf.trainable_variables()) == [
        f"layer_norm_basic_lstm_cell/{name}:0" for name in ("kernel", "bias")
    ]
    # Nothing new is taken in, and half of the memory is forgotten.
    np.testing.assert_allclose(initialised(c), np.full([3, 4], 0.5))


def test_a_loop_that_is_driven_wants_a_function_and_a_batch():
    with pytest.raises(TypeError, match="must be a callable"):
        tf.nn.raw_rnn(CELLS.GRUCell(2), tf.constant(X))
    with pytest.raises(ValueError, match=r"are \[batch, ...\]"):
        tf.nn.raw_rnn(CELLS.GRUCell(2), lambda *_: (True, tf.constant(1.0), None, None, None))
