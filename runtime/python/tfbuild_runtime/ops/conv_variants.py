"""Convolutions made of others, and what else runs over images: LRN, batch normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, conv_ops, volume_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def conv1d(value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None,
           use_cudnn_on_gpu: bool | None = None, data_format: str | None = None,
           name: str | None = None, input: Any = None, dilations: Any = None) -> Any:  # fmt: skip
    """Return the convolution of rows [batch, width, channels] with [width, channels in, out]."""
    del use_cudnn_on_gpu
    value = only_one(value, input, "value", "input")
    with framework.name_scope(name, "conv1d", [value, filters]):
        data_format = data_format or "NWC"
        if data_format not in ("NWC", "NHWC", "NCW", "NCHW"):
            raise ValueError(f'data_format must be "NWC" or "NCW", not {data_format!r}')
        last = data_format in ("NWC", "NHWC")
        axis, layout = (1, "NHWC") if last else (2, "NCHW")
        step, hole = _one(stride, "stride"), _one(dilations or 1, "dilations")
        result = conv_ops.conv2d(
            array_ops.expand_dims(value, axis), array_ops.expand_dims(filters, 0), [1, step],
            padding, data_format=layout, dilations=[1, hole],
        )  # fmt: skip
        return array_ops.squeeze(result, [axis])


def _one(value: Any, what: str) -> int:
    values = list(value) if isinstance(value, Sequence) else [value]
    if len(values) == 3:
        values = [number for number in values if number != 1] or [1]
    if len(values) != 1:
        raise ValueError(f"{what} is one number, not {value!r}")
    return int(values[0])


def depthwise_conv2d_native(input: Any, filter: Any, strides: Any, padding: str,
                            data_format: str | None = None, dilations: Any = None,
                            name: str | None = None) -> Any:  # fmt: skip
    """Return the convolution of each channel with filters of its own."""
    return emit("DepthwiseConv2dNative", [input, filter], name, strides=list(strides),
                padding=padding.upper(), data_format=data_format or "NHWC",
                dilations=list(dilations or (1, 1, 1, 1)))  # fmt: skip


def depthwise_conv2d(input: Any, filter: Any, strides: Any, padding: str, rate: Any = None,
                     name: str | None = None, data_format: str | None = None,
                     dilations: Any = None) -> Any:  # fmt: skip
    """Return the convolution of each channel with filters [height, width, channels, multiplier]."""
    rate = only_one(rate, dilations, "rate", "dilations")
    with framework.name_scope(name, "depthwise", [input, filter]) as scope:
        input = framework.convert_to_tensor(input, name="tensor_in")
        filter = framework.convert_to_tensor(filter, name="filter_in")
        return depthwise_conv2d_native(input, filter, strides, padding, data_format,
                                       _dilations(rate, strides, data_format), scope)  # fmt: skip


def _dilations(rate: Any, strides: Any, data_format: str | None) -> list[int]:
    """Return the dilations of all four dimensions.

    Raises ValueError for strides beside them, of which TensorFlow says that they do not go together
    and then computes something of its own.
    """
    rows, cols = (1, 1) if rate is None else (rate, rate) if isinstance(rate, int) else rate
    if max(rows, cols) > 1 and max(strides) > 1:
        raise ValueError("strides > 1 not supported in conjunction with a rate > 1")
    return [1, 1, rows, cols] if data_format == "NCHW" else [1, rows, cols, 1]


def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any,
                     padding: str, rate: Any = None, name: str | None = None,
                     data_format: str | None = None, dilations: Any = None) -> Any:  # fmt: skip
    """Return a convolution of each channel alone, and then one over the channels."""
    rate = only_one(rate, dilations, "rate", "dilations")
    with framework.name_scope(name, "separable_conv2d",
                              [input, depthwise_filter, pointwise_filter]) as scope:  # fmt: skip
        input = framework.convert_to_tensor(input, name="tensor_in")
        sizes = framework.convert_to_tensor(pointwise_filter).get_shape().as_list()
        if sizes[:2] != [1, 1]:
            raise ValueError(f"the pointwise filter must be 1 x 1, not {sizes}")
        dilations = _dilations(rate, strides, data_format)
        apart = depthwise_conv2d_native(input, depthwise_filter, strides, padding, data_format,
                                        dilations, "depthwise")  # fmt: skip
        return conv_ops.conv2d(apart, pointwise_filter, 1, "VALID",
                               data_format=data_format or "NHWC", name=scope)  # fmt: skip


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: str,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return a convolution whose filters have rate - 1 holes between their elements."""
    return conv_ops.conv2d(value, filters, 1, padding, dilations=rate, name=name)


def convolution(input: Any, filter: Any = None, padding: Any = None, strides: Any = None,
                dilation_rate: Any = None, name: str | None = None, data_format: str | None = None,
                filters: Any = None, dilations: Any = None) -> Any:  # fmt: skip
    """Return the convolution over as many directions as the filter has.

    Raises NotImplementedError for three directions.
    """
    filter = only_one(filter, filters, "filter", "filters")
    holes = only_one(dilation_rate, dilations, "dilation_rate", "dilations")
    filter = framework.convert_to_tensor(filter)
    rank = (known_rank(filter) or 0) - 2
    if rank == 1:
        return conv1d(input, filter, strides or 1, padding, data_format=data_format,
                      dilations=holes, name=name or "convolution")  # fmt: skip
    if rank != 2:
        raise NotImplementedError(f"tf.nn.convolution over {rank} directions is not there yet; "
                                  "it is over 1 and 2")  # fmt: skip
    return conv_ops.conv2d(input, filter, strides, padding, data_format=data_format or "NHWC",
                           dilations=holes, name=name or "convolution")  # fmt: skip


def pool(input: Any, window_shape: Any, pooling_type: str, padding: str, dilation_rate: Any = None,
         strides: Any = None, name: str | None = None, data_format: str | None = None,
         dilations: Any = None) -> Any:  # fmt: skip
    """Return the mean (AVG) or the largest element (MAX) of each window.

    The window has one, two or three sizes, and the input two dimensions more. Raises ValueError for
    another kind of pooling.
    """
    holes = only_one(dilation_rate, dilations, "dilation_rate", "dilations")
    if holes is not None and any(rate != 1 for rate in list(holes)):
        raise NotImplementedError("tf.nn.pool with a dilation_rate is not there yet")
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"pooling_type is AVG or MAX, not {pooling_type!r}")
    largest = pooling_type == "MAX"
    steps = strides or 1
    count = len(window_shape) if isinstance(window_shape, Sequence) else 2
    if count == 3:
        volume = volume_ops.max_pool3d if largest else volume_ops.avg_pool3d
        return volume(input, window_shape, steps, padding, data_format or "NDHWC", name)
    if count == 1 and framework.convert_to_tensor(input).get_shape().ndims == 3:
        line = volume_ops.max_pool1d if largest else volume_ops.avg_pool1d
        return line(input, window_shape, steps, padding, data_format or "NWC", name)
    image = conv_ops.max_pool if largest else conv_ops.avg_pool
    return image(input, window_shape, steps, padding, data_format or "NHWC", name=name)


def fused_batch_norm(x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None,
                     epsilon: float = 0.001, data_format: str = "NHWC", is_training: bool = True,
                     name: str | None = None,
                     exponential_avg_factor: float = 1.0) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return images with each channel normalised, the means and the variances.

    While training these are those of the batch, else those that are given. Raises ValueError
    where they are needed and missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be a 1D tensor when `is_training` is "
                         "False or `exponential_avg_factor` != 1.0.")  # fmt: skip
    x = framework.convert_to_tensor(x, name="input")
    empty = framework.constant([], dtypes.float32)
    mean, variance = empty if mean is None else mean, empty if variance is None else variance
    op = framework.apply_op(
        "FusedBatchNormV3", [x, scale, offset, mean, variance],
        {"epsilon": max(epsilon, 1.001e-5), "data_format": data_format,
         "is_training": is_training, "exponential_avg_factor": exponential_avg_factor},
        name or "FusedBatchNormV3",
    )  # fmt: skip
    return op.outputs[0], op.outputs[1], op.outputs[2]


def local_response_normalization(input: Any, depth_radius: int = 5, bias: float = 1,
                                 alpha: float = 1, beta: float = 0.5,
                                 name: str | None = None) -> Any:  # fmt: skip
    """Return images with each channel divided by (bias + alpha * squares near it) ^ beta."""
    return emit("LRN", [input], name, depth_radius=depth_radius, bias=float(bias),
                alpha=float(alpha), beta=float(beta))  # fmt: skip


lrn = local_response_normalization


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Return whether the score of each row's target is among its k best."""
    return emit("InTopKV2", [predictions, targets, k], name or "in_top_k")
