"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.metrics"

_METRICS = (
    "accuracy", "false_negatives", "false_positives", "mean", "mean_absolute_error",
    "mean_iou", "mean_relative_error", "mean_squared_error", "percentage_below", "precision",
    "recall", "recall_at_k", "root_mean_squared_error", "true_negatives", "true_positives",
)  # fmt: skip
_MEANS = ("mean_cosine_distance", "mean_per_class_accuracy", "mean_tensor")
_AT_THRESHOLDS = (
    "auc", "false_negatives_at_thresholds", "false_positives_at_thresholds",
    "precision_at_thresholds", "recall_at_thresholds", "sensitivity_at_specificity",
    "specificity_at_sensitivity", "true_negatives_at_thresholds", "true_positives_at_thresholds",
)  # fmt: skip
_STREAMING = (
    "accuracy", "aggregate_metric_map", "streaming_accuracy", "streaming_auc", "streaming_mean",
    "streaming_mean_iou", "streaming_precision", "streaming_recall",
)  # fmt: skip

EXPORTS = {
    **{f"metrics.{name}": f"{_PLACE}.metric_ops:{name}" for name in _METRICS},
    **{f"metrics.{name}": f"{_PLACE}.mean_metrics:{name}" for name in _MEANS},
    **{f"metrics.{name}": f"{_PLACE}.threshold_metrics:{name}" for name in _AT_THRESHOLDS},
    **{f"contrib.metrics.{name}": f"{_PLACE}.streaming:{name}" for name in _STREAMING},
}
