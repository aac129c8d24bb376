"""What every linear operator can do, and how it is done where a class knows no better way."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.shaped import Shaped
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    complex_ops,
    diagonal_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
    sequence_ops,
)


class LinearOperator(Shaped):
    """A matrix, or a batch of them, of shape [B1, ..., Bb, M, N], known by what it does to others.

    A class for users too: one derived from it gives `_shape`, `_shape_tensor` and `_matmul`, and
    any of the other methods with a leading underscore that it knows a faster way for.

    The hints `is_non_singular`, `is_self_adjoint`, `is_positive_definite` and `is_square` are
    promises, not checks: True or False where the caller knows, None where not. By them a method
    chooses its way: what is positive definite and self-adjoint is solved by its Cholesky factor.
    """

    def __init__(self, dtype: Any, graph_parents: Any = None, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None, name: str | None = None,
                 parameters: Any = None) -> None:  # fmt: skip
        """Keep the hints; nothing here asks for the parameters.

        Raises ValueError where the hints contradict each other, and where one of the tensors that
        the operator is made of (graph_parents) is none.
        """
        del parameters
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for hint, kind in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if hint and is_square is False:
                raise ValueError(f"A {kind} matrix is always square.")
            is_square = is_square or hint or is_square
        for place, parent in enumerate(graph_parents or ()):
            if not framework.is_tensor_like(parent):
                raise ValueError(f"Graph parent item {place} is not a Tensor; {parent}.")
        self._dtype = dtypes.as_dtype(dtype).base_dtype if dtype else dtype
        self._graph_parents = list(graph_parents or ())
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square_set_or_implied_by_hints = is_square
        self._name = name or type(self).__name__

    # ---- what it is ---------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """The type of its elements, and of the tensors that it takes."""
        return self._dtype

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors that it is made of."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, as far as was given."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own adjoint, as far as was given."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether the real part of x^H A x is positive for all x but 0, as far as was given."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether it is square, as given or by its shape; raises ValueError where these differ."""
        seen: bool | None = self.domain_dimension == self.range_dimension
        hint = self._is_square_set_or_implied_by_hints
        if hint is False and seen:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return seen if hint is None else hint

    # ---- checks -------------------------------------------------------------------------------

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        sizes = matrix_ops.svd(self.to_dense(), compute_uv=False)
        condition = reduce_ops.reduce_max(sizes, axis=-1) / reduce_ops.reduce_min(sizes, axis=-1)
        limit = self._max_condition_number_to_be_non_singular()
        return check_ops.assert_less(
            condition, limit, message="Singular matrix up to precision epsilon."
        )

    def _max_condition_number_to_be_non_singular(self) -> Any:
        real = self.dtype.real_dtype
        sizes = [
            math_ops.cast(size, real)
            for size in (self.range_dimension_tensor(), self.domain_dimension_tensor())
        ]
        largest = math_ops.maximum(framework.constant(100.0, real), math_ops.maximum(*sizes))
        return 1.0 / (largest * float(np.finfo(real.as_numpy_dtype).eps))

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Return an operation that fails where the condition number is not below that of a matrix
        which is singular but for rounding: 1 / (eps * max(100, M, N)).
        """
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented for an operator "
                                      "that is not known to be self-adjoint.")  # fmt: skip
        diagonal = diagonal_ops.matrix_diag_part(matrix_ops.cholesky(self.to_dense()))
        return check_ops.assert_positive(complex_ops.real(diagonal),
                                         message="Matrix was not positive definite.")  # fmt: skip

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Return an operation that fails where the operator is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return check_ops.assert_equal(dense, matrix_ops.adjoint(dense),
                                      message="Matrix was not equal to its adjoint.")  # fmt: skip

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Return an operation that fails where the operator is not exactly its own adjoint."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    # ---- products and equations ---------------------------------------------------------------

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False,
               name: str = "matmul") -> Any:  # fmt: skip
        """Return the product with a tensor of shape [..., N, R], or with an operator.

        With adjoint it is that of the adjoint, with adjoint_arg that with the adjoint of x. Of an
        operator the product is one. Raises ValueError where the sizes do not agree, and TypeError
        for another type.
        """
        if isinstance(x, LinearOperator):
            return self._with_operator("matmul", x, adjoint, adjoint_arg, name)
        with self._name_scope(name):
            x = self._argument(x, "x")
            util.dimension_at(self.shape, -2 if adjoint else -1).assert_is_compatible_with(
                util.dimension_at(x.shape, -1 if adjoint_arg else -2)
            )
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        columns = self.matmul(array_ops.expand_dims(x, -1), adjoint=adjoint)
        return array_ops.squeeze(columns, [-1])

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Return the product with vectors: a tensor of shape [..., N]."""
        with self._name_scope(name):
            x = self._argument(x, "x")
            util.dimension_at(self.shape, -2 if adjoint else -1).assert_is_compatible_with(
                util.dimension_at(x.shape, -1)
            )
            return self._matvec(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            factor = matrix_ops.cholesky(self.to_dense())
            return util.cholesky_solve_with_broadcast(factor, rhs)
        return util.matrix_solve_with_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False,
              name: str = "solve") -> Any:  # fmt: skip
        """Return the X with A X = rhs, a tensor of shape [..., M, R] or an operator.

        With adjoint A is the adjoint, with adjoint_arg the adjoint of rhs is meant. Raises
        NotImplementedError for what is hinted to be singular or not square.
        """
        self._need_square("Exact solve", singular=True)
        if isinstance(rhs, LinearOperator):
            return self._with_operator("solve", rhs, adjoint, adjoint_arg, name)
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs")
            util.dimension_at(self.shape, -1 if adjoint else -2).assert_is_compatible_with(
                util.dimension_at(rhs.shape, -1 if adjoint_arg else -2)
            )
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        columns = self.solve(array_ops.expand_dims(rhs, -1), adjoint=adjoint)
        return array_ops.squeeze(columns, [-1])

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Return the x with A x = rhs, for vectors: a tensor of shape [..., M]."""
        with self._name_scope(name):
            rhs = self._argument(rhs, "rhs")
            util.dimension_at(self.shape, -1 if adjoint else -2).assert_is_compatible_with(
                util.dimension_at(rhs.shape, -1)
            )
            return self._solvevec(rhs, adjoint=adjoint)

    def _argument(self, value: Any, name: str) -> Any:
        tensor = framework.convert_to_tensor(value, name=name)
        if tensor.dtype.base_dtype != self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {tensor.dtype} "
                            f"in tensor {tensor}")  # fmt: skip
        return tensor

    def _with_operator(self, what: str, other: LinearOperator, adjoint: bool, adjoint_arg: bool,
                       name: str) -> LinearOperator:  # fmt: skip
        from tfbuild_runtime.linalg import products

        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if right.range_dimension != left.domain_dimension:
            raise ValueError(
                "Operators are incompatible. Expected the argument to have dimension "
                f"{left.domain_dimension} but got {right.range_dimension}."
            )
        with self._name_scope(name):
            found: LinearOperator = getattr(products, what)(left, right)
            return found

    def _need_square(self, what: str, singular: bool = False) -> None:
        if singular and self.is_non_singular is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to "
                                      "be singular.")  # fmt: skip
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to "
                                      "not be square.")  # fmt: skip

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    # ---- numbers ------------------------------------------------------------------------------

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return math_ops.exp(self.log_abs_determinant())
        return matrix_ops.matrix_determinant(self.to_dense())

    def determinant(self, name: str = "det") -> Any:
        """Return the determinant of each matrix; raises NotImplementedError if not square."""
        self._need_square("Determinant")
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = diagonal_ops.matrix_diag_part(matrix_ops.cholesky(self.to_dense()))
            return 2.0 * reduce_ops.reduce_sum(math_ops.log(diagonal), axis=[-1])
        return matrix_ops.slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Return the logarithm of the size of each determinant; raises NotImplementedError if the
        operator is not square.
        """
        self._need_square("Determinant")
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _diag_part(self) -> Any:
        return diagonal_ops.matrix_diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """Return the diagonals, a tensor of shape [B1, ..., Bb, min(M, N)]."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Any:
        return reduce_ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Any:
        """Return the sum of each diagonal."""
        with self._name_scope(name):
            return self._trace()

    # ---- other forms --------------------------------------------------------------------------

    def _adjoint(self) -> LinearOperator:
        from tfbuild_runtime.linalg import wrapped

        return wrapped.LinearOperatorAdjoint(self)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Return the adjoint, an operator."""
        if self.is_self_adjoint is True:
            return self
        with self._name_scope(name):
            return self._adjoint()

    @property
    def H(self) -> LinearOperator:
        """The adjoint, an operator."""
        return self.adjoint()

    def _inverse(self) -> LinearOperator:
        from tfbuild_runtime.linalg import wrapped

        return wrapped.LinearOperatorInversion(self)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Return the inverse, an operator; raises ValueError for what has none by its hints."""
        for hint, kind in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if hint is False:
                raise ValueError("Cannot take the Inverse: This operator represents a "
                                 f"{kind} matrix.")  # fmt: skip
        with self._name_scope(name):
            return self._inverse()

    def _cholesky(self) -> LinearOperator:
        from tfbuild_runtime.linalg import dense

        return dense.LinearOperatorLowerTriangular(
            matrix_ops.cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False
        )

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Return the lower triangle L with A = L L^H, an operator.

        Raises ValueError unless the hints say positive definite and self-adjoint.
        """
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: "
                             "Not a positive definite self adjoint matrix.")  # fmt: skip
        with self._name_scope(name):
            return self._cholesky()

    def _to_dense(self) -> Any:
        batch = self.batch_shape
        known = self.domain_dimension.value
        ones = sequence_ops.eye(
            self.domain_dimension_tensor() if known is None else known,
            batch_shape=batch if batch.is_fully_defined() else self.batch_shape_tensor(),
            dtype=self.dtype,
        )
        return self.matmul(ones)

    def to_dense(self, name: str = "to_dense") -> Any:
        """Return the matrices as a tensor."""
        with self._name_scope(name):
            return self._to_dense()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """Return the sum with a tensor whose shape can be broadcast to that of the operator."""
        with self._name_scope(name):
            return self._add_to_tensor(self._argument(x, "x"))
