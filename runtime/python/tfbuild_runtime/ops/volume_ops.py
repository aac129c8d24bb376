"""Convolutions over volumes, and pooling over lines and volumes, by means of those over images.

A volume is [batch, depth, rows, columns, channels], a line [batch, length, channels].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.shape_origin import why_unknown
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


def _pool3d(pool: Any, value: Any, sizes: tuple[Any, Any], padding: str, layout: str | None,
            name: str | None) -> Any:  # fmt: skip
    """Pool rows and columns, and then the depth: extremes and means of windows can be split so."""
    (deep, high, wide), (step, down, right) = (_sizes(s, 3, "ksize and strides") for s in sizes)
    with framework.name_scope(name, "Pool3D", [value]):
        value, first = _channels_last(value, layout, 5, "NCDHW", "NDHWC")
        sizes_of = array_ops.shape(value)
        frames = array_ops.reshape(value, array_ops.concat([[-1], sizes_of[2:]], 0))
        pooled = pool(frames, [1, high, wide, 1], [1, down, right, 1], padding)
        inner = array_ops.shape(pooled)
        area = emit("Mul", [inner[1], inner[2]])
        columns = array_ops.reshape(pooled, [sizes_of[0], sizes_of[1], area, inner[3]])
        pooled = pool(columns, [1, deep, 1, 1], [1, step, 1, 1], padding)
        depth = array_ops.shape(pooled)[1]
        whole = array_ops.reshape(pooled, [sizes_of[0], depth, inner[1], inner[2], inner[3]])
        return _channels_back(whole, first, 5)


def max_pool3d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the largest element of each window of a volume."""
    return _pool3d(conv_ops.max_pool, input, (ksize, strides), padding, data_format, name)


def avg_pool3d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC",
               name: str | None = None) -> Any:  # fmt: skip
    """Return the mean of each window of a volume."""
    return _pool3d(conv_ops.avg_pool, input, (ksize, strides), padding, data_format, name)


# ---- convolutions -------------------------------------------------------------------------------


def conv3d(input: Any, filter: Any = None, strides: Any = None, padding: Any = None,
           data_format: str | None = "NDHWC", dilations: Any = (1, 1, 1, 1, 1),
           name: str | None = None, filters: Any = None) -> Any:  # fmt: skip
    """Return the convolution of volumes with filters [depth, rows, columns, channels in, out].

    Raises ValueError for arguments that make no convolution.
    """
    filter = framework.convert_to_tensor(only_one(filter, filters, "filter", "filters"))
    step, *rest = _sizes(1 if strides is None else strides, 3, "strides")
    spread, *apart = _sizes(dilations, 3, "dilations")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding is SAME or VALID, not {padding!r}")
    with framework.name_scope(name, "Conv3D", [input, filter]):
        value, first = _channels_last(input, data_format, 5, "NCDHW", "NDHWC")
        places = filter.get_shape().as_list()[0]
        if places is None:
            raise ValueError(f"the depth of the filter must be known: {why_unknown(filter)}")
        if padding == "SAME":
            value = _padded_depth(value, (places - 1) * spread + 1, step)
        sizes = array_ops.shape(value)
        covered = emit("Sub", [sizes[1], (places - 1) * spread])
        depth = emit("FloorDiv", [emit("AddV2", [covered, step - 1]), step])
        parts = []
        for place in range(places):
            start = place * spread
            frames = value[:, start : emit("AddV2", [covered, start]) : step]
            frames = array_ops.reshape(frames, array_ops.concat([[-1], sizes[2:]], 0))
            parts.append(conv_ops.conv2d(frames, filter[place], rest, padding, dilations=apart))
        total = parts[0] if len(parts) == 1 else emit("AddN", [parts])
        inner = array_ops.shape(total)
        whole = array_ops.reshape(total, [sizes[0], depth, inner[1], inner[2], inner[3]])
        return _channels_back(whole, first, 5)


def conv3d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None,
                     strides: Any = None, padding: str = "SAME", data_format: str = "NDHWC",
                     name: str | None = None, input: Any = None, filters: Any = None,
                     dilations: Any = None) -> Any:  # fmt: skip
    """Return the volumes that a convolution's gradient makes of value; filter is [..., out, in]."""
    from tfbuild_runtime.gradients.engine import gradients
    from tfbuild_runtime.ops.creation_ops import zeros

    value = only_one(value, input, "value", "input")
    filter = only_one(filter, filters, "filter", "filters")
    with framework.name_scope(name, "conv3d_transpose", [value, filter, output_shape]):
        value = framework.convert_to_tensor(value, name="value")
        filter = framework.convert_to_tensor(filter, name="filter")
        sizes = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
        volumes = zeros(sizes, value.dtype.base_dtype)
        axis = 4 if data_format == "NDHWC" else 1
        wanted, given = filter.get_shape().as_list()[3], volumes.get_shape().as_list()[axis]
        if None not in (wanted, given) and wanted != given:
            raise ValueError("output_shape does not match filter's output channels, "
                             f"{given} != {wanted}")  # fmt: skip
        made = conv3d(volumes, filter, strides, padding, data_format, dilations or (1,) * 5)
        made.get_shape().assert_is_compatible_with(value.get_shape())
        result = gradients(made, volumes, value)[0]
        result.set_shape(volumes.get_shape())
        return array_ops.identity(result)


def _padded_depth(value: Any, length: int, step: int) -> Any:
    """Return the volumes with frames of zeros before and after them, as SAME padding has it."""
    known = None if known_rank(value) is None else value.get_shape().as_list()[1]
    if known is not None:
        missing = max((-(-known // step) - 1) * step + length - known, 0)
        borders = [missing // 2, missing - missing // 2]
        return array_ops.pad(value, [[0, 0], borders, [0, 0], [0, 0], [0, 0]])
    depth = array_ops.shape(value)[1]
    outputs = emit("FloorDiv", [emit("AddV2", [depth, step - 1]), step])
    needed = emit("Sub", [emit("Mul", [emit("Sub", [outputs, 1]), step]), depth])
    needed = emit("Maximum", [emit("AddV2", [needed, length]), 0])
    before = emit("FloorDiv", [needed, 2])
    after = emit("Sub", [needed, before])
    return array_ops.pad(value, [[0, 0], [before, after], [0, 0], [0, 0], [0, 0]])
