"""Sums, means and extremes of ragged tensors over their rows and their columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops, segment_ops
from tfbuild_runtime.ops.emit import only_one
from tfbuild_runtime.ragged import arrays, partitions
from tfbuild_runtime.ragged.tensor import RaggedTensor

# What reduces a tensor, and what reduces the rows of one that have the same number.
_BY_NAME: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sum": (reduce_ops.reduce_sum, reduce_ops.unsorted_segment_sum),
    "prod": (reduce_ops.reduce_prod, segment_ops.unsorted_segment_prod),
    "max": (reduce_ops.reduce_max, segment_ops.unsorted_segment_max),
    "min": (reduce_ops.reduce_min, segment_ops.unsorted_segment_min),
}


def _reduction(kind: str) -> Callable[..., Any]:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
               reduction_indices: Any = None, keep_dims: Any = None) -> Any:  # fmt: skip
        """Return the ragged tensor without the axes that are reduced, a tensor if none is ragged.

        Raises ValueError for an axis that is not known or not there.
        """
        axis = only_one(axis, reduction_indices, "axis", "reduction_indices")
        keep = bool(only_one(keepdims, keep_dims, "keepdims", "keep_dims"))
        with ops.name_scope(name, f"RaggedReduce{kind.title()}", [input_tensor]):
            return _reduced(kind, input_tensor, axis, keep)

    return reduce


reduce_sum = _reduction("sum")
reduce_prod = _reduction("prod")
reduce_max = _reduction("max")
reduce_min = _reduction("min")


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
                reduction_indices: Any = None, keep_dims: Any = None) -> Any:  # fmt: skip
    """Return the means; of no element it is not a number."""
    how = (axis, keepdims, None, reduction_indices, keep_dims)
    with ops.name_scope(name, "RaggedReduceMean", [input_tensor]):
        ones = creation_ops.ones_like(input_tensor.flat_values)
        counts = reduce_sum(input_tensor.with_flat_values(ones), *how)
        return reduce_sum(input_tensor, *how) / counts


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return the variances."""
    with ops.name_scope(name, "RaggedReduceVariance", [input_tensor]):
        squares = input_tensor.with_flat_values(math_ops.square(input_tensor.flat_values))
        mean = reduce_mean(input_tensor, axis, keepdims)
        return reduce_mean(squares, axis, keepdims) - mean * mean


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False,
               name: str | None = None) -> Any:  # fmt: skip
    """Return the standard deviations."""
    with ops.name_scope(name, "RaggedReduceStd", [input_tensor]):
        variance = reduce_variance(input_tensor, axis, keepdims)
        if isinstance(variance, RaggedTensor):
            return variance.with_flat_values(math_ops.sqrt(variance.flat_values))
        return math_ops.sqrt(variance)


def reduce_any(input_tensor: Any, *how: Any, **named: Any) -> Any:
    """Return whether one of the elements is true."""
    return _as_bool(reduce_max(_as_int(input_tensor), *how, **named))


def reduce_all(input_tensor: Any, *how: Any, **named: Any) -> Any:
    """Return whether all elements are true."""
    return _as_bool(reduce_min(_as_int(input_tensor), *how, **named))


def _as_int(ragged: RaggedTensor) -> RaggedTensor:
    return ragged.with_flat_values(math_ops.cast(ragged.flat_values, dtypes.int32))


def _as_bool(value: Any) -> Any:
    """Return whether numbers are true; the extremes of no element are the ends of int32."""
    flat = value.flat_values if isinstance(value, RaggedTensor) else value
    true = math_ops.greater(flat, 0)
    return value.with_flat_values(true) if isinstance(value, RaggedTensor) else true


def _reduced(kind: str, ragged: Any, axis: Any, keep: bool) -> Any:
    if axis is None:
        whole = _BY_NAME[kind][0](ragged.flat_values)
        return array_ops.reshape(whole, [1] * _rank(ragged)) if keep else whole
    if isinstance(axis, Tensor):
        axis = ops.constant_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
        axis = axis.tolist()
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    rank = _rank(ragged)
    for one in sorted({arrays.place_of(one, rank) for one in axes}, reverse=True):
        ragged = _along(kind, ragged, one, keep)
    return ragged


def _rank(value: Any) -> int:
    if value.shape.rank is None:
        raise ValueError("the rank of what is reduced must be known")
    return int(value.shape.rank)


def _along(kind: str, value: Any, axis: int, keep: bool) -> Any:
    from tfbuild_runtime.ragged import rows

    whole, function = _BY_NAME[kind]
    if not isinstance(value, RaggedTensor):
        return whole(value, axis, keepdims=keep)
    if axis > 1:
        inner = _along(kind, value.values, axis - 1, keep)
        return value.with_values(inner)
    if axis == 1:
        ids, count = value.value_rowids(), value.nrows()
    else:
        ids = partitions.places_in_rows(value.row_splits)
        count = value.bounding_shape(axis=1)
    reduced = by_segment(function, value.values, ids, count)
    return rows.expand_dims(reduced, axis) if keep else reduced


def by_segment(function: Callable[..., Any], values: Any, ids: Any, count: Any) -> Any:
    """Return a row for each segment; those of rows are as long as the longest one of them."""
    if not isinstance(values, RaggedTensor):
        return function(values, ids, count)
    longest = segment_ops.unsorted_segment_max(values.row_lengths(), ids, count)
    splits = partitions.from_lengths(math_ops.maximum(longest, 0))
    starts = array_ops.gather(array_ops.gather(splits, ids), values.value_rowids())
    places = starts + partitions.places_in_rows(values.row_splits)
    inner = by_segment(function, values.values, places, splits[-1])
    return RaggedTensor.from_row_splits(inner, splits, validate=False)
