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


THRESHOLDS = [0.25, 0.5, 0.75]


def counts_at(limits, truth, scores, weights):
    """Return tp, fp, tn and fn at each threshold."""
    above = scores[None] > np.float32(limits)[:, None]
    truth = truth.astype(bool)[None]
    return [(weights * (side & kind)).sum(1) for side, kind in
            ((above, truth), (above, ~truth), (~above, ~truth), (~above, truth))]  # fmt: skip


def run_twice(metric, *arguments, **named):
    """Return the value and the last update after two batches of the same."""
    value, update = metric(*arguments, **named)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        last = session.run(update)
        return session.run(value), last


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_counts_and_shares_at_thresholds(weights):
    truth, scores = LABELS > 1, SCORES.astype(np.float32)
    each = np.ones_like(SCORES) if weights is None else weights
    tp, fp, tn, fn = counts_at(THRESHOLDS, truth, scores, 2 * each)
    wanted = {
        "true_positives": tp, "false_positives": fp, "true_negatives": tn, "false_negatives": fn,
        "precision": tp / (tp + fp), "recall": tp / (tp + fn),
    }  # fmt: skip
    for name, numbers in wanted.items():
        metric = getattr(M, f"{name}_at_thresholds")
        found = run_twice(metric, truth, scores, THRESHOLDS, weights)
        np.testing.assert_allclose(found[0], numbers, rtol=1e-4)
        np.testing.assert_allclose(found[1], numbers, rtol=1e-4)


def test_rates_at_the_nearest_threshold():
    truth, scores = LABELS > 1, SCORES.astype(np.float32)
    inner = [(i + 1) / 9 for i in range(8)]
    tp, fp, tn, fn = counts_at([-1e-7, *inner, 1 + 1e-7], truth, scores, np.ones(len(truth)))
    best = np.abs(tn / (tn + fp) - 0.6).argmin()
    found = run_twice(M.sensitivity_at_specificity, truth, scores, 0.6, num_thresholds=10)
    np.testing.assert_allclose(found, (tp / (tp + fn))[best], rtol=1e-4)
    gap = np.abs(tp / (tp + fn) - 0.6)
    best = np.flatnonzero(gap == gap.min())[-1]
    found = run_twice(M.specificity_at_sensitivity, truth, scores, 0.6, num_thresholds=10)
    np.testing.assert_allclose(found, (tn / (tn + fp))[best], rtol=1e-4)
    for metric in (M.sensitivity_at_specificity, M.specificity_at_sensitivity):
        with pytest.raises(ValueError, match="range"):
            metric(truth, scores, 1.5)


def test_means_of_angles_classes_and_elements():
    units = np.float32([[1, 0], [0, 1], [0.6, 0.8]])
    others = np.float32([[1, 0], [1, 0], [0.8, 0.6]])
    found = run_twice(M.mean_cosine_distance, units, others, dim=1)
    np.testing.assert_allclose(found, 1 - (1 + 0 + 0.96) / 3, rtol=1e-5)
    weighted = run_twice(M.mean_cosine_distance, units, others, 1, np.float32([[0], [1], [1]]))
    np.testing.assert_allclose(weighted, 1 - 0.96 / 2, rtol=1e-5)
    value, shares = run_twice(M.mean_per_class_accuracy, [0, 0, 1, 2], [0, 1, 1, 1], 4)
    np.testing.assert_allclose(shares, [0.5, 1, 0, 0])
    np.testing.assert_allclose(value, 1.5 / 4)
    x = tf.placeholder(tf.float32, [2])
    mean, update = M.mean_tensor(x, [1.0, 2.0])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for batch in ([1.0, 2.0], [3.0, 6.0]):
            session.run(update, {x: batch})
        np.testing.assert_allclose(session.run(mean), [2, 4])


def test_mean_iou_takes_labels_of_floats():
    found = run_twice(M.mean_iou, [0.0, 1.0, 1.0], [0.0, 0.0, 1.0], 2)
    np.testing.assert_allclose(found[0], 0.5)


def value_of(run_once, metric):
    """Return the value of a metric after one batch."""
    value, update = metric
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update, run_once)
        return session.run(value)


FEW_SCORES = np.array([0.1, 0.4, 0.35, 0.8, 0.7, 0.2], np.float32)
FEW_TRUTHS = np.array([0, 0, 1, 1, 0, 1])


def test_a_last_dimension_too_many_goes_even_where_the_rank_is_not_known():
    scores = tf.placeholder(tf.float32)
    chosen = tf.cast(scores > 0.3, tf.int32)
    for truth, fed in (
        (FEW_TRUTHS.reshape(6, 1), FEW_SCORES),
        (FEW_TRUTHS, FEW_SCORES.reshape(6, 1)),
    ):
        found = value_of({scores: fed}, tf.metrics.accuracy(truth, chosen))
        assert found == pytest.approx(0.5)


@pytest.mark.parametrize(
    "metric",
    [
        tf.metrics.auc,
        lambda *given: tf.metrics.precision_at_thresholds(*given[:2], [0.5], *given[2:]),
        lambda *given: tf.metrics.sensitivity_at_specificity(*given[:2], 0.6, *given[2:]),
    ],
)
def test_threshold_metrics_want_shapes_that_agree(metric):
    column = FEW_SCORES.reshape(6, 1)
    given = [(FEW_TRUTHS, FEW_SCORES), (FEW_TRUTHS, column)]
    given.append((FEW_TRUTHS.reshape(6, 1), FEW_SCORES))
    same = [value_of({}, metric(truth, scores)) for truth, scores in given]
    np.testing.assert_array_equal(same[0], same[1])
    np.testing.assert_array_equal(same[0], same[2])
    with pytest.raises(ValueError, match=r"not compatible|incompatible"):
        metric(FEW_TRUTHS.reshape(2, 3), column)
    with pytest.raises(ValueError, match="broadcast"):
        metric(FEW_TRUTHS.reshape(2, 3), FEW_SCORES.reshape(2, 3), np.ones((3, 2)))
    rows = metric(FEW_TRUTHS.reshape(2, 3), FEW_SCORES.reshape(2, 3), np.array([[1.0], [0.0]]))
    np.testing.assert_array_equal(
        value_of({}, rows), value_of({}, metric(FEW_TRUTHS[:3], FEW_SCORES[:3]))
    )


@pytest.mark.parametrize(
    ("how", "expected"),  # TensorFlow 2.21 says so
    [
        ({"curve": "PR", "summation_method": "careful_interpolation"}, 0.6666667),
        ({"summation_method": "minoring"}, 0.4444445),
        ({"summation_method": "majoring"}, 0.6666666),
        ({"thresholds": [0.3, 0.6]}, 0.5000000),
    ],
)
def test_areas_are_summed_as_asked_for(how, expected):
    found = value_of({}, tf.metrics.auc(FEW_TRUTHS, FEW_SCORES, num_thresholds=5, **how))
    assert found == pytest.approx(expected, rel=1e-5)
    with pytest.raises(ValueError, match="summation_method"):
        tf.metrics.auc(FEW_TRUTHS, FEW_SCORES, summation_method="guess")
