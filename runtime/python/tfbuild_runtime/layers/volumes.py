"""Layers over volumes [batch, depth, rows, columns, channels]: convolutions and pooling."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.layers import convolutional, pooling
from tfbuild_runtime.ops import volume_ops


class Conv3D(convolutional._Conv):
    """A convolution over volumes."""

    rank = 3

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return self._finish(volume_ops.conv3d(
            inputs, self.kernel, list(self.strides), self.padding.upper(), self.layout,
            list(self.dilation_rate),
        ))  # fmt: skip


class Conv3DTranspose(convolutional.Conv2DTranspose):
    """The transpose of a convolution over volumes, which makes them larger."""

    rank = 3
    transpose = staticmethod(volume_ops.conv3d_transpose)


class MaxPooling3D(pooling.Pooling):
    """The largest element of each window of volumes."""

    rank, pool = 3, staticmethod(volume_ops.max_pool3d)


class AveragePooling3D(pooling.Pooling):
    """The mean of each window of volumes."""

    rank, pool = 3, staticmethod(volume_ops.avg_pool3d)


conv3d = convolutional.as_function(Conv3D, "the convolution of volumes")
conv3d_transpose = convolutional.as_function(Conv3DTranspose, "the transpose of a convolution")
max_pooling3d = pooling.as_function(MaxPooling3D)
average_pooling3d = pooling.as_function(AveragePooling3D)
