"""The initializers of tf.contrib.layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.ops import random_ops


def variance_scaling_initializer(factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False,
                                 seed: int | None = None,
                                 dtype: Any = dtypes.float32) -> Callable[..., Any]:  # fmt: skip
    """Return an initializer that draws with a variance of factor / n, n the inputs, the outputs, or
    the mean of both. Raises TypeError or ValueError for arguments that mean nothing.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        del partition_info
        sizes = [float(size) for size in shape]
        field = math.prod(sizes[:-2])
        fan_in = (sizes[-2] if len(sizes) > 1 else sizes[-1]) * field if sizes else 1.0
        fan_out = sizes[-1] * field if sizes else 1.0
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        deviation = math.sqrt(1.3 * factor / n)
        return random_ops.truncated_normal(shape, 0.0, deviation, dtype, seed=seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: int | None = None,
                       dtype: Any = dtypes.float32) -> Callable[..., Any]:  # fmt: skip
    """Return an initializer that keeps the variance alike from layer to layer."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer
