"""Conditional random fields against sums over every sequence of tags."""

import itertools

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

crf = tf.contrib.crf
RANDOM = np.random.RandomState(5)
SCORES = RANDOM.randn(4, 5, 3)
MOVES = RANDOM.randn(3, 3)
LENGTHS = [5, 3, 1, 4]
TAGS = RANDOM.randint(0, 3, [4, 5])


def score(scores, tags):
    here = sum(scores[t, tag] for t, tag in enumerate(tags))
    return here + sum(MOVES[pair] for pair in zip(tags, tags[1:]))


def every(example):
    """All tags of an example with their scores."""
    length = LENGTHS[example]
    return {
        tags: score(SCORES[example], tags) for tags in itertools.product(range(3), repeat=length)
    }


@pytest.mark.parametrize("known", [True, False])
def test_scores_norms_and_likelihoods(run, known):
    x = tf.constant(SCORES) if known else tf.placeholder(tf.float64, [None, None, 3])
    feeds = {} if known else {x: SCORES}
    likelihood, params = crf.crf_log_likelihood(x, TAGS, LENGTHS, tf.constant(MOVES))
    found = run([crf.crf_sequence_score(x, TAGS, LENGTHS, MOVES),
                 crf.crf_log_norm(x, LENGTHS, MOVES), likelihood, params], feeds)  # fmt: skip
    scores = [score(SCORES[i], TAGS[i][:length]) for i, length in enumerate(LENGTHS)]
    norms = [np.log(np.sum(np.exp(list(every(i).values())))) for i in range(4)]
    expected = [scores, norms, np.subtract(scores, norms), MOVES]
    for got, wanted in zip(found, expected):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_the_best_tags(run):
    tags, best = run(crf.crf_decode(tf.constant(SCORES), tf.constant(MOVES), LENGTHS))
    for i, length in enumerate(LENGTHS):
        wanted, value = max(every(i).items(), key=lambda pair: pair[1])
        assert tuple(tags[i][:length]) == wanted
        assert not tags[i][length:].any()
        np.testing.assert_allclose(best[i], value, rtol=1e-12)
        alone, its_score = crf.viterbi_decode(SCORES[i][:length], MOVES)
        assert tuple(alone) == wanted
        np.testing.assert_allclose(its_score, value, rtol=1e-12)


def test_an_empty_sequence_has_no_score(run):
    likelihood, _ = crf.crf_log_likelihood(tf.constant(SCORES), TAGS, [0, 5, 5, 5], MOVES)
    assert run(likelihood)[0] == 0


def test_likelihood_trains(run):
    x = tf.constant(SCORES, tf.float32)
    likelihood, params = crf.crf_log_likelihood(x, TAGS, LENGTHS)
    assert params.op.name == "transitions"
    loss = -tf.reduce_mean(likelihood)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(5):
            session.run(step)
        assert session.run(loss) < before
