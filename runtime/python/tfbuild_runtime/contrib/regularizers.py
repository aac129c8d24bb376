"""Regularizers: functions that make a loss of a variable."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit

Regularizer = Callable[[Any], Any]


def _checked(scale: Any) -> float:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and float(scale) < 0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
    return scale  # type: ignore[return-value]


def _scaled(scale: Any, scope: str | None, name: str, measure: Callable[[Any], Any]) -> Regularizer:
    if isinstance(scale, numbers.Real) and float(scale) == 0:
        return lambda _: None

    def regularizer(weights: Any) -> Any:
        with framework.name_scope(scope, name, [weights]) as full:
            factor = framework.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return emit("Mul", [factor, measure(weights)], full)

    return regularizer


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Return a regularizer: scale times the sum of magnitudes."""
    return _scaled(_checked(scale), scope, "l1_regularizer",
                   lambda weights: reduce_ops.reduce_sum(math_ops.abs(weights)))  # fmt: skip


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """Return a regularizer: scale times half the sum of squares."""
    return _scaled(_checked(scale), scope, "l2_regularizer", nn_ops.l2_loss)


def l1_l2_regularizer(scale_l1: float = 1.0, scale_l2: float = 1.0,
                      scope: str | None = None) -> Regularizer:  # fmt: skip
    """Return a regularizer: the sum of both."""
    parts = [l1_regularizer(_checked(scale_l1)), l2_regularizer(_checked(scale_l2))]
    return sum_regularizer(parts, scope=scope or "l1_l2_regularizer")


def sum_regularizer(regularizer_list: Sequence[Any], scope: str | None = None) -> Any:
    """Return a regularizer: the sum of others; None for none."""
    chosen = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not chosen:
        return None

    def total(weights: Any) -> Any:
        with framework.name_scope(scope, "sum_regularizer", [weights]) as name:
            losses = [loss for loss in (part(weights) for part in chosen) if loss is not None]
            return reduce_ops.add_n(losses, name=name) if losses else None

    return total


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """Return the sum of a regularizer over variables, by default those of WEIGHTS.

    Raises ValueError when there is none.
    """
    weights = weights_list or framework.get_collection(GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    with framework.name_scope("get_regularization_penalty", values=weights) as scope:
        losses = [regularizer(variable) for variable in weights]
        losses = [framework.constant(0.0) if loss is None else loss for loss in losses]
        total = reduce_ops.add_n(losses, name=scope)
        framework.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
