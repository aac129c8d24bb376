"""Convolutions and pooling over volumes, and pooling over lines by means of that over images.

A volume is [batch, depth, rows, columns, channels], a line [batch, length, channels].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, conv_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def _sizes(value: Any, count: int, what: str) -> list[int]:
    """Return one size for each direction from one number, one for each, or one per dimension."""
    values = list(value) if isinstance(value, Sequence) else [value]
    if len(values) == count + 2:
        if values[0] != 1 or values[-1] != 1:
            raise ValueError(f"{what} of batch and channels are 1, not {value!r}")
        values = values[1:-1]
    values = values * count if len(values) == 1 else values
    if len(values) != count:
        raise ValueError(f"{what} are 1, {count} or {count + 2} numbers, not {value!r}")
    return [int(number) for number in values]


def _channels_last(value: Any, layout: str | None, rank: int, first: str, last: str) -> Any:
    """Return the tensor with its channels last, and whether they were first."""
    value = framework.convert_to_tensor(value, name="input")
    if known_rank(value) not in (rank, None):
        raise ValueError(f"{value!r} has rank {known_rank(value)}, not {rank}")
    if layout not in (None, first, last):
        raise ValueError(f"data_format is {last} or {first}, not {layout!r}")
    if layout != first:
        return value, False
    return array_ops.transpose(value, [0, *range(2, rank), 1]), True


def _channels_back(value: Any, were_first: bool, rank: int) -> Any:
    return array_ops.transpose(value, [0, rank - 1, *range(1, rank - 1)]) if were_first else value


# ---- pooling ------------------------------------------------------------------------------------


def _pool1d(pool: Any, value: Any, sizes: tuple[Any, Any], padding: str, layout: str | None,
            name: str | None) -> Any:  # fmt: skip
    (length,), (stride,) = (_sizes(size, 1, "ksize and strides") for size in sizes)
    with framework.name_scope(name, "Pool1D", [value]):
        value, first = _channels_last(value, layout, 3, "NCW", "NWC")
        images = array_ops.expand_dims(value, 1)
        pooled = pool(images, [1, 1, length, 1], [1, 1, stride, 1], padding)
        return _channels_back(array_ops.squeeze(pooled, [1]), first, 3)


def max_pool1d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the largest element of each window of a line."""
    return _pool1d(conv_ops.max_pool, input, (ksize, strides), padding, data_format, name)


def avg_pool1d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the mean of each window of a line."""
    return _pool1d(conv_ops.avg_pool, input, (ksize, strides), padding, data_format, name)


def _five(value: Any, layout: str, what: str) -> list[int]:
    """Return sizes per dimension of the layout from 1, 3 or 5 numbers."""
    values = list(value) if isinstance(value, Sequence) else [value]
    if len(values) == 5:
        return [int(number) for number in values]
    inner = _sizes(value, 3, what)
    return [1, *inner, 1] if layout == "NDHWC" else [1, 1, *inner]


def _layout(data_format: str | None) -> str:
    chosen = data_format or "NDHWC"
    if chosen not in ("NDHWC", "NCDHW"):
        raise ValueError(f"data_format is NDHWC or NCDHW, not {data_format!r}")
    return chosen


def _sliding(sizes: dict[str, Any], padding: Any, data_format: str | None) -> dict[str, Any]:
    layout = _layout(data_format)
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding is SAME or VALID, not {padding!r}")
    attrs = {name: _five(value, layout, name) for name, value in sizes.items()}
    return {**attrs, "padding": padding, "data_format": layout}


def max_pool3d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the largest element of each window of a volume."""
    attrs = _sliding({"ksize": ksize, "strides": strides}, padding, data_format)
    return emit("MaxPool3D", [input], name, **attrs)


def avg_pool3d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the mean of each window of a volume."""
    attrs = _sliding({"ksize": ksize, "strides": strides}, padding, data_format)
    return emit("AvgPool3D", [input], name, **attrs)


# ---- convolutions -------------------------------------------------------------------------------


def _convolution(strides: Any, dilations: Any, padding: Any,
                 data_format: str | None) -> dict[str, Any]:  # fmt: skip
    sizes = {"strides": 1 if strides is None else strides,
             "dilations": 1 if dilations is None else dilations}  # fmt: skip
    return _sliding(sizes, padding, data_format)


def conv3d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None,
           data_format: str | None = "NDHWC", dilations: Any = (1, 1, 1, 1, 1),
           name: str | None = None, filters: Any = None) -> Any:  # fmt: skip
    """Return the convolution of volumes with filters [depth, rows, columns, channels in, out].

    Raises ValueError for arguments that make no convolution.
    """
    filter = only_one(filter, filters, "filter", "filters")
    attrs = _convolution(strides, dilations, padding, data_format)
    return emit("Conv3D", [input, filter], name, **attrs)


def conv3d_backprop_filter(input: Any, filter_sizes: Any, out_backprop: Any, strides: Any,
                           padding: Any, data_format: str = "NDHWC",
                           dilations: Any = (1, 1, 1, 1, 1), name: str | None = None,
                           ) -> Any:  # fmt: skip
    """Return the gradient of a convolution of volumes by its filters."""
    attrs = _convolution(strides, dilations, padding, data_format)
    return emit("Conv3DBackpropFilterV2", [input, filter_sizes, out_backprop], name, **attrs)


def conv3d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None,
                     strides: Any = None, padding: str = "SAME", data_format: str = "NDHWC",
                     name: str | None = None, input: Any = None, filters: Any = None,
                     dilations: Any = None) -> Any:  # fmt: skip
    """Return the volumes that a convolution's gradient makes of value; filter is [..., out, in].

    Raises ValueError where the channels of output_shape are not the filter's.
    """
    value = framework.convert_to_tensor(only_one(value, input, "value", "input"))
    filter = framework.convert_to_tensor(only_one(filter, filters, "filter", "filters"))
    attrs = _convolution(strides, dilations, padding, data_format)
    sizes = framework.convert_to_tensor(output_shape, name="output_shape")
    channels = _channels_of(sizes, data_format)
    wanted = None if known_rank(filter) is None else filter.get_shape().as_list()[3]
    if None not in (wanted, channels) and wanted != channels:
        raise ValueError("output_shape does not match filter's output channels, "
                         f"{channels} != {wanted}")  # fmt: skip
    return emit("Conv3DBackpropInputV2", [sizes, filter, value], name or "conv3d_transpose",
                **attrs)  # fmt: skip


def _channels_of(sizes: Any, data_format: str) -> int | None:
    """Return the number of channels of a shape in a tensor; None where it is not known."""
    known = framework.constant_value(sizes)
    if known is None:
        return None
    return int(known[4 if data_format == "NDHWC" else 1])
