"""Rows that carry the same segment id, put together."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, known_rank


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Return the sums of the rows of each segment; ids are sorted."""
    return emit("SegmentSum", [data, segment_ids], name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Return the means of the rows of each segment; ids are sorted."""
    return emit("SegmentMean", [data, segment_ids], name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Return the products of the rows of each segment; ids are sorted."""
    return emit("SegmentProd", [data, segment_ids], name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Return the smallest elements of each segment; ids are sorted."""
    return emit("SegmentMin", [data, segment_ids], name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """Return the largest elements of each segment; ids are sorted."""
    return emit("SegmentMax", [data, segment_ids], name)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return the products of the rows of each segment, 1 where it has none."""
    return emit("UnsortedSegmentProd", [data, segment_ids, num_segments], name)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any,
                         name: str | None = None) -> Any:  # fmt: skip
    """Return the smallest elements of each segment, the largest number where it has none."""
    return emit("UnsortedSegmentMin", [data, segment_ids, num_segments], name)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any,
                         name: str | None = None) -> Any:  # fmt: skip
    """Return the largest elements of each segment, the lowest number where it has none."""
    return emit("UnsortedSegmentMax", [data, segment_ids, num_segments], name)


def _counts(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Return how many rows each segment has, at least 1, to divide its sums by."""
    ones = creation_ops.ones_like(segment_ids, dtype=data.dtype.base_dtype)
    counts = reduce_ops.unsorted_segment_sum(ones, segment_ids, num_segments)
    counts = math_ops.maximum(counts, 1)
    inner = array_ops.rank(data) - array_ops.rank(segment_ids)
    sizes = array_ops.concat([array_ops.shape(counts), creation_ops.fill([inner], 1)], 0)
    return array_ops.reshape(counts, sizes)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return the means of the rows of each segment, 0 where it has none."""
    with framework.name_scope(name, "UnsortedSegmentMean"):
        data = framework.convert_to_tensor(data)
        ids = framework.convert_to_tensor(segment_ids)
        sums = reduce_ops.unsorted_segment_sum(data, ids, num_segments)
        return sums / _counts(data, ids, num_segments)


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any,
                            name: str | None = None) -> Any:  # fmt: skip
    """Return the sums of the rows of each segment over the root of their number."""
    with framework.name_scope(name, "UnsortedSegmentSqrtN"):
        data = framework.convert_to_tensor(data)
        ids = framework.convert_to_tensor(segment_ids)
        sums = reduce_ops.unsorted_segment_sum(data, ids, num_segments)
        return sums / math_ops.sqrt(_counts(data, ids, num_segments))


def _sparse(kind: str, inputs: list[Any], num_segments: Any, name: str | None,
            sparse_gradient: bool) -> Any:  # fmt: skip
    """Return the rows that indices name put together; with sparse_gradient by way of the rows.

    The gradient by data then holds these rows alone, as that of a lookup does.
    """
    if sparse_gradient:
        data, indices, ids = inputs
        rows = array_ops.gather(data, indices)
        place = emit("Range", [0, array_ops.shape(ids)[0], 1])
        return _sparse(kind, [rows, place, ids], num_segments, name, False)
    if num_segments is None:
        return emit(f"SparseSegment{kind}", inputs, name)
    return emit(f"SparseSegment{kind}WithNumSegments", [*inputs, num_segments], name)


def sparse_segment_sum(data: Any, indices: Any, segment_ids: Any, name: str | None = None,
                       num_segments: Any = None,
                       sparse_gradient: bool = False) -> Any:  # fmt: skip
    """Return the sums of the rows of each segment; indices say which rows, ids are sorted."""
    return _sparse("Sum", [data, indices, segment_ids], num_segments, name,
                   sparse_gradient)  # fmt: skip


def sparse_segment_mean(data: Any, indices: Any, segment_ids: Any, name: str | None = None,
                        num_segments: Any = None,
                       sparse_gradient: bool = False) -> Any:  # fmt: skip
    """Return the means of the rows of each segment; indices say which rows, ids are sorted."""
    return _sparse("Mean", [data, indices, segment_ids], num_segments, name,
                   sparse_gradient)  # fmt: skip


def sparse_segment_sqrt_n(data: Any, indices: Any, segment_ids: Any, name: str | None = None,
                          num_segments: Any = None,
                       sparse_gradient: bool = False) -> Any:  # fmt: skip
    """Return the sums of the rows of each segment over the root of their number."""
    return _sparse("SqrtN", [data, indices, segment_ids], num_segments, name,
                   sparse_gradient)  # fmt: skip


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left",
                 out_type: Any = dtypes.int32, name: str | None = None) -> Any:  # fmt: skip
    """Return where values belong in sorted rows: before their equals (left) or behind (right).

    Raises ValueError for another side.
    """
    kinds = {"left": "LowerBound", "right": "UpperBound"}
    if side not in kinds:
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    with framework.name_scope(name, "searchsorted"):
        rows = framework.convert_to_tensor(sorted_sequence, name="sorted_sequence")
        values = framework.convert_to_tensor(values, dtype=rows.dtype.base_dtype, name="values")
        width = array_ops.shape(rows)[-1]
        flat = array_ops.reshape(values, array_ops.stack([-1, array_ops.shape(values)[-1]]))
        found = emit(kinds[side], [array_ops.reshape(rows, array_ops.stack([-1, width])), flat],
                     out_type=dtypes.as_dtype(out_type or dtypes.int32))  # fmt: skip
        found = array_ops.reshape(found, array_ops.shape(values))
        if known_rank(values) is not None:
            found.set_shape(values.get_shape())
        return found
