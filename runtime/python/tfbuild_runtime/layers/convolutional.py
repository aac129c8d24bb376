"""Convolutions: over rows and images, transposed, and separable ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.layers.base import InputSpec, WeightedLayer, snake_case
from tfbuild_runtime.ops import array_ops, conv_ops, conv_variants, init_ops, nn_ops
from tfbuild_runtime.ops.slicing_ops import strided_slice

_ZEROS = init_ops.Zeros()


def normalized(value: Any, count: int, what: str) -> tuple[int, ...]:
    """Return count positive whole numbers from one or as many; raises ValueError."""
    values = tuple(value) if isinstance(value, Sequence) else (value,) * count
    if len(values) != count or any(int(number) < 1 for number in values):
        raise ValueError(f"The `{what}` argument must be a tuple of {count} positive integers. "
                         f"Received: {value!r}")  # fmt: skip
    return tuple(int(number) for number in values)


def layout_of(data_format: str, rank: int = 2) -> str:
    """Return NHWC or NCHW (NWC or NCW for one direction); raises ValueError."""
    chosen = data_format.lower()
    if chosen not in ("channels_last", "channels_first"):
        raise ValueError(f"The `data_format` argument must be one of \"channels_first\", "
                         f'"channels_last". Received: {data_format}')  # fmt: skip
    space = "HW"[-rank:] if rank <= 2 else "DHW"
    return f"N{space}C" if chosen == "channels_last" else f"NC{space}"


class _Conv(WeightedLayer):
    """A convolution over rank directions."""

    rank: int

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str = "channels_last", dilation_rate: Any = 1,
        activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
        kernel_initializer: Any = None, bias_initializer: Any = _ZEROS,
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, trainable: bool = True, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
            bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable,
            name, **kwargs,
        )  # fmt: skip
        self.filters = int(filters)
        self.kernel_size = normalized(kernel_size, self.rank, "kernel_size")
        self.strides = normalized(strides, self.rank, "strides")
        self.padding = padding.lower()
        if self.padding not in ("valid", "same"):
            raise ValueError(f'The `padding` argument must be one of "valid", "same". Received: '
                             f"{padding}")  # fmt: skip
        self.data_format = data_format.lower()
        self.layout = layout_of(data_format, self.rank)
        self.dilation_rate = normalized(dilation_rate, self.rank, "dilation_rate")
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def channels_of(self, input_shape: Any) -> int:
        """Return the number of channels; raises ValueError when it is not known."""
        axis = -1 if self.layout.endswith("C") else 1
        channels = None if not input_shape.ndims else input_shape.as_list()[axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found "
                             f"`None`: layer {self._name!r} got {input_shape}")  # fmt: skip
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return int(channels)

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias; raises ValueError when the channels are not known."""
        channels = self.channels_of(input_shape)
        self.kernel = self._make_kernel("kernel", [*self.kernel_size, channels, self.filters])
        self._make_bias(self.filters)

    def _finish(self, outputs: Any) -> Any:
        if self.bias is not None:
            layout = "NHWC" if self.layout.endswith("C") else "NCHW"
            outputs = nn_ops.bias_add(outputs, self.bias, data_format=layout)
        return outputs if self.activation is None else self.activation(outputs)


class Conv1D(_Conv):
    """A convolution over rows."""

    rank = 1

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return self._finish(conv_variants.conv1d(
            inputs, self.kernel, self.strides[0], self.padding.upper(), data_format=self.layout,
            dilations=self.dilation_rate[0],
        ))  # fmt: skip


class Conv2D(_Conv):
    """A convolution over images."""

    rank = 2

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return self._finish(conv_ops.conv2d(
            inputs, self.kernel, list(self.strides), self.padding.upper(),
            data_format=self.layout, dilations=list(self.dilation_rate),
        ))  # fmt: skip


class SeparableConv2D(_Conv):
    """A convolution of each channel alone, and then one over the channels."""

    rank = 2

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str = "channels_last", dilation_rate: Any = 1, depth_multiplier: int = 1,
        activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
        depthwise_initializer: Any = None, pointwise_initializer: Any = None,
        bias_initializer: Any = _ZEROS, depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, depthwise_constraint: Any = None,
        pointwise_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
        name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
            use_bias, None, bias_initializer, None, bias_regularizer, activity_regularizer, None,
            bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self._of_depthwise = (depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        self._of_pointwise = (pointwise_initializer, pointwise_regularizer, pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Make both kernels and the bias."""
        channels = self.channels_of(input_shape)
        for name, shape, made_by in (
            ("depthwise", [*self.kernel_size, channels, self.depth_multiplier], self._of_depthwise),
            ("pointwise", [*[1] * self.rank, channels * self.depth_multiplier, self.filters],
             self._of_pointwise),
        ):  # fmt: skip
            initializer, regularizer, constraint = made_by
            kernel = self.add_weight(f"{name}_kernel", shape, initializer=initializer,
                                     regularizer=regularizer, constraint=constraint)  # fmt: skip
            setattr(self, f"{name}_kernel", kernel)
        self._make_bias(self.filters)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        last = self.layout == "NHWC"
        strides = [1, *self.strides, 1] if last else [1, 1, *self.strides]
        return self._finish(conv_variants.separable_conv2d(
            inputs, self.depthwise_kernel, self.pointwise_kernel, strides,  # type: ignore[attr-defined]
            self.padding.upper(), self.dilation_rate, data_format=self.layout,
        ))  # fmt: skip


class SeparableConv1D(SeparableConv2D):
    """A convolution over rows of each channel alone, and then one over the channels."""

    rank = 1

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs: rows are images of one line."""
        last = self.layout == "NWC"
        axis, layout = (1, "NHWC") if last else (2, "NCHW")
        step = self.strides[0]
        strides = [1, step, step, 1] if last else [1, 1, step, step]
        apart, joined = self.depthwise_kernel, self.pointwise_kernel  # type: ignore[attr-defined]
        images = conv_variants.separable_conv2d(
            array_ops.expand_dims(inputs, axis), array_ops.expand_dims(apart, 0),
            array_ops.expand_dims(joined, 0), strides, self.padding.upper(),
            [1, self.dilation_rate[0]], data_format=layout,
        )  # fmt: skip
        return self._finish(array_ops.squeeze(images, [axis]))


class Conv2DTranspose(_Conv):
    """The transpose of a convolution over images, which makes them larger."""

    rank = 2
    transpose = staticmethod(conv_ops.conv2d_transpose)

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str = "channels_last", activation: Callable[[Any], Any] | None = None,
        use_bias: bool = True, kernel_initializer: Any = None, bias_initializer: Any = _ZEROS,
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, trainable: bool = True, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias; raises ValueError when the channels are not known."""
        channels = self.channels_of(input_shape)
        self.kernel = self._make_kernel("kernel", [*self.kernel_size, self.filters, channels])
        self._make_bias(self.filters)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        shape, known = array_ops.shape(inputs), inputs.get_shape().as_list()
        last = self.layout.endswith("C")
        first = 1 if last else 2
        grown = [self._length(known[first + i], shape, first + i, i) for i in range(self.rank)]
        batch = known[0] if known[0] is not None else _item(shape, 0)
        sizes = [batch, *grown, self.filters] if last else [batch, self.filters, *grown]
        if all(isinstance(size, int) for size in sizes):
            wanted: Any = sizes
        else:
            wanted = array_ops.stack(sizes)
        outputs = type(self).transpose(inputs, self.kernel, wanted, list(self.strides),
                                       self.padding.upper(), self.layout)  # fmt: skip
        outputs.set_shape([size if isinstance(size, int) else None for size in sizes])
        return self._finish(outputs)

    def _length(self, known: int | None, shape: Any, axis: int, direction: int) -> Any:
        stride, kernel = self.strides[direction], self.kernel_size[direction]
        size = known if known is not None else _item(shape, axis)
        longer = size * stride
        beyond = max(kernel - stride, 0)
        return longer + beyond if self.padding == "valid" and beyond else longer


def _item(shape: Any, axis: int) -> Any:
    return strided_slice(shape, [axis], [axis + 1], [1], shrink_axis_mask=1)


def as_function(layer_class: type[_Conv], text: str) -> Any:
    """Return a function that makes such a layer and applies it; text says what it returns."""

    taken = list(inspect.signature(layer_class).parameters.values())[:-1]  # but its **kwargs
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter("inputs", both), *taken,
                                   inspect.Parameter("reuse", both, default=None)])  # fmt: skip

    def function(*args: Any, **kwargs: Any) -> Any:
        how = signature.bind(*args, **kwargs).arguments
        inputs, reuse = how.pop("inputs"), how.pop("reuse", None)
        return layer_class(**how, _scope=how.get("name"), _reuse=reuse).apply(inputs)

    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__name__ = snake_case(layer_class.__name__)
    function.__doc__ = f"Return {text}. The arguments are those of {layer_class.__name__}."
    return function


conv1d = as_function(Conv1D, "the convolution of rows")
conv2d = as_function(Conv2D, "the convolution of images")
separable_conv1d = as_function(SeparableConv1D, "a convolution of rows made of two")
separable_conv2d = as_function(SeparableConv2D, "a convolution made of two")
conv2d_transpose = as_function(Conv2DTranspose, "the transpose of a convolution")


Convolution1D, Convolution2D, Convolution2DTranspose = Conv1D, Conv2D, Conv2DTranspose
Deconv2D, Deconvolution2D, SeparableConvolution2D = (
    Conv2DTranspose,
    Conv2DTranspose,
    SeparableConv2D,
)
convolution1d, convolution2d, separable_convolution2d = conv1d, conv2d, separable_conv2d
convolution2d_transpose = deconv2d = conv2d_transpose
