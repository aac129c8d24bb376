"""Images of another size: resized, cut, with borders; and boxes cut out of them."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops, random_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


class ResizeMethod:
    """How resize_images computes pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def image_tensor(image: Any) -> Any:
    """Return an image or a batch as a tensor; raises ValueError for other ranks."""
    tensor = perhaps_image_tensor(image)
    if known_rank(tensor) is None:
        raise ValueError("an image has 3 dimensions, a batch 4, not <unknown>")
    return tensor


def perhaps_image_tensor(image: Any) -> Any:
    """As image_tensor; the rank need not be known, as that of a file that is decoded."""
    tensor = framework.convert_to_tensor(image, name="image")
    if tensor.get_shape().ndims not in (3, 4, None):
        raise ValueError(f"an image has 3 dimensions, a batch 4, not {tensor.get_shape()}")
    return tensor


# ---- resized ------------------------------------------------------------------------------------


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


def resize_bicubic(images: Any, size: Any, align_corners: bool = False, name: str | None = None,
                   half_pixel_centers: bool = False) -> Any:  # fmt: skip
    """Return images of another size, each pixel a mixture of sixteen."""
    return emit("ResizeBicubic", [images, size], name, align_corners=align_corners,
                half_pixel_centers=half_pixel_centers)  # fmt: skip


def resize_area(images: Any, size: Any, align_corners: bool = False,
                name: str | None = None) -> Any:  # fmt: skip
    """Return images of another size, each pixel the mean of what it covers."""
    return emit("ResizeArea", [images, size], name, align_corners=align_corners)


_WAYS = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
}
_NAMES = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}


def resize_images(images: Any, size: Any, method: Any = ResizeMethod.BILINEAR,
                  align_corners: bool = False, preserve_aspect_ratio: bool = False,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return an image or a batch of images of another size [rows, columns].

    Where the size is known and already right, the images are returned as they are. Raises
    ValueError for a method that ResizeMethod does not have.
    """
    way = _WAYS.get(_NAMES.get(method, method))
    if way is None:
        raise ValueError("Resize method is not implemented.")
    with framework.name_scope(name, "resize", [images]):
        images = image_tensor(images)
        is_one = images.get_shape().ndims == 3
        batch = array_ops.expand_dims(images, 0) if is_one else images
        size = math_ops.cast(framework.convert_to_tensor(size, name="size"), dtypes.int32)
        if preserve_aspect_ratio:
            size = _in_proportion(batch, size)
        wanted, known = framework.constant_value(size), batch.get_shape().as_list()[1:3]
        if wanted is not None and wanted.tolist() == known:
            return images
        resized = way(batch, size, align_corners=align_corners)
        return array_ops.squeeze(resized, [0]) if is_one else resized


resize = resize_images


def _in_proportion(batch: Any, size: Any) -> Any:
    now = math_ops.cast(array_ops.shape(batch)[1:3], dtypes.float32)
    factor = reduce_ops.reduce_min(math_ops.cast(size, dtypes.float32) / now)
    return math_ops.cast(math_ops.round(now * factor), dtypes.int32)


def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                         target_width: Any) -> Any:  # fmt: skip
    """Return the part of an image that begins at an offset; ValueError beyond its borders."""
    image = image_tensor(image)
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
    image = image_tensor(image)
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
    """Return an image whose middle is cut out, or which gets zeros around it, to another size.

    Raises ValueError for a side that is known not to be positive.
    """
    image = image_tensor(image)
    for side, target in (("height", target_height), ("width", target_width)):
        if not framework.is_tensor_like(target) and target <= 0:
            raise ValueError(f"target_{side} must be > 0.")
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


def resize_image_with_pad(image: Any, target_height: Any, target_width: Any,
                          method: Any = ResizeMethod.BILINEAR,
                          align_corners: bool = False) -> Any:  # fmt: skip
    """Return an image resized in proportion until it fits, with zeros around it.

    Raises ValueError for a size below 1.
    """
    if any(isinstance(n, int) and n < 1 for n in (target_height, target_width)):
        raise ValueError("target_height and target_width must be > 0.")
    with framework.name_scope(None, "resize_image_with_pad", [image]):
        image = image_tensor(image)
        is_one = image.get_shape().ndims == 3
        batch = array_ops.expand_dims(image, 0) if is_one else image
        now = math_ops.cast(array_ops.shape(batch)[1:3], dtypes.float32)
        target = array_ops.stack([math_ops.cast(n, dtypes.float32)
                                  for n in (target_height, target_width)])  # fmt: skip
        fitting = now / reduce_ops.reduce_max(now / target)
        size = math_ops.cast(math_ops.floor(fitting), dtypes.int32)
        before = math_ops.cast(math_ops.floor((target - fitting) / 2), dtypes.int32)
        before = math_ops.maximum(before, 0)
        resized = resize_images(batch, size, method, align_corners)
        padded = pad_to_bounding_box(resized, before[0], before[1], target_height, target_width)
        return array_ops.squeeze(padded, [0]) if is_one else padded


def crop_and_resize(image: Any, boxes: Any, box_ind: Any = None, crop_size: Any = None,
                    method: str = "bilinear", extrapolation_value: float = 0,
                    name: str | None = None, box_indices: Any = None) -> Any:  # fmt: skip
    """Return parts of a batch of images, each of one size.

    boxes are [y1, x1, y2, x2] as shares of the image, box_indices whose image each is cut from.
    """
    of_box = only_one(box_indices, box_ind, "box_indices", "box_ind")
    return emit("CropAndResize", [image, boxes, of_box, crop_size], name, method=method,
                extrapolation_value=extrapolation_value)  # fmt: skip


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
    image = image_tensor(image)
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
