"""Gradients of what picks, places, orders and accumulates elements, and mirrors borders."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import vector
from tfbuild_runtime.ops import array_ops, placement_ops
from tfbuild_runtime.ops.emit import emit, known_rank

for _op_type in (
    "Unique", "UniqueWithCounts", "CountUpTo", "ScatterUpdate", "ScatterAdd",
    "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax", "ScatterNdUpdate",
    "ScatterNdAdd", "ScatterNdSub", "StridedSliceAssign",
):  # fmt: skip
    no_gradient(_op_type)


def _policy_of(op: Any) -> dict[str, Any]:
    """Return what an op says of coordinates outside, which holds for its gradient."""
    return {"bad_indices_policy": op.get_attr("bad_indices_policy")}


@gradient_of("GatherNd")
def _gather_nd(op: Any, grad: Any) -> Any:
    params, indices = op.inputs
    sizes = array_ops.shape(params, out_type=indices.dtype.base_dtype)
    policy = _policy_of(op)
    is_rows = known_rank(indices) == 2 and indices.get_shape().as_list()[-1] == 1
    if is_rows and policy["bad_indices_policy"] != b"IGNORE":
        return [IndexedSlices(grad, array_ops.squeeze(indices, -1), sizes), None]
    return [emit("ScatterNd", [indices, grad, sizes], **policy), None]


@gradient_of("ScatterNd")
def _scatter_nd(op: Any, grad: Any) -> Any:
    return [None, emit("GatherNd", [grad, op.inputs[0]], **_policy_of(op)), None]


@gradient_of("DynamicPartition")
def _dynamic_partition(op: Any, *grads: Any) -> Any:
    data, partitions = op.inputs
    places = array_ops.shape(partitions)
    numbers = emit("Range", [0, array_ops.size(partitions), 1])
    numbers = emit("Reshape", [numbers, places])
    order = placement_ops.dynamic_partition(numbers, partitions, op.get_attr("num_partitions"))
    together = placement_ops.parallel_dynamic_stitch(order, grads)
    return [emit("Reshape", [together, array_ops.shape(data)]), None]


@gradient_of("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(op: Any, grad: Any) -> Any:
    """A slice that another one was put over has the gradient of that place all the same."""
    count = len(op.inputs) // 2
    return [None] * count + [emit("GatherV2", [grad, places, 0]) for places in op.inputs[:count]]


@gradient_of("ReverseV2")
def _reverse(op: Any, grad: Any) -> Any:
    return [emit("ReverseV2", [grad, op.inputs[1]]), None]


@gradient_of("ReverseSequence")
def _reverse_sequence(op: Any, grad: Any) -> Any:
    axes = {name: op.get_attr(name) for name in ("seq_dim", "batch_dim")}
    return [emit("ReverseSequence", [grad, op.inputs[1]], **axes), None]


@gradient_of("TopKV2")
def _top_k(op: Any, grad: Any, _: Any) -> Any:
    values, indices = op.inputs[0], op.outputs[1]
    sizes = array_ops.shape(values)
    length = emit("StridedSlice", [sizes, [-1], [0], [1]], end_mask=1, shrink_axis_mask=1)
    number = emit("StridedSlice", [array_ops.shape(indices), [-1], [0], [1]], end_mask=1)
    rows = emit("Reshape", [indices, array_ops.concat([[-1], number], 0)])
    if rows.dtype.base_dtype != dtypes.int32:
        rows = emit("Cast", [rows], DstT=dtypes.int32)
    count = emit("StridedSlice", [array_ops.shape(rows), [0], [1], [1]], shrink_axis_mask=1)
    starts = emit("ExpandDims", [emit("Mul", [emit("Range", [0, count, 1]), length]), 1])
    places = emit("Reshape", [emit("AddV2", [rows, starts]), [-1, 1]])
    whole = emit("Reshape", [emit("Prod", [sizes, vector([0])]), [1]])
    flat = emit("ScatterNd", [places, emit("Reshape", [grad, [-1]]), whole])
    return [emit("Reshape", [flat, sizes]), None]


def _direction(op: Any) -> dict[str, bool]:
    return {"exclusive": op.get_attr("exclusive"), "reverse": not op.get_attr("reverse")}


@gradient_of("Cumsum")
def _cumsum(op: Any, grad: Any) -> Any:
    return [emit("Cumsum", [grad, op.inputs[1]], **_direction(op)), None]


@gradient_of("Cumprod")
def _cumprod(op: Any, grad: Any) -> Any:
    """Right where no element is zero, as in TensorFlow."""
    x, axis = op.inputs
    shares = emit("Mul", [op.outputs[0], grad])
    return [emit("DivNoNan", [emit("Cumsum", [shares, axis], **_direction(op)), x]), None]


@gradient_of("MirrorPad")
def _mirror_pad(op: Any, grad: Any) -> Any:
    return [emit("MirrorPadGrad", [grad, op.inputs[1]], mode=op.get_attr("mode")), None]


@gradient_of("MirrorPadGrad")
def _mirror_pad_twice(op: Any, grad: Any) -> Any:
    return [emit("MirrorPad", [grad, op.inputs[1]], mode=op.get_attr("mode")), None]


# ---- tensors of which slices changed -------------------------------------------------------------


@gradient_of("TensorScatterUpdate")
def _tensor_scatter_update(op: Any, grad: Any) -> Any:
    places, updates = op.inputs[1], op.inputs[2]
    policy = _policy_of(op)
    kept = emit("TensorScatterUpdate", [grad, places, emit("ZerosLike", [updates])], **policy)
    return [kept, None, emit("GatherNd", [grad, places], **policy)]


@gradient_of("TensorScatterAdd", "ScatterNdNonAliasingAdd")
def _tensor_scatter_add(op: Any, grad: Any) -> Any:
    return [grad, None, emit("GatherNd", [grad, op.inputs[1]], **_policy_of(op))]


@gradient_of("TensorScatterSub")
def _tensor_scatter_sub(op: Any, grad: Any) -> Any:
    found = emit("GatherNd", [grad, op.inputs[1]], **_policy_of(op))
    return [grad, None, emit("Neg", [found])]


@gradient_of("Roll")
def _roll(op: Any, grad: Any) -> Any:
    return [emit("Roll", [grad, emit("Neg", [op.inputs[1]]), op.inputs[2]]), None, None]


@gradient_of("CheckNumerics")
def _check_numerics(op: Any, grad: Any) -> Any:
    message = op.get_attr("message")
    text = message.decode() if isinstance(message, bytes) else message
    return emit("CheckNumerics", [grad], message=f"Not a number (NaN) or infinity (Inf) values "
                f"detected in gradient. {text}")  # fmt: skip


for _op_type in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert", "LeftShift", "RightShift",
                 "PopulationCount", "Bitcast", "Bucketize", "UnravelIndex"):  # fmt: skip
    no_gradient(_op_type)
