"""Weights of values: one for all, or of their rank with sizes of 1 or theirs."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    control_flow_ops,
    control_ops,
    creation_ops,
    host_ops,
    math_ops,
    reduce_ops,
)


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """Return an operation that fails unless the weights fit the values.

    Raises ValueError where that is seen while the graph is built.
    """
    with framework.name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        weights = framework.convert_to_tensor(weights, name="weights")
        values = framework.convert_to_tensor(values, name="values")
        mine, theirs = weights.get_shape(), values.get_shape()
        message = (
            f"weights can not be broadcast to values. values.shape={theirs}. weights.shape={mine}."
        )
        fits = _known_to_fit(mine, theirs)
        if fits is False:
            raise ValueError(message)
        if fits:
            return control_ops.no_op(name="static_checks_determined_all_ok")
        found = [array_ops.shape(values), array_ops.shape(weights)]
        return host_ops.Assert(_fit(weights, values), [message, *found], name=scope)


def _known_to_fit(mine: Any, theirs: Any) -> bool | None:
    """Whether weights of one shape fit values of the other; None where that is not known."""
    if mine.ndims == 0:
        return True
    if mine.ndims is None or theirs.ndims is None:
        return None
    pairs = list(zip(mine.as_list(), theirs.as_list()))
    if mine.ndims != theirs.ndims or any(
        None not in pair and pair[0] not in (1, pair[1]) for pair in pairs
    ):
        return False
    return True if all(a == 1 or (a is not None and a == b) for a, b in pairs) else None


def _fit(weights: Any, values: Any) -> Any:
    mine, theirs = array_ops.shape(weights), array_ops.shape(values)
    rank = array_ops.rank(weights)

    def sizes_fit() -> Any:
        either = math_ops.logical_or(math_ops.equal(mine, 1), math_ops.equal(mine, theirs))
        return reduce_ops.reduce_all(either)

    if None not in (weights.get_shape().ndims, values.get_shape().ndims):
        return sizes_fit()

    def ranks_fit() -> Any:
        same = math_ops.equal(rank, array_ops.rank(values))
        return control_flow_ops.cond(same, sizes_fit, lambda: framework.constant(False))

    is_one = math_ops.equal(rank, 0)
    return control_flow_ops.cond(is_one, lambda: framework.constant(True), ranks_fit)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Return a weight for each value, of the values' type; raises as `assert_broadcastable`."""
    with framework.name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = framework.convert_to_tensor(values, name="values")
        weights = framework.convert_to_tensor(weights, values.dtype.base_dtype, name="weights")
        mine, theirs = weights.get_shape(), values.get_shape()
        if mine.is_fully_defined() and theirs.is_fully_defined() and mine == theirs:
            return weights
        with framework.control_dependencies([assert_broadcastable(weights, values)]):
            return math_ops.multiply(weights, creation_ops.ones_like(values), name=scope)
