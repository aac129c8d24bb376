"""Gradients of batch normalisation, local response normalisation and of what prints."""

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops.emit import emit


@gradient_of("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _fused_batch_norm(op: Any, *grads: Any) -> Any:
    x, scale, _, mean, variance = op.inputs
    kept = list(op.outputs[3:]) if op.get_attr("is_training") else [mean, variance, *op.outputs[5:]]
    attrs = {name: op.get_attr(name) for name in ("epsilon", "data_format", "is_training")}
    kind = op.type.replace("Norm", "NormGrad")
    back = framework.apply_op(kind, [grads[0], x, scale, *kept], attrs)
    return [*back.outputs[:3], None, None]


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
