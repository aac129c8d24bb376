"""Layers of rows and images: convolutions, pools, borders."""

from __future__ import annotations

import functools
from typing import Any

from tfbuild_runtime.keras.base_layer import Layer, Worded, given
from tfbuild_runtime.keras.named import activation_of, initializer_of, regularizer_of
from tfbuild_runtime.layers import convolutional, pooling
from tfbuild_runtime.ops import (
    array_ops,
    conv_variants,
    image_size_ops,
    math_ops,
    nn_ops,
    reduce_ops,
)


class Conv1D(Worded, convolutional.Conv1D, Layer):
    """A convolution over rows."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
                 data_format: Any = "channels_last", dilation_rate: Any = 1, groups: int = 1,
                 activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform",
                 bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        arguments = given(locals())
        _in_one_group(arguments.pop("groups"))
        self._causal = padding.lower() == "causal"
        super().__init__(**{**arguments, "padding": "valid" if self._causal else padding})

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        if self._causal:
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            inputs = array_ops.pad(inputs, [[0, 0], [before, 0], [0, 0]])
        return super().call(inputs)


class Conv2D(Worded, convolutional.Conv2D, Layer):
    """A convolution over images."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = (1, 1),
                 padding: str = "valid", data_format: Any = None, dilation_rate: Any = (1, 1),
                 groups: int = 1, activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform",
                 bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        arguments = given(locals())
        _in_one_group(arguments.pop("groups"))
        super().__init__(**arguments)


def _in_one_group(groups: Any) -> None:
    if groups != 1:
        raise NotImplementedError(f"convolutions have one group: groups={groups!r} is not there")


class SeparableConv2D(Worded, convolutional.SeparableConv2D, Layer):
    """A convolution of each channel alone, and then one over the channels."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = (1, 1),
                 padding: str = "valid", data_format: Any = None, dilation_rate: Any = (1, 1),
                 depth_multiplier: int = 1, activation: Any = None, use_bias: bool = True,
                 depthwise_initializer: Any = "glorot_uniform",
                 pointwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                 depthwise_regularizer: Any = None, pointwise_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 depthwise_constraint: Any = None, pointwise_constraint: Any = None,
                 bias_constraint: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**given(locals()))


class Conv2DTranspose(Worded, convolutional.Conv2DTranspose, Layer):
    """The transpose of a convolution over images, which makes them larger."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = (1, 1),
                 padding: str = "valid", output_padding: Any = None, data_format: Any = None,
                 dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform",
                 bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        arguments = given(locals())
        holes = convolutional.normalized(arguments.pop("dilation_rate"), 2, "dilation_rate")
        if arguments.pop("output_padding") is not None or holes != (1, 1):
            raise NotImplementedError("Conv2DTranspose with output_padding or a dilation_rate is "
                                      "not there")  # fmt: skip
        super().__init__(**arguments)


class DepthwiseConv2D(Layer):
    """A convolution of each channel alone."""

    def __init__(self, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
                 depth_multiplier: int = 1, data_format: Any = None, dilation_rate: Any = (1, 1),
                 activation: Any = None, use_bias: bool = True,
                 depthwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                 depthwise_regularizer: Any = None, bias_regularizer: Any = None,
                 activity_regularizer: Any = None, depthwise_constraint: Any = None,
                 bias_constraint: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in (None, "channels_last"):
            raise NotImplementedError("DepthwiseConv2D is there for channels_last")
        self.kernel_size = convolutional.normalized(kernel_size, 2, "kernel_size")
        self.strides = convolutional.normalized(strides, 2, "strides")
        self.dilation_rate = convolutional.normalized(dilation_rate, 2, "dilation_rate")
        self.padding = padding.upper()
        self.depth_multiplier = depth_multiplier
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self._of_kernel = (
            initializer_of(depthwise_initializer),
            regularizer_of(depthwise_regularizer),
            depthwise_constraint,
        )
        of_bias = initializer_of(bias_initializer), regularizer_of(bias_regularizer)
        self._of_bias = (*of_bias, bias_constraint)
        self.depthwise_kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias."""
        channels = input_shape.as_list()[-1]
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self._of_kernel[0], regularizer=self._of_kernel[1],
            constraint=self._of_kernel[2],
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [channels * self.depth_multiplier], initializer=self._of_bias[0],
                regularizer=self._of_bias[1], constraint=self._of_bias[2],
            )  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        outputs = conv_variants.depthwise_conv2d(
            inputs, self.depthwise_kernel, [1, *self.strides, 1], self.padding,
            rate=list(self.dilation_rate),
        )  # fmt: skip
        if self.bias is not None:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return self.activation(outputs)


class _Pool:
    """Beside a pool of tf.layers: Keras' defaults."""

    def __init__(self, pool_size: Any = 2, strides: Any = None, padding: str = "valid",
                 data_format: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format or "channels_last",  # type: ignore[call-arg]
                         **kwargs)  # fmt: skip


class _RowPool(_Pool):
    """Beside a pool of rows, of which Keras names the data format."""

    def __init__(self, pool_size: Any = 2, strides: Any = None, padding: str = "valid",
                 data_format: Any = "channels_last", **kwargs: Any) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class MaxPooling1D(_RowPool, pooling.MaxPooling1D, Layer):
    """The largest element of each window of rows."""


class AveragePooling1D(_RowPool, pooling.AveragePooling1D, Layer):
    """The mean of each window of rows."""


class MaxPooling2D(_Pool, pooling.MaxPooling2D, Layer):
    """The largest element of each window of images."""


class AveragePooling2D(_Pool, pooling.AveragePooling2D, Layer):
    """The mean of each window of images."""


class _Global(Layer):
    """One number for each channel."""

    rank = 2
    reduce: Any = staticmethod(reduce_ops.reduce_mean)

    def __init__(self, data_format: Any = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.keepdims = keepdims

    def call(self, inputs: Any) -> Any:
        """Return the outputs."""
        first = 1 if self.data_format == "channels_last" else 2
        return type(self).reduce(inputs, list(range(first, first + self.rank)), self.keepdims)


class GlobalAveragePooling2D(_Global):
    """The mean of each channel of images."""


class _GlobalOfRows(_Global):
    """One number for each channel of sequences."""

    rank = 1

    def __init__(self, data_format: Any = "channels_last", keepdims: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(data_format, keepdims, **kwargs)


class GlobalAveragePooling1D(_GlobalOfRows):
    """The mean of each channel of sequences."""

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Return the means; with a mask, those of the steps for which it holds."""
        if mask is None:
            return super().call(inputs)
        last = self.data_format == "channels_last"
        kept = math_ops.cast(array_ops.expand_dims(mask, 2 if last else 1), inputs.dtype.base_dtype)
        axis = 1 if last else 2
        sums = [reduce_ops.reduce_sum(x, axis, self.keepdims) for x in (inputs * kept, kept)]
        return sums[0] / sums[1]


class GlobalMaxPooling2D(_Global):
    """The largest of each channel of images."""

    reduce = staticmethod(reduce_ops.reduce_max)


class GlobalMaxPooling1D(_GlobalOfRows):
    """The largest of each channel of sequences."""

    reduce = staticmethod(reduce_ops.reduce_max)


_WAYS = {
    "nearest": image_size_ops.resize_nearest_neighbor,
    "bilinear": functools.partial(image_size_ops.resize_bilinear, half_pixel_centers=True),
    "bicubic": functools.partial(image_size_ops.resize_bicubic, half_pixel_centers=True),
    "area": image_size_ops.resize_area,
}


class UpSampling2D(Layer):
    """Makes images larger by a whole factor."""

    def __init__(self, size: Any = (2, 2), data_format: Any = None, interpolation: str = "nearest",
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise NotImplementedError("UpSampling2D is there for channels_last")
        if interpolation not in _WAYS:
            raise NotImplementedError(f"UpSampling2D(interpolation={interpolation!r}) is not "
                                      f"there: there are {', '.join(_WAYS)}")  # fmt: skip
        self.size = convolutional.normalized(size, 2, "size")
        self.interpolation = interpolation

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        known = inputs.get_shape().as_list()
        factors = list(zip(known[1:3], self.size))
        if None in known[1:3]:
            sizes = array_ops.shape(inputs)
            larger = array_ops.stack([sizes[1] * self.size[0], sizes[2] * self.size[1]])
        else:
            larger = [size * factor for size, factor in factors]
        outputs = _WAYS[self.interpolation](inputs, larger)
        wide = [None if size is None else size * factor for size, factor in factors]
        outputs.set_shape([known[0], *wide, known[3]])
        return outputs


class UpSampling1D(Layer):
    """Repeats each row."""

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = int(size)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        from tfbuild_runtime.keras.backend import repeat_elements

        return repeat_elements(inputs, self.size, 1)


def _pairs(value: Any) -> list[list[int]]:
    """Return ((before, after), (before, after)) of one number, two, or two pairs."""
    if isinstance(value, int):
        return [[value, value], [value, value]]
    return [[one, one] if isinstance(one, int) else list(one) for one in value]


class ZeroPadding2D(Layer):
    """Puts zeros around images."""

    def __init__(self, padding: Any = (1, 1), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise NotImplementedError("ZeroPadding2D is there for channels_last")
        self.padding = _pairs(padding)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return array_ops.pad(inputs, [[0, 0], *self.padding, [0, 0]])


class ZeroPadding1D(Layer):
    """Puts zeros around rows."""

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = [padding, padding] if isinstance(padding, int) else list(padding)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return array_ops.pad(inputs, [[0, 0], self.padding, [0, 0]])


class Cropping2D(Layer):
    """Cuts borders off images."""

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise NotImplementedError("Cropping2D is there for channels_last")
        self.cropping = _pairs(cropping)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        (top, bottom), (left, right) = self.cropping
        return inputs[:, top : -bottom or None, left : -right or None, :]
