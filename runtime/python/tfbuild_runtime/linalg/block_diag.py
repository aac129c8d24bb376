"""Operators along the diagonal of a larger one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.composite import FactoredOperator
from tfbuild_runtime.ops import array_ops


class LinearOperatorBlockDiag(FactoredOperator):
    """Square operators as blocks along the diagonal, with zeros around them."""

    _kind = "direct sum"
    _joint = "_ds_"

    def __init__(self, operators: Iterable[LinearOperator], is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = True, name: str | None = None) -> None:  # fmt: skip
        """Raises ValueError where one is not square, besides what all such operators raise."""
        super().__init__(operators, is_non_singular, is_self_adjoint, is_positive_definite,
                         is_square, name)  # fmt: skip
        if not is_square or not all(operator.is_square for operator in self._operators):
            raise ValueError("Can only represent a block diagonal of square matrices.")

    def _shape(self) -> Any:
        sizes = [operator.domain_dimension.value for operator in self._operators]
        size = None if None in sizes else sum(sizes)
        return self._batches().concatenate([size, size])

    def _shape_tensor(self) -> Any:
        size = self._sum_of("domain_dimension_tensor")
        return array_ops.concat([self._batches_tensor(), array_ops.stack([size, size])], 0)

    def _blocks(self, x: Any, axis: int) -> list[Any]:
        known = [operator.domain_dimension.value for operator in self._operators]
        sizes = known if None not in known else [
            operator.domain_dimension_tensor() for operator in self._operators]  # fmt: skip
        found: list[Any] = array_ops.split(x, sizes, axis=axis)
        return found

    def _of_each(self, what: str, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        blocks = self._blocks(x, -1 if adjoint_arg else -2)
        results = [getattr(operator, what)(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
                   for operator, block in zip(self._operators, blocks)]  # fmt: skip
        return array_ops.concat(util.broadcast_matrix_batch_dims(results), -2)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._of_each("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._of_each("solve", rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return self._product_of("determinant")

    def _log_abs_determinant(self) -> Any:
        return self._sum_of("log_abs_determinant")

    def _trace(self) -> Any:
        return self._sum_of("trace")

    def _diag_part(self) -> Any:
        columns = [array_ops.expand_dims(operator.diag_part(), -1) for operator in self._operators]
        whole = array_ops.concat(util.broadcast_matrix_batch_dims(columns), -2)
        return array_ops.squeeze(whole, [-1])

    def _assert_non_singular(self) -> Any:
        return self._all_assert("assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        return self._all_assert("assert_self_adjoint")

    def _assert_positive_definite(self) -> Any:
        return self._all_assert("assert_positive_definite")
