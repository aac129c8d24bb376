"""Gradients of sparse tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.ops import array_ops, placement_ops
from tfbuild_runtime.ops.emit import emit, known_rank


@gradient_of("SparseToDense")
def _to_dense(op: Any, grad: Any) -> Any:
    indices, _, values, _ = op.inputs
    places = indices if known_rank(indices) == 2 else array_ops.reshape(indices, [-1, 1])
    found = placement_ops.gather_nd(grad, places)
    if known_rank(values) == 0:
        found = emit("Sum", [found, [0]])
    return [None, None, found, emit("Sub", [_total(grad), _total(found)])]


def _total(tensor: Any) -> Any:
    return emit("Sum", [tensor, emit("Range", [0, array_ops.rank(tensor), 1])])


@gradient_of("SparseTensorDenseMatMul")
def _matmul(op: Any, grad: Any) -> Any:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    by_b = emit("SparseTensorDenseMatMul", [indices, values, shape, grad], adjoint_a=not adjoint_a)
    if adjoint_b:
        by_b = array_ops.matrix_transpose(by_b)
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    matrix = array_ops.matrix_transpose(b) if adjoint_b else b
    products = emit("Mul", [array_ops.gather(grad, rows), array_ops.gather(matrix, columns)])
    return [None, emit("Sum", [products, [1]]), None, by_b]
