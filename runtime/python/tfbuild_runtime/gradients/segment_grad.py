"""Gradients of segments, of blocks of space and of what is sampled by CTC."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import emit

for _op_type in (
    "LowerBound", "UpperBound", "EditDistance", "CTCGreedyDecoder", "CTCBeamSearchDecoder",
    "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
    "StatelessRandomUniformInt", "StatelessRandomUniformFullInt", "StatelessMultinomial",
):  # fmt: skip
    no_gradient(_op_type)


@gradient_of("CTCLoss")
def _ctc_loss(op: Any, grad: Any, _: Any) -> Any:
    """Raises LookupError where somebody differentiates twice: the kernel's gradient has none."""
    stopped = emit(
        "PreventGradient",
        [op.outputs[1]],
        message="Currently there is no way to take the second derivative of ctc_loss "
        "due to the fused implementation's interaction with tf.gradients()",
    )
    return [array_ops.reshape(grad, [1, -1, 1]) * stopped, None, None, None]


# ---- blocks -------------------------------------------------------------------------------------


@gradient_of("SpaceToBatchND")
def _space_to_batch_nd(op: Any, grad: Any) -> Any:
    return [emit("BatchToSpaceND", [grad, op.inputs[1], op.inputs[2]]), None, None]


@gradient_of("BatchToSpaceND")
def _batch_to_space_nd(op: Any, grad: Any) -> Any:
    return [emit("SpaceToBatchND", [grad, op.inputs[1], op.inputs[2]]), None, None]


@gradient_of("SpaceToBatch")
def _space_to_batch(op: Any, grad: Any) -> Any:
    size = op.get_attr("block_size")
    return [emit("BatchToSpace", [grad, op.inputs[1]], block_size=size), None]


@gradient_of("BatchToSpace")
def _batch_to_space(op: Any, grad: Any) -> Any:
    size = op.get_attr("block_size")
    return [emit("SpaceToBatch", [grad, op.inputs[1]], block_size=size), None]


@gradient_of("SpaceToDepth", "DepthToSpace")
def _depth(op: Any, grad: Any) -> Any:
    other = "DepthToSpace" if op.type == "SpaceToDepth" else "SpaceToDepth"
    return emit(other, [grad], block_size=op.get_attr("block_size"),
                data_format=op.get_attr("data_format"))  # fmt: skip


# ---- sorted segments ----------------------------------------------------------------------------


def _rows(tensor: Any, ids: Any) -> Any:
    return emit("GatherV2", [tensor, ids, 0])


def _column(vector: Any, like: Any) -> Any:
    """Return the vector as a tensor of rows, of the rank of `like`."""
    ones = creation_ops.fill([array_ops.rank(like) - 1], 1)
    return array_ops.reshape(vector, array_ops.concat([array_ops.shape(vector), ones], 0))


@gradient_of("SegmentSum")
def _segment_sum(op: Any, grad: Any) -> Any:
    return [_rows(grad, op.inputs[1]), None]


@gradient_of("SegmentMean")
def _segment_mean(op: Any, grad: Any) -> Any:
    data, ids = op.inputs
    counts = emit("SegmentSum", [creation_ops.ones_like(ids, data.dtype.base_dtype), ids])
    return [_rows(grad / _column(math_ops.maximum(counts, 1), grad), ids), None]


def _shared(chosen: Any, rows_of_grad: Any, counts: Any) -> Any:
    """Return the gradient shared among the elements that are the extreme of their segment."""
    shares = rows_of_grad / counts
    return array_ops.where_v2(chosen, shares, creation_ops.zeros_like(shares))


@gradient_of("SegmentMin", "SegmentMax")
def _segment_extreme(op: Any, grad: Any) -> Any:
    data, ids = op.inputs
    chosen = math_ops.equal(data, _rows(op.outputs[0], ids))
    counts = emit("SegmentSum", [math_ops.cast(chosen, grad.dtype.base_dtype), ids])
    return [_shared(chosen, _rows(grad, ids), _rows(counts, ids)), None]


# ---- unsorted segments --------------------------------------------------------------------------


def _dropped(tensor: Any, ids: Any, zeros: bool = True) -> tuple[Any, Any]:
    """Return the row of each id, and which ids are not negative; others have zeros (or ones)."""
    found = _rows(tensor, math_ops.maximum(ids, 0))
    ones = creation_ops.fill([array_ops.rank(found) - array_ops.rank(ids)], 1)
    sizes = array_ops.concat([array_ops.shape(ids), ones], 0)
    valid = array_ops.reshape(math_ops.greater_equal(ids, 0), sizes)
    valid = math_ops.logical_and(valid, creation_ops.ones_like(found, dtype="bool"))
    other = creation_ops.zeros_like(found) if zeros else creation_ops.ones_like(found)
    return array_ops.where_v2(valid, found, other), valid


@gradient_of("UnsortedSegmentMin", "UnsortedSegmentMax")
def _unsorted_extreme(op: Any, grad: Any) -> Any:
    data, ids, segments = op.inputs
    extremes, valid = _dropped(op.outputs[0], ids)
    chosen = math_ops.logical_and(math_ops.equal(data, extremes), valid)
    kind = grad.dtype.base_dtype
    counts = emit("UnsortedSegmentSum", [math_ops.cast(chosen, kind), ids, segments])
    shares, _ = _dropped(grad / counts, ids)
    return [array_ops.where_v2(chosen, shares, creation_ops.zeros_like(shares)), None, None]


@gradient_of("UnsortedSegmentProd")
def _unsorted_prod(op: Any, grad: Any) -> Any:
    """The product of the others: with one zero in a segment only that one has a gradient."""
    data, ids, segments = op.inputs
    is_zero = math_ops.equal(data, 0)
    zeros = emit("UnsortedSegmentSum", [math_ops.cast(is_zero, "int32"), ids, segments])
    grad = array_ops.where_v2(math_ops.greater(zeros, 1), creation_ops.zeros_like(grad), grad)
    others = array_ops.where_v2(is_zero, creation_ops.ones_like(data), data)
    products = emit("UnsortedSegmentProd", [others, ids, segments])
    of_others, _ = _dropped(products, ids)
    whole, _ = _dropped(op.outputs[0], ids)
    derived = array_ops.where_v2(is_zero, of_others, whole / others)
    rows, _ = _dropped(grad, ids)
    return [rows * derived, None, None]


# ---- segments of rows that are named ------------------------------------------------------------


def _sparse_segment_grad(op: Any, grad: Any) -> list[Any]:
    data, indices, ids = op.inputs[:3]
    count = array_ops.shape(data)[0]
    kind = op.type.replace("WithNumSegments", "")
    if kind == "SparseSegmentSum":
        return [emit("UnsortedSegmentSum", [_rows(grad, ids), indices, count])]
    return [emit(f"{kind}Grad", [grad, indices, ids, count])]


@gradient_of("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
def _sparse_segment(op: Any, grad: Any) -> Any:
    return [*_sparse_segment_grad(op, grad), None, None]


@gradient_of("SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
             "SparseSegmentSqrtNWithNumSegments")  # fmt: skip
def _sparse_segment_counted(op: Any, grad: Any) -> Any:
    return [*_sparse_segment_grad(op, grad), None, None, None]
