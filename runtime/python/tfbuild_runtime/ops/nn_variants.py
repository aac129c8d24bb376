"""Older and rarer functions of tf.nn that are made of others."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import linalg_ops, math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, only_one


def batch_norm_with_global_normalization(
    t: Any = None, m: Any = None, v: Any = None, beta: Any = None, gamma: Any = None,
    variance_epsilon: Any = None, scale_after_normalization: bool | None = None,
    name: str | None = None, input: Any = None, mean: Any = None, variance: Any = None,
) -> Any:  # fmt: skip
    """Return (t - m) / sqrt(v + variance_epsilon) * gamma + beta, gamma only where asked for."""
    value = only_one(t, input, "t", "input")
    center, spread = only_one(m, mean, "m", "mean"), only_one(v, variance, "v", "variance")
    factor = gamma if scale_after_normalization else None
    return nn_ops.batch_normalization(value, center, spread, beta, factor, variance_epsilon, name)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Return relu(matmul(x, weights) + biases)."""
    with framework.name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        sums = nn_ops.bias_add(linalg_ops.matmul(x, weights), biases)
        return emit("Relu", [sums], scope)


def weighted_moments(x: Any, axes: Any, frequency_weights: Any, name: str | None = None,
                     keep_dims: bool | None = None,
                     keepdims: bool | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return the mean and the variance over the axes, each element counted by its weight."""
    keep = bool(only_one(keepdims, keep_dims, "keepdims", "keep_dims"))
    with framework.name_scope(name, "weighted_moments", [x]):
        x = framework.convert_to_tensor(x, name="x")
        weights = math_ops.cast(frequency_weights, x.dtype.base_dtype)
        weights = weights + math_ops.multiply(x, 0)
        whole = reduce_ops.reduce_sum(weights, axes, keepdims=True)
        mean = reduce_ops.reduce_sum(weights * x, axes, keepdims=True) / whole
        squares = weights * math_ops.squared_difference(x, mean)
        variance = reduce_ops.reduce_sum(squares, axes, keepdims=True) / whole
        if keep:
            return mean, variance
        return reduce_ops.reduce_sum(mean, axes), reduce_ops.reduce_sum(variance, axes)
