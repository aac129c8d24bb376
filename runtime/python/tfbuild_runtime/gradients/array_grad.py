"""Gradients of what changes the shape, the order and the extent of tensors."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
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


@gradient_of(
    "Identity", "RefIdentity", "PlaceholderWithDefault", "Enter", "RefEnter", takes_slices=True
)
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
    return [None, array_ops.concat(list(grads), op.inputs[0])]


@gradient_of("SplitV")
def _split_by_sizes(op: Any, *grads: Any) -> Any:
    return [array_ops.concat(list(grads), op.inputs[2]), None, None]


@gradient_of("ConcatV2", takes_slices=True)
def _concat(op: Any, grad: Any) -> Any:
    return [*_parts(grad, list(op.inputs[:-1]), op.inputs[-1]), None]


@gradient_of("Concat", takes_slices=True)
def _concat_old(op: Any, grad: Any) -> Any:
    return [None, *_parts(grad, list(op.inputs[1:]), op.inputs[0])]


def _parts(grad: Any, tensors: list[Any], axis: Any) -> list[Any]:
    """Return the part of grad that belongs to each of the joined tensors."""
    if isinstance(grad, IndexedSlices):
        rows = constant_list(axis) == [0]
        return _slices_of_parts(grad, tensors) if rows else _columns_of_parts(grad, tensors, axis)
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


def _slices_of_parts(grad: IndexedSlices, tensors: list[Any]) -> list[Any]:
    """Return of each of the tensors, which were joined by their rows, its own slices."""
    places = emit("Cast", [grad.indices], DstT=dtypes.int64)
    parts, start = [], framework.constant(0, dtypes.int64)
    for tensor in tensors:
        sizes = shape_of(tensor)
        count = emit("StridedSlice", [sizes, [0], [1], [1]], shrink_axis_mask=1)
        end = emit("AddV2", [start, emit("Cast", [count], DstT=dtypes.int64)])
        own = emit(
            "LogicalAnd",
            [emit("GreaterEqual", [places, start]), emit("Less", [places, end])],
        )
        chosen = emit("Squeeze", [emit("Where", [own])], squeeze_dims=[1])
        values = emit("GatherV2", [grad.values, chosen, 0])
        indices = emit("Sub", [emit("GatherV2", [places, chosen, 0]), start])
        parts.append(IndexedSlices(values, indices, sizes))
        start = end
    return parts


def _columns_of_parts(grad: IndexedSlices, tensors: list[Any], axis: Any) -> list[Any]:
    """Return of each of the tensors, which were joined along another axis, its part of each slice.

    An axis that may be the first one makes a whole tensor of the gradient.
    """
    known, rank = constant_list(axis), known_rank(tensors[0])
    lengths = [None]
    if known is not None and rank is not None and known[0] % rank:
        lengths = [_length(tensor, known[0] % rank) for tensor in tensors]
    if known is None or rank is None or any(length is None for length in lengths):
        return _parts(framework.convert_to_tensor(grad), tensors, axis)
    parts = _parts(grad.values, tensors, axis)
    return [
        IndexedSlices(values, grad.indices, shape_of(tensor))
        for values, tensor in zip(parts, tensors)
    ]


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
    return [slices_of(op, grad), None]


@gradient_of("GatherV2")
def _gather(op: Any, grad: Any) -> Any:
    axis = constant_list(op.inputs[2])
    if op.get_attr("batch_dims") == 0 and axis == [0]:
        return [slices_of(op, grad), None, None]
    return [scattered(op, grad), None, None]


def slices_of(op: Any, grad: Any) -> IndexedSlices:
    """Return the rows of the gradient and where they stand; nobody need add them up."""
    params, indices = op.inputs[:2]
    sizes = shape_of(params)
    count = emit("Reshape", [array_ops.size(indices), [1]])
    row = emit("StridedSlice", [sizes, [1], [0], [1]], end_mask=1)
    values = emit("Reshape", [grad, array_ops.concat([count, row], 0)])
    return IndexedSlices(values, emit("Reshape", [indices, [-1]]), sizes)


def scattered(op: Any, grad: Any) -> Any:
    """Return zeros like params with what was gathered added at the indices.

    Everything is seen as [batch, before the axis, axis, after it].
    """
    params, indices = op.inputs[:2]
    sizes, places = shape_of(params), array_ops.shape(indices)
    axis = op.inputs[2] if len(op.inputs) > 2 else framework.constant(op.get_attr("batch_dims"))
    axis = emit("FloorMod", [emit("Cast", [axis], DstT=dtypes.int32), array_ops.size(sizes)])
    batch_dims = op.get_attr("batch_dims")
    first = array_ops.rank(indices) + batch_dims if batch_dims < 0 else batch_dims
    after = emit("AddV2", [axis, 1])
    batch, before = _product(sizes, 0, first), _product(sizes, first, axis)
    length, behind = _product(sizes, axis, after), _product(sizes, after, array_ops.size(sizes))
    number = _product(places, first, array_ops.size(places))
    rows = emit("Reshape", [grad, emit("Pack", [[batch, before, number, behind]])])
    rows = emit("Transpose", [rows, vector([0, 2, 1, 3])])
    rows = emit("Reshape", [rows, emit("Pack", [[batch * number, before, behind]])])
    flat = emit("Reshape", [indices, emit("Pack", [[batch, number]])])
    starts = emit("Range", [0, batch, 1]) * length
    starts = emit("Cast", [emit("ExpandDims", [starts, 1])], DstT=flat.dtype.base_dtype)
    flat = emit("Reshape", [emit("AddV2", [flat, starts]), [-1]])
    sums = emit("UnsortedSegmentSum", [rows, flat, batch * length])
    whole = emit("Reshape", [sums, emit("Pack", [[batch, length, before, behind]])])
    return emit("Reshape", [emit("Transpose", [whole, vector([0, 2, 1, 3])]), sizes])


def _product(sizes: Any, begin: Any, end: Any) -> Any:
    """Return the product of the sizes from begin up to but without end."""
    bounds = [emit("Reshape", [bound, [1]]) for bound in (begin, end)]
    return emit("Prod", [emit("StridedSlice", [sizes, *bounds, [1]]), vector([0])])
