"""tf.contrib.metrics: the metrics with the predictions first."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.metrics import metric_ops, threshold_metrics


def _predictions_first(metric: Any) -> Any:
    def streaming(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> Any:
        return metric(labels, predictions, *args, **kwargs)

    streaming.__name__ = f"streaming_{metric.__name__}"
    streaming.__doc__ = metric.__doc__
    return streaming


streaming_accuracy = _predictions_first(metric_ops.accuracy)
streaming_auc = _predictions_first(threshold_metrics.auc)
streaming_mean_iou = _predictions_first(metric_ops.mean_iou)
streaming_precision = _predictions_first(metric_ops.precision)
streaming_recall = _predictions_first(metric_ops.recall)
streaming_mean = metric_ops.mean


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """Return the share of predictions of one batch that are right."""
    from tfbuild_runtime.framework import ops as framework
    from tfbuild_runtime.ops import math_ops, reduce_ops

    with framework.name_scope(name, "accuracy", [predictions, labels]):
        right = math_ops.cast(math_ops.equal(predictions, labels), "float32")
        if weights is None:
            return reduce_ops.reduce_mean(right)
        weights = math_ops.cast(weights, "float32")
        return math_ops.truediv(reduce_ops.reduce_sum(right * weights),
                                reduce_ops.reduce_sum(weights))  # fmt: skip


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values and the updates of metrics, each by the metric's name."""
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}
