"""One operator after the other."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tfbuild_runtime.linalg.composite import CompositeOperator
from tfbuild_runtime.ops import array_ops


class LinearOperatorComposition(CompositeOperator):
    """The product of operators, each of which fits the one after it: the last is applied first."""

    _kind = "composition"
    _joint = "_o_"
    _inherited = ("is_non_singular",)

    def _shape(self) -> Any:
        for left, right in zip(self._operators, self._operators[1:]):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        matrix = [self._operators[0].range_dimension.value,
                  self._operators[-1].domain_dimension.value]  # fmt: skip
        return self._batches().concatenate(matrix)

    def _shape_tensor(self) -> Any:
        matrix = array_ops.stack([self._operators[0].range_dimension_tensor(),
                                  self._operators[-1].domain_dimension_tensor()])  # fmt: skip
        return array_ops.concat([self._batches_tensor(), matrix], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators if adjoint else self._operators[::-1]
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return reduce(lambda y, operator: operator.matmul(y, adjoint=adjoint), others, result)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        first, *others = self._operators[::-1] if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return reduce(lambda y, operator: operator.solve(y, adjoint=adjoint), others, result)

    def _determinant(self) -> Any:
        return self._product_of("determinant")

    def _log_abs_determinant(self) -> Any:
        return self._sum_of("log_abs_determinant")
