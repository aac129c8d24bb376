"""Kronecker products of operators."""

from __future__ import annotations

import operator as arithmetic
from functools import reduce
from typing import Any

from tfbuild_runtime.framework import errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.composite import FactoredOperator
from tfbuild_runtime.ops import array_ops, composed_ops, math_ops, matrix_ops


class LinearOperatorKronecker(FactoredOperator):
    """The Kronecker product of operators, which is never written out.

    A vector that it takes has as many axes as there are operators, and each is applied along one.
    """

    _kind = "Kronecker product"
    _joint = "_x_"

    def _shape(self) -> Any:
        sizes = [
            reduce(arithmetic.mul, (util.dimension_at(one.shape, place) for one in self._operators))
            for place in (-2, -1)
        ]
        return self._batches().concatenate([size.value for size in sizes])

    def _shape_tensor(self) -> Any:
        matrix = array_ops.stack([self._product_of("range_dimension_tensor"),
                                  self._product_of("domain_dimension_tensor")])  # fmt: skip
        return array_ops.concat([self._batches_tensor(), matrix], 0)

    def _along_each_axis(self, what: str, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        """Return what becomes of x when each operator's method is called along its own axis.

        Seen as [n1, n2, ..., R], an operator takes the first axis, and puts what comes out behind
        all others: after the last one R is in front, and one more turn puts it at the end.
        """
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        takes_range = adjoint if what == "matmul" else not adjoint
        sizes = [_size(operator, -2 if takes_range else -1) for operator in self._operators]
        around = [*sizes, _last(x)]
        state = x
        for place, operator in enumerate(self._operators):
            state = _reshaped(state, sizes[place], _product(around[:place] + around[place + 1 :]))
            state = getattr(operator, what)(state, adjoint=adjoint)
            around[place] = _size(operator, -1 if takes_range else -2)
            state = array_ops.matrix_transpose(state)
        state = _reshaped(state, around[-1], _product(around[:-1]))
        result = array_ops.matrix_transpose(state)
        self._set_shape(result, x, takes_range)
        return result

    def _set_shape(self, result: Any, x: Any, takes_range: bool) -> None:
        known = x.get_shape()
        batch = composed_ops.broadcast_static_shape(known[:-2], self.batch_shape)
        size = self.domain_dimension if takes_range else self.range_dimension
        columns = util.dimension_at(known, -1)
        result.set_shape(batch.concatenate([size.value, columns.value]))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._along_each_axis("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._along_each_axis("solve", rhs, adjoint, adjoint_arg)

    def _times_each(self) -> list[Any]:
        """Return how often the determinant of each operator is a factor of the whole."""
        total = self.domain_dimension_tensor()
        return [math_ops.cast(total // operator.domain_dimension_tensor(), self.dtype)
                for operator in self._operators]  # fmt: skip

    def _determinant(self) -> Any:
        pairs = zip(self._of_all("determinant"), self._times_each())
        return reduce(arithmetic.mul, (math_ops.pow(value, times) for value, times in pairs))

    def _log_abs_determinant(self) -> Any:
        pairs = zip(self._of_all("log_abs_determinant"), self._times_each())
        return reduce(arithmetic.add, (value * times for value, times in pairs))

    def _trace(self) -> Any:
        return self._product_of("trace")

    def _diag_part(self) -> Any:
        if not self.is_square:
            return super()._diag_part()
        whole = self._operators[0].diag_part()
        for operator in self._operators[1:]:
            other = operator.diag_part()
            outer = array_ops.expand_dims(whole, -1) * array_ops.expand_dims(other, -2)
            sizes = array_ops.shape(outer)
            shape = array_ops.concat([sizes[:-2], [sizes[-2] * sizes[-1]]], 0)
            whole = array_ops.reshape(outer, shape)
        whole.set_shape(self.shape[:-1])
        return whole

    def _need_square_factors(self, what: str) -> None:
        if not all(operator.is_square for operator in self._operators):
            raise errors.InvalidArgumentError(None, None, "All Kronecker factors must be square "
                                              f"for the product to be {what}.")  # fmt: skip

    def _assert_non_singular(self) -> Any:
        self._need_square_factors("invertible")
        return self._all_assert("assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        self._need_square_factors("self adjoint")
        return self._all_assert("assert_self_adjoint")


def _size(operator: LinearOperator, place: int) -> Any:
    """Return a size of an operator, a tensor where it is not known."""
    known = util.dimension_at(operator.shape, place).value
    if known is not None:
        return known
    return operator.domain_dimension_tensor() if place == -1 else operator.range_dimension_tensor()


def _last(x: Any) -> Any:
    known = util.dimension_at(x.get_shape(), -1).value
    return array_ops.shape(x)[-1] if known is None else known


def _product(sizes: list[Any]) -> Any:
    return reduce(arithmetic.mul, sizes, 1)


def _reshaped(x: Any, rows: Any, columns: Any) -> Any:
    batch = x.get_shape()[:-2]
    if batch.is_fully_defined() and isinstance(rows, int) and isinstance(columns, int):
        return array_ops.reshape(x, [*batch.as_list(), rows, columns])
    matrix = framework.convert_to_tensor([rows, columns])
    return array_ops.reshape(x, array_ops.concat([array_ops.shape(x)[:-2], matrix], 0))
