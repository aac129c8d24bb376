"""Gradients of what changes the shape, the order and the extent of tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.handles import shape_of
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import constant_list, like, sum_to, vector
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, known_rank, known_sizes

for _op_type in (
    "Const", "Placeholder", "Variable", "VariableV2", "Assign", "AssignAdd", "AssignSub",
    "StopGradient", "Shape", "ShapeN", "Size", "Rank", "Range", "ZerosLike", "OnesLike", "OneHot",
    "Where", "InvertPermutation", "BroadcastGradientArgs", "RandomUniform", "RandomUniformInt",
    "RandomStandardNormal", "TruncatedNormal", "NoOp",
):  # fmt: skip
    no_gradient(_op_type)


@gradient_of("Identity", "RefIdentity", "PlaceholderWithDefault")
def _unchanged(_: Any, grad: Any) -> Any:
    return grad


@gradient_of("IdentityN")
def _all_unchanged(_: Any, *grads: Any) -> Any:
    return list(grads)


@gradient_of("PreventGradient")
def _prevented(op: Any, _: Any) -> Any:
    message = op.get_attr("message")
    text = message.decode() if isinstance(message, bytes) else message
    raise LookupError(f"{op.name!r} prevents differentiation: {text}")


@gradient_of("Reshape")
def _reshape(op: Any, grad: Any) -> Any:
    return [like(grad, op.inputs[0]), None]


@gradient_of("ExpandDims")
def _expand_dims(op: Any, grad: Any) -> Any:
    return [like(grad, op.inputs[0]), None]


@gradient_of("Squeeze")
def _squeeze(op: Any, grad: Any) -> Any:
    return like(grad, op.inputs[0])


@gradient_of("Transpose")
def _transpose(op: Any, grad: Any) -> Any:
    order = constant_list(op.inputs[1])
    if order is None:
        return [emit("Transpose", [grad, emit("InvertPermutation", [op.inputs[1]])]), None]
    rank = len(order)
    back = sorted(range(rank), key=lambda axis: order[axis] % rank)
    return [emit("Transpose", [grad, vector(back)]), None]


@gradient_of("BroadcastTo")
def _broadcast_to(op: Any, grad: Any) -> Any:
    return [sum_to(grad, op.inputs[0], op.outputs[0]), None]


@gradient_of("Fill")
def _fill(_: Any, grad: Any) -> Any:
    rank = known_rank(grad)
    axes = vector(range(rank)) if rank is not None else emit("Range", [0, array_ops.rank(grad), 1])
    return [None, emit("Sum", [grad, axes])]


@gradient_of("Tile")
def _tile(op: Any, grad: Any) -> Any:
    """Sum over the copies: each dimension is split into its copies and its elements."""
    x, multiples = op.inputs
    sizes = array_ops.shape(x)
    if multiples.dtype.base_dtype != dtypes.int32:
        multiples = emit("Cast", [multiples], DstT=dtypes.int32)
    split = emit("Reshape", [emit("Pack", [[multiples, sizes]], axis=1), [-1]])
    axes = emit("Range", [0, array_ops.size(split), 2])
    return [emit("Sum", [emit("Reshape", [grad, split]), axes]), None]


# ---- joining and taking apart -------------------------------------------------------------------


@gradient_of("Pack")
def _pack(op: Any, grad: Any) -> Any:
    attrs = {"num": op.get_attr("N"), "axis": op.get_attr("axis")}
    return framework.apply_op("Unpack", [grad], attrs).outputs


@gradient_of("Unpack")
def _unpack(op: Any, *grads: Any) -> Any:
    return emit("Pack", [list(grads)], axis=op.get_attr("axis"))


@gradient_of("Split")
def _split(op: Any, *grads: Any) -> Any:
    return [None, emit("ConcatV2", [list(grads), op.inputs[0]])]


@gradient_of("SplitV")
def _split_by_sizes(op: Any, *grads: Any) -> Any:
    return [emit("ConcatV2", [list(grads), op.inputs[2]]), None, None]


@gradient_of("ConcatV2")
def _concat(op: Any, grad: Any) -> Any:
    return [*_parts(grad, list(op.inputs[:-1]), op.inputs[-1]), None]


@gradient_of("Concat")
def _concat_old(op: Any, grad: Any) -> Any:
    return [None, *_parts(grad, list(op.inputs[1:]), op.inputs[0])]


def _parts(grad: Any, tensors: list[Any], axis: Any) -> list[Any]:
    """Return the part of grad that belongs to each of the joined tensors."""
    known, rank = constant_list(axis), known_rank(grad)
    if known is None or rank is None:
        return _computed_parts(grad, tensors, axis)
    along = known[0] % rank
    lengths = [_length(tensor, along) for tensor in tensors]
    if any(length is None for length in lengths):
        return _computed_parts(grad, tensors, axis)
    parts, start = [], 0
    for length in lengths:
        begin = [start if number == along else 0 for number in range(rank)]
        size = [length if number == along else -1 for number in range(rank)]
        parts.append(emit("Slice", [grad, vector(begin), vector(size)]))
        start += length or 0
    return parts


def _length(tensor: Any, axis: int) -> int | None:
    sizes = tensor.get_shape()
    return None if sizes.ndims is None else sizes.as_list()[axis]


def _computed_parts(grad: Any, tensors: list[Any], axis: Any) -> list[Any]:
    rank = array_ops.rank(grad)
    axis = emit("FloorMod", [axis, rank]) if axis.dtype == dtypes.int32 else axis
    one, zero = (framework.constant(number, dtypes.int32) for number in (1, 0))
    along = emit("OneHot", [axis, rank, one, zero])
    parts = []
    start = emit("ZerosLike", [along])
    for tensor in tensors:
        size = array_ops.shape(tensor)
        parts.append(emit("Slice", [grad, start, size]))
        start = emit("AddV2", [start, emit("Mul", [size, along])])
    return parts


# ---- parts and borders --------------------------------------------------------------------------


@gradient_of("Slice")
def _slice(op: Any, grad: Any) -> Any:
    x, begin, _ = op.inputs
    sizes, part = array_ops.shape(x), array_ops.shape(op.outputs[0])
    if begin.dtype.base_dtype != dtypes.int32:
        begin = emit("Cast", [begin], DstT=dtypes.int32)
    starts, whole, taken = constant_list(begin), known_sizes(x), known_sizes(op.outputs[0])
    if starts is not None and whole is not None and taken is not None:
        borders: Any = [[s, w - s - t] for s, w, t in zip(starts, whole, taken)]
        borders = framework.constant(borders, dtypes.int32, shape=[len(starts), 2])
    else:
        after = emit("Sub", [emit("Sub", [sizes, begin]), part])
        borders = emit("Pack", [[begin, after]], axis=1)
    return [emit("Pad", [grad, borders]), None, None]


_SLICE_ATTRS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _slice_attrs(op: Any) -> dict[str, int]:
    return {name: op.get_attr(name) for name in _SLICE_ATTRS}


@gradient_of("StridedSlice")
def _strided_slice(op: Any, grad: Any) -> Any:
    x, begin, end, strides = op.inputs
    sizes = array_ops.shape(x, out_type=begin.dtype.base_dtype)
    back = emit("StridedSliceGrad", [sizes, begin, end, strides, grad], **_slice_attrs(op))
    return [back, None, None, None]


@gradient_of("StridedSliceGrad")
def _strided_slice_twice(op: Any, grad: Any) -> Any:
    _, begin, end, strides, _ = op.inputs
    part = emit("StridedSlice", [grad, begin, end, strides], **_slice_attrs(op))
    return [None, None, None, None, part]


@gradient_of("Pad")
def _pad(op: Any, grad: Any) -> Any:
    return [_inside(op, grad), None]


@gradient_of("PadV2")
def _pad_with_value(op: Any, grad: Any) -> Any:
    inside = _inside(op, grad)
    return [inside, None, emit("Sub", [_total(grad), _total(inside)])]


def _total(tensor: Any) -> Any:
    return emit("Sum", [emit("Reshape", [tensor, [-1]]), vector([0])])


def _inside(op: Any, grad: Any) -> Any:
    x, borders = op.inputs[0], op.inputs[1]
    numbers = framework.constant_value(borders)
    if numbers is not None:
        begin = vector([int(number) for number in numbers[:, 0]])
    else:
        begin = framework.apply_op("Unpack", [borders], {"num": 2, "axis": 1}).outputs[0]
    return emit("Slice", [grad, begin, array_ops.shape(x, out_type=begin.dtype.base_dtype)])


# ---- gather -------------------------------------------------------------------------------------


@gradient_of("Gather")
def _gather_rows(op: Any, grad: Any) -> Any:
    return [scattered(grad, op.inputs[0], op.inputs[1]), None]


@gradient_of("GatherV2")
def _gather(op: Any, grad: Any) -> Any:
    """Dense: every row of params gets a gradient, zero where no index names it."""
    params, indices, axis = op.inputs
    along, rank, index_rank = constant_list(axis), known_rank(params), known_rank(indices)
    if op.get_attr("batch_dims"):
        raise NotImplementedError(f"{op.name!r}: gather with batch_dims has no gradient yet")
    if along is None or rank is None or index_rank is None:
        raise NotImplementedError(
            f"{op.name!r}: the gradient of gather needs a constant axis and known ranks"
        )
    first = along[0] % rank
    if first == 0:
        return [scattered(grad, params, indices), None, None]
    # The gathered axis goes first, and afterwards back to its place.
    gathered = list(range(first, first + index_rank))
    others = [number for number in range(rank - 1 + index_rank) if number not in gathered]
    moved = emit("Transpose", [grad, vector([*gathered, *others])])
    order = [first, *(number for number in range(rank) if number != first)]
    rows = scattered(moved, emit("Transpose", [params, vector(order)]), indices)
    back = sorted(range(rank), key=order.__getitem__)
    return [emit("Transpose", [rows, vector(back)]), None, None]


def scattered(grad: Any, params: Any, indices: Any) -> Any:
    """Return zeros like params with the rows of grad added at the indices."""
    sizes = shape_of(params)
    row = emit("StridedSlice", [sizes, [1], [0], [1]], end_mask=1)
    count = emit("StridedSlice", [sizes, [0], [1], [1]], shrink_axis_mask=1)
    rows = emit("Reshape", [grad, array_ops.concat([[-1], row], 0)])
    flat = emit("Reshape", [indices, [-1]])
    return emit("UnsortedSegmentSum", [rows, flat, count])
