"""Orders and sums along them: the largest elements, elements turned round, sums up to each."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit


class TopK(NamedTuple):
    """The largest elements of each row, and where they stand in it."""

    values: Any
    indices: Any


class Unique(NamedTuple):
    """The different elements of a vector, and for each element the place of its like."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """As Unique, with how often each of the different elements is there."""

    y: Any
    idx: Any
    count: Any


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32,
          name: str | None = None) -> TopK:  # fmt: skip
    """Return the k largest elements of each row; of equal ones the first comes first."""
    found = framework.apply_op("TopKV2", [input, k], {"sorted": sorted}, name).outputs
    wanted = dtypes.as_dtype(index_type)
    places = found[1] if wanted == dtypes.int32 else emit("Cast", [found[1]], DstT=wanted)
    return TopK(found[0], places)


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """Return the different elements of a vector in the order of their first places."""
    attrs = {"out_idx": dtypes.as_dtype(out_idx)}
    return Unique(*framework.apply_op("Unique", [x], attrs, name).outputs)


def unique_with_counts(
    x: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """Return the different elements of a vector and how often each is there."""
    attrs = {"out_idx": dtypes.as_dtype(out_idx)}
    return UniqueWithCounts(*framework.apply_op("UniqueWithCounts", [x], attrs, name).outputs)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Return the tensor with the order along the axes turned round."""
    axes = [axis] if hasattr(axis, "__index__") else axis
    return emit("ReverseV2", [tensor, axes], name)


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Any:  # fmt: skip
    """Return for each element the sum of those up to it along an axis."""
    return emit("Cumsum", [x, axis], name, exclusive=exclusive, reverse=reverse)


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
            name: str | None = None) -> Any:  # fmt: skip
    """Return for each element the product of those up to it along an axis."""
    return emit("Cumprod", [x, axis], name, exclusive=exclusive, reverse=reverse)
