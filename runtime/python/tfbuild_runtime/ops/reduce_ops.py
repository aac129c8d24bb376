"""Sums, means, extremes and positions of extremes over axes."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def _all_axes(tensor: Any) -> Any:
    rank = known_rank(tensor)
    if rank is None:
        return creation_ops.range(0, array_ops.rank(tensor))
    return framework.constant(list(range(rank)), dtypes.int32, shape=[rank])


def _reduce(op_type: str, tensor: Any, name: str | None, axes: tuple[Any, Any], keep: Any) -> Any:
    axis = only_one(axes[0], axes[1], "axis", "reduction_indices")
    keepdims = bool(only_one(keep[0], keep[1], "keepdims", "keep_dims"))
    tensor = framework.convert_to_tensor(tensor)
    if axis is not None:
        return emit(op_type, [tensor, axis], name, keep_dims=keepdims)
    reduced = emit(op_type, [tensor, _all_axes(tensor)], name, keep_dims=keepdims)
    if not keepdims:
        reduced.set_shape([])  # whatever the rank that went away
    return reduced


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
               name: str | None = None, reduction_indices: Any = None,
               keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return the sum over the axes, by default over all."""
    keep = (keepdims, keep_dims)
    return _reduce("Sum", input_tensor, name, (axis, reduction_indices), keep)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
                name: str | None = None, reduction_indices: Any = None,
                keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return the mean over the axes, by default over all."""
    keep = (keepdims, keep_dims)
    return _reduce("Mean", input_tensor, name, (axis, reduction_indices), keep)


def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
                name: str | None = None, reduction_indices: Any = None,
                keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return the product over the axes, by default over all."""
    keep = (keepdims, keep_dims)
    return _reduce("Prod", input_tensor, name, (axis, reduction_indices), keep)


def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
               name: str | None = None, reduction_indices: Any = None,
               keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return the largest element over the axes, by default over all."""
    keep = (keepdims, keep_dims)
    return _reduce("Max", input_tensor, name, (axis, reduction_indices), keep)


def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
               name: str | None = None, reduction_indices: Any = None,
               keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return the smallest element over the axes, by default over all."""
    keep = (keepdims, keep_dims)
    return _reduce("Min", input_tensor, name, (axis, reduction_indices), keep)


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
               name: str | None = None, reduction_indices: Any = None,
               keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return whether some element over the axes is true."""
    keep = (keepdims, keep_dims)
    return _reduce("Any", input_tensor, name, (axis, reduction_indices), keep)


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
               name: str | None = None, reduction_indices: Any = None,
               keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return whether all elements over the axes are true."""
    keep = (keepdims, keep_dims)
    return _reduce("All", input_tensor, name, (axis, reduction_indices), keep)


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool | None = None,
                     name: str | None = None, reduction_indices: Any = None,
                     keep_dims: bool | None = None) -> Any:  # fmt: skip
    """Return log(sum(exp(x))) over the axes, safe from overflow."""
    axis = only_one(axis, reduction_indices, "axis", "reduction_indices")
    keepdims = bool(only_one(keepdims, keep_dims, "keepdims", "keep_dims"))
    with framework.name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        x = framework.convert_to_tensor(input_tensor)
        largest = reduce_max(x, axis=axis, keepdims=True)
        finite = math_ops.less(math_ops.abs(largest), float("inf"))
        shift = array_ops.stop_gradient(
            array_ops.where_v2(finite, largest, creation_ops.zeros([], x.dtype.base_dtype))
        )
        total = reduce_sum(math_ops.exp(math_ops.subtract(x, shift)), axis=axis, keepdims=keepdims)
        result = math_ops.log(total)
        if not keepdims:
            shift = array_ops.reshape(shift, array_ops.shape(result))
        return math_ops.add(result, shift, name=scope)


def argmax(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = dtypes.int64) -> Any:  # fmt: skip
    """Return the index of the largest element along an axis, by default the first."""
    axis = only_one(axis, dimension, "axis", "dimension")
    return emit("ArgMax", [input, 0 if axis is None else axis], name,
                output_type=dtypes.as_dtype(output_type))  # fmt: skip


def argmin(input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
           output_type: Any = dtypes.int64) -> Any:  # fmt: skip
    """Return the index of the smallest element along an axis, by default the first."""
    axis = only_one(axis, dimension, "axis", "dimension")
    return emit("ArgMin", [input, 0 if axis is None else axis], name,
                output_type=dtypes.as_dtype(output_type))  # fmt: skip


def add_n(inputs: Any, name: str | None = None) -> Any:
    """Return the sum of tensors of one shape; raises ValueError for none."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("add_n needs a list of at least one tensor")
    tensors = [framework.convert_to_tensor(value) for value in inputs]
    if len(tensors) == 1:
        return array_ops.identity(tensors[0], name=name) if name else tensors[0]
    return emit("AddN", [tensors], name)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None,
                 name: str | None = None) -> Any:  # fmt: skip
    """Return the sum of tensors of one shape and type.

    Raises ValueError where they differ, or are not of the shape that is given, and TypeError where
    they are not of the given type.
    """
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one tensor")
    tensors = [framework.convert_to_tensor(value) for value in inputs]
    kinds = {tensor.dtype.base_dtype for tensor in tensors}
    if len(kinds) > 1:
        raise ValueError(f"inputs must be of one type, not of {sorted(k.name for k in kinds)}")
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) not in kinds:
        raise TypeError(f"tensor_dtype is {tensor_dtype}, but the inputs are {tensors[0].dtype}")
    known = tensor_shape.as_shape(shape)
    for tensor in tensors:
        known = known.merge_with(tensor.get_shape())
    return add_n(tensors, name=name)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any,
                         name: str | None = None) -> Any:  # fmt: skip
    """Return the rows of data summed by segment."""
    return emit("UnsortedSegmentSum", [data, segment_ids, num_segments], name)
