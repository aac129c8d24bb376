"""Adjoints and inverses of operators that know no other form of them."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import array_ops, complex_ops, matrix_ops


class _Wrapped(LinearOperator):
    """An operator that asks another one, whose hints hold for it too."""

    def __init__(self, operator: LinearOperator, hints: dict[str, bool | None], kind: str,
                 name: str) -> None:  # fmt: skip
        for hint, value in hints.items():
            said = hint[len("is_") :].replace("_", "-")
            hints[hint] = util.use_operator_or_provided_hint_unless_contradicting(
                operator, hint, value,
                f"An operator is {said} if and only if its {kind} is {said}.",
            )  # fmt: skip
        self._operator = operator
        super().__init__(operator.dtype, operator.graph_parents, name=name, **hints)

    @property
    def operator(self) -> LinearOperator:
        """The operator that is asked."""
        return self._operator

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()


class LinearOperatorAdjoint(_Wrapped):
    """The adjoint of an operator."""

    def __init__(self, operator: LinearOperator, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None, name: str | None = None) -> None:  # fmt: skip
        """Raises ValueError for a hint that contradicts that of the operator."""
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(operator, dict(zip(util.HINTS, given)), "adjoint",
                         name or f"{operator.name}_adjoint")  # fmt: skip

    def _shape(self) -> Any:
        shape = self._operator.shape
        if shape.ndims is None:
            return shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        sizes = self._operator.shape_tensor()
        return array_ops.concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return complex_ops.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return complex_ops.conj(self._operator.trace())

    def _diag_part(self) -> Any:
        return complex_ops.conj(self._operator.diag_part())

    def _to_dense(self) -> Any:
        return matrix_ops.adjoint(self._operator.to_dense())

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_Wrapped):
    """The inverse of an operator: a product solves an equation."""

    def __init__(self, operator: LinearOperator, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None, name: str | None = None) -> None:  # fmt: skip
        """Raises ValueError for what is hinted to be singular or not square, and for a hint that
        contradicts that of the operator.
        """
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        for hint, value in (("is_non_singular", is_non_singular), ("is_square", is_square)):
            both = (getattr(operator, hint), value)
            if False in both:
                raise ValueError(f"operator and supplied hints must have `{hint}` equal to `True` "
                                 "or `None`.  Found {}, {}".format(*both))  # fmt: skip
        super().__init__(operator, dict(zip(util.HINTS, given)), "inverse",
                         name or f"{operator.name}_inv")  # fmt: skip

    def _shape(self) -> Any:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _inverse(self) -> LinearOperator:
        return self._operator
