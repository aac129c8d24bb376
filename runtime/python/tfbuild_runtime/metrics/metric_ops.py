"""The metrics: each gives (value so far, operation that adds a batch)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.variables import Variable, assign_add
from tfbuild_runtime.metrics.alignment import alike, weights_of
from tfbuild_runtime.ops import (
    array_ops,
    conv_variants,
    counting_ops,
    creation_ops,
    math_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.variable_scope import variable_scope


def metric_variable(shape: Any, dtype: Any, validate_shape: bool = True,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return a variable of zeros that belongs to a metric: local, and neither trained nor saved."""
    return Variable(
        lambda: creation_ops.zeros(shape, dtype), trainable=False, validate_shape=validate_shape,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
    )  # fmt: skip


def _share(part: Any, whole: Any, name: str | None) -> Any:
    return math_ops.div_no_nan(part, whole, name=name)


def _finished(value: Any, update: Any, metrics: Any, updates: Any) -> tuple[Any, Any]:
    if metrics:
        framework.add_to_collections(metrics, value)
    if updates:
        framework.add_to_collections(updates, update)
    return value, update


def _weighted(values: Any, weights: Any) -> tuple[Any, Any]:
    """Return the values times their weights, and the sum of the weights."""
    if weights is None:
        return values, math_ops.cast(array_ops.size(values), dtypes.float32)
    everywhere = weights_of(weights, values)
    return math_ops.multiply(values, everywhere), reduce_ops.reduce_sum(everywhere)


def mean(values: Any, weights: Any = None, metrics_collections: Any = None,
         updates_collections: Any = None,
         name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean of all values so far, and what adds a batch."""
    with variable_scope(name, "mean", [values, weights] if weights is not None else [values]):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        weighted, number = _weighted(values, weights)
        new_total = assign_add(total, reduce_ops.reduce_sum(weighted))
        with framework.control_dependencies([weighted]):
            new_count = assign_add(count, number)
        value = _share(total, count, "value")
        update = _share(new_total, new_count, "update_op")
        return _finished(value, update, metrics_collections, updates_collections)


def accuracy(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
             updates_collections: Any = None,
             name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return how often predictions are the labels, and what adds a batch."""
    predictions, labels = alike(predictions, labels)
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        predictions = math_ops.cast(predictions, labels.dtype.base_dtype)
    right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def _mean_of(error: Callable[[Any, Any], Any], default: str, text: str) -> Any:
    def metric(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
               updates_collections: Any = None,
               name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
        predictions, labels = alike(predictions, labels)
        errors = error(predictions, math_ops.cast(labels, predictions.dtype.base_dtype))
        return mean(errors, weights, metrics_collections, updates_collections, name or default)

    metric.__name__ = default
    metric.__doc__ = f"Return the mean of {text}, and what adds a batch."
    return metric


def _absolute(predictions: Any, labels: Any) -> Any:
    return math_ops.abs(math_ops.subtract(predictions, labels))


mean_absolute_error = _mean_of(_absolute, "mean_absolute_error", "|prediction - label|")
mean_squared_error = _mean_of(math_ops.squared_difference, "mean_squared_error",
                              "(prediction - label) squared")  # fmt: skip


def root_mean_squared_error(labels: Any, predictions: Any, weights: Any = None,
                            metrics_collections: Any = None, updates_collections: Any = None,
                            name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the root of the mean of squared errors, and what adds a batch."""
    value, update = mean_squared_error(labels, predictions, weights, None, None,
                                       name or "root_mean_squared_error")  # fmt: skip
    return _finished(math_ops.sqrt(value), math_ops.sqrt(update), metrics_collections,
                     updates_collections)  # fmt: skip


def mean_relative_error(labels: Any, predictions: Any, normalizer: Any, weights: Any = None,
                        metrics_collections: Any = None, updates_collections: Any = None,
                        name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean of |prediction - label| / normalizer, and what adds a batch."""
    predictions, labels = alike(predictions, labels)
    scale = math_ops.cast(normalizer, predictions.dtype.base_dtype)
    errors = math_ops.div_no_nan(_absolute(labels, predictions), scale)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or "mean_relative_error")  # fmt: skip


def _count(condition: Any, weights: Any, name: str,
           dtype: Any = dtypes.float32) -> tuple[Any, Any]:  # fmt: skip
    """Return a variable that counts where a condition holds, and what adds a batch to it."""
    total = metric_variable([], dtype, name=name)
    held, _ = _weighted(math_ops.cast(condition, dtypes.float32), weights)
    return total, assign_add(total, math_ops.cast(reduce_ops.reduce_sum(held), dtype))


def _counter(wants_label: bool, wants_prediction: bool, default: str, text: str) -> Any:
    def metric(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
               updates_collections: Any = None,
               name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
        with variable_scope(name, default, [labels, predictions]):
            predictions, labels = (math_ops.cast(v, dtypes.bool)
                                   for v in alike(predictions, labels))  # fmt: skip
            both = math_ops.logical_and(math_ops.equal(labels, wants_label),
                                        math_ops.equal(predictions, wants_prediction))  # fmt: skip
            value, update = _count(both, weights, "count")
            return _finished(array_ops.identity(value), update, metrics_collections,
                             updates_collections)  # fmt: skip

    metric.__name__ = default
    metric.__doc__ = f"Return how many examples are {text}, and what adds a batch."
    return metric


true_positives = _counter(True, True, "true_positives", "rightly predicted")
false_positives = _counter(False, True, "false_positives", "wrongly predicted")
false_negatives = _counter(True, False, "false_negatives", "wrongly not predicted")
true_negatives = _counter(False, False, "true_negatives", "rightly not predicted")


def _ratio(other: Any, default: str, text: str) -> Any:
    def metric(labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
               updates_collections: Any = None,
               name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
        with variable_scope(name, default, [labels, predictions]):
            hits, more_hits = true_positives(labels, predictions, weights)
            misses, more_misses = other(labels, predictions, weights)
            value = _share(hits, hits + misses, "value")
            update = _share(more_hits, more_hits + more_misses, "update_op")
            return _finished(value, update, metrics_collections, updates_collections)

    metric.__name__ = default
    metric.__doc__ = f"Return {text}, and what adds a batch."
    return metric


precision = _ratio(false_positives, "precision", "the share of predictions that are right")
recall = _ratio(false_negatives, "recall", "the share of labels that are predicted")


def percentage_below(values: Any, threshold: Any, weights: Any = None,
                     metrics_collections: Any = None, updates_collections: Any = None,
                     name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the share of values below threshold, and what adds a batch."""
    below = math_ops.cast(math_ops.less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections,
                name or "percentage_below_threshold")  # fmt: skip


def recall_at_k(labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
                metrics_collections: Any = None, updates_collections: Any = None,
                name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return how often the label is among the k best scores, and what adds a batch.

    Raises NotImplementedError for one class alone.
    """
    if class_id is not None:
        raise NotImplementedError("tf.metrics.recall_at_k(class_id=...) is not there yet")
    default = name or f"recall_at_{k}"
    with framework.name_scope(default, values=[predictions, labels]) as scope:
        labels = array_ops.reshape(framework.convert_to_tensor(labels), [-1])
        found = conv_variants.in_top_k(predictions, math_ops.cast(labels, dtypes.int64), k)
        hits, more_hits = _count(found, weights, f"true_positive_at_{k}", dtypes.float64)
        misses, more_misses = _count(math_ops.logical_not(found), weights,
                                     f"false_negative_at_{k}", dtypes.float64)  # fmt: skip
        value = math_ops.div(hits, math_ops.add(hits, misses), name=scope)
        update = math_ops.div(more_hits, math_ops.add(more_hits, more_misses), name="update")
        return _finished(value, update, metrics_collections, updates_collections)


def mean_iou(labels: Any, predictions: Any, num_classes: int, weights: Any = None,
             metrics_collections: Any = None, updates_collections: Any = None,
             name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean over classes of intersection over union, and what adds a batch."""
    with variable_scope(name, "mean_iou", [labels, predictions]):
        matrix = metric_variable([num_classes, num_classes], dtypes.float64,
                                 name="total_confusion_matrix")  # fmt: skip
        found = counting_ops.confusion_matrix(
            *(array_ops.reshape(value, [-1]) for value in (labels, predictions)), num_classes,
            dtypes.float64, weights=None if weights is None else array_ops.reshape(weights, [-1]),
        )  # fmt: skip
        update = assign_add(matrix, found)
        rows = reduce_ops.reduce_sum(matrix, 0)
        columns = reduce_ops.reduce_sum(matrix, 1)
        hits = reduce_ops.reduce_sum(matrix * _eye(num_classes), 1)
        union = rows + columns - hits
        present = math_ops.cast(math_ops.not_equal(union, 0), dtypes.float64)
        total = reduce_ops.reduce_sum(math_ops.div_no_nan(hits, union))
        value = math_ops.div_no_nan(total, reduce_ops.reduce_sum(present))
        value = math_ops.cast(value, dtypes.float32, name="mean_iou")
        return _finished(value, update, metrics_collections, updates_collections)


def _eye(size: int) -> Any:
    return creation_ops.one_hot(creation_ops.range(size), size, dtype=dtypes.float64)
