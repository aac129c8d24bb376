"""Diagonal matrices."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    complex_ops,
    diagonal_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
)


class LinearOperatorDiag(LinearOperator):
    """Diagonal matrices, of which the diagonal is kept; everything takes time in its length."""

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        """Take a tensor of shape [B1, ..., Bb, N]; raises ValueError for a scalar."""
        with framework.name_scope(name, values=[diag]):
            self._diag = util.need_rank(framework.convert_to_tensor(diag, name="diag"), 1, "diag")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(self._diag.dtype, [self._diag], is_non_singular, is_self_adjoint,
                         is_positive_definite, True, name)  # fmt: skip

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> Any:
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes = array_ops.shape(self._diag)
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self) -> Any:
        return util.assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        kind = "entries with non-positive real part" if self.dtype.is_complex else (
            "non-positive entries")  # fmt: skip
        return check_ops.assert_positive(
            complex_ops.real(self._diag),
            message=f"The diagonal had {kind}, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return util.assert_zero_imag_part(
            self._diag,
            message="This diagonal operator contained non-zero imaginary values.  Thus it was not "
            "self-adjoint.",
        )

    def _turned(self, adjoint: bool) -> Any:
        return complex_ops.conj(self._diag) if adjoint else self._diag

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        return array_ops.expand_dims(self._turned(adjoint), -1) * x

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._turned(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        return rhs * array_ops.expand_dims(1.0 / self._turned(adjoint), -1)

    def _determinant(self) -> Any:
        return reduce_ops.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        total = reduce_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag)), axis=[-1])
        return math_ops.cast(total, self.dtype)

    def _diag_part(self) -> Any:
        return self._diag

    def _to_dense(self) -> Any:
        return diagonal_ops.matrix_diag(self._diag)

    def _add_to_tensor(self, x: Any) -> Any:
        return diagonal_ops.matrix_set_diag(x, self._diag + diagonal_ops.matrix_diag_part(x))

    def _with(self, diag: Any, **hints: bool | None) -> LinearOperatorDiag:
        return LinearOperatorDiag(diag, **{**util.hints_of(self), **hints})

    def _adjoint(self) -> LinearOperator:
        return self._with(complex_ops.conj(self._diag))

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / self._diag)

    def _cholesky(self) -> LinearOperator:
        return self._with(math_ops.sqrt(self._diag))
