"""Gradients of sums, means, extremes and products over axes."""

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.math_grad import conjugate, multiply
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.gradients.shapes import kept_shape
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit

for _op_type in ("All", "Any", "ArgMax", "ArgMin"):
    no_gradient(_op_type)


def _kept(op: Any, value: Any) -> Any:
    """Return a result of the reduction, or its gradient, with the reduced dimensions of size 1."""
    if op.get_attr("keep_dims"):
        return value
    return emit("Reshape", [value, kept_shape(*op.inputs)])


def _spread(op: Any, grad: Any) -> Any:
    return emit("BroadcastTo", [_kept(op, grad), array_ops.shape(op.inputs[0])])


@gradient_of("Sum")
def _sum(op: Any, grad: Any) -> Any:
    return [_spread(op, grad), None]


@gradient_of("Mean")
def _mean(op: Any, grad: Any) -> Any:
    dtype = grad.dtype.base_dtype
    count, results = op.inputs[0].get_shape(), op.outputs[0].get_shape()
    whole, part = count.num_elements(), results.num_elements()
    if whole is not None and part is not None:
        factor = framework.constant(whole // max(part, 1), dtype)
    else:
        parts = emit("Maximum", [array_ops.size(op.outputs[0]), 1])
        ratio = emit("FloorDiv", [array_ops.size(op.inputs[0]), parts])
        factor = emit("Cast", [ratio], DstT=dtype)
    # Divided before it is spread, where it is small.
    return [_spread(op, emit("RealDiv", [grad, factor], "truediv")), None]


@gradient_of("Max", "Min")
def _extreme(op: Any, grad: Any) -> Any:
    """Share the gradient evenly among the elements that are the extreme."""
    x, axes = op.inputs
    chosen = emit("Cast", [emit("Equal", [_kept(op, op.outputs[0]), x])], DstT=x.dtype.base_dtype)
    number = emit("Sum", [chosen, axes], keep_dims=True)
    return [multiply(emit("RealDiv", [chosen, number]), _kept(op, grad)), None]


@gradient_of("Prod")
def _product(op: Any, grad: Any) -> Any:
    """The product of the other elements, which division gives unless one of them is zero."""
    x, axes = op.inputs
    zero, one = (framework.constant(number, x.dtype.base_dtype) for number in (0, 1))
    is_zero = emit("Equal", [x, zero])
    nonzero = emit("SelectV2", [is_zero, one, x])
    rest = emit("Prod", [nonzero, axes], keep_dims=True)
    zeros = emit("Sum", [emit("Cast", [is_zero], DstT=x.dtype.base_dtype), axes], keep_dims=True)
    at_zero = emit("SelectV2", [emit("Equal", [zeros, one]), rest, zero])
    # Divided by all of the shape, so that the choice below is between equal shapes.
    elsewhere = emit("SelectV2", [emit("Equal", [zeros, zero]), rest, zero])
    others = emit("SelectV2", [is_zero, at_zero, emit("RealDiv", [elsewhere, nonzero])])
    return [multiply(_kept(op, grad), conjugate(others)), None]


@gradient_of("UnsortedSegmentSum")
def _segment_sum(op: Any, grad: Any) -> Any:
    ids = op.inputs[1]
    rows = emit("GatherV2", [grad, emit("Maximum", [ids, 0]), 0])
    # Rows of a negative segment are in no sum.
    counted = emit("GreaterEqual", [ids, 0])
    ones = emit("OnesLike", [array_ops.shape(rows)])
    extended = array_ops.concat([array_ops.shape(ids), _after(ones, array_ops.rank(ids))], 0)
    counted = emit("Reshape", [counted, extended])
    return [emit("SelectV2", [counted, rows, framework.constant(0, rows.dtype)]), None, None]


def _after(vector: Any, start: Any) -> Any:
    begin = emit("Reshape", [start, [1]])
    return emit("StridedSlice", [vector, begin, [0], [1]], end_mask=1)
