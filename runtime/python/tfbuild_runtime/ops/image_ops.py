"""Images: other sizes, parts, mirrored, brighter, with more or less contrast and colour."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, linalg_ops, math_ops, random_ops, reduce_ops
from tfbuild_runtime.ops.control_flow_ops import cond
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.reverse_ops import reverse_along


class ResizeMethod:
    """How resize_images computes pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _image(image: Any) -> Any:
    tensor = framework.convert_to_tensor(image, name="image")
    if tensor.get_shape().ndims not in (3, 4):
        raise ValueError(f"an image has 3 dimensions, a batch 4, not {tensor.get_shape()}")
    return tensor


# ---- size ---------------------------------------------------------------------------------------


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                    half_pixel_centers: bool = False) -> Any:  # fmt: skip
    """Return images of another size, each pixel a mixture of four."""
    return emit("ResizeBilinear", [images, size], name, align_corners=align_corners,
                half_pixel_centers=half_pixel_centers)  # fmt: skip


def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = False,
                            name: str | None = None,
                            half_pixel_centers: bool = False) -> Any:  # fmt: skip
    """Return images of another size, each pixel that which is nearest."""
    return emit("ResizeNearestNeighbor", [images, size], name, align_corners=align_corners,
                half_pixel_centers=half_pixel_centers)  # fmt: skip


def resize_images(images: Any, size: Any, method: int = ResizeMethod.BILINEAR,
                  align_corners: bool = False, preserve_aspect_ratio: bool = False,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return an image or a batch of images of another size [rows, columns].

    Raises NotImplementedError for other methods than BILINEAR and NEAREST_NEIGHBOR.
    """
    ways = {ResizeMethod.BILINEAR: resize_bilinear,
            ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor}  # fmt: skip
    if method not in ways:
        raise NotImplementedError("tf.image.resize_images knows BILINEAR and NEAREST_NEIGHBOR, not "
                                  f"method {method!r}")  # fmt: skip
    with framework.name_scope(name, "resize", [images]):
        images = _image(images)
        is_one = images.get_shape().ndims == 3
        batch = array_ops.expand_dims(images, 0) if is_one else images
        size = math_ops.cast(framework.convert_to_tensor(size, name="size"), dtypes.int32)
        if preserve_aspect_ratio:
            size = _in_proportion(batch, size)
        wanted, known = framework.constant_value(size), batch.get_shape().as_list()[1:3]
        if wanted is not None and wanted.tolist() == known:
            return images
        resized = ways[method](batch, size, align_corners)
        return array_ops.squeeze(resized, [0]) if is_one else resized


resize = resize_images


def _in_proportion(batch: Any, size: Any) -> Any:
    now = math_ops.cast(array_ops.shape(batch)[1:3], dtypes.float32)
    factor = reduce_ops.reduce_min(math_ops.cast(size, dtypes.float32) / now)
    return math_ops.cast(math_ops.round(now * factor), dtypes.int32)


def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                         target_width: Any) -> Any:  # fmt: skip
    """Return the part of an image that begins at an offset; ValueError beyond its borders."""
    image = _image(image)
    lead = [] if image.get_shape().ndims == 3 else [0]
    sizes = image.get_shape().as_list()[-3:-1]
    for offset, target, size in zip((offset_height, offset_width), (target_height, target_width),
                                    sizes):  # fmt: skip
        if all(isinstance(n, int) for n in (offset, target, size)) and offset + target > size:
            raise ValueError(f"the part {offset} + {target} goes beyond the image's {size}")
    begin = array_ops.stack([*lead, offset_height, offset_width, 0])
    extent = array_ops.stack([*([-1] if lead else []), target_height, target_width, -1])
    part = emit("Slice", [image, begin, extent])
    known = [n if isinstance(n, int) else None for n in (target_height, target_width)]
    shape = image.get_shape().as_list()
    part.set_shape([*shape[:-3], *known, shape[-1]])
    return part


def pad_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                        target_width: Any) -> Any:  # fmt: skip
    """Return an image with zeros around it; raises ValueError where it does not fit."""
    image = _image(image)
    shape, known = array_ops.shape(image), image.get_shape().as_list()
    rank = len(known)
    pads: list[Any] = [[0, 0]] * (rank - 3)
    for axis, offset, target in ((rank - 3, offset_height, target_height),
                                 (rank - 2, offset_width, target_width)):  # fmt: skip
        size = known[axis] if known[axis] is not None else shape[axis]
        after = target - offset - size
        if isinstance(after, int) and after < 0:
            raise ValueError(f"an image of {size} at {offset} does not fit into {target}")
        pads.append([offset, after])
    padded = array_ops.pad(image, [*pads, [0, 0]])
    sizes = [n if isinstance(n, int) else None for n in (target_height, target_width)]
    padded.set_shape([*known[:-3], *sizes, known[-1]])
    return padded


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Return an image whose middle is cut out, or which gets zeros around it, to another size."""
    image = _image(image)
    shape, known = array_ops.shape(image), image.get_shape().as_list()
    sizes = [known[axis] if known[axis] is not None else shape[axis]
             for axis in (len(known) - 3, len(known) - 2)]  # fmt: skip
    targets = (target_height, target_width)
    more = [size - target for size, target in zip(sizes, targets)]
    crops = [_largest(0, _half(extra)) for extra in more]
    cropped = crop_to_bounding_box(
        image, crops[0], crops[1], *(_smallest(t, s) for t, s in zip(targets, sizes))
    )
    pads = [_largest(0, _half(target - size)) for size, target in zip(sizes, targets)]
    return pad_to_bounding_box(cropped, pads[0], pads[1], target_height, target_width)


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def _half(number: Any) -> Any:
    return int(number / 2) if isinstance(number, int) else math_ops.floordiv(number, 2)


def _largest(one: Any, other: Any) -> Any:
    both = isinstance(one, int) and isinstance(other, int)
    return max(one, other) if both else math_ops.maximum(one, other)


def _smallest(one: Any, other: Any) -> Any:
    both = isinstance(one, int) and isinstance(other, int)
    return min(one, other) if both else math_ops.minimum(one, other)


def central_crop(image: Any, central_fraction: float) -> Any:
    """Return the middle of an image; raises ValueError unless the fraction is in (0, 1]."""
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    image = _image(image)
    if central_fraction == 1:
        return image
    shape, known = array_ops.shape(image), image.get_shape().as_list()
    starts, extents = [], []
    for axis in (len(known) - 3, len(known) - 2):
        size = known[axis]
        if size is None:
            float_size = math_ops.cast(shape[axis], dtypes.float64)
            start: Any = math_ops.cast((float_size - float_size * central_fraction) / 2,
                                       dtypes.int32)  # fmt: skip
            extent: Any = shape[axis] - start * 2
        else:
            start = int((size - size * central_fraction) / 2)
            extent = size - start * 2
        starts.append(start)
        extents.append(extent)
    return crop_to_bounding_box(image, *starts, *extents)


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Return a part of that size from a random place."""
    with framework.name_scope(name, "random_crop", [value]) as scope:
        value = framework.convert_to_tensor(value, name="value")
        extent = framework.convert_to_tensor(size, dtypes.int32, name="size")
        limit = array_ops.shape(value) - extent + 1
        draw = random_ops.random_uniform(array_ops.shape(extent), dtype=dtypes.int32,
                                         maxval=dtypes.int32.max, seed=seed)  # fmt: skip
        part = emit("Slice", [value, math_ops.floormod(draw, limit), extent], scope)
        known = framework.constant_value(extent)
        if known is not None:
            part.set_shape(known.tolist())
        return part


# ---- mirrored -----------------------------------------------------------------------------------


def _flipped(image: Any, axis_from_end: int) -> Any:
    image = _image(image)
    return reverse_along(image, image.get_shape().ndims - axis_from_end)


def flip_left_right(image: Any) -> Any:
    """Return an image, or each of a batch, with left and right exchanged."""
    return _flipped(image, 2)


def flip_up_down(image: Any) -> Any:
    """Return an image, or each of a batch, with top and bottom exchanged."""
    return _flipped(image, 3)


def _randomly_flipped(image: Any, axis_from_end: int, seed: int | None, scope: str) -> Any:
    with framework.name_scope(None, scope, [image]):
        image = _image(image)
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
    image = _image(image)
    order = [1, 0, 2] if image.get_shape().ndims == 3 else [0, 2, 1, 3]
    return array_ops.transpose(image, order, name=name)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Any:
    """Return an image turned to the left by k quarters, a number that is no tensor."""
    with framework.name_scope(name, "rot90", [image]):
        turns = int(k) % 4
        for _ in range(turns):
            image = flip_up_down(transpose_image(image))
        return _image(image)


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

    def change(wide: Any) -> Any:
        mean = reduce_ops.reduce_mean(wide, [-3, -2], keepdims=True)
        return (wide - mean) * math_ops.cast(contrast_factor, wide.dtype.base_dtype) + mean

    return _as_float(images, change, None, "adjust_contrast")


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

    def change(wide: Any) -> Any:
        hue, saturation, value = array_ops.split(rgb_to_hsv(wide), 3, axis=-1)
        turned = math_ops.floormod(hue + math_ops.cast(delta, wide.dtype.base_dtype) + 1.0, 1.0)
        return hsv_to_rgb(array_ops.concat([turned, saturation, value], -1))

    return _as_float(image, change, name, "adjust_hue")


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """Return an image with hues turned by up to max_delta."""
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be in [0, 0.5].")
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """Return an image with saturations times a factor."""

    def change(wide: Any) -> Any:
        hue, saturation, value = array_ops.split(rgb_to_hsv(wide), 3, axis=-1)
        factor = math_ops.cast(saturation_factor, wide.dtype.base_dtype)
        more = math_ops.minimum(math_ops.maximum(saturation * factor, 0.0), 1.0)
        return hsv_to_rgb(array_ops.concat([hue, more, value], -1))

    return _as_float(image, change, name, "adjust_saturation")


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """Return an image with saturations times a factor between lower and upper."""
    return adjust_saturation(image, _between(lower, upper, seed))


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
        image = math_ops.cast(_image(image), dtypes.float32)
        axes = [-1, -2, -3]
        count = reduce_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = reduce_ops.reduce_mean(image, axes, keepdims=True)
        square = reduce_ops.reduce_mean(math_ops.square(image - mean), axes, keepdims=True)
        least = math_ops.rsqrt(math_ops.cast(count, dtypes.float32))
        deviation = math_ops.maximum(math_ops.sqrt(square), least)
        return math_ops.divide(image - mean, deviation, name=scope)


per_image_whitening = per_image_standardization
