"""Names that TensorFlow had before version 1, and others for what has a name already."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.ops import array_ops, math_ops, reduce_ops

mul = math_ops.multiply
sub = math_ops.subtract
neg = math_ops.negative
floor_div = math_ops.floordiv
pack = array_ops.stack
unpack = array_ops.unstack


def arg_max(input: Any, dimension: Any, output_type: Any = dtypes.int64,
            name: str | None = None) -> Any:  # fmt: skip
    """Return argmax(input, dimension)."""
    return reduce_ops.argmax(input, dimension, name, output_type=output_type)


def arg_min(input: Any, dimension: Any, output_type: Any = dtypes.int64,
            name: str | None = None) -> Any:  # fmt: skip
    """Return argmin(input, dimension)."""
    return reduce_ops.argmin(input, dimension, name, output_type=output_type)


def concat_v2(values: Any, axis: Any, name: str | None = None) -> Any:
    """Return concat(values, axis)."""
    return array_ops.concat(values, axis, name=name or "concat_v2")


def select(condition: Any, t: Any, e: Any, name: str | None = None) -> Any:
    """Return the elements of t where condition holds, and of e elsewhere."""
    return array_ops.where(condition, t, e, name=name)
