"""Learning rates that change with the global step."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import math_ops
from tfbuild_runtime.ops.emit import emit


def exponential_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return learning_rate * decay_rate ^ (global_step / decay_steps), the exponent rounded down
    for a staircase. Raises ValueError without a global step.
    """
    if global_step is None:
        raise ValueError("global_step is required for exponential_decay.")
    scope_values = [v for v in (learning_rate, global_step) if framework.is_tensor_like(v)]
    with framework.name_scope(name, "ExponentialDecay", scope_values) as scope:
        rate = framework.convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        step = math_ops.cast(global_step, dtype)
        steps, factor = math_ops.cast(decay_steps, dtype), math_ops.cast(decay_rate, dtype)
        exponent = math_ops.truediv(step, steps)
        if staircase:
            exponent = math_ops.floor(exponent)
        return emit("Mul", [rate, math_ops.pow(factor, exponent)], scope)
