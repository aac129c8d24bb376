"""Variables in slices that a program counts itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.ops import variable_scope
from tfbuild_runtime.ops.first_values import is_maker


def create_partitioned_variables(
    shape: Sequence[int], slicing: Sequence[int], initializer: Any, dtype: Any = dtypes.float32,
    trainable: bool = True, collections: Any = None, name: str | None = None, reuse: Any = None,
) -> list[Any]:  # fmt: skip
    """Return the variables that are the slices of one, `slicing[i]` of them along axis i.

    The initializer is a value of the whole shape, whose type they then have, or makes each slice.
    Raises ValueError for a scalar, and for a slicing of another length or along several axes.
    """
    if len(shape) != len(slicing):
        raise ValueError("The 'shape' and 'slicing' of a partitioned Variable must have the "
                         f"length: shape: {shape}, slicing: {slicing}")  # fmt: skip
    if not shape:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    arguments = {
        "shape": list(shape), "dtype": dtype if is_maker(initializer) else None,
        "initializer": initializer, "trainable": trainable, "collections": collections,
    }  # fmt: skip
    with variable_scope.variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        return list(variable_scope._partitioned(scope.name, lambda **_: list(slicing), arguments))
