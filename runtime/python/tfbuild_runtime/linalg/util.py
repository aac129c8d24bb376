"""Adjoints, batches made as wide as each other, equations over them, and hints put together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    check_ops,
    complex_ops,
    composed_ops,
    control_ops,
    math_ops,
    matrix_ops,
)

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def dimension_at(shape: Any, place: int) -> tensor_shape.Dimension:
    """Return a size of a shape, one that is not known where the rank is not."""
    if shape.ndims is None:
        return tensor_shape.Dimension(None)
    return tensor_shape.Dimension(shape.as_list()[place])


def shape_tensor(shape: Any, name: str | None = None) -> Any:
    """Return a shape as a tensor, int32 where it has no elements that have a type."""
    empty = isinstance(shape, (tuple, list)) and not shape
    return framework.convert_to_tensor(shape, dtype=dtypes.int32 if empty else None, name=name)


# ---- checks -----------------------------------------------------------------------------------


def assert_no_entries_with_modulus_zero(
    x: Any, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Any:
    """Return an operation that fails where an element is zero."""
    with framework.name_scope(name, values=[x]):
        return check_ops.assert_positive(math_ops.abs(framework.convert_to_tensor(x)),
                                         message=message)  # fmt: skip


def assert_zero_imag_part(
    x: Any, message: str | None = None, name: str = "assert_zero_imag_part"
) -> Any:
    """Return an operation that fails where an element is not real."""
    with framework.name_scope(name, values=[x]):
        x = framework.convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return control_ops.no_op()
        zero = framework.constant(0, x.dtype.base_dtype.real_dtype)
        return check_ops.assert_equal(zero, complex_ops.imag(x), message=message)


def assert_compatible_matrix_dimensions(operator: Any, x: Any) -> Any:
    """Return an operation that fails where the operator cannot be multiplied by x."""
    return check_ops.assert_equal(
        array_ops.shape(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this "
        "operator",
    )


def assert_not_ref_type(x: Any, arg_name: str) -> None:
    """Raise TypeError for a variable: a size may not change from step to step."""
    from tfbuild_runtime.framework.variables import Variable

    if isinstance(x, Variable):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}")


def need_rank(tensor: Any, rank: int, name: str) -> Any:
    """Return the tensor; raises ValueError where it has fewer dimensions, as far as is known."""
    known = tensor.get_shape().ndims
    if known is not None and known < rank:
        count = f"{rank} dimension{'s' if rank > 1 else ''}"
        raise ValueError(f"Argument {name} must have at least {count}.  Found: {tensor}")
    return tensor


# ---- batches ----------------------------------------------------------------------------------


def broadcast_matrix_batch_dims(
    batch_matrices: Iterable[Any], name: str | None = None
) -> list[Any]:
    """Return the matrices with their leading dimensions broadcast to each other.

    Raises ValueError for a tensor of fewer than two dimensions, and for those that do not fit.
    """
    if isinstance(batch_matrices, dict) or not hasattr(batch_matrices, "__iter__"):
        raise TypeError(f"Expected argument to be iterable, not {type(batch_matrices)}")
    with framework.name_scope(name, "broadcast_matrix_batch_dims"):
        tensors = [framework.convert_to_tensor(matrix) for matrix in batch_matrices]
        for tensor in tensors:
            known = tensor.get_shape().ndims
            if known is not None and known < 2:
                raise ValueError("Expected [batch] matrix to have at least two dimensions.  Found: "
                                 f"{tensor}")  # fmt: skip
        if len(tensors) < 2:
            return tensors
        known = reduce(composed_ops.broadcast_static_shape,
                       (tensor.get_shape()[:-2] for tensor in tensors))  # fmt: skip
        if known.is_fully_defined():
            return [_widened(tensor, known.as_list()) for tensor in tensors]
        sizes = reduce(composed_ops.broadcast_dynamic_shape,
                       (array_ops.shape(tensor)[:-2] for tensor in tensors))  # fmt: skip
        return [_widened(tensor, sizes) for tensor in tensors]


def _widened(tensor: Any, batch: Any) -> Any:
    shape = tensor.get_shape()
    if isinstance(batch, list):
        if shape[:-2].is_fully_defined() and shape[:-2].as_list() == batch:
            return tensor
        if shape.is_fully_defined():
            return array_ops.broadcast_to(tensor, [*batch, *shape.as_list()[-2:]])
    return array_ops.broadcast_to(
        tensor, array_ops.concat([batch, array_ops.shape(tensor)[-2:]], 0)
    )


def cholesky_solve_with_broadcast(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Return x with chol times its adjoint times x equal to rhs, whose batches may differ."""
    with framework.name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        return matrix_ops.cholesky_solve(*broadcast_matrix_batch_dims([chol, rhs]))


def matrix_solve_with_broadcast(matrix: Any, rhs: Any, adjoint: bool = False,
                                name: str | None = None) -> Any:  # fmt: skip
    """Return x with matrix times x equal to rhs; their batches may differ."""
    with framework.name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix = framework.convert_to_tensor(matrix, name="matrix")
        rhs = framework.convert_to_tensor(rhs, matrix.dtype.base_dtype, name="rhs")
        return matrix_ops.matrix_solve(*broadcast_matrix_batch_dims([matrix, rhs]), adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(matrix: Any, rhs: Any, lower: bool = True,
                                           adjoint: bool = False,
                                           name: str | None = None) -> Any:  # fmt: skip
    """Return x with the triangle of matrix times x equal to rhs; their batches may differ."""
    with framework.name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        matrix = framework.convert_to_tensor(matrix, name="matrix")
        rhs = framework.convert_to_tensor(rhs, matrix.dtype.base_dtype, name="rhs")
        both = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_ops.matrix_triangular_solve(*both, lower=lower, adjoint=adjoint)


# ---- hints ------------------------------------------------------------------------------------


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """Return the hint of the operator or that given; raises ValueError where they contradict."""
    both = {getattr(operator, hint_attr_name), provided_hint_value}
    if {True, False} <= both:
        raise ValueError(message)
    return next((hint for hint in (True, False) if hint in both), None)


def hints_of(operator: Any) -> dict[str, bool | None]:
    """Return the hints of an operator by name, as its class takes them."""
    return {hint: getattr(operator, hint) for hint in HINTS}
