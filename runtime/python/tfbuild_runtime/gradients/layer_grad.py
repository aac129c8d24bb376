"""Gradients of batch normalisation, local response normalisation and of what prints."""

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import array_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit


@gradient_of("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _fused_batch_norm(op: Any, *grads: Any) -> Any:
    x, scale, _, mean, variance = op.inputs
    kept = list(op.outputs[3:]) if op.get_attr("is_training") else [mean, variance, *op.outputs[5:]]
    attrs = {name: op.get_attr(name) for name in ("epsilon", "data_format", "is_training")}
    kind = op.type.replace("Norm", "NormGrad")
    back = framework.apply_op(kind, [grads[0], x, scale, *kept], attrs)
    return [*back.outputs[:3], None, None]


@gradient_of("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _fused_batch_norm_twice(op: Any, *grads: Any) -> Any:
    """The formulas of the first derivatives, written out in the graph and differentiated."""
    from tfbuild_runtime.gradients.engine import gradients

    parts = [emit("Identity", [value]) for value in op.inputs[:5]]
    results = _batch_norm_back(op, *parts)
    pairs = [(y, dy) for y, dy in zip(results, grads) if dy is not None]
    found = gradients([y for y, _ in pairs], parts, [dy for _, dy in pairs])
    if op.get_attr("is_training"):  # means and variances are those of x
        found[3:] = [None, None]
    return [*found, *([None] * (len(op.inputs) - 5))]


def _batch_norm_back(op: Any, grad: Any, x: Any, scale: Any, mean: Any, variance: Any) -> list[Any]:
    """Return the derivatives by x, scale and offset."""
    last = op.get_attr("data_format") in ("NHWC", b"NHWC")
    axes = [0, 1, 2] if last else [0, 2, 3]
    kind = x.dtype.base_dtype

    def shaped(value: Any) -> Any:
        return value if last else array_ops.reshape(value, [1, -1, 1, 1])

    wide_x, wide = (math_ops.cast(value, dtypes.float32) for value in (x, grad))
    if op.get_attr("is_training"):
        mean = reduce_ops.reduce_mean(wide_x, axes)
        variance = reduce_ops.reduce_mean(math_ops.square(wide_x - shaped(mean)), axes)
    slope = math_ops.rsqrt(variance + op.get_attr("epsilon"))
    normal = (wide_x - shaped(mean)) * shaped(slope)
    by_scale = reduce_ops.reduce_sum(wide * normal, axes)
    by_offset = reduce_ops.reduce_sum(wide, axes)
    if op.get_attr("is_training"):
        count = math_ops.cast(array_ops.size(x) // array_ops.size(scale), dtypes.float32)
        wide = wide - shaped(by_offset / count) - normal * shaped(by_scale / count)
    return [math_ops.cast(wide * shaped(scale * slope), kind), by_scale, by_offset]


@gradient_of("LRN")
def _lrn(op: Any, grad: Any) -> Any:
    attrs = {name: op.get_attr(name) for name in ("depth_radius", "bias", "alpha", "beta")}
    return emit("LRNGrad", [grad, op.inputs[0], op.outputs[0]], **attrs)


_SLIDING = ("strides", "padding", "explicit_paddings", "data_format", "dilations")


@gradient_of("DepthwiseConv2dNative")
def _depthwise(op: Any, grad: Any) -> Any:
    x, filters = op.inputs
    attrs = {name: op.get_attr(name) for name in _SLIDING}
    by_input = emit("DepthwiseConv2dNativeBackpropInput",
                    [emit("Shape", [x]), filters, grad], **attrs)  # fmt: skip
    by_filter = emit("DepthwiseConv2dNativeBackpropFilter",
                     [x, emit("Shape", [filters]), grad], **attrs)  # fmt: skip
    return [by_input, by_filter]


@gradient_of("Print")
def _print(op: Any, grad: Any) -> Any:
    return [grad, *([None] * (len(op.inputs) - 1))]


for _op_type in ("PyFunc", "PyFuncStateless", "InTopK", "InTopKV2", "Assert"):
    no_gradient(_op_type)
