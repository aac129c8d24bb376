"""Changing parts of variables: rows and slices by their numbers, and counting up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.framework.operation import Tensor

Change = Callable[..., Any]


def change_part(
    variable: Any, op_type: str, inputs: list[Any], attrs: dict[str, Any], name: str | None
) -> Any:
    """Return what has the value of a variable, a handle's too, after an op changed it.

    The last of the inputs are the new values, which get the variable's type as a constant does.
    """
    handle = getattr(variable, "handle", None)
    inputs = [*inputs[:-1], ops.convert_to_tensor(inputs[-1], dtype=variable.dtype.base_dtype)]
    if handle is None:
        op = ops.apply_op(op_type, [variable, *inputs], attrs, name or op_type)
        return op.outputs[0]
    op = ops.apply_op(f"Resource{op_type}", [handle, *inputs], attrs, name or op_type)
    return variable.after(op)


def _scatter_nd(kind: str, what: str, locked: bool = False) -> Change:
    def scatter_nd(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locked, name: str | None = None
    ) -> Any:
        attrs = {"use_locking": use_locking}
        return change_part(ref, f"ScatterNd{kind}", [indices, updates], attrs, name)

    scatter_nd.__doc__ = f"""Return a variable as it is after slices of it {what}.

    The rows of indices are the coordinates of the slices.
    """
    return scatter_nd


scatter_nd_update = _scatter_nd("Update", "were set to updates", locked=True)
scatter_nd_add = _scatter_nd("Add", "were added to")
scatter_nd_sub = _scatter_nd("Sub", "were subtracted from")


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Return a tensor with the value of a variable that is one more afterwards.

    Running it raises OutOfRangeError once the variable has reached the limit.
    """
    handle = getattr(ref, "handle", None)
    kind, target = ("CountUpTo", ref) if handle is None else ("ResourceCountUpTo", handle)
    attrs = {"limit": limit, "T": ref.dtype.base_dtype}
    return ops.apply_op(kind, [target], attrs, name).outputs[0]  # type: ignore[no-any-return]


def _by_slices(kind: str, what: str) -> Change:
    def method(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        inputs = [sparse_delta.indices, sparse_delta.values]
        attrs = {} if hasattr(self, "handle") else {"use_locking": use_locking}
        return change_part(self, f"Scatter{kind}", inputs, attrs, name)

    method.__doc__ = f"Return it as it is after its rows {what} IndexedSlices."
    return method


def _by_coordinates(change: Change) -> Change:
    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        return change(self, indices, updates, name=name)

    method.__doc__ = change.__doc__
    return method


class Scattering:
    """The methods of a variable that change or read parts of it."""

    scatter_update = _by_slices("Update", "were set to")
    scatter_add = _by_slices("Add", "grew by")
    scatter_sub = _by_slices("Sub", "shrank by")
    scatter_mul = _by_slices("Mul", "were multiplied by")
    scatter_div = _by_slices("Div", "were divided by")
    scatter_min = _by_slices("Min", "were made no larger than")
    scatter_max = _by_slices("Max", "were made no smaller than")
    scatter_nd_update = _by_coordinates(scatter_nd_update)
    scatter_nd_add = _by_coordinates(scatter_nd_add)
    scatter_nd_sub = _by_coordinates(scatter_nd_sub)

    def count_up_to(self, limit: int) -> Tensor:
        """Return a tensor with its value, which is one more afterwards; see tf.count_up_to."""
        return count_up_to(self, limit)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the rows with those numbers."""
        return ops.apply_op("GatherV2", [self, indices, 0], name=name).outputs[0]  # type: ignore[no-any-return]

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the slices with those coordinates."""
        return ops.apply_op("GatherNd", [self, indices], name=name).outputs[0]  # type: ignore[no-any-return]


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


class SliceOfVariable:
    """What variable[...].assign is: sets that part and returns the variable as it is then."""

    def __init__(self, variable: Any, slicing: Any) -> None:
        self._variable = variable
        self._slicing = slicing

    def __call__(self, value: Any, name: str | None = None) -> Any:
        """Return the variable with that part set."""
        masks = {mask: self._slicing.get_attr(mask) for mask in _MASKS}
        inputs = [*self._slicing.inputs[1:], value]
        return change_part(self._variable, "StridedSliceAssign", inputs, masks, name)


def with_assign(variable: Any, part: Tensor) -> Tensor:
    """Return a part of a variable, which can be assigned to."""
    if part.op.type == "StridedSlice":
        part.assign = SliceOfVariable(variable, part.op)
    return part
