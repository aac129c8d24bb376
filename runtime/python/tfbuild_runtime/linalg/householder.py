"""Reflections."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import (
    array_ops,
    complex_ops,
    control_ops,
    creation_ops,
    linalg_ops,
    math_ops,
    matrix_ops,
)


class LinearOperatorHouseholder(LinearOperator):
    """Reflections I - 2 v v^H at the planes that stand upright on axes v, each of length 1."""

    def __init__(self, reflection_axis: Any, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None,
                 name: str = "LinearOperatorHouseholder") -> None:  # fmt: skip
        """Take a tensor of shape [B1, ..., Bb, N]: the axes, of any length but 0.

        Raises ValueError for a scalar, and for hints that are not true of a reflection.
        """
        with framework.name_scope(name, values=[reflection_axis]):
            self._axis = framework.convert_to_tensor(reflection_axis, name="reflection_axis")
            util.need_rank(self._axis, 1, "reflection_axis")
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(self._axis.dtype, [self._axis], is_non_singular, True, False, True, name)

    @property
    def reflection_axis(self) -> Any:
        """The axes as they were given."""
        return self._axis

    def _shape(self) -> Any:
        shape = self._axis.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes = array_ops.shape(self._axis)
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self) -> Any:
        return control_ops.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return control_ops.no_op("assert_self_adjoint")

    def _unit_axis(self) -> Any:
        length = matrix_ops.norm(self._axis, axis=-1, keepdims=True)
        return self._axis / math_ops.cast(length, self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        column = array_ops.expand_dims(self._unit_axis(), -1)
        return x - 2 * column * linalg_ops.matmul(column, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self) -> Any:
        size = math_ops.cast(self.domain_dimension_tensor() - 2, self.dtype)
        return size * self._batches_of(creation_ops.ones)

    def _determinant(self) -> Any:
        return -self._batches_of(creation_ops.ones)

    def _log_abs_determinant(self) -> Any:
        return self._batches_of(creation_ops.zeros)

    def _diag_part(self) -> Any:
        axis = self._unit_axis()
        return 1 - 2 * axis * complex_ops.conj(axis)

    def _inverse(self) -> LinearOperator:
        return self
