"""Metrics over several batches against NumPy."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

M = tf.metrics
RANDOM = np.random.RandomState(0)
BATCHES = [
    (RANDOM.randint(0, 4, 20), RANDOM.randint(0, 4, 20), RANDOM.rand(20), RANDOM.rand(20),
     RANDOM.rand(20, 4))
    for _ in range(3)
]  # fmt: skip
LABELS, PREDICTED, WEIGHTS, SCORES, LOGITS = (np.concatenate(part) for part in zip(*BATCHES))


def measured(make):
    """Return what a metric says after all batches."""
    places = [tf.placeholder(kind, shape) for kind, shape in
              ((tf.int64, [None]), (tf.int64, [None]), (tf.float32, [None]), (tf.float32, [None]),
               (tf.float32, [None, 4]))]  # fmt: skip
    value, update = make(*places)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for batch in BATCHES:
            last = session.run(update, dict(zip(places, batch)))
        np.testing.assert_allclose(session.run(value), np.sum(last) if np.ndim(last) > 1 else last)
        return session.run(value)


RIGHT = LABELS == PREDICTED
TRUE, SAID = LABELS > 1, PREDICTED > 1


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda y, p, w, s, g: M.accuracy(y, p), RIGHT.mean()),
        (lambda y, p, w, s, g: M.accuracy(y, p, w), (RIGHT * WEIGHTS).sum() / WEIGHTS.sum()),
        (lambda y, p, w, s, g: M.mean(s, w), (SCORES * WEIGHTS).sum() / WEIGHTS.sum()),
        (lambda y, p, w, s, g: M.precision(y > 1, p > 1), (TRUE & SAID).sum() / SAID.sum()),
        (lambda y, p, w, s, g: M.recall(y > 1, p > 1), (TRUE & SAID).sum() / TRUE.sum()),
        (lambda y, p, w, s, g: M.false_positives(y > 1, p > 1), (~TRUE & SAID).sum()),
        (lambda y, p, w, s, g: M.mean_squared_error(s, w), ((SCORES - WEIGHTS) ** 2).mean()),
        (
            lambda y, p, w, s, g: M.root_mean_squared_error(s, w),
            np.sqrt(((SCORES - WEIGHTS) ** 2).mean()),
        ),
        (lambda y, p, w, s, g: M.mean_absolute_error(s, w), np.abs(SCORES - WEIGHTS).mean()),
        (lambda y, p, w, s, g: M.percentage_below(s, 0.5), (SCORES < 0.5).mean()),
        (
            lambda y, p, w, s, g: M.recall_at_k(y, g, 2),
            (np.argsort(-LOGITS, 1)[:, :2] == LABELS[:, None]).any(1).mean(),
        ),
    ],
)
def test_metrics_are_those_of_all_examples(make, expected):
    np.testing.assert_allclose(measured(make), expected, rtol=1e-5)


def test_mean_iou():
    value, update = M.mean_iou(tf.constant(LABELS), tf.constant(PREDICTED), 4)
    ious = [((c == LABELS) & (c == PREDICTED)).sum() / ((c == LABELS) | (c == PREDICTED)).sum()
            for c in range(4)]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        np.testing.assert_allclose(session.run(value), np.mean(ious), rtol=1e-6)


def test_area_below_the_curve_is_the_share_of_pairs_in_order():
    positive, negative = SCORES[TRUE], SCORES[~TRUE]
    pairs = (positive[:, None] > negative[None]).mean()
    got = measured(lambda y, p, w, s, g: M.auc(y > 1, s, num_thresholds=1000))
    np.testing.assert_allclose(got, pairs, atol=2e-3)


def test_confusion(run):
    expected = np.zeros([4, 4], int)
    np.add.at(expected, (LABELS, PREDICTED), 1)
    got = run(tf.confusion_matrix(tf.constant(LABELS), tf.constant(PREDICTED)))
    assert got.tolist() == expected.tolist()


def test_variables_are_local_and_named_by_their_metric():
    M.accuracy([1], [1])
    M.accuracy([1], [1], name="a")
    assert [v.name for v in tf.local_variables()] == [
        "accuracy/total:0", "accuracy/count:0", "a/total:0", "a/count:0",
    ]  # fmt: skip
    assert tf.global_variables() == []
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()


@pytest.mark.parametrize("shape", [[3, 1], [3], None])
def test_weights_lose_a_last_dimension_that_is_not_known_either(shape):
    weights = tf.placeholder(tf.float32, shape)
    value, update = tf.metrics.accuracy([1, 0, 0], [1, 1, 1], weights)
    given = np.array([100.0, 1.0, 1.0]).reshape(shape or [3, 1])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        np.testing.assert_allclose(session.run(update, {weights: given}), 100 / 102)
        np.testing.assert_allclose(session.run(value), 100 / 102)


@pytest.mark.parametrize("shape", [[2], None])
def test_weights_of_rows_count_for_each_value_of_their_row(shape):
    weights = tf.placeholder(tf.float32, shape)
    _, update = tf.metrics.mean([[1.0, 2.0], [3.0, 4.0]], weights)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        found = session.run(update, {weights: [1.0, 3.0]})
        np.testing.assert_allclose(found, (1 + 2 + 9 + 12) / 8)
