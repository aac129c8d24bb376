"""Shapes that gradients need: constants where the graph knows them, operations where not."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, known_rank, known_sizes


def vector(numbers: Any) -> Any:
    """Return integers as a vector constant."""
    return framework.constant(list(numbers), dtypes.int32, shape=[len(numbers)])


def like(tensor: Any, reference: Any) -> Any:
    """Return the tensor in the shape of the reference, which has as many elements."""
    sizes = known_sizes(reference)
    if sizes is not None and known_sizes(tensor) == sizes:
        return tensor
    return emit("Reshape", [tensor, array_ops.shape(reference)])


def sum_to(gradient: Any, target: Any, other: Any) -> Any:
    """Return the gradient of `target op other` summed over what broadcasting repeated of target."""
    axes = _repeated_axes(target, other)
    if axes is None:
        repeated = broadcast_axes(target, other)
        total = emit("Sum", [gradient, repeated])
        return emit("Reshape", [total, array_ops.shape(target)])
    if not axes:
        return gradient
    missing = (known_rank(other) or 0) - (known_rank(target) or 0)
    if missing <= 0:
        return emit("Sum", [gradient, vector(axes)], keep_dims=True)
    total = emit("Sum", [gradient, vector(axes)])
    return total if len(axes) == missing else like(total, target)


def broadcast_axes(target: Any, other: Any) -> Any:
    """Return, computed while the graph runs, the axes along which target was repeated."""
    op = framework.apply_op(
        "BroadcastGradientArgs", [array_ops.shape(target), array_ops.shape(other)]
    )
    return op.outputs[0]


def _repeated_axes(target: Any, other: Any) -> list[int] | None:
    """Return the axes along which target was repeated; None when the graph does not know."""
    if known_rank(target) is None or known_rank(other) is None:
        return None
    mine, theirs = target.get_shape().as_list(), other.get_shape().as_list()
    rank = max(len(mine), len(theirs))
    absent = rank - len(mine)
    theirs = [1] * (rank - len(theirs)) + theirs
    axes = list(range(absent))
    for axis, size in enumerate(mine, absent):
        if size == 1 and theirs[axis] != 1:
            axes.append(axis)
        elif size is None and theirs[axis] != 1:
            return None
    return axes


def constant_list(tensor: Any) -> list[int] | None:
    """Return the integers of a constant vector or scalar; None when it is no constant."""
    value = framework.constant_value(tensor)
    return None if value is None else [int(number) for number in value.reshape(-1)]


def kept_shape(tensor: Any, axes: Any) -> Any:
    """Return the shape of the tensor with 1 for the sizes along axes."""
    numbers, rank = constant_list(axes), known_rank(tensor)
    if numbers is not None and rank is not None:
        reduced = {axis % rank for axis in numbers} if rank else set()
        sizes = tensor.get_shape().as_list()
        if all(axis in reduced or size is not None for axis, size in enumerate(sizes)):
            return vector([1 if a in reduced else size for a, size in enumerate(sizes)])
    return _computed_kept_shape(tensor, axes)


def _computed_kept_shape(tensor: Any, axes: Any) -> Any:
    sizes = array_ops.shape(tensor)
    rank = array_ops.size(sizes)
    flat = emit("Reshape", [axes, [-1]])
    if flat.dtype.base_dtype != dtypes.int32:
        flat = emit("Cast", [flat], DstT=dtypes.int32)
    positive = emit("FloorMod", [flat, emit("Maximum", [rank, 1])])
    one, zero = (framework.constant(number, dtypes.int32) for number in (1, 0))
    marks = emit("OneHot", [positive, rank, one, zero])
    reduced = emit("Greater", [emit("Sum", [marks, vector([0])]), zero])
    return emit("SelectV2", [reduced, one, sizes])
