"""Images mirrored, of other types, brighter, with more or less contrast and colour."""

from __future__ import annotations

import functools
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, linalg_ops, math_ops, random_ops, reduce_ops
from tfbuild_runtime.ops.case_ops import case
from tfbuild_runtime.ops.control_flow_ops import cond
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.image_size_ops import image_tensor, perhaps_image_tensor
from tfbuild_runtime.ops.reverse_ops import reverse_along

# ---- mirrored -----------------------------------------------------------------------------------


def _flipped(image: Any, axis_from_end: int) -> Any:
    return reverse_along(perhaps_image_tensor(image), -axis_from_end)


def flip_left_right(image: Any) -> Any:
    """Return an image, or each of a batch, with left and right exchanged."""
    return _flipped(image, 2)


def flip_up_down(image: Any) -> Any:
    """Return an image, or each of a batch, with top and bottom exchanged."""
    return _flipped(image, 3)


def _randomly_flipped(image: Any, axis_from_end: int, seed: int | None, scope: str) -> Any:
    with framework.name_scope(None, scope, [image]):
        image = image_tensor(image)
        if image.get_shape().ndims == 3:
            draw = random_ops.random_uniform([], 0, 1.0, seed=seed)
            result = cond(math_ops.less(draw, 0.5), lambda: _flipped(image, axis_from_end),
                          lambda: array_ops.identity(image))  # fmt: skip
        else:
            batch = array_ops.shape(image)[0]
            draw = random_ops.random_uniform([batch], 0, 1.0, seed=seed)
            turned = array_ops.reshape(math_ops.round(draw), [-1, 1, 1, 1])
            turned = math_ops.cast(turned, image.dtype.base_dtype)
            result = turned * _flipped(image, axis_from_end) + (1 - turned) * image
        result.set_shape(image.get_shape())
        return result


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """Return an image with left and right exchanged, or as it is."""
    return _randomly_flipped(image, 2, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """Return an image with top and bottom exchanged, or as it is."""
    return _randomly_flipped(image, 3, seed, "random_flip_up_down")


def transpose_image(image: Any, name: str | None = None) -> Any:
    """Return an image, or each of a batch, with rows and columns exchanged."""
    image = image_tensor(image)
    order = [1, 0, 2] if image.get_shape().ndims == 3 else [0, 2, 1, 3]
    return array_ops.transpose(image, order, name=name)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Return an image turned to the left by k quarters."""
    with framework.name_scope(name, "rot90", [image, k]):
        image = image_tensor(image)
        quarters = framework.get_static_value(k) if framework.is_tensor_like(k) else k
        if quarters is not None:
            return _turned(image, int(quarters) % 4)
        quarters = math_ops.floormod(k, 4)
        ways = [(math_ops.equal(quarters, n), functools.partial(_turned, image, n))
                for n in (1, 2, 3)]  # fmt: skip
        turned = case(ways, default=lambda: array_ops.identity(image), exclusive=True)
        turned.set_shape([None] * image.get_shape().ndims)
        return turned


def _turned(image: Any, quarters: int) -> Any:
    for _ in range(quarters):
        image = flip_up_down(transpose_image(image))
    return image


# ---- types and colours --------------------------------------------------------------------------


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False,
                        name: str | None = None) -> Any:  # fmt: skip
    """Return an image of another type: whole numbers up to their limit are fractions up to 1."""
    image = framework.convert_to_tensor(image, name="image")
    wanted, given = dtypes.as_dtype(dtype), image.dtype.base_dtype
    if wanted == given:
        return array_ops.identity(image, name=name)
    with framework.name_scope(name, "convert_image", [image]) as scope:
        cast = math_ops.saturate_cast if saturate else math_ops.cast
        if given.is_integer and wanted.is_integer:
            if given.max > wanted.max:
                factor = (given.max + 1) // (wanted.max + 1)
                return cast(math_ops.floordiv(image, factor), wanted, name=scope)
            factor = (wanted.max + 1) // (given.max + 1)
            return math_ops.multiply(cast(image, wanted), factor, name=scope)
        if given.is_floating and wanted.is_floating:
            return math_ops.cast(image, wanted, name=scope)
        if given.is_integer:
            return math_ops.multiply(math_ops.cast(image, wanted), 1.0 / given.max, name=scope)
        return cast(math_ops.multiply(image, wanted.max + 0.5), wanted, name=scope)


def _as_float(image: Any, change: Any, name: str | None, default: str) -> Any:
    """Return what change makes of an image as fractions, in the image's own type."""
    with framework.name_scope(name, default, [image]):
        image = framework.convert_to_tensor(image, name="image")
        given = image.dtype.base_dtype
        wide = image if given in (dtypes.float32, dtypes.float16) else \
            convert_image_dtype(image, dtypes.float32)  # fmt: skip
        return convert_image_dtype(change(wide), given, saturate=True)


def adjust_brightness(image: Any, delta: Any) -> Any:
    """Return an image with delta, a fraction of the brightest, added to each pixel."""
    return _as_float(
        image, lambda wide: wide + math_ops.cast(delta, wide.dtype.base_dtype), None,
        "adjust_brightness",
    )  # fmt: skip


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Return an image that is brighter or darker by up to max_delta."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Return images whose pixels are contrast_factor times as far from the channel's mean."""
    return _as_float(images, lambda wide: emit("AdjustContrastv2", [wide, contrast_factor]), None,
                     "adjust_contrast")  # fmt: skip


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Return gain times the image's fractions to the power of gamma; ValueError below 0."""
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _as_float(image, lambda wide: gain * wide**gamma, None, "adjust_gamma")


def _between(lower: float, upper: float, seed: int | None) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return random_ops.random_uniform([], lower, upper, seed=seed)


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Return an image with contrast changed by a factor between lower and upper."""
    return adjust_contrast(image, _between(lower, upper, seed))


def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Return colours as hue, saturation and value."""
    return emit("RGBToHSV", [images], name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """Return colours as red, green and blue."""
    return emit("HSVToRGB", [images], name)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Return an image with hues turned by delta, a share of the circle."""
    return _as_float(image, lambda wide: emit("AdjustHue", [wide, delta]), name, "adjust_hue")


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Return an image with hues turned by up to max_delta."""
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be in [0, 0.5].")
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Return an image with saturations times a factor."""
    return _as_float(image, lambda wide: emit("AdjustSaturation", [wide, saturation_factor]), name,
                     "adjust_saturation")  # fmt: skip


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Return an image with saturations times a factor between lower and upper."""
    return adjust_saturation(image, _between(lower, upper, seed))


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "",
                        name: str | None = None) -> Any:  # fmt: skip
    """Return an image as it comes back from a JPEG of that quality, 0 to 100."""
    with framework.name_scope(name, "adjust_jpeg_quality", [image]):
        image = framework.convert_to_tensor(image, name="image")
        bytes_of = convert_image_dtype(image, dtypes.uint8, saturate=True)
        quality = framework.convert_to_tensor(jpeg_quality, dtypes.int32)
        file = emit("EncodeJpegVariableQuality", [bytes_of, quality])
        channels = image.get_shape().as_list()[-1] or 0
        back = emit("DecodeJpeg", [file], channels=channels, dct_method=dct_method)
        return convert_image_dtype(back, image.dtype.base_dtype, saturate=True)


def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int,
                        seed: int | None = None) -> Any:  # fmt: skip
    """Return an image as it comes back from a JPEG of some quality between two."""
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_ops.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed,
                                        dtype=dtypes.int32)  # fmt: skip
    return adjust_jpeg_quality(image, quality)


_YIQ_OF_RGB = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
               [0.114, -0.32134392, 0.31119955]]  # fmt: skip
_RGB_OF_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021],
               [0.6208248, -0.64720424, 1.70423049]]  # fmt: skip
_YUV_OF_RGB = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
               [0.114, 0.43601035, -0.10001026]]  # fmt: skip
_RGB_OF_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _mixed(images: Any, weights: list[list[float]]) -> Any:
    images = framework.convert_to_tensor(images, name="images")
    kernel = framework.constant(weights, dtype=images.dtype.base_dtype)
    mixed = linalg_ops.matmul(array_ops.reshape(images, [-1, 3]), kernel)
    back = array_ops.reshape(mixed, array_ops.shape(images))
    back.set_shape(images.get_shape())
    return back


def rgb_to_yiq(images: Any) -> Any:
    """Return colours as brightness and the two colour signals of NTSC."""
    return _mixed(images, _YIQ_OF_RGB)


def yiq_to_rgb(images: Any) -> Any:
    """Return NTSC's signals as red, green and blue."""
    return _mixed(images, _RGB_OF_YIQ)


def rgb_to_yuv(images: Any) -> Any:
    """Return colours as brightness and the two colour signals of PAL."""
    return _mixed(images, _YUV_OF_RGB)


def yuv_to_rgb(images: Any) -> Any:
    """Return PAL's signals as red, green and blue."""
    return _mixed(images, _RGB_OF_YUV)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """Return the brightness of colours, one channel."""
    with framework.name_scope(name, "rgb_to_grayscale", [images]):
        images = framework.convert_to_tensor(images, name="images")
        given = images.dtype.base_dtype
        wide = convert_image_dtype(images, dtypes.float32)
        weights = framework.constant([[0.2989], [0.5870], [0.1140]])
        flat = linalg_ops.matmul(array_ops.reshape(wide, [-1, 3]), weights)
        shape = array_ops.concat([array_ops.shape(wide)[:-1], [1]], 0)
        gray = array_ops.reshape(flat, shape)
        gray.set_shape([*images.get_shape().as_list()[:-1], 1])
        return convert_image_dtype(gray, given)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """Return one channel as three that are alike."""
    with framework.name_scope(name, "grayscale_to_rgb", [images]):
        images = framework.convert_to_tensor(images, name="images")
        return array_ops.concat([images] * 3, -1)


def per_image_standardization(image: Any) -> Any:
    """Return an image with mean 0 and deviation 1, or less for one of few different pixels."""
    with framework.name_scope(None, "per_image_standardization", [image]) as scope:
        image = math_ops.cast(perhaps_image_tensor(image), dtypes.float32)
        axes = [-1, -2, -3]
        count = reduce_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = reduce_ops.reduce_mean(image, axes, keepdims=True)
        square = reduce_ops.reduce_mean(math_ops.square(image - mean), axes, keepdims=True)
        least = math_ops.rsqrt(math_ops.cast(count, dtypes.float32))
        deviation = math_ops.maximum(math_ops.sqrt(square), least)
        return math_ops.divide(image - mean, deviation, name=scope)


per_image_whitening = per_image_standardization
