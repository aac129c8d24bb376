"""tf.metrics: what is counted at several thresholds, and rates at the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.metrics.metric_ops import _at_thresholds, _finished
from tfbuild_runtime.ops import array_ops, math_ops, order_ops, reduce_ops
from tfbuild_runtime.ops.variable_scope import variable_scope

_KINDS = ("tp", "fn", "tn", "fp")
_EDGE = 1e-7  # beyond 0 and 1, and below the line of a fraction


def _counted(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any,
             kinds: Sequence[str]) -> tuple[Any, Any]:  # fmt: skip
    """Return variables of counts by kind, such as tp, one for each threshold; and their updates."""
    scores = array_ops.reshape(math_ops.cast(predictions, dtypes.float32), [1, -1])
    truth = array_ops.reshape(math_ops.cast(labels, dtypes.bool), [1, -1])
    limits = framework.constant(list(thresholds), dtypes.float32, shape=[len(thresholds), 1])
    above = math_ops.greater(scores, limits)
    weights = _like_predictions(weights, predictions)
    return _at_thresholds(truth, above, weights, len(thresholds), kinds)


def _like_predictions(weights: Any, predictions: Any) -> Any:
    if weights is None:
        return None
    weights = math_ops.cast(weights, dtypes.float32)
    predictions = math_ops.cast(predictions, dtypes.float32)
    if weights.get_shape().ndims == predictions.get_shape().ndims - 1 > 0:
        weights = array_ops.expand_dims(weights, -1)
    return array_ops.broadcast_to(weights, array_ops.shape(predictions))


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
