"""Matrix products."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.complex_ops import conj
from tfbuild_runtime.ops.emit import emit, known_rank


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
           adjoint_a: bool = False, adjoint_b: bool = False, a_is_sparse: bool = False,
           b_is_sparse: bool = False, output_type: Any = None, grad_a: bool = False,
           grad_b: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return the matrix product; leading dimensions are batches. That a matrix has many zeros, or
    is a gradient, makes it no faster. With output_type the product is computed in that type.

    Raises ValueError when a matrix should be transposed and adjoint at once.
    """
    del grad_a, grad_b
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("a matrix can be transposed or adjoint, not both")
    with framework.name_scope(name, "MatMul", [a, b]) as scope:
        a = framework.convert_to_tensor(a, name="a")
        b = framework.convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        if output_type is not None and dtypes.as_dtype(output_type) != a.dtype.base_dtype:
            a, b = (emit("Cast", [x], DstT=dtypes.as_dtype(output_type)) for x in (a, b))
        flip_a, flip_b = transpose_a or adjoint_a, transpose_b or adjoint_b
        matrices = all(known_rank(x) == 2 for x in (a, b))
        # Flipping transposes matrices, and makes adjoints of batches.
        if a.dtype.is_complex and (adjoint_a if matrices else transpose_a):
            a = conj(a)
        if b.dtype.is_complex and (adjoint_b if matrices else transpose_b):
            b = conj(b)
        if matrices:
            return emit("MatMul", [a, b], scope, transpose_a=flip_a, transpose_b=flip_b)
        return emit("BatchMatMulV2", [a, b], scope, adj_x=flip_a, adj_y=flip_b)


def sparse_matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False,
                  a_is_sparse: bool = False, b_is_sparse: bool = False,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return the product of two matrices that have many zeros, which makes it no faster."""
    return emit("MatMul", [a, b], name or "SparseMatMul", transpose_a=transpose_a,
                transpose_b=transpose_b)  # fmt: skip
