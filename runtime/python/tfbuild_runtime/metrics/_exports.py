"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.metrics"

_METRICS = (
    "accuracy", "auc", "false_negatives", "false_positives", "mean", "mean_absolute_error",
    "mean_iou", "mean_relative_error", "mean_squared_error", "percentage_below", "precision",
    "recall", "recall_at_k", "root_mean_squared_error", "true_negatives", "true_positives",
)  # fmt: skip
_STREAMING = (
    "accuracy", "aggregate_metric_map", "streaming_accuracy", "streaming_auc", "streaming_mean",
    "streaming_mean_iou", "streaming_precision", "streaming_recall",
)  # fmt: skip

EXPORTS = {
    **{f"metrics.{name}": f"{_PLACE}.metric_ops:{name}" for name in _METRICS},
    **{f"contrib.metrics.{name}": f"{_PLACE}.streaming:{name}" for name in _STREAMING},
    "confusion_matrix": f"{_PLACE}.metric_ops:confusion_matrix",
    "math.confusion_matrix": f"{_PLACE}.metric_ops:confusion_matrix",
}
