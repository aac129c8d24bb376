"""Identity matrices, and such times a number."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.linalg.sized import Size, SizedOperator
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    complex_ops,
    control_ops,
    creation_ops,
    diagonal_ops,
    math_ops,
    matrix_ops,
)


class LinearOperatorIdentity(SizedOperator):
    """Identity matrices."""

    def __init__(self, num_rows: Any, batch_shape: Any = None, dtype: Any = None,
                 is_non_singular: bool | None = True, is_self_adjoint: bool | None = True,
                 is_positive_definite: bool | None = True, is_square: bool | None = True,
                 assert_proper_shapes: bool = False,
                 name: str = "LinearOperatorIdentity") -> None:  # fmt: skip
        """Take a number of rows, and sizes of batches; float32 unless another type is given.

        With assert_proper_shapes, sizes that the graph does not know are checked in each step.
        Raises ValueError for hints that are not true of an identity, and what Size raises.
        """
        hints = ((is_self_adjoint, "self adjoint"), (is_non_singular, "non-singular"),
                 (is_positive_definite, "positive-definite"), (is_square, "square"))  # fmt: skip
        for hint, kind in hints:
            if not hint:
                raise ValueError(f"An identity operator is always {kind}.")
        with framework.name_scope(name):
            self._rows = self._columns = Size(num_rows, "num_rows", 0, assert_proper_shapes)
            if batch_shape is not None:
                self._batch = Size(batch_shape, "batch_shape", 1, assert_proper_shapes)
        self._checks_in_step = assert_proper_shapes
        super().__init__(dtype or dtypes.float32, None, True, True, True, True, name)

    def _assert_non_singular(self) -> Any:
        return control_ops.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return control_ops.no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return control_ops.no_op("assert_self_adjoint")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._in_batches(self._checked(x))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return self._batches_of(creation_ops.ones)

    def _log_abs_determinant(self) -> Any:
        return self._batches_of(creation_ops.zeros)

    def _trace(self) -> Any:
        return self._size_in(self.dtype) * self._batches_of(creation_ops.ones)

    def _diag_part(self) -> Any:
        return self._diagonal_of(creation_ops.ones)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Return the sum with matrices whose shape can be broadcast to that of the operator."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Any) -> Any:
        x = self._in_batches(x)
        return diagonal_ops.matrix_set_diag(x, 1 + diagonal_ops.matrix_diag_part(x))

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self


class LinearOperatorScaledIdentity(SizedOperator):
    """Identity matrices, each times a number; the numbers make the batches."""

    def __init__(self, num_rows: Any, multiplier: Any, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = True, assert_proper_shapes: bool = False,
                 name: str = "LinearOperatorScaledIdentity") -> None:  # fmt: skip
        """Take a number of rows, and a tensor of shape [B1, ..., Bb] with the numbers."""
        with framework.name_scope(name, values=[multiplier]):
            self._multiplier = framework.convert_to_tensor(multiplier, name="multiplier")
            self._rows = self._columns = Size(num_rows, "num_rows", 0, assert_proper_shapes)
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._checks_in_step = assert_proper_shapes
        super().__init__(self._multiplier.dtype, None, is_non_singular, is_self_adjoint,
                         is_positive_definite, is_square, name)  # fmt: skip

    @property
    def multiplier(self) -> Any:
        """The numbers."""
        return self._multiplier

    def _shape(self) -> Any:
        return self._multiplier.get_shape().concatenate(super()._shape())

    def _shape_tensor(self) -> Any:
        return array_ops.concat([array_ops.shape(self._multiplier), super()._shape_tensor()], 0)

    def _assert_non_singular(self) -> Any:
        return check_ops.assert_positive(math_ops.abs(self._multiplier),
                                         message="LinearOperator was singular")  # fmt: skip

    def _assert_positive_definite(self) -> Any:
        return check_ops.assert_positive(
            complex_ops.real(self._multiplier), message="LinearOperator was not positive definite."
        )

    def _assert_self_adjoint(self) -> Any:
        return util.assert_zero_imag_part(
            self._multiplier, message="LinearOperator was not self-adjoint"
        )

    def _factor(self, adjoint: bool, dimensions: int = 2) -> Any:
        factor = complex_ops.conj(self._multiplier) if adjoint else self._multiplier
        for _ in range(dimensions):
            factor = array_ops.expand_dims(factor, -1)
        return factor

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._checked(x) * self._factor(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        return self._checked(rhs) / self._factor(adjoint)

    def _determinant(self) -> Any:
        return math_ops.pow(self._multiplier, self._size_in(self.dtype))

    def _log_abs_determinant(self) -> Any:
        size = self._size_in(self.dtype.real_dtype)
        return math_ops.cast(size * math_ops.log(math_ops.abs(self._multiplier)), self.dtype)

    def _trace(self) -> Any:
        return self._multiplier * self._size_in(self.dtype)

    def _diag_part(self) -> Any:
        return self._diagonal_of(creation_ops.ones) * self._factor(False, dimensions=1)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """Return the sum with matrices whose shape can be broadcast to that of the operator."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Any) -> Any:
        diagonal = self._factor(False, dimensions=1) + diagonal_ops.matrix_diag_part(x)
        return diagonal_ops.matrix_set_diag(x, diagonal)

    def _with(self, multiplier: Any) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows.tensor, multiplier, **util.hints_of(self))

    def _adjoint(self) -> LinearOperator:
        return self._with(complex_ops.conj(self._multiplier))

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / self._multiplier)

    def _cholesky(self) -> LinearOperator:
        return self._with(math_ops.sqrt(self._multiplier))
