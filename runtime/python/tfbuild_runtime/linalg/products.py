"""Operators times operators, in the simplest form that they have together."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.circulant import LinearOperatorCirculant
from tfbuild_runtime.linalg.composition import LinearOperatorComposition
from tfbuild_runtime.linalg.dense import LinearOperatorLowerTriangular
from tfbuild_runtime.linalg.diagonal import LinearOperatorDiag
from tfbuild_runtime.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from tfbuild_runtime.linalg.zeros import LinearOperatorZeros
from tfbuild_runtime.ops import array_ops

_Diagonal = (LinearOperatorDiag, LinearOperatorScaledIdentity)


def matmul(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """Return the product of two operators that fit each other, an operator.

    Raises ValueError for zeros that are not square or meet what is not.
    """
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    zeros = [one for one in (left, right) if isinstance(one, LinearOperatorZeros)]
    if zeros:
        if not (left.is_square and right.is_square):
            raise ValueError("Matmul with non-square `LinearOperator`s or non-square "
                             "`LinearOperatorZeros` not supported at this time.")  # fmt: skip
        return zeros[0]
    if isinstance(left, _Diagonal) and isinstance(right, _Diagonal):
        return LinearOperatorDiag(_diagonal(left) * _diagonal(right), **_commuting(left, right))
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        rows = array_ops.expand_dims(left.diag, -1) * right.to_dense()
        return LinearOperatorLowerTriangular(rows, **_triangular(left, right))
    if isinstance(left, LinearOperatorLowerTriangular) and isinstance(right, LinearOperatorDiag):
        columns = left.to_dense() * array_ops.expand_dims(right.diag, -2)
        return LinearOperatorLowerTriangular(columns, **_triangular(left, right))
    if _same_circulant(left, right):
        return type(left)(left.spectrum * right.spectrum, left.dtype, **_commuting(left, right))  # type: ignore[attr-defined,call-arg]
    return LinearOperatorComposition([left, right], **_general(left, right))


def solve(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """Return the operator X with left times X equal to right."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(left, _Diagonal) and isinstance(right, _Diagonal):
        return LinearOperatorDiag(_diagonal(right) / _diagonal(left), **_commuting(left, right))
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        rows = right.to_dense() / array_ops.expand_dims(left.diag, -1)
        return LinearOperatorLowerTriangular(rows, **_triangular(left, right))
    if _same_circulant(left, right):
        return type(left)(right.spectrum / left.spectrum, left.dtype, **_commuting(left, right))  # type: ignore[attr-defined,call-arg]
    return LinearOperatorComposition([left.inverse(), right], **_general(left, right))


def _diagonal(operator: Any) -> Any:
    """Return the diagonal, of length 1 where all its numbers are the same."""
    if isinstance(operator, LinearOperatorDiag):
        return operator.diag
    return operator.diag_part()


def _same_circulant(left: LinearOperator, right: LinearOperator) -> bool:
    return isinstance(left, LinearOperatorCirculant) and type(left) is type(right)


def _non_singular(left: LinearOperator, right: LinearOperator) -> bool | None:
    hints = (left.is_non_singular, right.is_non_singular)
    return False if False in hints else (True if all(hints) else None)


def _commuting(left: LinearOperator, right: LinearOperator) -> dict[str, bool | None]:
    """Return the hints of a product of operators that commute."""
    adjoint = (left.is_self_adjoint, right.is_self_adjoint)
    both = all(adjoint) and left.is_positive_definite and right.is_positive_definite
    return {
        "is_non_singular": _non_singular(left, right),
        "is_self_adjoint": True
        if all(adjoint)
        else (False if {True, False} <= {*adjoint} else None),
        "is_positive_definite": True if both else None,
        "is_square": True,
    }


def _triangular(left: LinearOperator, right: LinearOperator) -> dict[str, bool | None]:
    """Return the hints of a triangle times a diagonal: they commute where both are diagonal."""
    return {**_commuting(left, right), "is_positive_definite": None}


def _general(left: LinearOperator, right: LinearOperator) -> dict[str, bool | None]:
    """Return the hints of any product."""
    if left.is_square and right.is_square:
        return {"is_non_singular": _non_singular(left, right), "is_square": True}
    square: bool | None = left.range_dimension == right.domain_dimension
    if square is False:
        return {"is_non_singular": False, "is_self_adjoint": False, "is_positive_definite": False,
                "is_square": False}  # fmt: skip
    return {"is_square": square}
