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

    Raises ValueError for axes that the input has not, one axis for both, and another number of
    lengths than of examples.
    """
    seq_axis = seq_dim if seq_axis is None else seq_axis
    batch_axis = (batch_dim if batch_axis is None else batch_axis) or 0
    with framework.name_scope(name, "ReverseSequence", [input, seq_lengths]):
        value = framework.convert_to_tensor(input)
        lengths = math_ops.cast(seq_lengths, dtypes.int64)
        order = _batch_and_steps_first(value, lengths, seq_axis, batch_axis)
        if order is None:
            return _reversed_rows(value, lengths)
        result = _reversed_rows(array_ops.transpose(value, order), lengths)
        return array_ops.transpose(result, [order.index(axis) for axis in range(len(order))])


def _batch_and_steps_first(
    value: Any, lengths: Any, seq_axis: int, batch_axis: int
) -> list[int] | None:
    """Return the order of axes in which these are the first; None where they are already."""
    shape = value.get_shape()
    if seq_axis == batch_axis:
        raise ValueError(f"seq_dim and batch_dim are both {seq_axis}")
    if shape.ndims is None:
        if (batch_axis, seq_axis) == (0, 1):
            return None
        raise ValueError("the rank must be known to reverse along other axes than the second")
    for name, axis in (("seq_dim", seq_axis), ("batch_dim", batch_axis)):
        if not 0 <= axis < shape.ndims:
            raise ValueError(f"{name} must be < input rank, but {axis} is not for {shape}")
    shape[batch_axis : batch_axis + 1].assert_is_compatible_with(lengths.get_shape())
    if (batch_axis, seq_axis) == (0, 1):
        return None
    rest = [axis for axis in range(shape.ndims) if axis not in (batch_axis, seq_axis)]
    return [batch_axis, seq_axis, *rest]


def _reversed_rows(value: Any, lengths: Any) -> Any:
    """Return [batch, steps, ...] with the first steps of each example from their end."""
    shape = array_ops.shape(value, out_type=dtypes.int64)
    batch, steps = shape[0], shape[1]
    # A length beyond the steps leads out of the whole tensor, not into the next example.
    beyond = math_ops.greater(lengths, steps)
    lengths = array_ops.where_v2(beyond, lengths + batch * steps, lengths)
    lengths = array_ops.expand_dims(lengths, 1)
    step = array_ops.expand_dims(creation_ops.range(steps), 0)
    inside = math_ops.less(step, lengths)
    place = array_ops.where_v2(inside, lengths - 1 - step, step + lengths * 0)
    rows = array_ops.expand_dims(creation_ops.range(batch) * steps, 1)
    flat = array_ops.reshape(value, array_ops.concat([[-1], shape[2:]], 0))
    found = array_ops.gather(flat, array_ops.reshape(place + rows, [-1]))
    result = array_ops.reshape(found, shape)
    result.set_shape(value.get_shape())
    return result
