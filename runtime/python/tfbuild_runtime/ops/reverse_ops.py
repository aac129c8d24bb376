"""Tensors from their end along an axis."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.ops import array_ops, creation_ops
from tfbuild_runtime.ops.emit import emit


def transpose_batch_time(tensor: Any) -> Any:
    """Return a tensor with its first two dimensions exchanged; raises ValueError below rank 2."""
    rank = tensor.get_shape().ndims
    if rank is None or rank < 2:
        raise ValueError(f"Expected input tensor {tensor.name} to have rank at least 2, but saw "
                         f"shape: {tensor.get_shape()}")  # fmt: skip
    return array_ops.transpose(tensor, [1, 0, *range(2, rank)])


def reverse_along(value: Any, axis: int) -> Any:
    """Return a tensor from its end along one axis, which may be counted from the last."""
    size = array_ops.shape(value)[axis]
    places = size - 1 - creation_ops.range(size)
    result = array_ops.gather(value, places, axis=axis)
    result.set_shape(value.get_shape())
    return result


def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None,
                     name: str | None = None, seq_dim: Any = None,
                     batch_dim: Any = None) -> Any:  # fmt: skip
    """Return the first seq_lengths[i] steps of example i from their end, the others as they are.

    Raises ValueError for axes that the input has not, one axis for both, and another number of
    lengths than of examples. A length below 0 or above the number of steps ends the step with an
    InvalidArgumentError.
    """
    axes = {"seq_dim": seq_dim if seq_axis is None else seq_axis,
            "batch_dim": (batch_dim if batch_axis is None else batch_axis) or 0}  # fmt: skip
    return emit("ReverseSequence", [input, seq_lengths], name, **axes)
