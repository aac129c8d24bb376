"""Gradients of diagonals, inverses, determinants and factors of matrices."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.gradients.shapes import sum_to
from tfbuild_runtime.ops import (
    array_ops,
    complex_ops,
    diagonal_ops,
    math_ops,
    matrix_ops,
    reduce_ops,
    sequence_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank
from tfbuild_runtime.ops.linalg_ops import matmul


@gradient_of("Diag")
def _diag(_: Any, grad: Any) -> Any:
    return matrix_ops.diag_part(grad)


@gradient_of("DiagPart")
def _diag_part(_: Any, grad: Any) -> Any:
    return matrix_ops.diag(grad)


@gradient_of("MatrixDiag")
def _matrix_diag(_: Any, grad: Any) -> Any:
    return diagonal_ops.matrix_diag_part(grad)


@gradient_of("MatrixDiagPart")
def _matrix_diag_part(op: Any, grad: Any) -> Any:
    return diagonal_ops.matrix_set_diag(emit("ZerosLike", [op.inputs[0]]), grad)


@gradient_of("MatrixSetDiag")
def _matrix_set_diag(op: Any, grad: Any) -> Any:
    nothing = emit("ZerosLike", [op.inputs[1]])
    return [diagonal_ops.matrix_set_diag(grad, nothing), diagonal_ops.matrix_diag_part(grad)]


@gradient_of("MatrixBandPart")
def _matrix_band_part(op: Any, grad: Any) -> Any:
    return [matrix_ops.matrix_band_part(grad, op.inputs[1], op.inputs[2]), None, None]


@gradient_of("MatrixInverse")
def _inverse(op: Any, grad: Any) -> Any:
    result = op.outputs[0]
    adjoint = op.get_attr("adjoint")
    inner = matmul(grad, result, adjoint_b=True)
    by_input = emit("Neg", [matmul(result, inner, adjoint_a=True)])
    return _adjoint(by_input) if adjoint else by_input


def _adjoint(tensor: Any) -> Any:
    return array_ops.matrix_transpose(tensor, conjugate=tensor.dtype.is_complex)


@gradient_of("MatrixSolve")
def _solve(op: Any, grad: Any) -> Any:
    matrix, adjoint = op.inputs[0], op.get_attr("adjoint")
    by_right = matrix_ops.matrix_solve(matrix, grad, adjoint=not adjoint)
    first, second = op.outputs[0], by_right
    if not adjoint:
        first, second = second, first
    return [emit("Neg", [matmul(first, second, adjoint_b=True)]), by_right]


@gradient_of("TridiagonalSolve")
def _tridiagonal_solve(op: Any, grad: Any) -> Any:
    """Solve with the adjoint matrix, whose diagonals are those below and above exchanged."""
    diagonals, solved = complex_ops.conj(op.inputs[0]), complex_ops.conj(op.outputs[0])
    above, main, below = (diagonals[..., row, :] for row in range(3))
    adjoint = array_ops.stack([_moved(below, -1), main, _moved(above, 1)], axis=-2)
    attrs = {"partial_pivoting": op.get_attr("partial_pivoting")}
    by_right = emit("TridiagonalSolve", [adjoint, grad], **attrs)
    products = [reduce_ops.reduce_sum(by_right * _moved_rows(solved, shift), -1)
                for shift in (-1, 0, 1)]  # fmt: skip
    return [emit("Neg", [array_ops.stack(products, axis=-2)]), by_right]


@gradient_of("TridiagonalMatMul")
def _tridiagonal_matmul(op: Any, grad: Any) -> Any:
    above, main, below, right = (complex_ops.conj(value) for value in op.inputs)
    by_lines = [
        array_ops.expand_dims(reduce_ops.reduce_sum(_moved_rows(right, shift) * grad, -1), -2)
        for shift in (-1, 0, 1)
    ]
    by_right = emit("TridiagonalMatMul", [_moved(below, -1), main, _moved(above, 1), grad])
    return [*by_lines, by_right]


def _moved(line: Any, places: int) -> Any:
    """Return the last axis moved on by so many places, with zeros where it comes from."""
    return array_ops.matrix_transpose(_moved_rows(array_ops.expand_dims(line, -1), places))[
        ..., 0, :
    ]


def _moved_rows(matrix: Any, places: int) -> Any:
    """Return the rows moved on by one place or none, with zeros where they come from."""
    if places == 0:
        return matrix
    nothing = emit("ZerosLike", [matrix[..., :1, :]])
    parts = [nothing, matrix[..., :-1, :]] if places > 0 else [matrix[..., 1:, :], nothing]
    return array_ops.concat(parts, -2)


def _whole(tensor: Any) -> Any:
    """Return the tensor with two axes more, so that it multiplies matrices."""
    return array_ops.expand_dims(array_ops.expand_dims(tensor, -1), -1)


@gradient_of("MatrixDeterminant")
def _determinant(op: Any, grad: Any) -> Any:
    inverse = matrix_ops.matrix_inverse(op.inputs[0], adjoint=True)
    return emit("Mul", [_whole(emit("Mul", [grad, op.outputs[0]])), inverse])


@gradient_of("LogMatrixDeterminant")
def _log_determinant(op: Any, _: Any, grad: Any) -> Any:
    return emit("Mul", [_whole(grad), matrix_ops.matrix_inverse(op.inputs[0], adjoint=True)])


def _lower_half_diagonal(matrix: Any) -> Any:
    """Return the lower triangle with half of its diagonal."""
    lower = matrix_ops.matrix_band_part(matrix, -1, 0)
    half = emit("Mul", [diagonal_ops.matrix_diag_part(matrix), 0.5])
    return diagonal_ops.matrix_set_diag(lower, half)


@gradient_of("Cholesky")
def _cholesky(op: Any, grad: Any) -> Any:
    triangle = op.outputs[0]
    size = array_ops.shape(triangle)[-1]
    ones = sequence_ops.eye(size, dtype=triangle.dtype.base_dtype)
    ones = emit("Add", [emit("ZerosLike", [triangle]), ones])
    inverse = matrix_ops.matrix_triangular_solve(triangle, ones)
    middle = _lower_half_diagonal(matmul(triangle, grad, adjoint_a=True))
    by_input = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return emit("Mul", [emit("AddV2", [by_input, _adjoint(by_input)]), 0.5])


@gradient_of("MatrixTriangularSolve")
def _triangular_solve(op: Any, grad: Any) -> Any:
    matrix, right = op.inputs
    adjoint, lower = op.get_attr("adjoint"), op.get_attr("lower")
    by_right = matrix_ops.matrix_triangular_solve(matrix, grad, lower=lower, adjoint=not adjoint)
    first, second = (op.outputs[0], by_right) if adjoint else (by_right, op.outputs[0])
    by_matrix = emit("Neg", [matmul(first, second, adjoint_b=True)])
    by_matrix = matrix_ops.matrix_band_part(by_matrix, *((-1, 0) if lower else (0, -1)))
    return [sum_to(by_matrix, matrix, by_matrix), sum_to(by_right, right, by_right)]


@gradient_of("Qr")
def _qr(op: Any, by_q: Any, by_r: Any) -> Any:
    """For matrices at least as high as wide, of full rank; of square ones all matrices are full."""
    q, r = op.outputs
    known = known_rank(op.inputs[0]) is not None
    rows, columns = op.inputs[0].get_shape().as_list()[-2:] if known else (None, None)
    needless = rows == columns or not op.get_attr("full_matrices")
    if rows is None or columns is None or rows < columns or not needless:
        raise NotImplementedError("the gradient of qr needs matrices of known size that are at "
                                  "least as high as wide, and full_matrices=False")  # fmt: skip

    def solved(x: Any) -> Any:
        """Return x times the inverse of the adjoint of r."""
        return _adjoint(matrix_ops.matrix_triangular_solve(r, _adjoint(x), lower=False))

    qdq = matmul(q, by_q, adjoint_a=True)
    rdr = matmul(r, by_r, adjoint_b=True)
    skew = emit("Sub", [qdq, _adjoint(qdq)])
    skew_r = emit("Sub", [rdr, _adjoint(rdr)])
    triangle = matrix_ops.matrix_band_part(emit("AddV2", [skew, skew_r]), -1, 0)
    by_a = matmul(q, emit("AddV2", [by_r, solved(triangle)]))
    return emit("AddV2", [by_a, solved(emit("Sub", [by_q, matmul(q, qdq)]))])


def _differences(values: Any) -> Any:
    """Return 1 / (v_j - v_i) at i, j, and 0 where the two are equal."""
    sizes = complex_ops.real(values)
    apart = emit("Sub", [array_ops.expand_dims(sizes, -2), array_ops.expand_dims(sizes, -1)])
    one = framework.constant(1, sizes.dtype.base_dtype)
    return math_ops.cast(emit("DivNoNan", [one, apart]), values.dtype.base_dtype)


@gradient_of("SelfAdjointEigV2")
def _eigen(op: Any, by_values: Any, by_vectors: Any) -> Any:
    values, vectors = op.outputs
    if not op.get_attr("compute_v"):
        values, vectors = matrix_ops.self_adjoint_eig(op.inputs[0])
        inner = diagonal_ops.matrix_diag(by_values)
    else:
        turned = matmul(vectors, by_vectors, adjoint_a=True)
        inner = emit("AddV2", [diagonal_ops.matrix_diag(by_values),
                               emit("Mul", [_differences(values), turned])])  # fmt: skip
    by_input = matmul(vectors, matmul(inner, vectors, adjoint_b=True))
    # Only the lower half of the matrix is read.
    both = emit("AddV2", [by_input, _adjoint(by_input)])
    lower = matrix_ops.matrix_band_part(both, -1, 0)
    half = emit("Mul", [diagonal_ops.matrix_diag_part(lower), 0.5])
    return diagonal_ops.matrix_set_diag(lower, half)


@gradient_of("Svd")
def _svd(op: Any, by_s: Any, by_u: Any, by_v: Any) -> Any:
    if not op.get_attr("compute_uv"):
        _, u, v = matrix_ops.svd(op.inputs[0])
        return matmul(u, matmul(diagonal_ops.matrix_diag(by_s), v, adjoint_b=True))
    if op.get_attr("full_matrices"):
        raise NotImplementedError("the gradient of svd needs full_matrices=False")
    s, u, v = op.outputs
    squares = _differences(emit("Square", [s]))
    row = array_ops.expand_dims(s, -2)

    def skewed(vectors: Any, grad: Any) -> Any:
        turned = matmul(vectors, grad, adjoint_a=True)
        return emit("Mul", [squares, emit("Sub", [turned, _adjoint(turned)])])

    column = array_ops.expand_dims(s, -1)
    inner = emit("AddV2", [emit("Mul", [skewed(u, by_u), row]),
                           emit("Mul", [column, skewed(v, by_v)])])  # fmt: skip
    inner = emit("AddV2", [inner, diagonal_ops.matrix_diag(by_s)])
    by_input = matmul(u, matmul(inner, v, adjoint_b=True))
    inverse = diagonal_ops.matrix_diag(emit("Reciprocal", [s]))
    rest_u = emit("Sub", [by_u, matmul(u, matmul(u, by_u, adjoint_a=True))])
    by_input = emit("AddV2", [by_input, matmul(matmul(rest_u, inverse), v, adjoint_b=True)])
    rest_v = emit("Sub", [by_v, matmul(v, matmul(v, by_v, adjoint_a=True))])
    return emit("AddV2", [by_input, matmul(matmul(u, inverse), rest_v, adjoint_b=True)])
