"""Labels, predictions and weights of metrics, with the last dimensions that they need."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    counting_ops,
    creation_ops,
    math_ops,
    weights_broadcast_ops,
)


def alike(predictions: Any, labels: Any) -> tuple[Any, Any]:
    """Return both as tensors, where one has a last dimension of 1 too many without it.

    Raises ValueError where their shapes then cannot be the same.
    """
    labels, predictions = counting_ops.remove_squeezable_dimensions(labels, predictions)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels


def of_rank(weights: Any, values: Any) -> Any:
    """Return weights without a last dimension too many, or with the one that they lack."""
    rank, wanted = weights.get_shape().ndims, values.get_shape().ndims
    if rank == 0:
        return weights
    if rank is not None and wanted is not None:
        if rank == wanted + 1:
            return array_ops.squeeze(weights, [-1])
        return array_ops.expand_dims(weights, -1) if rank == wanted - 1 else weights
    shape, number = array_ops.shape(weights), array_ops.rank(weights)
    surplus = number - array_ops.rank(values)
    longer = array_ops.concat([shape, [1]], 0)
    lacks_one = math_ops.logical_and(math_ops.equal(surplus, -1), math_ops.greater(number, 0))
    change = math_ops.cast(lacks_one, dtypes.int32)
    change -= math_ops.cast(math_ops.equal(surplus, 1), dtypes.int32)
    return array_ops.reshape(weights, longer[: number + change])


def weights_of(weights: Any, values: Any) -> Any:
    """Return a weight for each value.

    Weights are one number, or of the rank of the values with sizes of 1 or theirs; raises
    ValueError where that is known not to be so, and else the step fails with InvalidArgumentError.
    """
    weights = of_rank(math_ops.cast(weights, dtypes.float32), values)
    fits = weights_broadcast_ops.assert_broadcastable(weights, values)
    with framework.control_dependencies([fits] if fits.type == "Assert" else []):
        ones = creation_ops.ones_like(values, dtype=dtypes.float32)
        return math_ops.multiply(ones, weights)
