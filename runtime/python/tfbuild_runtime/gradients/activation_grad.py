"""Gradients of activations."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.ops.emit import emit


def _times(x: Any, y: Any) -> Any:
    return emit("Mul", [x, y])


def _nothing(op: Any) -> Any:
    """The slope of a line that has a corner: zero, and not None, as in TensorFlow."""
    return emit("ZerosLike", [op.inputs[1]])


@gradient_of("Relu")
def _relu(op: Any, grad: Any) -> Any:
    return emit("ReluGrad", [grad, op.outputs[0]])


@gradient_of("ReluGrad")
def _relu_twice(op: Any, grad: Any) -> Any:
    return [emit("ReluGrad", [grad, op.inputs[1]]), _nothing(op)]


@gradient_of("Relu6")
def _relu6(op: Any, grad: Any) -> Any:
    return emit("Relu6Grad", [grad, op.outputs[0]])


@gradient_of("Relu6Grad")
def _relu6_twice(op: Any, grad: Any) -> Any:
    return [emit("Relu6Grad", [grad, op.inputs[1]]), _nothing(op)]


@gradient_of("LeakyRelu")
def _leaky_relu(op: Any, grad: Any) -> Any:
    return emit("LeakyReluGrad", [grad, op.inputs[0]], alpha=op.get_attr("alpha"))


@gradient_of("LeakyReluGrad")
def _leaky_relu_twice(op: Any, grad: Any) -> Any:
    back = emit("LeakyReluGrad", [grad, op.inputs[1]], alpha=op.get_attr("alpha"))
    return [back, _nothing(op)]


@gradient_of("Elu")
def _elu(op: Any, grad: Any) -> Any:
    return emit("EluGrad", [grad, op.outputs[0]])


@gradient_of("EluGrad")
def _elu_twice(op: Any, grad: Any) -> Any:
    inner, result = op.inputs
    curve = emit("SelectV2", [emit("Less", [result, 0]), _times(grad, inner),
                              emit("ZerosLike", [result])])  # fmt: skip
    return [emit("EluGrad", [grad, result]), curve]


@gradient_of("Softsign")
def _softsign(op: Any, grad: Any) -> Any:
    return emit("SoftsignGrad", [grad, op.inputs[0]])


@gradient_of("SoftsignGrad")
def _softsign_twice(op: Any, grad: Any) -> Any:
    inner, x = op.inputs
    size = emit("AddV2", [emit("Abs", [x]), 1])
    slope = emit("RealDiv", [_times(emit("Sign", [x]), -2), _times(size, _times(size, size))])
    return [emit("SoftsignGrad", [grad, x]), _times(_times(grad, inner), slope)]


@gradient_of("Softplus")
def _softplus(op: Any, grad: Any) -> Any:
    return emit("SoftplusGrad", [grad, op.inputs[0]])


@gradient_of("SoftplusGrad")
def _softplus_twice(op: Any, grad: Any) -> Any:
    inner, x = op.inputs
    slope = emit("Sigmoid", [x])
    curve = emit("SigmoidGrad", [slope, _times(grad, inner)])
    return [emit("SoftplusGrad", [grad, x]), curve]


@gradient_of("Selu")
def _selu(op: Any, grad: Any) -> Any:
    return emit("SeluGrad", [grad, op.outputs[0]])


@gradient_of("SeluGrad")
def _selu_twice(op: Any, grad: Any) -> Any:
    """Below 0 the slope is the result plus a constant, above it is another constant."""
    given, result = op.inputs
    below = emit("Less", [result, emit("ZerosLike", [result])])
    curve = emit("SelectV2", [below, _times(grad, given), emit("ZerosLike", [given])])
    return [emit("SeluGrad", [grad, result]), curve]
