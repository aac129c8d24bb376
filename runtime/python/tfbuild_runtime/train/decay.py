"""Learning rates that change with the global step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops
from tfbuild_runtime.ops.emit import emit


def _require(global_step: Any, function: str) -> None:
    if global_step is None:
        raise ValueError(f"global_step is required for {function}.")


def _scope(name: str | None, default: str, *values: Any) -> Any:
    return framework.name_scope(name, default, [v for v in values if framework.is_tensor_like(v)])


def _steps(global_step: Any, decay_steps: Any, dtype: Any, staircase: bool) -> Any:
    """Return how often decay_steps fit into the global step, rounded down for a staircase."""
    share = math_ops.truediv(math_ops.cast(global_step, dtype), math_ops.cast(decay_steps, dtype))
    return math_ops.floor(share) if staircase else share


def exponential_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return learning_rate * decay_rate ^ (global_step / decay_steps), the exponent rounded down
    for a staircase. Raises ValueError without a global step.
    """
    _require(global_step, "exponential_decay")
    with _scope(name, "ExponentialDecay", learning_rate, global_step) as scope:
        rate = framework.convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        exponent = _steps(global_step, decay_steps, dtype, staircase)
        return emit("Mul", [rate, math_ops.pow(math_ops.cast(decay_rate, dtype), exponent)], scope)


def natural_exp_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    _require(global_step, "natural_exp_decay")
    with _scope(name, "NaturalExpDecay", learning_rate, global_step):
        rate = framework.convert_to_tensor(learning_rate, name="learning_rate")
        dtype = rate.dtype.base_dtype
        exponent = _steps(global_step, decay_steps, dtype, staircase)
        factor = math_ops.exp(math_ops.negative(math_ops.cast(decay_rate, dtype)))
        return rate * math_ops.pow(factor, exponent)


def inverse_time_decay(learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
                       staircase: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    _require(global_step, "inverse_time_decay")
    with _scope(name, "InverseTimeDecay", learning_rate, global_step) as scope:
        rate = framework.convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        grown = math_ops.cast(decay_rate, dtype) * _steps(
            global_step, decay_steps, dtype, staircase
        )
        return math_ops.divide(rate, framework.constant(1, dtype) + grown, name=scope)


def polynomial_decay(learning_rate: Any, global_step: Any, decay_steps: Any,
                     end_learning_rate: Any = 0.0001, power: Any = 1.0, cycle: bool = False,
                     name: str | None = None) -> Any:  # fmt: skip
    """Return a rate that falls to end_learning_rate within decay_steps, and with cycle falls again
    and again, each time more slowly.
    """
    _require(global_step, "polynomial_decay")
    with _scope(name, "PolynomialDecay", learning_rate, global_step) as scope:
        rate = framework.convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        end = math_ops.cast(end_learning_rate, dtype)
        step, steps = math_ops.cast(global_step, dtype), math_ops.cast(decay_steps, dtype)
        if cycle:
            rounds = math_ops.ceil(step / math_ops.cast(decay_steps, dtype))
            first = math_ops.equal(step, 0)
            steps = steps * array_ops.where_v2(first, framework.constant(1, dtype), rounds)
        else:
            step = math_ops.minimum(step, steps)
        left = framework.constant(1, dtype) - math_ops.divide(step, steps)
        fallen = (rate - end) * math_ops.pow(left, math_ops.cast(power, dtype))
        return math_ops.add(fallen, end, name=scope)


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any],
                       name: str | None = None) -> Any:  # fmt: skip
    """Return values[0] up to boundaries[0], values[1] up to boundaries[1], ..., then the last.

    Raises ValueError unless there is one value more than boundaries, of one type.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with _scope(name, "PiecewiseConstant", x, *values):
        place = framework.convert_to_tensor(x)
        limits = [_limit(bound, place.dtype.base_dtype) for bound in boundaries]
        tensors = [framework.convert_to_tensor(value) for value in values]
        if len({tensor.dtype.base_dtype for tensor in tensors}) != 1:
            raise ValueError("Values must have elements all with the same dtype")
        result = tensors[-1]
        for limit, value in zip(reversed(limits), reversed(tensors[:-1])):
            result = array_ops.where_v2(math_ops.less_equal(place, limit), value, result)
        return result


piecewise_constant_decay = piecewise_constant


def _limit(bound: Any, dtype: Any) -> Any:
    tensor = framework.convert_to_tensor(bound)
    kind = tensor.dtype.base_dtype
    if kind == dtype:
        return tensor
    # The one exception: an int32 boundary for an int64 step.
    if kind == dtypes.int32 and dtype == dtypes.int64:
        return math_ops.cast(tensor, dtypes.int64)
    raise ValueError(f"Boundaries ({kind.name}) must have the same dtype as x ({dtype.name}).")


def _cosine(learning_rate: Any, global_step: Any, name: str | None, default: str,
            factor_of: Callable[[Any], Any]) -> Any:  # fmt: skip
    _require(global_step, default)
    with _scope(name, default, learning_rate, global_step):
        rate = framework.convert_to_tensor(learning_rate, name="initial_learning_rate")
        factor = factor_of(math_ops.cast(global_step, rate.dtype.base_dtype))
        return math_ops.multiply(rate, factor)


def _half_wave(share: Any) -> Any:
    wave = math_ops.cos(framework.constant(math.pi, share.dtype.base_dtype) * share)
    return 0.5 * (1.0 + wave)


def cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0,
                 name: str | None = None) -> Any:  # fmt: skip
    """Return a rate that falls to alpha of itself along a half wave of a cosine."""

    def factor_of(step: Any) -> Any:
        steps = math_ops.cast(decay_steps, step.dtype.base_dtype)
        share = math_ops.minimum(step, steps) / steps
        return (1 - alpha) * _half_wave(share) + alpha

    return _cosine(learning_rate, global_step, name, "CosineDecay", factor_of)


def linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any,
                        num_periods: float = 0.5, alpha: float = 0.0, beta: float = 0.001,
                        name: str | None = None) -> Any:  # fmt: skip
    """Return a rate that falls along a line and num_periods waves of a cosine together."""

    def factor_of(step: Any) -> Any:
        steps = math_ops.cast(decay_steps, step.dtype.base_dtype)
        step = math_ops.minimum(step, steps)
        line = (steps - step) / steps
        return (alpha + line) * _half_wave(2.0 * num_periods * (step / steps)) + beta

    return _cosine(learning_rate, global_step, name, "LinearCosineDecay", factor_of)


def cosine_decay_restarts(learning_rate: Any, global_step: Any, first_decay_steps: Any,
                          t_mul: float = 2.0, m_mul: float = 1.0, alpha: float = 0.0,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return a rate that falls along a cosine, then begins anew for t_mul times as long at m_mul of
    its height.
    """

    def factor_of(step: Any) -> Any:
        done = step / math_ops.cast(first_decay_steps, step.dtype.base_dtype)
        if t_mul == 1.0:
            restarts = math_ops.floor(done)
            share = done - restarts
        else:
            grown = math_ops.log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul)
            restarts = math_ops.floor(grown)
            length = math_ops.pow(framework.constant(t_mul, step.dtype.base_dtype), restarts)
            share = (done - (1.0 - length) / (1.0 - t_mul)) / length
        height = math_ops.pow(framework.constant(m_mul, step.dtype.base_dtype), restarts)
        return (1 - alpha) * height * _half_wave(share) + alpha

    return _cosine(learning_rate, global_step, name, "SGDRDecay", factor_of)
