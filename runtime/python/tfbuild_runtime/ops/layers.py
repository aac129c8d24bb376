"""Layers: functions that make their variables and the operations that use them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import array_ops, conv_ops, init_ops, linalg_ops, nn_ops
from tfbuild_runtime.ops.emit import emit, known_rank
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope

_ZEROS = init_ops.Zeros()
_LAYOUTS = {"channels_last": "NHWC", "channels_first": "NCHW"}


def dense(
    inputs: Any, units: int, activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = _ZEROS, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Return activation(inputs x kernel + bias) along the last dimension.

    Raises ValueError when the size of that dimension is not known.
    """
    inputs = framework.convert_to_tensor(inputs)
    size = _last_size(inputs)
    with variable_scope(name, "dense", [inputs], reuse=reuse):
        dtype = inputs.dtype.base_dtype
        kernel = get_variable("kernel", [size, units], dtype, kernel_initializer,
                              kernel_regularizer, trainable,
                              constraint=kernel_constraint)  # fmt: skip
        bias = get_variable("bias", [units], dtype, bias_initializer, bias_regularizer, trainable,
                            constraint=bias_constraint) if use_bias else None  # fmt: skip
        outputs = _over_last(inputs, kernel, size, units)
        if bias is not None:
            outputs = nn_ops.bias_add(outputs, bias)
        return _activated(outputs, activation, activity_regularizer)


def _last_size(inputs: Any) -> int:
    shape = inputs.get_shape()
    size = None if not shape.ndims else shape.as_list()[-1]
    if size is None:
        raise ValueError("The last dimension of the inputs to a dense layer should be defined, "
                         f"but {inputs!r} has the shape {shape}")  # fmt: skip
    return int(size)


def _over_last(inputs: Any, kernel: Any, size: int, units: int) -> Any:
    if known_rank(inputs) == 2:
        return linalg_ops.matmul(inputs, kernel)
    product = linalg_ops.matmul(array_ops.reshape(inputs, [-1, size]), kernel)
    sizes = inputs.get_shape().as_list()[:-1]
    if None not in sizes:
        return array_ops.reshape(product, [*sizes, units])
    front = emit("StridedSlice", [array_ops.shape(inputs), [0], [-1], [1]], begin_mask=1)
    outputs = array_ops.reshape(product, array_ops.concat([front, [units]], 0))
    outputs.set_shape([*sizes, units])
    return outputs


def _activated(outputs: Any, activation: Any, regularizer: Any) -> Any:
    if activation is not None:
        outputs = activation(outputs)
    if regularizer is not None:
        framework.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, regularizer(outputs))
    return outputs


def _layout(data_format: str) -> str:
    if data_format not in _LAYOUTS:
        raise ValueError(f"data_format is channels_last or channels_first, not {data_format!r}")
    return _LAYOUTS[data_format]


def _pair(value: Any, what: str) -> list[int]:
    values = list(value) if isinstance(value, Sequence) else [value, value]
    if len(values) != 2 or any(int(number) < 1 for number in values):
        raise ValueError(f"{what} is one positive number or two, not {value!r}")
    return [int(number) for number in values]


def conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1),
    activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = _ZEROS, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Return activation(convolution of inputs with a kernel + bias).

    Raises ValueError when the number of channels is not known.
    """
    inputs = framework.convert_to_tensor(inputs)
    layout = _layout(data_format)
    shape = inputs.get_shape()
    channels = None if shape.ndims is None else shape.as_list()[-1 if layout == "NHWC" else 1]
    if channels is None:
        raise ValueError("The channel dimension of the inputs should be defined, "
                         f"but {inputs!r} has the shape {shape}")  # fmt: skip
    with variable_scope(name, "conv2d", [inputs], reuse=reuse):
        dtype = inputs.dtype.base_dtype
        size = [*_pair(kernel_size, "kernel_size"), channels, filters]
        kernel = get_variable("kernel", size, dtype, kernel_initializer, kernel_regularizer,
                              trainable, constraint=kernel_constraint)  # fmt: skip
        bias = get_variable("bias", [filters], dtype, bias_initializer, bias_regularizer, trainable,
                            constraint=bias_constraint) if use_bias else None  # fmt: skip
        outputs = conv_ops.conv2d(
            inputs, kernel, _pair(strides, "strides"), padding, data_format=layout,
            dilations=_pair(dilation_rate, "dilation_rate"),
        )  # fmt: skip
        if bias is not None:
            outputs = nn_ops.bias_add(outputs, bias, data_format=layout)
        return _activated(outputs, activation, activity_regularizer)


def max_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid",
    data_format: str = "channels_last", name: str | None = None,
) -> Any:  # fmt: skip
    """Return the largest element of each window."""
    with framework.name_scope(name, "max_pooling2d", [inputs]):
        return conv_ops.max_pool(inputs, _pair(pool_size, "pool_size"), _pair(strides, "strides"),
                                 padding, _layout(data_format))  # fmt: skip


def average_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid",
    data_format: str = "channels_last", name: str | None = None,
) -> Any:  # fmt: skip
    """Return the mean of each window."""
    with framework.name_scope(name, "average_pooling2d", [inputs]):
        return conv_ops.avg_pool(inputs, _pair(pool_size, "pool_size"), _pair(strides, "strides"),
                                 padding, _layout(data_format))  # fmt: skip


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Return the inputs with all dimensions but the first made one, channels last."""
    with framework.name_scope(name, "flatten", [inputs]):
        inputs = framework.convert_to_tensor(inputs)
        rank = known_rank(inputs)
        if _layout(data_format) == "NCHW" and rank is not None and rank > 2:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return array_ops.expand_dims(inputs, -1)
        sizes = None if rank is None else inputs.get_shape().as_list()
        if sizes and None not in sizes[1:]:
            return array_ops.reshape(inputs, [-1, math.prod(sizes[1:])])
        if sizes and sizes[0] is not None:
            return array_ops.reshape(inputs, [sizes[0], -1])
        first = emit("StridedSlice", [array_ops.shape(inputs), [0], [1], [1]])
        return array_ops.reshape(inputs, array_ops.concat([first, [-1]], 0))


def dropout(
    inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None,
    training: Any = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Return the inputs with a share of them zero while training, which may be a tensor."""
    with framework.name_scope(name, "dropout", [inputs]):
        inputs = framework.convert_to_tensor(inputs)
        if not framework.is_tensor_like(training):
            if not training:
                return array_ops.identity(inputs)
            return nn_ops.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed)
        dropped = nn_ops.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed)
        chosen = array_ops.where_v2(training, dropped, inputs)
        chosen.set_shape(inputs.get_shape())
        return chosen
