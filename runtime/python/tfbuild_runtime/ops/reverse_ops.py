"""Tensors from their end along an axis."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops


def transpose_batch_time(tensor: Any) -> Any:
    """Return a tensor with its first two dimensions exchanged; raises ValueError below rank 2."""
    rank = tensor.get_shape().ndims
    if rank is None or rank < 2:
        raise ValueError(f"Expected input tensor {tensor.name} to have rank at least 2, but saw "
                         f"shape: {tensor.get_shape()}")  # fmt: skip
    return array_ops.transpose(tensor, [1, 0, *range(2, rank)])


def reverse_along(value: Any, axis: int) -> Any:
    """Return a tensor from its end along one axis."""
    size = array_ops.shape(value)[axis]
    places = size - 1 - creation_ops.range(size)
    result = array_ops.gather(value, places, axis=axis)
    result.set_shape(value.get_shape())
    return result


def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None,
                     name: str | None = None, seq_dim: Any = None,
                     batch_dim: Any = None) -> Any:  # fmt: skip
    """Return the first seq_lengths[i] steps of example i from their end, the others as they are.

    Raises NotImplementedError unless both axes are the first two.
    """
    seq_axis = seq_dim if seq_axis is None else seq_axis
    batch_axis = (batch_dim if batch_axis is None else batch_axis) or 0
    if {seq_axis, batch_axis} != {0, 1}:
        raise NotImplementedError("tf.reverse_sequence works along the first two axes alone: "
                                  "transpose the tensor")  # fmt: skip
    with framework.name_scope(name, "ReverseSequence", [input, seq_lengths]):
        value = framework.convert_to_tensor(input)
        if batch_axis == 1:
            value = transpose_batch_time(value)
        shape = array_ops.shape(value)
        batch, steps = shape[0], shape[1]
        lengths = array_ops.expand_dims(math_ops.cast(seq_lengths, dtypes.int32), 1)
        step = array_ops.expand_dims(creation_ops.range(steps), 0)
        inside = math_ops.less(step, lengths)
        place = array_ops.where_v2(inside, lengths - 1 - step, step + lengths * 0)
        rows = array_ops.expand_dims(creation_ops.range(batch) * steps, 1)
        flat = array_ops.reshape(value, array_ops.concat([[-1], shape[2:]], 0))
        found = array_ops.gather(flat, array_ops.reshape(place + rows, [-1]))
        result = array_ops.reshape(found, shape)
        result.set_shape(value.get_shape())
        return transpose_batch_time(result) if batch_axis == 1 else result
