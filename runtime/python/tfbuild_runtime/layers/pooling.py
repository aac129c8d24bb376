"""Pooling: the largest element or the mean of each window."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.layers.base import InputSpec, Layer, snake_case
from tfbuild_runtime.layers.convolutional import layout_of, normalized
from tfbuild_runtime.ops import array_ops, conv_ops


class Pooling(Layer):
    """A pool over rank directions."""

    rank: int
    pool: Any

    def __init__(self, pool_size: Any, strides: Any, padding: str = "valid",
                 data_format: str = "channels_last", name: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        strides = pool_size if strides is None else strides
        self.pool_size = normalized(pool_size, self.rank, "pool_size")
        self.strides = normalized(strides, self.rank, "strides")
        self.padding = padding.lower()
        self.data_format = data_format.lower()
        self.layout = layout_of(data_format, self.rank)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        last = self.layout.endswith("C")
        sizes, strides = list(self.pool_size), list(self.strides)
        axis = None
        if self.rank == 1:  # rows are images of one column
            axis, sizes, strides = 2 if last else 3, [*sizes, 1], [*strides, 1]
            inputs = array_ops.expand_dims(inputs, axis)
        layout = self.layout if self.rank == 3 else "NHWC" if last else "NCHW"
        outputs = type(self).pool(inputs, sizes, strides, self.padding.upper(), layout)
        return outputs if axis is None else array_ops.squeeze(outputs, [axis])


class MaxPooling1D(Pooling):
    """The largest element of each window of rows."""

    rank, pool = 1, staticmethod(conv_ops.max_pool)


class AveragePooling1D(Pooling):
    """The mean of each window of rows."""

    rank, pool = 1, staticmethod(conv_ops.avg_pool)


class MaxPooling2D(Pooling):
    """The largest element of each window of images."""

    rank, pool = 2, staticmethod(conv_ops.max_pool)


class AveragePooling2D(Pooling):
    """The mean of each window of images."""

    rank, pool = 2, staticmethod(conv_ops.avg_pool)


def as_function(layer_class: type[Pooling]) -> Any:
    """Return a function that makes such a layer and applies it."""

    def function(inputs: Any, pool_size: Any, strides: Any, padding: str = "valid",
                 data_format: str = "channels_last", name: str | None = None) -> Any:  # fmt: skip
        return layer_class(pool_size, strides, padding, data_format, name).apply(inputs)

    function.__name__ = snake_case(layer_class.__name__)
    function.__doc__ = f"Return what a {layer_class.__name__} makes of the inputs."
    return function


average_pooling1d = as_function(AveragePooling1D)
average_pooling2d = as_function(AveragePooling2D)
max_pooling1d = as_function(MaxPooling1D)
max_pooling2d = as_function(MaxPooling2D)
