"""Attention, decoders and beam search against the same computed step by step in NumPy."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

seq2seq = tf.contrib.seq2seq
BATCH, STEPS, MEMORY, UNITS, WORDS, END = 3, 4, 5, 6, 7, 2
LENGTHS = np.array([4, 2, 3], np.int32)
MEMORY_LENGTHS = np.array([5, 2, 3])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def arrays(*shapes):
    random = np.random.default_rng(4)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


MECHANISMS = {
    "luong": lambda memory: seq2seq.LuongAttention(UNITS, memory, MEMORY_LENGTHS),
    "luong_scaled": lambda memory: seq2seq.LuongAttention(
        UNITS, memory, MEMORY_LENGTHS, scale=True
    ),
    "bahdanau": lambda memory: seq2seq.BahdanauAttention(UNITS, memory, MEMORY_LENGTHS),
    "bahdanau_normed": lambda memory: seq2seq.BahdanauAttention(
        UNITS, memory, MEMORY_LENGTHS, normalize=True
    ),
}


def scores(kind, query, keys, values):
    """Return how well the query fits each step of the memory."""
    if kind.startswith("luong"):
        return np.einsum("bu,bmu->bm", query, keys) * values.get("attention_g", 1)
    weights = values["attention_v"]
    inner = keys + (query @ values["query_layer/kernel"])[:, None]
    if kind == "bahdanau_normed":
        inner = inner + values["attention_b"]
        weights = values["attention_g"] * weights / np.sqrt(np.sum(weights**2))
    return (weights * np.tanh(inner)).sum(-1)


def attended(kind, values, memory, inputs):
    """Yield (output, alignments) of each step, zero and kept where a sequence has ended."""
    there = np.arange(MEMORY) < MEMORY_LENGTHS[:, None]
    memory = memory * there[..., None]
    keys = memory @ values["memory_layer/kernel"]
    c = h = attention = np.zeros((BATCH, UNITS))
    for step in range(STEPS):
        gates = (
            np.concatenate([inputs[:, step], attention, h], 1) @ values["basic_lstm_cell/kernel"]
        )
        i, j, f, o = np.split(gates + values["basic_lstm_cell/bias"], 4, 1)
        new_c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        new_h = np.tanh(new_c) * sigmoid(o)
        alignments = softmax(np.where(there, scores(kind, new_h, keys, values), -np.inf))
        context = np.einsum("bm,bmu->bu", alignments, memory)
        new_attention = np.concatenate([new_h, context], 1) @ values["attention_layer/kernel"]
        ended = (step >= LENGTHS)[:, None]
        yield np.where(ended, 0, new_attention @ values["words/kernel"]), alignments, ended[:, 0]
        c, h = np.where(ended, c, new_c), np.where(ended, h, new_h)
        attention = np.where(ended, attention, new_attention)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_attention_while_training(kind):
    memory, inputs = arrays((BATCH, MEMORY, UNITS), (BATCH, STEPS, 2))
    fed = tf.placeholder(tf.float32, [None, None, UNITS])
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(UNITS), MECHANISMS[kind](fed), attention_layer_size=UNITS,
        alignment_history=True,
    )  # fmt: skip
    helper = seq2seq.TrainingHelper(tf.placeholder_with_default(inputs, [None, None, 2]), LENGTHS)
    words = tf.layers.Dense(WORDS, use_bias=False, name="words")
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32), words)
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
    assert outputs.rnn_output.shape.as_list() == [BATCH, None, WORDS]
    variables = tf.trainable_variables()
    slopes = tf.gradients(tf.reduce_sum(tf.square(outputs.rnn_output)), variables)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([outputs, lengths, state.alignment_history.stack(), variables, slopes],
                            {fed: memory})  # fmt: skip
    output, sizes, history, held, slopes = found
    assert sizes.tolist() == LENGTHS.tolist()
    assert all(np.abs(slope).max() > 0 for slope in slopes)
    names = [v.op.name.split("attention_wrapper/")[-1].removeprefix("decoder/") for v in variables]
    names = [name.split("_attention/")[-1] for name in names]
    truth = attended(kind, dict(zip(names, held)), memory, inputs)
    for step, (expected, alignments, ended) in enumerate(truth):
        np.testing.assert_allclose(output.rnn_output[:, step], expected, atol=1e-5)
        np.testing.assert_allclose(history[step][~ended], alignments[~ended], atol=1e-5)


def test_variables_have_the_names_of_tensorflow():
    (memory,) = arrays((BATCH, MEMORY, UNITS))
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS),
                                    seq2seq.BahdanauAttention(UNITS, memory),
                                    attention_layer_size=UNITS)  # fmt: skip
    helper = seq2seq.TrainingHelper(tf.zeros([BATCH, STEPS, 2]), LENGTHS)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float32))
    seq2seq.dynamic_decode(decoder)
    names = [variable.op.name for variable in tf.trainable_variables()]
    assert sorted(names) == [
        "decoder/attention_wrapper/attention_layer/kernel",
        "decoder/attention_wrapper/bahdanau_attention/attention_v",
        "decoder/attention_wrapper/bahdanau_attention/query_layer/kernel",
        "decoder/attention_wrapper/gru_cell/candidate/bias",
        "decoder/attention_wrapper/gru_cell/candidate/kernel",
        "decoder/attention_wrapper/gru_cell/gates/bias",
        "decoder/attention_wrapper/gru_cell/gates/kernel",
        "memory_layer/kernel",
    ]


class Language:
    """Words from words: a GRU and a layer, in the graph and in NumPy."""

    def __init__(self):
        table, self.start = arrays((WORDS, 3), (BATCH, UNITS))
        self.table, self.start = table * 2, self.start * 2
        self.cell, self.layer = tf.nn.rnn_cell.GRUCell(UNITS), tf.layers.Dense(WORDS)
        self.values = {}

    def decode(self, decoder, reuse=None):
        with tf.variable_scope("language", reuse=reuse):
            return seq2seq.dynamic_decode(decoder, maximum_iterations=6)

    def learn(self, session):
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            self.values["/".join(variable.op.name.split("/")[-2:])] = session.run(variable)

    def step(self, state, word):
        """Return (next state, logarithms of the probabilities of the next word)."""
        value = self.values
        x = self.table[word]
        gates = np.concatenate([x, state]) @ value["gates/kernel"] + value["gates/bias"]
        reset, update = np.split(sigmoid(gates), 2)
        inner = np.concatenate([x, reset * state]) @ value["candidate/kernel"]
        new = update * state + (1 - update) * np.tanh(inner + value["candidate/bias"])
        logits = new @ value["dense/kernel"] + value["dense/bias"]
        return new, logits - np.log(np.exp(logits).sum())

    def beams(self, state, width, penalty):
        """Return the sequences that a search of all continuations keeps, the best first."""
        kept = [(0.0, [], state, False, 0, 0)]
        while len(kept[0][1]) < 6 and not all(beam[3] for beam in kept):
            grown = []
            for total, words, before, ended, length, _ in kept:
                if ended:
                    grown.append((total, [*words, END], before, True, length, length))
                    continue
                new, logs = self.step(before, words[-1] if words else 1)
                # An end token is not counted in the step in which it comes, and later on is.
                grown += [(total + logs[w], [*words, w], new, w == END, length + 1,
                           length + (w != END))
                          for w in range(WORDS)]  # fmt: skip
            grown.sort(key=lambda beam: -beam[0] / ((5 + beam[5]) / 6) ** penalty)
            kept = grown[:width]
        return [beam[1] for beam in kept]


@pytest.mark.parametrize("penalty", [0.0, 0.6])
@pytest.mark.parametrize("seed", [1, 7, 17])
def test_beam_search_keeps_the_likeliest(penalty, seed):
    tf.set_random_seed(seed)
    width, language = 4, Language()
    decoder = seq2seq.BeamSearchDecoder(
        language.cell, tf.constant(language.table), tf.fill([BATCH], 1), END,
        seq2seq.tile_batch(tf.constant(language.start), width), width, language.layer,
        length_penalty_weight=penalty,
    )  # fmt: skip
    outputs, _, _ = language.decode(decoder)
    with tf.Session() as session:
        language.learn(session)
        found = session.run(outputs.predicted_ids)
    for example in range(BATCH):
        expected = language.beams(language.start[example], width, penalty)
        mine = [row[: len(expected[0])].tolist() for row in found[example].T]
        assert mine == expected


def test_greedy_decoding_takes_the_likeliest_word():
    language = Language()
    helper = seq2seq.GreedyEmbeddingHelper(tf.constant(language.table), tf.fill([BATCH], 1), END)
    decoder = seq2seq.BasicDecoder(language.cell, helper, tf.constant(language.start),
                                   language.layer)  # fmt: skip
    outputs, _, lengths = language.decode(decoder)
    with tf.Session() as session:
        language.learn(session)
        words, sizes = session.run([outputs.sample_id, lengths])
    for example in range(BATCH):
        state, word, expected = language.start[example], 1, []
        while len(expected) < 6 and word != END:
            state, logs = language.step(state, word)
            word = int(np.argmax(logs))
            expected.append(word)
        assert words[example, : sizes[example]].tolist() == expected


def test_sampling_draws_words(run):
    table = tf.constant(np.eye(4, dtype=np.float32))
    helper = seq2seq.SampleEmbeddingHelper(table, tf.zeros([2], tf.int32), 3, seed=5)
    finished, inputs = helper.initialize()
    drawn = helper.sample(0, tf.constant([[-9.0, 9, -9, -9], [-9, -9, -9, 9]]), ())
    ended, following, _ = helper.next_inputs(0, inputs, (), drawn)
    assert [value.tolist() for value in run([finished, drawn, ended])] == [
        [False, False], [1, 3], [False, True],
    ]  # fmt: skip
    assert run(following).argmax(1).tolist() == [1, 3]


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="end_token"):
        seq2seq.GreedyEmbeddingHelper(tf.zeros([4, 2]), tf.zeros([2], tf.int32), [1])
    with pytest.raises(ValueError, match="sequence_length"):
        seq2seq.TrainingHelper(tf.zeros([2, 3, 1]), 3)
    with pytest.raises(TypeError, match="Decoder"):
        seq2seq.dynamic_decode("decoder")
    with pytest.raises(TypeError, match="AttentionMechanism"):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(2), "attention")
