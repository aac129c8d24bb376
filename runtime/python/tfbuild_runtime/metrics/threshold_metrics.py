"""tf.metrics: counts at several thresholds, rates at the best of them, areas below curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import assign_add
from tfbuild_runtime.metrics.alignment import alike, weights_of
from tfbuild_runtime.metrics.metric_ops import _finished, metric_variable
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, order_ops, reduce_ops
from tfbuild_runtime.ops.variable_scope import variable_scope

_KINDS = ("tp", "fn", "tn", "fp")
_EDGE = 1e-7  # beyond 0 and 1, and below the line of a fraction


def _counted(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any,
             kinds: Sequence[str]) -> tuple[Any, Any]:  # fmt: skip
    """Return variables of counts by kind, such as tp, one for each threshold; and their updates."""
    predictions, labels = alike(math_ops.cast(predictions, dtypes.float32),
                                math_ops.cast(labels, dtypes.bool))  # fmt: skip
    if weights is not None:
        weights = weights_of(weights, predictions)
    scores = array_ops.reshape(predictions, [1, -1])
    truth = array_ops.reshape(labels, [1, -1])
    limits = framework.constant(list(thresholds), dtypes.float32, shape=[len(thresholds), 1])
    above = math_ops.greater(scores, limits)
    return _at_thresholds(truth, above, weights, len(thresholds), kinds)


def _at_thresholds(truth: Any, above: Any, weights: Any, number: int,
                   kinds: Sequence[str] = ("tp", "fn", "tn", "fp")) -> tuple[Any, Any]:  # fmt: skip
    counts, updates = {}, {}
    for name in kinds:
        label, side = {"tp": (True, True), "fn": (True, False), "tn": (False, False),
                       "fp": (False, True)}[name]  # fmt: skip
        held = math_ops.logical_and(math_ops.equal(truth, label), math_ops.equal(above, side))
        held = math_ops.cast(held, dtypes.float32)
        if weights is not None:
            held = held * array_ops.reshape(weights, [1, -1])
        long_name = {"tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives",
                     "fp": "false_positives"}[name]  # fmt: skip
        counts[name] = metric_variable([number], dtypes.float32, name=long_name)
        updates[name] = assign_add(counts[name], reduce_ops.reduce_sum(held, 1))
    return counts, updates


def _count_metric(kind: str, default: str, text: str) -> Any:
    def metric(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None,
               metrics_collections: Any = None, updates_collections: Any = None,
               name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
        with variable_scope(name, default, [labels, predictions]):
            values, updates = _counted(labels, predictions, thresholds, weights, [kind])
            value = array_ops.identity(values[kind])
            return _finished(value, updates[kind], metrics_collections, updates_collections)

    metric.__name__ = default
    metric.__doc__ = f"Return how many are {text} at each threshold, and what adds a batch."
    return metric


true_positives_at_thresholds = _count_metric("tp", "true_positives", "rightly above")
false_positives_at_thresholds = _count_metric("fp", "false_positives", "wrongly above")
true_negatives_at_thresholds = _count_metric("tn", "true_negatives", "rightly below")
false_negatives_at_thresholds = _count_metric("fn", "false_negatives", "wrongly below")


def _share(counts: Any, part: str, rest: str, name: str | None = None) -> Any:
    return math_ops.divide(counts[part], _EDGE + counts[part] + counts[rest], name=name)


def _share_metric(rest: str, default: str, text: str) -> Any:
    def metric(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None,
               metrics_collections: Any = None, updates_collections: Any = None,
               name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
        with variable_scope(name, default, [labels, predictions]):
            values, updates = _counted(labels, predictions, thresholds, weights, ["tp", rest])
            value = _share(values, "tp", rest, "value")
            update = _share(updates, "tp", rest, "update_op")
            return _finished(value, update, metrics_collections, updates_collections)

    metric.__name__ = default
    metric.__doc__ = f"Return the share of {text} at each threshold, and what adds a batch."
    return metric


precision_at_thresholds = _share_metric(
    "fp", "precision_at_thresholds", "true positives among all above"
)
recall_at_thresholds = _share_metric("fn", "recall_at_thresholds", "all positives that are found")


def _limits(number: int) -> list[float]:
    """Return that many thresholds, evenly apart, the first and the last beyond all predictions."""
    return [-_EDGE, *((i + 1) / (number - 1) for i in range(number - 2)), 1.0 + _EDGE]


def _check_rate(rate: float, what: str) -> None:
    if not 0 <= rate <= 1:
        raise ValueError(f"{what} must be in the range [0, 1], not {rate}")


def _at_best(counts: Any, rest: tuple[Any, Any], part: str, other: str, name: str) -> Any:
    """Return part / (part + other) at the threshold that a rate of other counts chooses."""
    gap, last = rest
    if last:  # of equal ones
        nearest = math_ops.equal(gap, reduce_ops.reduce_min(gap))
        best = reduce_ops.argmax(order_ops.cumsum(math_ops.cast(nearest, dtypes.int64)), 0)
    else:
        best = reduce_ops.argmin(gap, 0)
    right, wrong = (array_ops.gather(counts[kind], best) for kind in (part, other))
    return math_ops.divide(right, right + wrong + _EDGE, name=name)


def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None,
    num_thresholds: int = 200, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the share of positives found where that share of negatives is, and what adds a batch.

    Raises ValueError for a specificity outside [0, 1].
    """
    _check_rate(specificity, "specificity")
    with variable_scope(name, "sensitivity_at_specificity", [labels, predictions]):
        found = _counted(labels, predictions, _limits(num_thresholds), weights, _KINDS)
        value, update = (
            _at_best(counts, (math_ops.abs(_share(counts, "tn", "fp") - specificity), False),
                     "tp", "fn", end)
            for counts, end in zip(found, ("value", "update_op"))
        )  # fmt: skip
        return _finished(value, update, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None,
    num_thresholds: int = 200, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the share of negatives found where that share of positives is, and what adds a batch.

    Raises ValueError for a sensitivity outside [0, 1].
    """
    _check_rate(sensitivity, "sensitivity")
    with variable_scope(name, "specificity_at_sensitivity", [labels, predictions]):
        found = _counted(labels, predictions, _limits(num_thresholds), weights, _KINDS)
        value, update = (
            _at_best(counts, (math_ops.abs(_share(counts, "tp", "fn") - sensitivity), True),
                     "tn", "fp", end)
            for counts, end in zip(found, ("value", "update_op"))
        )  # fmt: skip
        return _finished(value, update, metrics_collections, updates_collections)


def auc(labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200,
        metrics_collections: Any = None, updates_collections: Any = None, curve: str = "ROC",
        name: str | None = None, summation_method: str = "trapezoidal",
        thresholds: Sequence[float] | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the area below the ROC or PR curve, and what adds a batch.

    It is summed by trapezoids, by the smaller ('minoring') or larger ('majoring') of neighbouring
    heights, or with 'careful_interpolation' of a PR curve. Raises ValueError for anything else.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in ("trapezoidal", "minoring", "majoring", "careful_interpolation"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    limits = _limits(num_thresholds)
    if thresholds:
        limits = [limits[0], *sorted(thresholds), limits[-1]]
    with variable_scope(name, "auc", [labels, predictions]):
        counts, updates = _counted(labels, predictions, limits, weights, _KINDS)
        value = _area(counts, (curve, summation_method), "value")
        update = _area(updates, (curve, summation_method), "update_op")
        return _finished(value, update, metrics_collections, updates_collections)


def _area(counts: Any, how: tuple[str, str], name: str) -> Any:
    curve, method = how
    edge = 1.0e-6
    tp, fn, tn, fp = (counts[key] for key in _KINDS)
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(tp, fn, fp, name)
    rate = (tp + edge) / (tp + fn + edge)
    if curve == "ROC":
        x, y = fp / (fp + tn + edge), rate
    else:
        x, y = rate, (tp + edge) / (tp + fp + edge)
    widths = x[:-1] - x[1:]
    if method in ("minoring", "majoring"):
        choose = math_ops.minimum if method == "minoring" else math_ops.maximum
        return reduce_ops.reduce_sum(widths * choose(y[:-1], y[1:]), name=name)
    return reduce_ops.reduce_sum(widths * ((y[:-1] + y[1:]) / 2.0), name=name)


def _interpolated_area(tp: Any, fn: Any, fp: Any, name: str) -> Any:
    """Return the area below a PR curve whose false positives grow with the true ones as a line."""
    more = tp[:-1] - tp[1:]
    predicted = tp + fp
    slope = math_ops.div_no_nan(more, math_ops.maximum(predicted[:-1] - predicted[1:], 0.0))
    start = tp[1:] - slope * predicted[1:]
    both = math_ops.logical_and(math_ops.greater(predicted[:-1], 0.0),
                                math_ops.greater(predicted[1:], 0.0))  # fmt: skip
    ratio = math_ops.div_no_nan(predicted[:-1], math_ops.maximum(predicted[1:], 0.0))
    ratio = array_ops.where_v2(both, ratio, creation_ops.ones_like(predicted[1:]))
    steps = math_ops.div_no_nan(slope * (more + start * math_ops.log(ratio)),
                                math_ops.maximum(tp[1:] + fn[1:], 0.0))  # fmt: skip
    return reduce_ops.reduce_sum(steps, name=name)
