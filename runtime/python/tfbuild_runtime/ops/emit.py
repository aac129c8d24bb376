"""Adding one operation and taking its first output: what nearly every wrapper ends with."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework


def emit(op_type: str, inputs: list[Any], name: str | None = None, /, **attrs: Any) -> Any:
    """Add an operation; return its first output."""
    return framework.apply_op(op_type, inputs, attrs, name or op_type).outputs[0]


def known_rank(tensor: Any) -> int | None:
    """Return the rank of a tensor; None when it is not known yet."""
    rank: int | None = tensor.get_shape().ndims
    return rank


def known_sizes(tensor: Any) -> list[int] | None:
    """Return the shape of a tensor; None unless every size is known."""
    shape = tensor.get_shape()
    return list(shape.as_list()) if shape.is_fully_defined() else None


def only_one(new: Any, old: Any, new_name: str, old_name: str) -> Any:
    """Return the argument given by its new or by its old name; raises ValueError for both."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"give {new_name} or {old_name}, not both: they are the same argument")
    return old
