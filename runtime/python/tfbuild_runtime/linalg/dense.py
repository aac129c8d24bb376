"""Matrices that are kept whole."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import (
    array_ops,
    diagonal_ops,
    linalg_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
)

_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


class LinearOperatorFullMatrix(LinearOperator):
    """Matrices of any kind. Equations and determinants take time in the third power of the size."""

    def __init__(self, matrix: Any, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None,
                 name: str = "LinearOperatorFullMatrix") -> None:  # fmt: skip
        """Take a tensor of shape [B1, ..., Bb, M, N]. Raises TypeError unless it is of floating or
        complex numbers, and ValueError for one of fewer than two dimensions.
        """
        with framework.name_scope(name, values=[matrix]):
            self._matrix = framework.convert_to_tensor(matrix, name="matrix")
            if self._matrix.dtype.base_dtype not in _TYPES:
                raise TypeError(f"Argument matrix must have dtype in {[t.name for t in _TYPES]}.  "
                                f"Found: {self._matrix.dtype}")  # fmt: skip
            util.need_rank(self._matrix, 2, "matrix")
        super().__init__(self._matrix.dtype, [self._matrix], is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    def _shape(self) -> Any:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> Any:
        return array_ops.shape(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return linalg_ops.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangles: equations by substitution, determinants from the diagonal."""

    def __init__(self, tril: Any, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None,
                 name: str = "LinearOperatorLowerTriangular") -> None:  # fmt: skip
        """Take a tensor of shape [B1, ..., Bb, N, N]; above the diagonal it counts as zero.

        Raises ValueError for one of fewer than two dimensions.
        """
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with framework.name_scope(name, values=[tril]):
            given = util.need_rank(framework.convert_to_tensor(tril, name="tril"), 2, "tril")
            self._tril = matrix_ops.matrix_band_part(given, -1, 0)
            self._diag = diagonal_ops.matrix_diag_part(given)
        super().__init__(given.dtype, [given], is_non_singular, is_self_adjoint,
                         is_positive_definite, True, name)  # fmt: skip

    def _shape(self) -> Any:
        return self._tril.get_shape()

    def _shape_tensor(self) -> Any:
        return array_ops.shape(self._tril)

    def _assert_non_singular(self) -> Any:
        return util.assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return linalg_ops.matmul(self._tril, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Any:
        return reduce_ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag)), axis=[-1])

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        return util.matrix_triangular_solve_with_broadcast(self._tril, rhs, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return self._diag

    def _to_dense(self) -> Any:
        return self._tril
