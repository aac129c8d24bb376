"""What tensorflow.python.ops.gradient_checker and gradient_checker_v2 give."""

from __future__ import annotations

from typing import Any

import numpy as np
import tfbuild_runtime.compat.v1 as tf

compute_gradient_error = tf.test.compute_gradient_error


def compute_gradient(first: Any, second: Any, *rest: Any, **named: Any) -> Any:
    """Return Jacobians, of version 1 (x, x_shape, y, ...) or of version 2 (function, values)."""
    if not callable(first) or hasattr(first, "graph"):
        return tf.test.compute_gradient(first, second, *rest, **named)
    return _of_function(first, second, *rest, **named)


def _of_function(function: Any, values: Any, delta: float = 1 / 1024) -> Any:
    if tf.get_default_session() is None:
        with tf.Session():
            return _of_function(function, values, delta)
    starts = [_array(value) for value in values]
    inputs = [tf.constant(start) for start in starts]
    result = tf.identity(function(*inputs))
    shape = tf.get_default_session().run(result).shape
    found = tf.test.compute_gradient(
        inputs, [start.shape for start in starts], result, shape, starts, delta
    )
    return [pair[0].T for pair in found], [pair[1].T for pair in found]


def _array(value: Any) -> Any:
    if hasattr(value, "graph") or hasattr(value, "_to_tensor"):
        return tf.get_default_session().run(value)
    return np.asarray(value)


def max_error(grad1: Any, grad2: Any) -> float:
    """Return the largest difference between two lists of Jacobians."""
    gaps = [np.abs(one - other).max() for one, other in zip(grad1, grad2) if one.size]
    return float(max(gaps, default=0.0))
