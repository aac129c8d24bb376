"""Ragged tensors joined, stacked, masked and picked from, by the names of functions of tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, check_ops, creation_ops, embedding_ops, math_ops
from tfbuild_runtime.ops.emit import only_one
from tfbuild_runtime.ragged import functions, slicing
from tfbuild_runtime.ragged.tensor import RaggedTensor


def rank(input: Any, name: str | None = None) -> Any:
    """Return the number of dimensions."""
    with ops.name_scope(name, "RaggedRank", [input]):
        return array_ops.rank(input.flat_values) + input.ragged_rank


def size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Any:
    """Return the number of values."""
    return array_ops.size(input.flat_values, name, out_type)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Return a dimension of one row more; raises ValueError for an axis that is not there."""
    axis = only_one(axis, dim, "axis", "dim")
    if not isinstance(input, RaggedTensor):
        return array_ops.expand_dims(input, axis)
    with ops.name_scope(name, "RaggedExpandDims", [input]):
        known = input.shape.rank
        if axis < 0 and known is None:
            raise ValueError("a negative axis needs a known rank")
        axis = axis if axis >= 0 else axis + known + 1
        if axis == 0:
            splits = array_ops.stack([ops.constant(0, input.row_splits.dtype), input.nrows()])
            return RaggedTensor.from_row_splits(input, splits, validate=False)
        if axis == 1:
            one = ops.constant(1, input.row_splits.dtype)
            return RaggedTensor.from_uniform_row_length(input, one, input.nrows(), validate=False)
        return input.with_values(expand_dims(input.values, axis - 1))


def embedding_lookup(params: Any, ids: Any, *more: Any, **named: Any) -> Any:
    """Return a row of params for each of the ragged ids."""
    return ids.with_flat_values(embedding_ops.embedding_lookup(params, ids.flat_values, *more,
                                                               **named))  # fmt: skip


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Return x where condition holds and y elsewhere, all of the same rows; or the places of it."""
    if x is None and y is None:
        with ops.name_scope(name, "RaggedWhere", [condition]):
            places = condition.to_sparse()
            return array_ops.boolean_mask(places.indices, places.values)
    return functions.map_flat_values(array_ops.where_v2, condition, x, y)


where_v2 = where


def boolean_mask(data: Any, mask: Any, name: str | None = None, axis: Any = None) -> Any:
    """Return the rows, or the values of rows, for which a mask holds, in rows that are shorter.

    Raises ValueError for another axis than the first and for masks that are not known to fit.
    """
    if axis not in (None, 0):
        raise ValueError("a mask of ragged tensors is one of their first axes")
    with ops.name_scope(name, "RaggedMask", [data, mask]):
        if not isinstance(mask, RaggedTensor):
            mask = ops.convert_to_tensor(mask, dtypes.bool, name="mask")
            if mask.shape.rank == 1:
                return slicing.gather(data, array_ops.squeeze(array_ops.where(mask), axis=[1]))
            mask = RaggedTensor.from_tensor(mask, ragged_rank=(mask.shape.rank or 2) - 1)
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, row_splits_dtype=mask.row_splits.dtype)
        if isinstance(mask.values, RaggedTensor):
            return data.with_values(boolean_mask(data.values, mask.values))
        inner_ragged = isinstance(data.values, RaggedTensor)
        pick = boolean_mask if inner_ragged else array_ops.boolean_mask
        kept = pick(data.values, mask.values)
        held = mask.with_values(math_ops.cast(mask.values, mask.row_splits.dtype))
        from tfbuild_runtime.ragged import reductions

        return RaggedTensor.from_row_lengths(kept, reductions.reduce_sum(held, 1), validate=False)


def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Return ragged tensors and tensors one after the other along an axis that is known.

    Raises ValueError for ranks that differ or are not known.
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    with ops.name_scope(name, "RaggedConcat"):
        parts, place = _alike(values, axis, 0)
        return _joined(parts, place, stacked=False)


def stack(values: Any, axis: Any = 0, name: str | None = "stack") -> Any:
    """Return ragged tensors and tensors along a new dimension, as concat joins them."""
    values = values if isinstance(values, (list, tuple)) else [values]
    with ops.name_scope(name, "RaggedStack"):
        if axis == 0 and not any(isinstance(value, RaggedTensor) for value in values):
            tensors = [ops.convert_to_tensor(value) for value in values]
            counts = array_ops.stack([array_ops.shape(tensor)[0] for tensor in tensors])
            joined = array_ops.concat(tensors, 0)
            return RaggedTensor.from_row_lengths(joined, counts, validate=False)
        parts, place = _alike(values, axis, 1)
        return _joined(parts, place, stacked=True)


def _alike(values: Any, axis: Any, more: int) -> tuple[list[Any], int]:
    """Return all as ragged tensors of one ragged_rank and type of splits, and the axis."""
    parts = [v if isinstance(v, RaggedTensor) else ops.convert_to_tensor(v) for v in values]
    ranks = {part.shape.rank for part in parts}
    if len(ranks) != 1 or None in ranks:
        raise ValueError(f"ragged tensors that are joined must have one known rank, not {ranks}")
    dimensions = ranks.pop() + more
    axis = ops.constant_value(axis) if isinstance(axis, Tensor) else axis
    if axis is None or not -dimensions <= axis < dimensions:
        raise ValueError(f"axis={axis} is none of ragged tensors of rank {dimensions - more}")
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    kinds = [part.row_splits.dtype for part in ragged]
    kind = dtypes.int64 if dtypes.int64 in kinds else kinds[0]
    levels = max(part.ragged_rank for part in ragged)
    return [_with_rank(part, levels, kind) for part in parts], int(axis) % dimensions


def _with_rank(part: Any, levels: int, kind: Any) -> Any:
    if not isinstance(part, RaggedTensor):
        return part if levels == 0 else RaggedTensor.from_tensor(
            part, ragged_rank=levels, row_splits_dtype=kind)  # fmt: skip
    part = part.with_row_splits_dtype(kind)
    if part.ragged_rank == levels:
        return part
    return part.with_values(_with_rank(part.values, levels - 1, kind))


def _joined(parts: list[Any], axis: int, *, stacked: bool) -> Any:
    if not isinstance(parts[0], RaggedTensor):
        return array_ops.stack(parts, axis) if stacked else array_ops.concat(parts, axis)
    if axis > 1:
        with ops.control_dependencies(_all_equal([part.row_splits for part in parts])):
            inner = _joined([part.values for part in parts], axis - 1, stacked=stacked)
            return parts[0].with_values(inner)
    rows = _behind_one_another(parts)
    counts = [part.nrows() for part in parts]
    if axis == 0:
        ends = array_ops.stack(counts)
        return RaggedTensor.from_row_lengths(rows, ends, validate=False) if stacked else rows
    number = len(parts)
    with ops.control_dependencies(_all_equal(counts)):
        places = array_ops.reshape(creation_ops.range(counts[0] * number), [number, -1])
    turned = slicing.gather(rows, array_ops.reshape(array_ops.transpose(places), [-1]))
    if stacked:
        kind = rows.row_splits.dtype
        return RaggedTensor.from_uniform_row_length(
            turned, ops.constant(number, kind), parts[0].nrows(), validate=False
        )
    return RaggedTensor.from_row_splits(turned.values, turned.row_splits[::number], validate=False)


def _all_equal(values: list[Any]) -> list[Any]:
    message = "ragged tensors that are joined must have the same rows before the axis"
    return [check_ops.assert_equal(values[0], other, message=message) for other in values[1:]]


def _behind_one_another(parts: list[Any]) -> Any:
    if not isinstance(parts[0], RaggedTensor):
        return array_ops.concat(parts, 0)
    lengths = array_ops.concat([part.row_lengths() for part in parts], 0)
    values = _behind_one_another([part.values for part in parts])
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)
