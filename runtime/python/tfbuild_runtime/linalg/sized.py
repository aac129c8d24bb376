"""Operators that are made of sizes: their checks, their shapes, and batches as wide as they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    composed_ops,
    control_ops,
    creation_ops,
    math_ops,
    reduce_ops,
)


class Size:
    """A number of rows or columns, or the sizes of batches: a tensor, and what is known of it."""

    def __init__(self, value: Any, name: str, rank: int, check_in_step: bool) -> None:
        """Take a value; with check_in_step what the graph does not know is checked in each step.

        Raises TypeError for a variable and for numbers that are no integers, and ValueError for a
        tensor of another rank and for negative sizes.
        """
        util.assert_not_ref_type(value, name)
        self.tensor = util.shape_tensor(value, name)
        if not self.tensor.dtype.is_integer:
            raise TypeError(f"Argument {name} must be integer type.  Found: {self.tensor}")
        message = f"Argument {name} must be a {rank}-D Tensor."
        found = self.tensor.get_shape().ndims
        if found is not None and found != rank:
            raise ValueError(f"{message}  Found: {self.tensor}")
        self.known = framework.constant_value(self.tensor)
        negative = f"Argument {name} must be non-negative."
        if self.known is not None and np.any(self.known < 0):
            raise ValueError(f"{negative}  Found: {self.known}")
        if check_in_step:
            checks = [check_ops.assert_rank(self.tensor, rank, message=message),
                      check_ops.assert_non_negative(self.tensor, message=negative)]  # fmt: skip
            self.tensor = control_ops.with_dependencies(checks, self.tensor)

    @property
    def value(self) -> int | None:
        """The one size; None where it is not known."""
        return None if self.known is None else int(self.known)


class SizedOperator(LinearOperator):
    """An operator whose shape is that of sizes which it was given."""

    _rows: Size
    _columns: Size
    _batch: Size | None = None
    _checks_in_step = False

    def _shape(self) -> Any:
        matrix = tensor_shape.TensorShape([self._rows.value, self._columns.value])
        if self._batch is None:
            return matrix
        if self._batch.known is not None:
            return tensor_shape.TensorShape([int(n) for n in self._batch.known]).concatenate(matrix)
        count = self._batch.tensor.get_shape().as_list()[0]
        return tensor_shape.unknown_shape(count).concatenate(matrix)

    def _shape_tensor(self) -> Any:
        matrix = array_ops.stack([self._rows.tensor, self._columns.tensor])
        return matrix if self._batch is None else array_ops.concat([self._batch.tensor, matrix], 0)

    def _checked(self, x: Any) -> Any:
        """Return x, after a check in each step that it fits where that was asked for."""
        if not self._checks_in_step:
            return x
        check = util.assert_compatible_matrix_dimensions(self, x)
        return control_ops.with_dependencies([check], x)

    def _in_batches(self, x: Any) -> Any:
        """Return x broadcast to the batches of the operator."""
        if self._batch is None:
            return x
        known, wide = x.get_shape(), self.batch_shape.concatenate([1, 1])
        if wide.is_fully_defined() and composed_ops.broadcast_static_shape(known, wide) == known:
            return x
        sizes = wide if wide.is_fully_defined() else array_ops.concat(
            [self.batch_shape_tensor(), [1, 1]], 0)  # fmt: skip
        return x + creation_ops.zeros(sizes, self.dtype)

    def _diagonal_of(self, fill: Any) -> Any:
        """Return a tensor of the shape of the diagonals, made by ones or zeros."""
        shape = self.shape
        if shape.is_fully_defined():
            return fill([*shape.as_list()[:-2], min(shape.as_list()[-2:])], self.dtype)
        least = reduce_ops.reduce_min(self.shape_tensor()[-2:])
        return fill(array_ops.concat([self.batch_shape_tensor(), [least]], 0), self.dtype)

    def _size_in(self, dtype: Any) -> Any:
        """Return the number of rows as a tensor of some type."""
        return math_ops.cast(self._rows.tensor, dtypes.as_dtype(dtype))
