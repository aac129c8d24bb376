"""How images change from pixel to pixel, and how far two of them are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, conv_ops, conv_variants, math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.image_ops import convert_image_dtype
from tfbuild_runtime.ops.image_size_ops import image_tensor


def total_variation(images: Any, name: str | None = None) -> Any:
    """Return the sum of how far pixels are from their neighbours, for each image of a batch."""
    with framework.name_scope(name, "total_variation"):
        images = image_tensor(images)
        axes = [-3, -2, -1]
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., 1:, :] - images[..., :-1, :]
        return reduce_ops.reduce_sum(math_ops.abs(down), axes) + reduce_ops.reduce_sum(
            math_ops.abs(right), axes
        )


def image_gradients(image: Any) -> Any:
    """Return how each pixel changes downwards and to the right; ValueError for what is no batch."""
    image = framework.convert_to_tensor(image)
    if image.get_shape().ndims != 4:
        raise ValueError("image_gradients expects a 4D tensor [batch_size, h, w, d], not "
                         f"{image.get_shape()}.")  # fmt: skip
    down = array_ops.pad(image[:, 1:] - image[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    right = array_ops.pad(image[:, :, 1:] - image[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, right


def sobel_edges(image: Any) -> Any:
    """Return Sobel's slopes of each channel, downwards and to the right, as one more dimension."""
    image = framework.convert_to_tensor(image)
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    kernels = framework.constant(np.stack([down, down.T], -1)[:, :, None], dtype=image.dtype)
    shape = array_ops.shape(image)
    filters = array_ops.tile(kernels, array_ops.stack([1, 1, shape[-1], 1]), name="sobel_filters")
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = conv_variants.depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    edges = array_ops.reshape(edges, array_ops.concat([shape, [2]], 0))
    edges.set_shape([*image.get_shape().as_list(), 2])
    return edges


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """Return the ratio of the brightest to the difference of two images, in decibel."""
    with framework.name_scope(name, "PSNR", [a, b]):
        a, b, most = _as_fractions(a, b, max_val)
        mean = reduce_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        scale = framework.constant(np.float32(10 / np.log(10)))
        return math_ops.subtract(20 * math_ops.log(most) / math_ops.log(10.0),
                                 scale * math_ops.log(mean), name="psnr")  # fmt: skip


def ssim(img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5,
         k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False) -> Any:  # fmt: skip
    """Return how alike the structure of two images is, 1 for the same; for each pixel if asked."""
    with framework.name_scope(None, "SSIM", [img1, img2]):
        one, other, most = _as_fractions(img1, img2, max_val)
        window = _Window(filter_size, filter_sigma, most, k1, k2)
        similar, _ = window.compare(one, other)
        return reduce_ops.reduce_mean(similar, [-1] if return_index_map else [-3, -2, -1])


_OF_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(img1: Any, img2: Any, max_val: Any, power_factors: Any = _OF_SCALES,
                    filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01,
                    k2: float = 0.03) -> Any:  # fmt: skip
    """Return how alike two images are at several scales, each half the one before.

    Raises ValueError unless the images' sizes are known.
    """
    with framework.name_scope(None, "MS-SSIM", [img1, img2]):
        one, other, most = _as_fractions(img1, img2, max_val)
        window = _Window(filter_size, filter_sigma, most, k1, k2)
        parts: list[Any] = []
        for scale in range(len(power_factors)):
            if scale > 0:
                one, other = _halved(one), _halved(other)
            similar, contrast = window.compare(one, other)
            kept = similar if scale == len(power_factors) - 1 else contrast
            parts.append(nn_ops.relu(reduce_ops.reduce_mean(kept, [-3, -2])))
        powers = framework.constant(list(power_factors), dtype=dtypes.float32)
        product = reduce_ops.reduce_prod(
            math_ops.pow(array_ops.stack(parts, axis=-1), powers), [-1]
        )
        return reduce_ops.reduce_mean(product, [-1])


def _as_fractions(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Return both and the largest number as float32; ValueError for what cannot be compared."""
    a = framework.convert_to_tensor(a, name="a")
    b = framework.convert_to_tensor(b, name="b")
    shapes = a.get_shape(), b.get_shape()
    if all(shape.ndims is not None for shape in shapes):
        if min(shape.ndims for shape in shapes) < 3:
            raise ValueError(f"images have 3 dimensions or more, not {shapes[0]} and {shapes[1]}")
        if not shapes[0][-3:].is_compatible_with(shapes[1][-3:]):
            raise ValueError(f"images of {shapes[0]} and {shapes[1]} cannot be compared")
    most = convert_image_dtype(math_ops.cast(max_val, a.dtype.base_dtype), dtypes.float32)
    return convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32), most


def _halved(images: Any) -> Any:
    shape = images.get_shape().as_list()
    if None in shape[-3:]:
        raise ValueError(f"images must have a known size, not {images.get_shape()}")
    flat = array_ops.reshape(images, [-1, *shape[-3:]])
    odd = [size % 2 for size in shape[-3:-1]]
    if any(odd):
        flat = array_ops.pad(flat, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], mode="SYMMETRIC")
    small = conv_ops.avg_pool(flat, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    sizes = [(size + 1) // 2 for size in shape[-3:-1]]
    return array_ops.reshape(small, array_ops.concat([array_ops.shape(images)[:-3],
                                                      [*sizes, shape[-1]]], 0))  # fmt: skip


class _Window:
    """Compares images in windows whose middle counts most, as Wang et al. (2004) do."""

    def __init__(self, size: int, sigma: float, most: Any, k1: float, k2: float) -> None:
        places = np.arange(size, dtype=np.float32) - np.float32(size - 1) / 2
        weights = -0.5 * places**2 / np.float32(sigma) ** 2
        powers = np.exp(weights[None, :] + weights[:, None] - 2 * weights.max())
        self._kernel = (powers / powers.sum()).astype(np.float32)[:, :, None, None]
        self._c1 = math_ops.square(k1 * most)
        self._c2 = math_ops.square(k2 * most)

    def compare(self, one: Any, other: Any) -> tuple[Any, Any]:
        """Return likeness, and that of contrast and structure alone, per window and channel."""
        mean_one, mean_other = self._mean(one), self._mean(other)
        both = mean_one * mean_other * 2.0
        each = math_ops.square(mean_one) + math_ops.square(mean_other)
        luminance = (both + self._c1) / (each + self._c1)
        products = self._mean(one * other) * 2.0
        squares = self._mean(math_ops.square(one) + math_ops.square(other))
        contrast = (products - both + self._c2) / (squares - each + self._c2)
        return luminance * contrast, contrast

    def _mean(self, images: Any) -> Any:
        shape = array_ops.shape(images)
        flat = array_ops.reshape(images, array_ops.concat([[-1], shape[-3:]], 0))
        kernel = framework.constant(self._kernel)
        filters = array_ops.tile(kernel, array_ops.stack([1, 1, shape[-1], 1]))
        mean = conv_variants.depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID")
        return array_ops.reshape(mean, array_ops.concat([shape[:-3], array_ops.shape(mean)[1:]], 0))
