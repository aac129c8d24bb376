"""Diagonals, inverses, determinants and factors of matrices, norms, and sums of products."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    control_flow_ops,
    creation_ops,
    diagonal_ops,
    math_ops,
    reduce_ops,
    sequence_ops,
)
from tfbuild_runtime.ops.complex_ops import real
from tfbuild_runtime.ops.counting_ops import setdiff1d
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.linalg_ops import matmul


def diag(diagonal: Any, name: str | None = None) -> Any:
    """Return a tensor of twice the rank that has these elements on its diagonal."""
    return emit("Diag", [diagonal], name)


def diag_part(input: Any, name: str | None = None) -> Any:
    """Return the diagonal of a tensor of even rank."""
    return emit("DiagPart", [input], name)


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """Return the matrices with zeros beyond so many diagonals; a negative count keeps all."""
    return emit("MatrixBandPart", [input, num_lower, num_upper], name)


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Return the matrices turned round, and conjugate where they are complex."""
    return array_ops.matrix_transpose(matrix, name or "adjoint", conjugate=True)


def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """Return the inverse of each matrix, of its adjoint if so asked."""
    return emit("MatrixInverse", [input], name, adjoint=adjoint)


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """Return x with matrix times x equal to rhs."""
    return emit("MatrixSolve", [matrix, rhs], name, adjoint=adjoint)


def matrix_determinant(input: Any, name: str | None = None) -> Any:
    """Return the determinant of each matrix."""
    return emit("MatrixDeterminant", [input], name)


def slogdet(input: Any, name: str | None = None) -> Any:
    """Return the sign of each determinant, and the logarithm of its size."""
    return framework.apply_op("LogMatrixDeterminant", [input], {}, name).outputs


def logdet(matrix: Any, name: str | None = None) -> Any:
    """Return the logarithm of the determinant of each positive definite matrix."""
    with framework.name_scope(name, "logdet", [matrix]):
        chol = cholesky(matrix)
        return 2.0 * reduce_ops.reduce_sum(
            math_ops.log(diagonal_ops.matrix_diag_part(chol)), axis=[-1]
        )


def cholesky(input: Any, name: str | None = None) -> Any:
    """Return the lower triangle whose product with its adjoint is the matrix."""
    return emit("Cholesky", [input], name)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Return x with chol times its adjoint times x equal to rhs."""
    with framework.name_scope(name, "cholesky_solve", [chol, rhs]):
        below = matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return matrix_triangular_solve(chol, below, adjoint=True, lower=True)


def matrix_triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False,
                            name: str | None = None) -> Any:  # fmt: skip
    """Return x with the triangle of the matrix times x equal to rhs."""
    return emit("MatrixTriangularSolve", [matrix, rhs], name, lower=lower, adjoint=adjoint)


def matrix_solve_ls(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return x for which matrix times x is nearest to rhs, by the normal equations.

    Raises NotImplementedError where the matrix is wider than high and nothing regularizes x.
    """
    with framework.name_scope(name, "matrix_solve_ls", [matrix, rhs]):
        matrix = framework.convert_to_tensor(matrix, name="matrix")
        rhs = framework.convert_to_tensor(rhs, dtype=matrix.dtype.base_dtype, name="rhs")
        shape = matrix.get_shape()
        rows, columns = (None, None) if shape.ndims is None else shape.as_list()[-2:]
        if rows is not None and columns is not None:
            return _nearest(matrix, rhs, l2_regularizer, rows < columns)
        sizes = array_ops.shape(matrix)
        return control_flow_ops.cond(
            emit("Less", [sizes[-2], sizes[-1]]),
            lambda: _nearest(matrix, rhs, l2_regularizer, True),
            lambda: _nearest(matrix, rhs, l2_regularizer, False),
        )


def _nearest(matrix: Any, rhs: Any, l2_regularizer: Any, wide: bool) -> Any:
    squares = matmul(matrix, matrix, adjoint_a=not wide, adjoint_b=wide)
    if l2_regularizer:
        ones = sequence_ops.eye(array_ops.shape(squares)[-1], dtype=matrix.dtype.base_dtype)
        squares = squares + ones * l2_regularizer
    chol = cholesky(squares)
    if wide:
        return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)
    return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True))


def pinv(a: Any, rcond: Any = None, validate_args: bool = False,
         name: str | None = None) -> Any:  # fmt: skip
    """Return the pseudo-inverse of matrices [..., M, N], [..., N, M].

    Singular values of at most rcond, one for each matrix, times the largest count as zero; by
    default it is 10 max(M, N) times the spacing of numbers at 1. Raises TypeError for what is no
    float.
    """
    del validate_args
    with framework.name_scope(name, "pinv", [a]):
        a = framework.convert_to_tensor(a, name="a")
        kind = a.dtype.base_dtype
        if not kind.is_floating:
            raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {kind.name}).")
        sizes, left, right = svd(a)
        if rcond is None:
            largest = reduce_ops.reduce_max(array_ops.shape(a)[-2:])
            spacing = float(np.finfo(kind.as_numpy_dtype).eps)
            rcond = 10.0 * spacing * math_ops.cast(largest, kind)
        rcond = framework.convert_to_tensor(rcond, dtype=kind, name="rcond")
        least = rcond * reduce_ops.reduce_max(sizes, -1)
        counts = math_ops.greater(sizes, array_ops.expand_dims(least, -1))
        never = creation_ops.fill(array_ops.shape(sizes), np.array(np.inf, kind.as_numpy_dtype))
        divisors = array_ops.expand_dims(array_ops.where(counts, sizes, never), -2)
        inverse = matmul(right / divisors, left, adjoint_b=True)
        shape = a.get_shape()
        if shape.ndims is not None:
            inverse.set_shape([*shape.as_list()[:-2], *shape.as_list()[-2:][::-1]])
        return inverse


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Return an orthogonal matrix and a triangle whose product is the input."""
    return framework.apply_op("Qr", [input], {"full_matrices": full_matrices}, name).outputs


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True,
        name: str | None = None) -> Any:  # fmt: skip
    """Return singular values, which are real, and with compute_uv the vectors of both sides."""
    attrs = {"compute_uv": compute_uv, "full_matrices": full_matrices}
    sizes, *vectors = framework.apply_op("Svd", [tensor], attrs, name).outputs
    if sizes.dtype.is_complex:
        sizes = real(sizes)
    return (sizes, *vectors) if compute_uv else sizes


def self_adjoint_eig(tensor: Any, name: str | None = None) -> Any:
    """Return eigenvalues of symmetric matrices, the least first, and their vectors as columns."""
    return framework.apply_op("SelfAdjointEigV2", [tensor], {"compute_v": True}, name).outputs


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Any:
    """Return eigenvalues of symmetric matrices, the least first."""
    return emit("SelfAdjointEigV2", [tensor], name, compute_v=False)


def trace(x: Any, name: str | None = None) -> Any:
    """Return the sum of the diagonal of each matrix."""
    with framework.name_scope(name, "Trace", [x]) as scope:
        return reduce_ops.reduce_sum(diagonal_ops.matrix_diag_part(x), [-1], name=scope)


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None,
         name: str | None = None, keep_dims: Any = None) -> Any:  # fmt: skip
    """Return the norm of vectors or matrices along axes; all elements are one vector by default.

    ord is "euclidean", "fro", 1, 2, numpy.inf or a positive number. Raises ValueError for others.
    """
    keep = bool(keepdims or keep_dims)
    pair = isinstance(axis, (tuple, list)) and len(axis) == 2
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    infinite = ord == float("inf")
    if ord not in ("euclidean", "fro") and not (infinite or (not isinstance(ord, str) and ord > 0)):
        raise ValueError(f"'ord' must be 'euclidean', 'fro' or a positive number, got {ord!r}")
    if not pair and ord == "fro":
        raise ValueError("'ord' must be a supported vector norm, got 'fro': it is one of matrices")
    if pair and ord not in ("euclidean", "fro", 1, 2) and not infinite:
        raise ValueError(f"'ord' must be a supported matrix norm, got {ord!r}")
    with framework.name_scope(name, "norm", [tensor]):
        tensor = framework.convert_to_tensor(tensor)
        size = math_ops.abs(tensor)
        if ord in ("euclidean", "fro") or (ord == 2 and not pair):
            total = reduce_ops.reduce_sum(size * size, axis, keepdims=True)
            # Of complex numbers this norm alone is complex, as in TensorFlow.
            result = math_ops.cast(math_ops.sqrt(total), tensor.dtype.base_dtype)
        elif pair and ord == 2:
            result = _spectral(tensor, axis)
        elif pair:
            inner, outer = (axis[0], axis[1]) if ord == 1 else (axis[1], axis[0])
            sums = reduce_ops.reduce_sum(size, inner, keepdims=True)
            result = reduce_ops.reduce_max(sums, outer, keepdims=True)
        elif infinite:
            result = reduce_ops.reduce_max(size, axis, keepdims=True)
        elif ord == 1:
            result = reduce_ops.reduce_sum(size, axis, keepdims=True)
        else:
            power = reduce_ops.reduce_sum(math_ops.pow(size, ord), axis, keepdims=True)
            result = math_ops.pow(power, 1.0 / ord)
        return result if keep else array_ops.squeeze(result, axis if axis is None or pair
                                                     else [axis])  # fmt: skip


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None,
              name: str | None = None) -> tuple[Any, Any]:  # fmt: skip
    """Return a tensor divided by its norm along axes, and that norm."""
    with framework.name_scope(name, "normalize", [tensor]):
        tensor = framework.convert_to_tensor(tensor)
        size = math_ops.cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype.base_dtype)
        return math_ops.divide(tensor, size), size


def _spectral(tensor: Any, axis: Any) -> Any:
    order = _behind(tensor, axis)
    values = svd(array_ops.transpose(tensor, order), compute_uv=False)
    largest = reduce_ops.reduce_max(values, -1, keepdims=True)
    return array_ops.transpose(array_ops.expand_dims(largest, -1), _undone(order))


def _behind(tensor: Any, axes: Any) -> Any:
    """Return the order of dimensions that puts these axes behind all others."""
    rank = tensor.get_shape().ndims
    if rank is not None:
        moved = [number % rank for number in axes]
        return [number for number in range(rank) if number not in moved] + moved
    count = array_ops.rank(tensor)
    moved = array_ops.stack([number + count if number < 0 else number for number in axes])
    rest, _ = setdiff1d(creation_ops.range(count), moved)
    return array_ops.concat([rest, moved], 0)


def _undone(order: Any) -> Any:
    if isinstance(order, list):
        return sorted(range(len(order)), key=lambda number: order[number])
    return array_ops.invert_permutation(order)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Return the sums of products over pairs of axes: a number of them, or their two lists.

    Raises ValueError for lists of unequal lengths, IndexError for axes out of range.
    """
    with framework.name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = framework.convert_to_tensor(a, name="a")
        b = framework.convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        ranks = a.get_shape().ndims, b.get_shape().ndims
        unknown = framework.is_tensor_like(axes) and framework.constant_value(axes) is None
        if unknown or None in ranks:
            return _dot_of_unknown(a, b, axes, scope)
        of_a, of_b = _contracted(axes, *ranks)
        left, free_a, sizes_a = _flattened(a, of_a, last=True)
        right, free_b, sizes_b = _flattened(b, of_b, last=False)
        product = matmul(left, right)
        shape = array_ops.concat([sizes_a, sizes_b], 0)
        result = array_ops.reshape(product, shape, name=scope)
        result.set_shape([*free_a, *free_b])
        return result


def _contracted(axes: Any, rank_a: int, rank_b: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        if axes < 0 or axes > min(rank_a, rank_b):
            raise ValueError(f"`axes` must be from 0 to the smaller rank, not {axes}")
        return list(range(rank_a - axes, rank_a)), list(range(axes))
    constant = framework.constant_value(axes) if framework.is_tensor_like(axes) else None
    first, second = axes if constant is None else constant.tolist()
    pair = [np.atleast_1d(axis).astype(int).tolist() for axis in (first, second)]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"Different number of contraction axes 'a' and 'b', {len(pair[0])} != "
                         f"{len(pair[1])}.")  # fmt: skip
    for of, rank in zip(pair, (rank_a, rank_b)):
        if any(not -rank <= axis < rank for axis in of):
            raise IndexError(f"axes {of} are out of range for a tensor of rank {rank}")
    return [axis % rank_a for axis in pair[0]], [axis % rank_b for axis in pair[1]]


def _dot_of_unknown(a: Any, b: Any, axes: Any, name: str) -> Any:
    """Return tensordot where ranks or axes are known only in a step."""
    if isinstance(axes, int):
        rank = array_ops.rank(a)
        pair = [creation_ops.range(rank - axes, rank), creation_ops.range(axes)]
    else:
        whole = framework.convert_to_tensor(axes, dtypes.int32)
        pair = [array_ops.reshape(whole[side], [-1]) for side in (0, 1)]
    parts = []
    for tensor, given, last in zip((a, b), pair, (True, False)):
        rank, sizes = array_ops.rank(tensor), array_ops.shape(tensor)
        of = array_ops.where_v2(math_ops.less(given, 0), given + rank, given)
        free, _ = setdiff1d(creation_ops.range(rank), of)
        order = array_ops.concat([free, of] if last else [of, free], 0)
        rows, columns = (reduce_ops.reduce_prod(array_ops.gather(sizes, side), 0)
                         for side in ((free, of) if last else (of, free)))  # fmt: skip
        matrix = array_ops.reshape(array_ops.transpose(tensor, order),
                                   array_ops.stack([rows, columns]))  # fmt: skip
        parts.append((matrix, array_ops.gather(sizes, free)))
    (left, sizes_a), (right, sizes_b) = parts
    return array_ops.reshape(matmul(left, right), array_ops.concat([sizes_a, sizes_b], 0), name)


def _flattened(tensor: Any, axes: list[int], last: bool) -> tuple[Any, list[int | None], Any]:
    """Return the tensor as a matrix, the sizes of its free axes, and these as a tensor."""
    known = tensor.get_shape().as_list()
    free = [axis for axis in range(len(known)) if axis not in axes]
    order = free + axes if last else axes + free
    turned = tensor if order == list(range(len(known))) else array_ops.transpose(tensor, order)
    sizes = array_ops.shape(tensor)
    of_free = array_ops.gather(sizes, framework.constant(free, dtypes.int32, shape=[len(free)]))
    width = reduce_ops.reduce_prod(of_free, 0)
    shape = array_ops.stack([width, -1] if last else [-1, width])
    contracted = [known[axis] for axis in axes]
    if all(size is not None for size in known):
        import math

        pair = [math.prod(known[axis] for axis in free), math.prod(contracted)]
        shape = pair if last else pair[::-1]
    return array_ops.reshape(turned, shape), [known[axis] for axis in free], of_free


def cross(a: Any, b: Any, name: str | None = None) -> Any:
    """Return the cross products of vectors of three numbers along the last axis."""
    with framework.name_scope(name, "Cross", [a, b]):
        a = framework.convert_to_tensor(a, name="a")
        b = framework.convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        x, y = array_ops.unstack(a, 3, axis=-1), array_ops.unstack(b, 3, axis=-1)
        parts = [x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3]
                 for i in range(3)]  # fmt: skip
        return array_ops.stack(parts, axis=-1)
