"""Gradients of softmax, cross entropies, biases, convolutions and pooling."""

from typing import Any

from tfbuild_runtime.gradients.math_grad import multiply
from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.gradients.shapes import vector
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit


@gradient_of("L2Loss")
def _l2_loss(op: Any, grad: Any) -> Any:
    return multiply(op.inputs[0], grad)


# ---- softmax and cross entropies ----------------------------------------------------------------


def _row_sums(tensor: Any) -> Any:
    return emit("Sum", [tensor, vector([-1])], keep_dims=True)


def _softmax_back(softmax: Any, grad: Any) -> Any:
    return multiply(emit("Sub", [grad, _row_sums(multiply(grad, softmax))]), softmax)


@gradient_of("Softmax")
def _softmax(op: Any, grad: Any) -> Any:
    return _softmax_back(op.outputs[0], grad)


@gradient_of("LogSoftmax")
def _log_softmax(op: Any, grad: Any) -> Any:
    softmax = emit("Exp", [op.outputs[0]])
    return emit("Sub", [grad, multiply(_row_sums(grad), softmax)])


def _times_rows(column: Any, matrix: Any) -> Any:
    return multiply(emit("ExpandDims", [column, -1]), matrix)


def _by_logits(op: Any, grad_loss: Any, grad_backprop: Any) -> Any:
    """Both outputs depend on the logits: the loss, and the softmax that its gradient is made of."""
    total = None if grad_loss is None else _times_rows(grad_loss, op.outputs[1])
    if grad_backprop is None:
        return total
    second = _softmax_back(emit("Softmax", [op.inputs[0]]), grad_backprop)
    return second if total is None else emit("AddV2", [total, second])


@gradient_of("SoftmaxCrossEntropyWithLogits", takes_none=True)
def _cross_entropy(op: Any, grad_loss: Any, grad_backprop: Any) -> Any:
    logits = op.inputs[0]
    by_labels = None
    if grad_loss is not None:
        by_labels = _times_rows(grad_loss, emit("Neg", [emit("LogSoftmax", [logits])]))
    if grad_backprop is not None:
        # The second output is softmax - labels.
        minus = emit("Neg", [grad_backprop])
        by_labels = minus if by_labels is None else emit("AddV2", [by_labels, minus])
    return [_by_logits(op, grad_loss, grad_backprop), by_labels]


@gradient_of("SparseSoftmaxCrossEntropyWithLogits", takes_none=True)
def _sparse_cross_entropy(op: Any, grad_loss: Any, grad_backprop: Any) -> Any:
    return [_by_logits(op, grad_loss, grad_backprop), None]


# ---- biases -------------------------------------------------------------------------------------


@gradient_of("BiasAdd")
def _bias_add(op: Any, grad: Any) -> Any:
    layout = op.get_attr("data_format")
    return [grad, emit("BiasAddGrad", [grad], data_format=layout)]


@gradient_of("BiasAddGrad")
def _bias_add_twice(op: Any, grad: Any) -> Any:
    whole = array_ops.shape(op.inputs[0])
    if _text(op.get_attr("data_format")) == "NCHW":
        rank = array_ops.rank(op.inputs[0])
        after = emit("Fill", [emit("Reshape", [emit("Sub", [rank, 2]), [1]]), 1])
        grad = emit("Reshape", [grad, array_ops.concat([[1], array_ops.shape(grad), after], 0)])
    return emit("BroadcastTo", [grad, whole])


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


# ---- convolutions and pooling -------------------------------------------------------------------

_CONVOLUTION = ("strides", "padding", "explicit_paddings", "dilations", "data_format",
                "use_cudnn_on_gpu")  # fmt: skip
_POOL = ("ksize", "strides", "padding", "data_format")


def _attrs(op: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in names}


@gradient_of("Conv2D")
def _conv2d(op: Any, grad: Any) -> Any:
    images, filters = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    by_images = emit("Conv2DBackpropInput", [array_ops.shape(images), filters, grad], **attrs)
    by_filters = emit("Conv2DBackpropFilter", [images, array_ops.shape(filters), grad], **attrs)
    return [by_images, by_filters]


@gradient_of("Conv2DBackpropInput")
def _conv2d_input_twice(op: Any, grad: Any) -> Any:
    _, filters, inner = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    by_filters = emit("Conv2DBackpropFilter", [grad, array_ops.shape(filters), inner], **attrs)
    return [None, by_filters, emit("Conv2D", [grad, filters], **attrs)]


@gradient_of("Conv2DBackpropFilter")
def _conv2d_filter_twice(op: Any, grad: Any) -> Any:
    images, _, inner = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    by_images = emit("Conv2DBackpropInput", [array_ops.shape(images), grad, inner], **attrs)
    return [by_images, None, emit("Conv2D", [images, grad], **attrs)]


@gradient_of("MaxPool")
def _max_pool(op: Any, grad: Any) -> Any:
    attrs = _attrs(op, _POOL)
    return emit("MaxPoolGrad", [op.inputs[0], op.outputs[0], grad], **attrs)


@gradient_of("AvgPool")
def _avg_pool(op: Any, grad: Any) -> Any:
    return emit("AvgPoolGrad", [array_ops.shape(op.inputs[0]), grad], **_attrs(op, _POOL))


@gradient_of("AvgPoolGrad")
def _avg_pool_twice(op: Any, grad: Any) -> Any:
    return [None, emit("AvgPool", [grad], **_attrs(op, _POOL))]
