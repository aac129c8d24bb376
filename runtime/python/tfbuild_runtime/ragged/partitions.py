"""Row splits, and the lengths and row ids that say the same, as tensors of int32 or int64."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    creation_ops,
    math_ops,
    order_ops,
    reduce_ops,
    segment_ops,
)

_TYPES = (dtypes.int32, dtypes.int64)


def as_partition(value: Any, name: str, dtype: Any = None) -> Tensor:
    """Return a tensor of int32 or int64: int64 where the value has no type, or dtype.

    Raises ValueError for another type.
    """
    given = ops.convert_to_tensor(value, dtype_hint=dtype or dtypes.int64, name=name)
    if given.dtype not in _TYPES:
        raise ValueError(f"{name} must have dtype int32 or int64, not {given.dtype.name}")
    wanted: Tensor = given if dtype in (None, given.dtype) else math_ops.cast(given, dtype)
    return wanted


def held(condition: Any, message: str) -> Any:
    """Return an operation that ends a step with InvalidArgumentError unless the condition holds."""
    return check_ops.assert_equal(condition, True, message=message)


def checked(splits: Tensor, count: Any) -> Tensor:
    """Return splits of so many values; a step ends with InvalidArgumentError if they are none."""
    total = math_ops.cast(count, splits.dtype)
    checks = [
        check_ops.assert_equal(splits[:1], 0, message="The first of row_splits must be 0"),
        check_ops.assert_non_negative(splits[1:] - splits[:-1],
                                      message="row_splits must not fall"),
        check_ops.assert_equal(splits[-1:], total,
                               message="The last of row_splits must be the number of values"),
    ]  # fmt: skip
    with ops.control_dependencies(checks):
        same: Tensor = array_ops.identity(splits)
        return same


def from_lengths(lengths: Tensor) -> Tensor:
    """Return the splits of rows of these lengths."""
    ends = order_ops.cumsum(lengths)
    splits: Tensor = array_ops.concat([ops.constant([0], lengths.dtype), ends], 0)
    return splits


def from_rowids(ids: Tensor, nrows: Any, count: Any = None) -> Tensor:
    """Return the splits of nrows rows (None: as many as ids name) of values with these row ids.

    With the count of values a step ends with InvalidArgumentError for ids that fall, that name
    other rows or are not as many.
    """
    if nrows is None:
        rows = reduce_ops.reduce_max(array_ops.concat([ids, [-1]], 0)) + 1
    else:
        rows = as_partition(nrows, "nrows", ids.dtype)
    if count is not None:
        checks = [
            check_ops.assert_equal(array_ops.shape(ids, out_type=dtypes.int64), [count],
                                   message="There must be a row id for each value"),
            check_ops.assert_non_negative(ids[1:] - ids[:-1], message="value_rowids must not fall"),
            check_ops.assert_non_negative(ids[:1], message="value_rowids must not be negative"),
            check_ops.assert_non_negative(rows, message="nrows must not be negative"),
            check_ops.assert_less(ids[-1:], rows, message="value_rowids must be less than nrows"),
        ]  # fmt: skip
        with ops.control_dependencies(checks):
            ids = array_ops.identity(ids)
    splits: Tensor = segment_ops.searchsorted(ids, creation_ops.range(rows + 1), out_type=ids.dtype)
    known = ops.constant_value(rows)
    if known is not None:
        splits.set_shape([int(known) + 1])
    return splits


def uniform(length: Tensor, nrows: Any, count: Tensor) -> Tensor:
    """Return the splits of nrows rows of one length; without nrows of as many as values fill."""
    if nrows is None:
        # Rows without values could be any number: there are none.
        rows = math_ops.div(count, math_ops.maximum(length, 1))
    else:
        rows = as_partition(nrows, "nrows", length.dtype)
    splits: Tensor = creation_ops.range(rows + 1) * length
    return splits


def to_rowids(splits: Tensor) -> Tensor:
    """Return the row of each value."""
    places = creation_ops.range(splits[-1])
    found: Tensor = segment_ops.searchsorted(splits, places, "right", splits.dtype)
    return found - 1


def places_in_rows(splits: Tensor) -> Tensor:
    """Return for each value how many come before it in its row."""
    starts = array_ops.gather(splits, to_rowids(splits))
    places: Tensor = creation_ops.range(splits[-1]) - starts
    return places
