"""Matrices with equal numbers along each diagonal."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.circulant import LinearOperatorCirculant, as_complex
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    composed_ops,
    creation_ops,
    math_ops,
    matrix_ops,
    order_ops,
    signal_ops,
)


class LinearOperatorToeplitz(LinearOperator):
    """Toeplitz matrices, kept as first column and first row.

    Products take as long as transforms: the matrix is a corner of a circulant one twice its size.
    """

    def __init__(self, col: Any, row: Any, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None,
                 name: str = "LinearOperatorToeplitz") -> None:  # fmt: skip
        """Take tensors of shape [B1, ..., Bb, N]; of the row the first number is not looked at.

        Raises ValueError for scalars, and where the last sizes differ.
        """
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        with framework.name_scope(name, values=[row, col]):
            self._row = util.need_rank(framework.convert_to_tensor(row, name="row"), 1, "row")
            self._col = util.need_rank(framework.convert_to_tensor(col, name="col"), 1, "col")
            sizes = [util.dimension_at(line.get_shape(), -1) for line in (self._row, self._col)]
            if sizes[0] != sizes[1]:
                raise ValueError("Expected square matrix, got row and col with mismatched "
                                 "dimensions.")  # fmt: skip
            self._circulant = self._make_circulant()
        super().__init__(self._row.dtype, [self._row, self._col], is_non_singular, is_self_adjoint,
                         is_positive_definite, True, name)  # fmt: skip

    def _make_circulant(self) -> LinearOperatorCirculant:
        back = order_ops.reverse(self._row[..., 1:], axis=[-1])
        column = array_ops.concat(
            [self._col, creation_ops.zeros_like(self._col[..., :1]), back], -1
        )
        return LinearOperatorCirculant(signal_ops.fft(as_complex(column)),
                                       self._row.dtype.base_dtype)  # fmt: skip

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        both = composed_ops.broadcast_static_shape(self._row.get_shape(), self._col.get_shape())
        return both.concatenate(both[-1:])

    def _shape_tensor(self) -> Any:
        sizes = composed_ops.broadcast_dynamic_shape(array_ops.shape(self._row),
                                                     array_ops.shape(self._col))  # fmt: skip
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _assert_self_adjoint(self) -> Any:
        return check_ops.assert_equal(
            self._row, self._col,
            message="row and col are not the same, and so this operator is not self-adjoint.",
        )  # fmt: skip

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        padded = array_ops.concat([x, creation_ops.zeros_like(x)], -2)
        known = self.domain_dimension.value
        size = self.domain_dimension_tensor() if known is None else known
        return self._circulant.matmul(padded, adjoint=adjoint)[..., :size, :]

    def _trace(self) -> Any:
        return math_ops.cast(self.domain_dimension_tensor(), self.dtype) * self._col[..., 0]

    def _diag_part(self) -> Any:
        known = self.domain_dimension.value
        size = self.domain_dimension_tensor() if known is None else known
        return self._col[..., :1] * creation_ops.ones([size], self.dtype)
