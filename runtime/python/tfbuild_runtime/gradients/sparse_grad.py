"""Gradients of sparse tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
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


# ---- element by element -------------------------------------------------------------------------

for _op_type in ("SparseConcat", "SparseReduceMax", "SparseReduceSumSparse", "SparseAddGrad",
                 "SparseSplit"):  # fmt: skip
    no_gradient(_op_type)


@gradient_of("SparseReorder")
def _reorder(op: Any, _: Any, grad: Any) -> Any:
    indices, _, shape = op.inputs
    numbers = emit("Range", [0, array_ops.shape(indices)[0], 1])
    ordered = framework.apply_op("SparseReorder", [indices, numbers, shape], {}, "Reorder")
    places = emit("InvertPermutation", [ordered.outputs[1]])
    return [None, array_ops.gather(grad, places), None]


@gradient_of("SparseAdd")
def _add(op: Any, _: Any, grad: Any, __: Any) -> Any:
    back = framework.apply_op(
        "SparseAddGrad", [grad, op.inputs[0], op.inputs[3], op.outputs[0]], {}, "SparseAddGrad"
    )
    return [None, back.outputs[0], None, None, back.outputs[1], None, None]


@gradient_of("SparseTensorDenseAdd")
def _dense_add(op: Any, grad: Any) -> Any:
    return [None, placement_ops.gather_nd(grad, op.inputs[0]), None, grad]


@gradient_of("SparseReduceSum")
def _reduce_sum(op: Any, grad: Any) -> Any:
    indices, _, shape, axes = op.inputs
    rank = array_ops.size(shape)
    axes = emit("FloorMod", [emit("AddV2", [axes, rank]), rank])
    numbers = emit("Range", [0, rank, 1])
    goes = emit("Any", [emit("Equal", [emit("ExpandDims", [numbers, 1]), axes]), [1]])
    kept = emit("SelectV2", [goes, emit("OnesLike", [shape]), shape])
    places = emit("Minimum", [indices, emit("Sub", [kept, emit("OnesLike", [kept])])])
    return [None, placement_ops.gather_nd(array_ops.reshape(grad, kept), places), None, None]


@gradient_of("SparseSlice")
def _slice(op: Any, _: Any, grad: Any, __: Any) -> Any:
    by_values = emit("SparseSliceGrad", [grad, op.inputs[0], op.inputs[3], op.outputs[0]])
    return [None, by_values, None, None, None]


def _in_dense(op: Any) -> tuple[Any, Any]:
    """Return where each element meets the dense tensor, and the elements of that there."""
    indices, _, shape, dense = op.inputs
    sizes = array_ops.shape(dense, out_type="int64")
    indices = indices[:, array_ops.size(shape) - array_ops.size(sizes) :]
    places = emit("Minimum", [indices, emit("Sub", [sizes, emit("OnesLike", [sizes])])])
    return places, placement_ops.gather_nd(dense, places)


@gradient_of("SparseDenseCwiseMul")
def _cwise_mul(op: Any, grad: Any) -> Any:
    places, found = _in_dense(op)
    sizes = array_ops.shape(op.inputs[3], out_type="int64")
    by_dense = emit("ScatterNd", [places, grad * op.inputs[1], sizes])
    return [None, grad * found, None, by_dense]


@gradient_of("SparseDenseCwiseDiv")
def _cwise_div(op: Any, grad: Any) -> Any:
    places, found = _in_dense(op)
    sizes = array_ops.shape(op.inputs[3], out_type="int64")
    shares = grad * (emit("Neg", [op.inputs[1]]) / (found * found))
    return [None, grad / found, None, emit("ScatterNd", [places, shares, sizes])]


@gradient_of("SparseSoftmax")
def _softmax(op: Any, grad: Any) -> Any:
    indices, _, shape = op.inputs
    product = grad * op.outputs[0]
    sums = emit("SparseReduceSum", [indices, product, shape, [-1]], keep_dims=True)
    less = emit("SparseDenseCwiseAdd", [indices, grad, shape, emit("Neg", [sums])])
    return [None, less * op.outputs[0], None]


@gradient_of("SparseFillEmptyRows")
def _fill_empty_rows(op: Any, _: Any, grad: Any, *__: Any) -> Any:
    back = framework.apply_op(
        "SparseFillEmptyRowsGrad", [op.outputs[3], grad], {}, "SparseFillEmptyRowsGrad"
    )
    return [None, back.outputs[0], None, back.outputs[1]]
