"""Limiting tensors, and gradients, to a range or a length.

Of IndexedSlices the values are limited, and their length counts, rows that stand twice twice.
"""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import like_slices, values_of
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return t with what is outside the range at its border.

    Raises ValueError for borders that would make t larger.
    """
    with framework.name_scope(name, "clip_by_value", [t]) as scope:
        values = framework.convert_to_tensor(values_of(t), name="t")
        low = math_ops.minimum(values, clip_value_max)
        values.get_shape().assert_is_compatible_with(low.get_shape())
        clipped = emit("Maximum", [low, clip_value_min], scope)
        values.get_shape().assert_is_compatible_with(clipped.get_shape())
        return like_slices(t, clipped)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return t, scaled down to the length clip_norm where it is longer.

    Raises ValueError for a clip_norm that would make t larger.
    """
    with framework.name_scope(name, "clip_by_norm", [t]) as scope:
        values = framework.convert_to_tensor(values_of(t), name="t")
        squares = reduce_ops.reduce_sum(emit("Mul", [values, values], "mul"), axes, keepdims=True)
        # The square root has no gradient at 0, so that there 1 takes its place.
        some = math_ops.greater(squares, 0)
        safe = array_ops.where(some, squares, creation_ops.ones_like(squares))
        length = array_ops.where(some, math_ops.sqrt(safe), squares)
        scaled = emit("Mul", [values, clip_norm], "mul")
        values.get_shape().assert_is_compatible_with(scaled.get_shape())
        clipped = math_ops.truediv(scaled, math_ops.maximum(length, clip_norm))
        return like_slices(t, array_ops.identity(clipped, name=scope))


def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Return the length of all the tensors taken as one vector; None among them count nothing."""
    tensors = [framework.convert_to_tensor(values_of(t)) for t in t_list if t is not None]
    with framework.name_scope(name, "global_norm", tensors):
        halves = [nn_ops.l2_loss(tensor) for tensor in tensors]
        total = reduce_ops.reduce_sum(array_ops.stack(halves))  # of none, 0 as a float
        two = framework.constant(2, total.dtype)
        return math_ops.sqrt(emit("Mul", [total, two], "mul"), name="global_norm")


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None,
                        name: str | None = None) -> tuple[list[Any], Any]:  # fmt: skip
    """Return the tensors, scaled together so that their global norm is at most clip_norm, and the
    norm that they had. Where it is infinite or no number, so are they.
    """
    norm = global_norm(t_list, name) if use_norm is None else use_norm
    given = [t for t in t_list if t is not None]
    with framework.name_scope(name, "clip_by_global_norm", given):
        inverse = math_ops.truediv(1, norm)
        limit = math_ops.truediv(framework.constant(1, norm.dtype), clip_norm)
        scale = emit("Mul", [clip_norm, math_ops.minimum(inverse, limit)], "mul")
        scale = emit("AddV2", [scale, emit("Sub", [norm, norm], "sub")], "add")
        clipped = [
            None if t is None else like_slices(t, emit("Mul", [values_of(t), scale], "mul"))
            for t in t_list
        ]
    return clipped, norm
