"""An operator plus a product of thin matrices."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.diagonal import LinearOperatorDiag
from tfbuild_runtime.linalg.identity import LinearOperatorIdentity
from tfbuild_runtime.ops import (
    array_ops,
    composed_ops,
    diagonal_ops,
    linalg_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
)


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V^H, of an operator L, a diagonal D and matrices U and V of few columns.

    Equations are solved by those of L and of a small matrix, the capacitance D^-1 + V^H L^-1 U
    (Woodbury's formula), and determinants by theirs.
    """

    def __init__(self, base_operator: LinearOperator, u: Any, diag_update: Any = None,
                 v: Any = None, is_diag_update_positive: bool | None = None,
                 is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None,
                 name: str = "LinearOperatorLowRankUpdate") -> None:  # fmt: skip
        """Take L, U of shape [B1, ..., Bb, M, K], the diagonal of D (else ones) and V (else U).

        Raises ValueError for hints that contradict what the parts imply, and where shapes differ.
        """
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("Default diagonal is the identity, which is positive.  However, "
                                 "user set 'is_diag_update_positive' to False.")  # fmt: skip
            is_diag_update_positive = True
        symmetric = bool(base_operator.is_self_adjoint) and v is None
        self._use_cholesky = bool(
            symmetric and base_operator.is_positive_definite and is_diag_update_positive
        )
        if symmetric and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since "
                    "UDU^H is self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        with framework.name_scope(name, values=[u]):
            self._u = framework.convert_to_tensor(u, name="u")
            self._v = self._u if v is None else framework.convert_to_tensor(v, name="v")
            self._diag_update = None if diag_update is None else framework.convert_to_tensor(
                diag_update, name="diag_update")  # fmt: skip
        self._base_operator = base_operator
        self._is_diag_update_positive = is_diag_update_positive
        own = [part for part in (self._u, self._diag_update, self._v) if part is not None]
        super().__init__(
            base_operator.dtype,
            [*base_operator.graph_parents, *own],
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )
        self._diag_operator = self._make_diagonal()
        self._check_shapes()

    def _make_diagonal(self) -> LinearOperator:
        if self._diag_update is not None:
            return LinearOperatorDiag(
                self._diag_update, is_positive_definite=self._is_diag_update_positive
            )
        known = util.dimension_at(self._u.get_shape(), -1).value
        width = array_ops.shape(self._u)[-1] if known is None else known
        return LinearOperatorIdentity(width, dtype=self.dtype)

    def _check_shapes(self) -> None:
        both = composed_ops.broadcast_static_shape(self._u.get_shape(), self._v.get_shape())
        self._base_operator.domain_dimension.assert_is_compatible_with(util.dimension_at(both, -2))
        if self._diag_update is not None:
            diagonal = self._diag_update.get_shape()
            util.dimension_at(both, -1).assert_is_compatible_with(util.dimension_at(diagonal, -1))
            composed_ops.broadcast_static_shape(both[:-2], diagonal[:-1])

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D; None where it is of ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal of D is positive, as far as was given."""
        return self._is_diag_update_positive

    def _shape(self) -> Any:
        batch = composed_ops.broadcast_static_shape(self._base_operator.batch_shape,
                                                    self._u.get_shape()[:-2])  # fmt: skip
        return batch.concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self) -> Any:
        batch = composed_ops.broadcast_dynamic_shape(self._base_operator.batch_shape_tensor(),
                                                     array_ops.shape(self._u)[:-2])  # fmt: skip
        return array_ops.concat([batch, self._base_operator.shape_tensor()[-2:]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, last = (self._u, self._v) if adjoint else (self._v, self._u)
        narrow = linalg_ops.matmul(first, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = linalg_ops.matmul(last, self._diag_operator.matmul(narrow, adjoint=adjoint))
        base = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return base + update

    def _capacitance(self) -> Any:
        narrow = linalg_ops.matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(narrow)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a "
                             "non-singular LinearOperator.")  # fmt: skip
        first, last = (self._u, self._v) if adjoint else (self._v, self._u)
        solution = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        narrow = linalg_ops.matmul(first, solution, adjoint_a=True)
        capacitance = self._capacitance()
        if self._use_cholesky:
            factor = matrix_ops.cholesky(capacitance)
            narrow = util.cholesky_solve_with_broadcast(factor, narrow)
        else:
            narrow = util.matrix_solve_with_broadcast(capacitance, narrow, adjoint=adjoint)
        return solution - base.solve(linalg_ops.matmul(last, narrow), adjoint=adjoint)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return math_ops.exp(self.log_abs_determinant())
        inner = matrix_ops.matrix_determinant(self._capacitance())
        return inner * self._diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        capacitance = self._capacitance()
        if self._use_cholesky:
            diagonal = diagonal_ops.matrix_diag_part(matrix_ops.cholesky(capacitance))
            inner = 2.0 * reduce_ops.reduce_sum(math_ops.log(diagonal), axis=[-1])
        else:
            size = math_ops.abs(matrix_ops.matrix_determinant(capacitance))
            inner = math_ops.cast(math_ops.log(size), self.dtype)
        outer = self._diag_operator.log_abs_determinant()
        return inner + outer + self._base_operator.log_abs_determinant()
