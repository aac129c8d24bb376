"""Changing parts of variables: rows and slices by their numbers, and counting up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.framework.operation import Tensor


def _scatter(op_type: str, what: str) -> Callable[..., Tensor]:
    def change(
        ref: Any, indices: Any, updates: Any, use_locking: bool | None = None,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        inputs = [ref, indices, updates]
        op = ops.apply_op(op_type, inputs, {"use_locking": use_locking}, name or op_type)
        return op.outputs[0]  # type: ignore[no-any-return]

    change.__doc__ = f"Return a tensor that {what} of a variable and then has its whole value."
    return change


scatter_update = _scatter("ScatterUpdate", "sets rows")
scatter_add = _scatter("ScatterAdd", "adds to rows")
scatter_sub = _scatter("ScatterSub", "subtracts from rows")
scatter_mul = _scatter("ScatterMul", "multiplies rows")
scatter_div = _scatter("ScatterDiv", "divides rows")
scatter_min = _scatter("ScatterMin", "takes the smaller elements of rows")
scatter_max = _scatter("ScatterMax", "takes the larger elements of rows")
scatter_nd_update = _scatter("ScatterNdUpdate", "sets slices")
scatter_nd_add = _scatter("ScatterNdAdd", "adds to slices")
scatter_nd_sub = _scatter("ScatterNdSub", "subtracts from slices")


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Return a tensor with the value of a variable that is one more afterwards.

    Running it raises OutOfRangeError once the variable has reached the limit.
    """
    return ops.apply_op("CountUpTo", [ref], {"limit": limit}, name).outputs[0]  # type: ignore[no-any-return]


def _by_slices(change: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Tensor:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        indices, values = sparse_delta.indices, sparse_delta.values
        return change(self, indices, values, use_locking=use_locking, name=name)

    method.__doc__ = (change.__doc__ or "").replace("a variable", "it, by IndexedSlices,")
    return method


def _by_coordinates(change: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        return change(self, indices, updates, use_locking=True, name=name)

    method.__doc__ = (change.__doc__ or "").replace("a variable", "it")
    return method


class Scattering:
    """The methods of a variable that change or read parts of it."""

    scatter_update = _by_slices(scatter_update)
    scatter_add = _by_slices(scatter_add)
    scatter_sub = _by_slices(scatter_sub)
    scatter_mul = _by_slices(scatter_mul)
    scatter_div = _by_slices(scatter_div)
    scatter_min = _by_slices(scatter_min)
    scatter_max = _by_slices(scatter_max)
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
