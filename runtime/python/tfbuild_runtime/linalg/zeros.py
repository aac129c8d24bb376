"""Matrices of zeros."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg.sized import Size, SizedOperator
from tfbuild_runtime.ops import array_ops, control_ops, creation_ops


class LinearOperatorZeros(SizedOperator):
    """Matrices of zeros."""

    def __init__(self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None,
                 dtype: Any = None, is_non_singular: bool | None = False,
                 is_self_adjoint: bool | None = True, is_positive_definite: bool | None = False,
                 is_square: bool | None = True, assert_proper_shapes: bool = False,
                 name: str = "LinearOperatorZeros") -> None:  # fmt: skip
        """Take numbers of rows and columns (as many where None), and sizes of batches.

        Raises ValueError for hints that are not true of zeros, and what Size raises.
        """
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        with framework.name_scope(name):
            self._rows = self._columns = Size(num_rows, "num_rows", 0, assert_proper_shapes)
            if num_columns is not None:
                self._columns = Size(num_columns, "num_columns", 0, assert_proper_shapes)
            if batch_shape is not None:
                self._batch = Size(batch_shape, "batch_shape", 1, assert_proper_shapes)
        sizes = self._rows.value, self._columns.value
        if is_square and None not in sizes and sizes[0] != sizes[1]:
            raise ValueError("LinearOperatorZeros initialized as is_square=True, but got "
                             f"num_rows({sizes[0]}) != num_columns({sizes[1]})")  # fmt: skip
        self._checks_in_step = assert_proper_shapes
        super().__init__(dtype or dtypes.float32, None, is_non_singular,
                         is_self_adjoint if is_square else None, is_positive_definite, is_square,
                         name)  # fmt: skip

    def _assert_non_singular(self) -> Any:
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError(
            None, None, "Zero operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return control_ops.no_op("assert_self_adjoint")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = self._checked(array_ops.matrix_transpose(x) if adjoint_arg else x)
        rows = self._columns if adjoint else self._rows
        known = x.get_shape()
        if known.is_fully_defined() and rows.value is not None:
            shape: Any = [*known.as_list()[:-2], rows.value, known.as_list()[-1]]
        else:
            sizes = array_ops.shape(x)
            shape = array_ops.concat([sizes[:-2], [rows.tensor], sizes[-1:]], 0)
        return self._in_batches(creation_ops.zeros(shape, self.dtype))

    def _determinant(self) -> Any:
        return self._batches_of(creation_ops.zeros)

    def _trace(self) -> Any:
        return self._batches_of(creation_ops.zeros)

    def _diag_part(self) -> Any:
        return self._diagonal_of(creation_ops.zeros)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Return the sum with matrices whose shape can be broadcast to that of the operator."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Any) -> Any:
        return self._in_batches(x)
