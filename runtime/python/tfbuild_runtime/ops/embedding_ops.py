"""Rows of tables by their numbers, whether a table is one tensor or several."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    clip_ops,
    creation_ops,
    math_ops,
    placement_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank

_Parts = tuple[Any, Any]


def embedding_lookup(params: Any, ids: Any, partition_strategy: str = "mod",
                     name: str | None = None, validate_indices: bool = True,
                     max_norm: Any = None) -> Any:  # fmt: skip
    """Return the rows of a table with those numbers, none longer than max_norm.

    Of a table in several parts, row i is in part i % N ("mod"), or the parts follow one another
    ("div"). Raises ValueError for another strategy or no part.
    """
    in_parts = isinstance(params, (list, tuple)) or hasattr(params, "_get_variable_list")
    parts = list(params) if in_parts else [params]
    if not parts:
        raise ValueError("embedding_lookup needs at least one table")
    with framework.name_scope(name, "embedding_lookup", [*parts, ids]) as scope:
        ids = framework.convert_to_tensor(ids, name="ids")
        if len(parts) == 1:
            rows = array_ops.gather(parts[0], ids, name=scope)
            return array_ops.identity(_limited(rows, ids, max_norm))
        rows = _rows_of_parts(parts, ids, partition_strategy)
        return _limited(rows, ids, max_norm)


def combined_rows(found: Any, rows: Any, count: Any, weights: Any, combiner: str) -> Any:
    """Return the vectors found put together by the rows, below count, to which they belong.

    combiner is mean, sqrtn or sum; weights may be None.
    """
    kind = found.dtype.base_dtype
    if weights is None and combiner == "sum":
        return reduce_ops.unsorted_segment_sum(found, rows, count)
    weights = creation_ops.ones_like(rows, kind) if weights is None else weights
    wide = math_ops.cast(weights, kind)
    for _ in range((found.get_shape().ndims or 2) - 1):
        wide = array_ops.expand_dims(wide, -1)
    total = reduce_ops.unsorted_segment_sum(found * wide, rows, count)
    if combiner == "sum":
        return total
    size = wide if combiner == "mean" else math_ops.square(wide)
    norm = reduce_ops.unsorted_segment_sum(size, rows, count)
    return math_ops.div_no_nan(total, norm if combiner == "mean" else math_ops.sqrt(norm))


def _limited(rows: Any, ids: Any, max_norm: Any) -> Any:
    if max_norm is None:
        return rows
    first, rank = known_rank(ids), known_rank(rows)
    if first is None or rank is None:
        axes = emit("Range", [array_ops.rank(ids), array_ops.rank(rows), 1])
    else:
        axes = list(range(first, rank))
    return clip_ops.clip_by_norm(rows, max_norm, axes=axes)


def _rows_of_parts(parts: list[Any], ids: Any, strategy: str) -> Any:
    flat = array_ops.reshape(ids, [-1])
    if strategy not in ("mod", "div"):
        raise ValueError(f"partition_strategy is mod or div, not {strategy!r}")
    part, place = _mod(flat, parts) if strategy == "mod" else _div(flat, parts)
    part = math_ops.cast(part, dtypes.int32)
    numbers = creation_ops.range(array_ops.size(flat))
    asked = placement_ops.dynamic_partition(place, part, len(parts))
    order = placement_ops.dynamic_partition(numbers, part, len(parts))
    rows = [array_ops.gather(table, wanted) for table, wanted in zip(parts, asked)]
    together = placement_ops.parallel_dynamic_stitch(order, rows)
    row = emit("StridedSlice", [array_ops.shape(parts[0]), [1], [0], [1]], end_mask=1)
    return array_ops.reshape(together, array_ops.concat([array_ops.shape(ids), row], 0))


def _mod(flat: Any, parts: list[Any]) -> _Parts:
    return emit("FloorMod", [flat, len(parts)]), emit("FloorDiv", [flat, len(parts)])


def _div(flat: Any, parts: list[Any]) -> _Parts:
    """The first parts have one row more where the rows cannot be shared out evenly."""
    lengths = [emit("StridedSlice", [array_ops.shape(part), [0], [1], [1]], shrink_axis_mask=1)
               for part in parts]  # fmt: skip
    total = math_ops.cast(emit("AddN", [lengths]), flat.dtype)
    each, extras = emit("FloorDiv", [total, len(parts)]), emit("FloorMod", [total, len(parts)])
    longer = emit("AddV2", [each, 1])
    behind = emit("Sub", [flat, extras])
    shorter = math_ops.maximum(each, 1)  # where it is 0, nothing is behind the extras
    part = math_ops.maximum(emit("FloorDiv", [flat, longer]), emit("FloorDiv", [behind, shorter]))
    place = array_ops.where_v2(math_ops.less(part, extras), emit("FloorMod", [flat, longer]),
                               emit("FloorMod", [behind, shorter]))  # fmt: skip
    return part, place
