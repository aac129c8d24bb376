"""tf.metrics: means of angles, of classes and of each element."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import assign_add
from tfbuild_runtime.metrics.alignment import alike, of_rank
from tfbuild_runtime.metrics.metric_ops import _finished, mean, metric_variable
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.state_ops import scatter_add
from tfbuild_runtime.ops.variable_scope import variable_scope


def mean_cosine_distance(labels: Any, predictions: Any, dim: int, weights: Any = None,
                         metrics_collections: Any = None, updates_collections: Any = None,
                         name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return 1 - the mean of products along dim, of unit vectors; and what adds a batch."""
    predictions, labels = alike(predictions, labels)
    products = reduce_ops.reduce_sum(math_ops.multiply(predictions, labels), dim, keepdims=True)
    value, update = mean(products, weights, name=name or "mean_cosine_distance")
    value, update = math_ops.subtract(1.0, value), math_ops.subtract(1.0, update)
    return _finished(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: int, weights: Any = None,
                            metrics_collections: Any = None, updates_collections: Any = None,
                            name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean over classes of the share that is right, and shares with a batch added."""
    with variable_scope(name, "mean_accuracy", [predictions, labels]):
        labels = math_ops.cast(array_ops.reshape(labels, [-1]), dtypes.int64)
        predictions = math_ops.cast(array_ops.reshape(predictions, [-1]), dtypes.int64)
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        ones = creation_ops.ones_like(labels, dtypes.float32)
        right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = math_ops.cast(array_ops.reshape(weights, [-1]), dtypes.float32)
            right, ones = right * weights, ones * weights
        new_total, new_count = scatter_add(total, labels, ones), scatter_add(count, labels, right)
        value = reduce_ops.reduce_mean(math_ops.div_no_nan(count, total), name="mean_accuracy")
        update = math_ops.div_no_nan(new_count, new_total, name="update_op")
        return _finished(value, update, metrics_collections, updates_collections)


def mean_tensor(values: Any, weights: Any = None, metrics_collections: Any = None,
                updates_collections: Any = None,
                name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean of each element over all batches, and what adds a batch."""
    inputs = [values] if weights is None else [values, weights]
    with variable_scope(name, "mean", inputs):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable(values.get_shape(), dtypes.float32, name="total_tensor")
        count = metric_variable(values.get_shape(), dtypes.float32, name="count_tensor")
        number = creation_ops.ones_like(values)
        if weights is not None:
            weights = of_rank(math_ops.cast(weights, dtypes.float32), values)
            values, number = math_ops.multiply(values, weights), math_ops.multiply(number, weights)
        new_total = assign_add(total, values)
        with framework.control_dependencies([values]):
            new_count = assign_add(count, number)
        value = math_ops.div_no_nan(total, count, name="value")
        update = math_ops.div_no_nan(new_total, new_count, name="update_op")
        return _finished(value, update, metrics_collections, updates_collections)
