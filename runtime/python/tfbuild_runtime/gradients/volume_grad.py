"""Gradients of convolutions and pooling over volumes."""

from typing import Any

from tfbuild_runtime.gradients.registry import gradient_of
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit

_CONVOLUTION = ("strides", "padding", "dilations", "data_format")
_POOL = ("ksize", "strides", "padding", "data_format")


def _attrs(op: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in names}


def _by_input(sizes: Any, filters: Any, grad: Any, attrs: dict[str, Any]) -> Any:
    return emit("Conv3DBackpropInputV2", [sizes, filters, grad], **attrs)


def _by_filters(volumes: Any, sizes: Any, grad: Any, attrs: dict[str, Any]) -> Any:
    return emit("Conv3DBackpropFilterV2", [volumes, sizes, grad], **attrs)


@gradient_of("Conv3D")
def _conv3d(op: Any, grad: Any) -> Any:
    volumes, filters = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    return [_by_input(array_ops.shape(volumes), filters, grad, attrs),
            _by_filters(volumes, array_ops.shape(filters), grad, attrs)]  # fmt: skip


@gradient_of("Conv3DBackpropInputV2")
def _conv3d_input_twice(op: Any, grad: Any) -> Any:
    _, filters, inner = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    by_filters = _by_filters(grad, array_ops.shape(filters), inner, attrs)
    return [None, by_filters, emit("Conv3D", [grad, filters], **attrs)]


@gradient_of("Conv3DBackpropFilterV2")
def _conv3d_filter_twice(op: Any, grad: Any) -> Any:
    volumes, _, inner = op.inputs
    attrs = _attrs(op, _CONVOLUTION)
    by_volumes = _by_input(array_ops.shape(volumes), grad, inner, attrs)
    return [by_volumes, None, emit("Conv3D", [volumes, grad], **attrs)]


@gradient_of("MaxPool3D")
def _max_pool3d(op: Any, grad: Any) -> Any:
    return emit("MaxPool3DGrad", [op.inputs[0], op.outputs[0], grad], **_attrs(op, _POOL))


@gradient_of("AvgPool3D")
def _avg_pool3d(op: Any, grad: Any) -> Any:
    return emit("AvgPool3DGrad", [array_ops.shape(op.inputs[0]), grad], **_attrs(op, _POOL))


@gradient_of("AvgPool3DGrad")
def _avg_pool3d_twice(op: Any, grad: Any) -> Any:
    return [None, emit("AvgPool3D", [grad], **_attrs(op, _POOL))]
