"""Convolutions and pooling over images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, only_one

_FORMATS = ("NHWC", "NCHW")


def _layout(data_format: str | None) -> str:
    chosen = data_format or "NHWC"
    if chosen not in _FORMATS:
        raise ValueError(f"data_format is NHWC or NCHW, not {data_format!r}")
    return chosen


def _four(value: Any, layout: str, what: str) -> list[int]:
    """Return sizes per dimension of the layout from one number, one per direction, or all four."""
    values = list(value) if isinstance(value, Sequence) else [value]
    if len(values) == 4:
        return [int(number) for number in values]
    if len(values) == 1:
        values = values * 2
    if len(values) != 2:
        raise ValueError(f"{what} are 1, 2 or 4 numbers, not {value!r}")
    height, width = (int(number) for number in values)
    return [1, height, width, 1] if layout == "NHWC" else [1, 1, height, width]


def _padding(padding: Any) -> dict[str, Any]:
    if isinstance(padding, str):
        word = padding.upper()
        if word not in ("SAME", "VALID"):
            raise ValueError(f"padding is SAME, VALID or a list of pairs, not {padding!r}")
        return {"padding": word}
    if not isinstance(padding, Sequence) or len(padding) != 4:
        raise ValueError(f"padding is SAME, VALID or a pair for each dimension, not {padding!r}")
    return {"padding": "EXPLICIT", "explicit_paddings": [int(n) for pair in padding for n in pair]}


def _convolution(strides: Any, padding: Any, data_format: str | None, dilations: Any,
                 use_cudnn_on_gpu: bool) -> dict[str, Any]:  # fmt: skip
    layout = _layout(data_format)
    if padding is None:
        raise ValueError("a convolution needs padding: SAME or VALID")
    return {
        "strides": _four(1 if strides is None else strides, layout, "strides"),
        "dilations": _four(1 if dilations is None else dilations, layout, "dilations"),
        "data_format": layout,
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        **_padding(padding),
    }


def conv2d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None,
           use_cudnn_on_gpu: bool = True, data_format: str | None = "NHWC", dilations: Any = None,
           name: str | None = None, filters: Any = None) -> Any:  # fmt: skip
    """Return the convolution of images with filters [height, width, channels in, channels out].

    Raises ValueError for arguments that make no convolution.
    """
    filter = only_one(filter, filters, "filter", "filters")
    attrs = _convolution(strides, padding, data_format, dilations, use_cudnn_on_gpu)
    return emit("Conv2D", [input, filter], name, **attrs)


def conv2d_backprop_input(input_sizes: Any, filter: Any = None, out_backprop: Any = None,
                          strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
                          data_format: str | None = "NHWC", dilations: Any = None,
                          name: str | None = None, filters: Any = None) -> Any:  # fmt: skip
    """Return the gradient of a convolution by its images."""
    filter = only_one(filter, filters, "filter", "filters")
    attrs = _convolution(strides, padding, data_format, dilations, use_cudnn_on_gpu)
    return emit("Conv2DBackpropInput", [input_sizes, filter, out_backprop], name, **attrs)


def conv2d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any,
                           padding: Any, use_cudnn_on_gpu: bool = True,
                           data_format: str | None = "NHWC", dilations: Any = None,
                           name: str | None = None) -> Any:  # fmt: skip
    """Return the gradient of a convolution by its filters."""
    attrs = _convolution(strides, padding, data_format, dilations, use_cudnn_on_gpu)
    return emit("Conv2DBackpropFilter", [input, filter_sizes, out_backprop], name, **attrs)


def conv2d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None,
                     strides: Any = None, padding: Any = "SAME", data_format: str | None = "NHWC",
                     name: str | None = None, input: Any = None, filters: Any = None,
                     dilations: Any = None) -> Any:  # fmt: skip
    """Return the transpose of a convolution, with filters [height, width, channels out, in]."""
    value = only_one(value, input, "value", "input")
    filter = only_one(filter, filters, "filter", "filters")
    attrs = _convolution(strides, padding, data_format, dilations, use_cudnn_on_gpu=True)
    name = name or "conv2d_transpose"
    return emit("Conv2DBackpropInput", [output_shape, filter, value], name, **attrs)


def _pool(op_type: str, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any,
          name: str | None) -> Any:  # fmt: skip
    layout = _layout(data_format)
    if not isinstance(padding, str):
        raise ValueError(f"padding of a pool is SAME or VALID, not {padding!r}")
    return emit(
        op_type,
        [value],
        name,
        ksize=_four(ksize, layout, "ksize"),
        strides=_four(strides, layout, "strides"),
        data_format=layout,
        **_padding(padding),
    )


def max_pool(value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None,
             data_format: str | None = "NHWC", name: str | None = None,
             input: Any = None) -> Any:  # fmt: skip
    """Return the largest element of each window; raises ValueError for impossible arguments."""
    value = only_one(value, input, "value", "input")
    depth = _depth_window(ksize, strides)
    if depth > 1:
        return _max_over_depth(value, depth, name)
    return _pool("MaxPool", value, ksize, strides, padding, data_format, name)


def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return max_pool(input, ...)."""
    return max_pool(input, ksize, strides, padding, data_format, name)


def _depth_window(ksize: Any, strides: Any) -> int:
    """Return over how many channels a window goes, which then lie beside one another."""
    sizes = list(ksize) if isinstance(ksize, Sequence) else [ksize]
    if len(sizes) != 4 or int(sizes[3]) == 1 or sizes[:3] != [1, 1, 1]:
        return 1
    if list(strides) != sizes:
        raise ValueError(f"strides over channels equal ksize, {ksize!r}, but are {strides!r}")
    return int(sizes[3])


def _max_over_depth(value: Any, depth: int, name: str | None) -> Any:
    value = framework.convert_to_tensor(value, name="input")
    sizes = array_ops.shape(value)
    with framework.name_scope(name, "MaxPool", [value]):
        split = array_ops.concat([sizes[:3], [-1, depth]], 0)
        return emit("Max", [emit("Reshape", [value, split]), [4]])


def avg_pool(value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None,
             data_format: str | None = "NHWC", name: str | None = None,
             input: Any = None) -> Any:  # fmt: skip
    """Return the mean of each window; raises ValueError for impossible arguments."""
    value = only_one(value, input, "value", "input")
    return _pool("AvgPool", value, ksize, strides, padding, data_format, name)
