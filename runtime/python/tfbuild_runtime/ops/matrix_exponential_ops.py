"""The exponential of matrices."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    control_flow_ops,
    creation_ops,
    diagonal_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.linalg_ops import matmul

# The numerators of Pade approximants, and the largest 1-norm for which they are exact to rounding
# in each precision: N. Higham, The scaling and squaring method for the matrix exponential
# revisited (2005).
_DEGREE_7 = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)
_DEGREE_13 = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0,
    960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_LARGEST = {dtypes.float32: (_DEGREE_7, 3.925724783138660),
            dtypes.complex64: (_DEGREE_7, 3.925724783138660),
            dtypes.float64: (_DEGREE_13, 5.371920351148152),
            dtypes.complex128: (_DEGREE_13, 5.371920351148152)}  # fmt: skip


def matrix_exponential(input: Any, name: str | None = None) -> Any:
    """Return the exponential of each matrix: scaled by a power of two until a quotient of
    polynomials is exact, and squared as often.

    Raises ValueError for what is no square matrix, TypeError for types without fractions.
    """
    with framework.name_scope(name, "matrix_exponential", [input]):
        matrix = framework.convert_to_tensor(input, name="input")
        kind = matrix.dtype.base_dtype
        if kind not in _LARGEST:
            raise TypeError(
                f"matrix_exponential takes float32, float64 and complex, not {kind.name}"
            )
        shape = matrix.get_shape()
        if shape.ndims is not None and (
            shape.ndims < 2 or not shape[-1:].is_compatible_with(shape[-2:-1])
        ):
            raise ValueError(f"matrix_exponential takes square matrices, not {shape}")
        coefficients, largest = _LARGEST[kind]
        norm = reduce_ops.reduce_max(reduce_ops.reduce_sum(math_ops.abs(matrix), -2), -1)
        halvings = _halvings(norm, largest)
        scale = math_ops.cast(math_ops.pow(framework.constant(0.5, norm.dtype), halvings), kind)
        scaled = matrix * scale[..., None, None]
        result = _squared(_quotient(scaled, coefficients), halvings)
        result.set_shape(shape)
        return result


def _halvings(norm: Any, largest: float) -> Any:
    """Return how often each matrix is halved; what is not finite is not, and stays so."""
    ratio = norm / largest
    finite = math_ops.is_finite(ratio)
    needed = math_ops.ceil(math_ops.log(math_ops.maximum(ratio, 1.0)) / 0.6931471805599453)
    return array_ops.where(finite, needed, creation_ops.zeros_like(needed))


def _quotient(matrix: Any, coefficients: tuple[float, ...]) -> Any:
    """Return the quotient whose numerator has these coefficients; signs alternate below it."""
    one = diagonal_ops.matrix_diag(creation_ops.ones(array_ops.shape(matrix)[:-1], matrix.dtype))
    square = matmul(matrix, matrix)
    even, odd = coefficients[-2] * one, coefficients[-1] * one
    for place in range(len(coefficients) - 4, -1, -2):
        even = matmul(square, even) + coefficients[place] * one
        odd = matmul(square, odd) + coefficients[place + 1] * one
    odd = matmul(matrix, odd)
    return matrix_ops.matrix_solve(even - odd, even + odd)


def _squared(matrix: Any, times: Any) -> Any:
    """Return each matrix squared so many times."""
    most = reduce_ops.reduce_max(times)

    def step(turn: Any, current: Any) -> Any:
        wanted = math_ops.less(turn, times)[..., None, None]
        return turn + 1, array_ops.where_v2(wanted, matmul(current, current), current)

    begin = creation_ops.zeros_like(most)
    return control_flow_ops.while_loop(
        lambda turn, _: math_ops.less(turn, most), step, [begin, matrix]
    )[1]
