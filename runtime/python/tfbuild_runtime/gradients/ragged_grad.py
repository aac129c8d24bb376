"""Gradients of ragged tensors: of the values alone, where rows end has none."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import sum_to
from tfbuild_runtime.ops import array_ops, creation_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, known_rank

no_gradient("RaggedRange")


@gradient_of("RaggedTensorToTensor")
def _to_tensor(op: Any, grad: Any) -> Any:
    """Sum the gradient at the place of each value, and that at all other places for the default."""
    _, values, default, *partitions = op.inputs
    inner = (known_rank(values) or 1) - 1
    outer = array_ops.shape(grad, out_type=dtypes.int64)
    outer = outer[:-inner] if inner else outer
    count = array_ops.shape(values)[0]
    attrs = {"row_partition_types": op.get_attr("row_partition_types")}
    numbers = creation_ops.range(1, count + 1)
    # At each place of the tensor the number of its value, 0 where the default stands.
    places = framework.apply_op(
        "RaggedTensorToTensor", [outer, numbers, 0, list(partitions)], attrs
    ).outputs[0]
    rows = array_ops.reshape(grad, array_ops.concat([[-1], array_ops.shape(values)[1:]], 0))
    ids = array_ops.reshape(places, [-1])
    sums = reduce_ops.unsorted_segment_sum(rows, ids, count + 1)
    by_default = sum_to(sums[0], default, sums[0])
    return [None, sums[1:], by_default, *[None] * len(partitions)]


@gradient_of("RaggedGather")
def _gather(op: Any, *grads: Any) -> Any:
    """Sum the gradients of the copies of each value."""
    *splits, values, indices = op.inputs
    numbers = creation_ops.range(array_ops.shape(values)[0])
    attrs = {"OUTPUT_RAGGED_RANK": op.get_attr("OUTPUT_RAGGED_RANK")}
    taken = framework.apply_op("RaggedGather", [splits, numbers, indices], attrs).outputs[-1]
    summed = emit("UnsortedSegmentSum", [grads[-1], taken, array_ops.shape(values)[0]])
    return [*[None] * len(splits), summed, None]


@gradient_of("RaggedTensorToSparse")
def _to_sparse(op: Any, _: Any, grad: Any, __: Any) -> Any:
    values = op.inputs[-1]
    return [*[None] * (len(op.inputs) - 1), array_ops.reshape(grad, array_ops.shape(values))]


@gradient_of("RaggedTensorToVariant")
def _to_variant(op: Any, grad: Any) -> Any:
    """Take the gradient of the values out of variants with the rows of what was put in."""
    *splits, values = op.inputs
    attrs = {"input_ragged_rank": -1, "output_ragged_rank": len(splits),
             "Tvalues": values.dtype, "Tsplits": op.get_attr("Tsplits")}  # fmt: skip
    if splits or not op.get_attr("batched_input"):
        parts = framework.apply_op("RaggedTensorFromVariant", [grad], attrs).outputs
        return [*[None] * len(splits), parts[-1]]
    # Each row is a tensor of its own, which is read as the one row of a ragged tensor would be.
    attrs["output_ragged_rank"] = 1
    flat = framework.apply_op("RaggedTensorFromVariant", [grad], attrs).outputs[-1]
    return [array_ops.reshape(flat, array_ops.shape(values))]


@gradient_of("RaggedTensorFromVariant")
def _from_variant(op: Any, *grads: Any) -> Any:
    """Put the gradient of the values into variants of the rows that were taken out."""
    *splits, values = op.outputs
    grad = creation_ops.zeros_like(values) if grads[-1] is None else grads[-1]
    attrs = {"batched_input": known_rank(op.inputs[0]) != 0, "Tsplits": op.get_attr("Tsplits")}
    return framework.apply_op("RaggedTensorToVariant", [list(splits), grad], attrs).outputs[0]
