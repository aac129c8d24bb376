"""Rows of ragged tensors, and parts of rows, by Python's indices and slices."""

from __future__ import annotations

import builtins
from typing import Any

from tfbuild_runtime.framework import ops
from tfbuild_runtime.framework.composite import CompositeTensor
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, math_ops

_ALL = builtins.slice(None)


def get_item(ragged: Any, keys: tuple[Any, ...]) -> Any:
    """Return what ragged[keys] means; raises ValueError for a column of rows of any length."""
    keys = _without_ellipsis(ragged, keys)
    if not keys:
        return ragged
    first, rest = keys[0], keys[1:]
    if first is None:
        whole = type(ragged).from_uniform_row_length(ragged, ragged.nrows(), 1, validate=False)
        return get_item(whole, (_ALL, *rest))
    starts, limits = ragged.row_splits[:-1], ragged.row_splits[1:]
    if isinstance(first, builtins.slice):
        taken = ragged if first == _ALL else _between(ragged, starts[first], limits[first], 1)
        return _parts_of_rows(taken, rest) if rest else taken
    row = ragged.values[starts[first] : limits[first]]
    return row[rest] if rest else row


def gather(params: Any, indices: Any) -> Any:
    """Return rows of a tensor, or of a ragged one, in the order of a tensor of indices."""
    if not isinstance(params, CompositeTensor):
        return array_ops.gather(params, indices)
    flat, *nested = params.parts()
    if indices.shape.rank is None:
        raise ValueError("the rank of the indices of ragged rows must be known")
    attrs = {"OUTPUT_RAGGED_RANK": len(nested) + indices.shape.rank - 1}
    *splits, values = ops.apply_op("RaggedGather", [nested, flat, indices], attrs).outputs
    return type(params).from_nested_row_splits(values, splits, None, False)  # type: ignore[attr-defined]


def ranges(starts: Any, limits: Any, deltas: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """Return the splits and the numbers of a range for each row."""
    splits, numbers = ops.apply_op("RaggedRange", [starts, limits, deltas],
                                   {"Tsplits": dtype}).outputs  # fmt: skip
    return splits, numbers


def _without_ellipsis(ragged: Any, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    at = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not at:
        return keys
    rank = ragged.shape.rank
    if len(at) > 1 or rank is None:
        raise ValueError("an index may have one ellipsis, of a tensor whose rank is known")
    named = sum(key is not None and key is not Ellipsis for key in keys)
    return (*keys[: at[0]], *[_ALL] * (rank - named), *keys[at[0] + 1 :])


def _parts_of_rows(ragged: Any, keys: tuple[Any, ...]) -> Any:
    first, rest = keys[0], keys[1:]
    if rest:
        ragged = ragged.with_values(ragged.values[(_ALL, *rest)])
    if not isinstance(first, builtins.slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if first == _ALL:
        return ragged
    starts, kind = ragged.row_splits[:-1], ragged.row_splits.dtype
    lengths = ragged.row_splits[1:] - starts
    step = 1 if first.step is None else first.step
    if isinstance(step, Tensor) or step == 0:
        raise ValueError(f"the step of a slice must be a number that is not 0, not {step}")
    # The places that a slice may begin and end at, and where it does if nothing is said.
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    whole = (low, high) if step > 0 else (high, low)

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default + starts
        place = math_ops.cast(ops.convert_to_tensor(value), kind)
        place = place + lengths * math_ops.cast(place < 0, kind)
        return math_ops.minimum(math_ops.maximum(place, low), high) + starts

    begin, end = bound(first.start, whole[0]), bound(first.stop, whole[1])
    return _between(ragged, begin, end, step)


def _between(ragged: Any, begins: Any, ends: Any, step: int) -> Any:
    kind = ragged.row_splits.dtype
    splits, places = ranges(begins, ends, ops.constant(step, kind), kind)
    return type(ragged).from_row_splits(gather(ragged.values, places), splits, None, False)
