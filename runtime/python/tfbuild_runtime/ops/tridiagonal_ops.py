"""Systems and products of matrices that are given by three diagonals."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, complex_ops, diagonal_ops
from tfbuild_runtime.ops.emit import emit, known_rank

_FORMATS = ("compact", "matrix", "sequence")


def tridiagonal_solve(diagonals: Any, rhs: Any, diagonals_format: str = "compact",
                      transpose_rhs: bool = False, conjugate_rhs: bool = False,
                      name: str | None = None, partial_pivoting: bool = True,
                      perturb_singular: bool = False) -> Any:  # fmt: skip
    """Return x with the matrix of those diagonals times x equal to rhs, a matrix or a vector.

    The diagonals are [..., 3, size] with that above the main one first; or matrices; or a sequence
    of three. With transpose_rhs the rows of rhs are right sides, and those of the result solutions.
    Raises ValueError for another format and for diagonals that do not fit.
    """
    with framework.name_scope(name, "tridiagonal_solve", [rhs]):
        compact = _compact(diagonals, diagonals_format)
        rhs = framework.convert_to_tensor(rhs, dtype=compact.dtype.base_dtype, name="rhs")
        is_vector = known_rank(rhs) == (known_rank(compact) or 0) - 1
        if conjugate_rhs:
            rhs = complex_ops.conj(rhs)
        if is_vector:
            rhs = array_ops.expand_dims(rhs, -1)
        elif transpose_rhs:
            rhs = array_ops.matrix_transpose(rhs)
        _check_sizes(compact, rhs)
        solved = emit("TridiagonalSolve", [compact, rhs], partial_pivoting=partial_pivoting,
                      perturb_singular=perturb_singular)  # fmt: skip
        if is_vector:
            return array_ops.squeeze(solved, [-1])
        return array_ops.matrix_transpose(solved) if transpose_rhs else solved


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact",
                       name: str | None = None) -> Any:  # fmt: skip
    """Return the product of a matrix, whose diagonals are as in tridiagonal_solve, and rhs."""
    with framework.name_scope(name, "tridiagonal_matmul", [rhs]):
        compact = _compact(diagonals, diagonals_format)
        rhs = framework.convert_to_tensor(rhs, dtype=compact.dtype.base_dtype, name="rhs")
        lines = [compact[..., row : row + 1, :] for row in range(3)]
        return emit("TridiagonalMatMul", [*lines, rhs])


def _compact(diagonals: Any, diagonals_format: str) -> Any:
    if diagonals_format not in _FORMATS:
        raise ValueError(f"diagonals_format is one of {_FORMATS}, not {diagonals_format!r}")
    if diagonals_format == "sequence":
        return _from_sequence(diagonals)
    diagonals = framework.convert_to_tensor(diagonals, name="diagonals")
    if diagonals_format == "matrix":
        return _from_matrix(diagonals)
    rows = None if known_rank(diagonals) is None else diagonals.get_shape().as_list()[-2]
    if rows not in (3, None):
        raise ValueError(f"Expected 3 diagonals got {rows}")
    return diagonals


def _from_sequence(diagonals: Any) -> Any:
    """Join three diagonals, of which the outer ones may lack the element beyond the matrix."""
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = (framework.convert_to_tensor(line) for line in diagonals)
    size = main.get_shape().as_list()[-1]
    if above.get_shape().as_list()[-1] != size:
        above = _padded(above, 0, 1)
    if below.get_shape().as_list()[-1] != size:
        below = _padded(below, 1, 0)
    return array_ops.stack([above, main, below], axis=-2)


def _from_matrix(matrix: Any) -> Any:
    rank, sizes = known_rank(matrix), matrix.get_shape().as_list()
    if rank is None or sizes[-1] != sizes[-2] or sizes[-1] is None:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {matrix!r}")
    main = diagonal_ops.matrix_diag_part(matrix)
    above = _padded(diagonal_ops.matrix_diag_part(matrix[..., :-1, 1:]), 0, 1)
    below = _padded(diagonal_ops.matrix_diag_part(matrix[..., 1:, :-1]), 1, 0)
    return array_ops.stack([above, main, below], axis=-2)


def _padded(line: Any, before: int, after: int) -> Any:
    return array_ops.pad(line, [[0, 0]] * ((known_rank(line) or 1) - 1) + [[before, after]])


def _check_sizes(compact: Any, rhs: Any) -> None:
    if None in (known_rank(compact), known_rank(rhs)):
        return
    size, rows = compact.get_shape().as_list()[-1], rhs.get_shape().as_list()[-2]
    if None not in (size, rows) and size != rows:
        raise ValueError("Expected number of left-hand sided and right-hand side rows to be equal, "
                         f"got {size} and {rows}")  # fmt: skip
