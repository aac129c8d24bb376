"""Gradients of images of another size, of parts of them, and of the surroundings of pixels."""

from typing import Any

import numpy as np

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.gradients.registry import gradient_of, no_gradient
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, known_rank

for _op_type in (
    "AdjustContrastv2", "AdjustHue", "AdjustSaturation", "DecodeAndCropJpeg", "DecodeBmp",
    "DecodeGif", "DecodeImage", "DecodeJpeg", "DecodePng", "DrawBoundingBoxes",
    "DrawBoundingBoxesV2", "EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng",
    "CombinedNonMaxSuppression", "ExtractGlimpse", "ExtractGlimpseV2", "ExtractJpegShape",
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4",
    "NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps", "ResizeArea",
    "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2",
):  # fmt: skip
    no_gradient(_op_type)


def _alignment(op: Any) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in ("align_corners", "half_pixel_centers")}


@gradient_of("ResizeBilinear", "ResizeBicubic")
def _resize_smoothly(op: Any, grad: Any) -> Any:
    image = op.inputs[0]
    if not image.dtype.base_dtype.is_floating:
        return [None, None]
    return [emit(f"{op.type}Grad", [grad, image], **_alignment(op)), None]


@gradient_of("ResizeNearestNeighbor")
def _resize_nearest_neighbor(op: Any, grad: Any) -> Any:
    images = op.inputs[0]
    size: Any = [None] if known_rank(images) is None else images.get_shape().as_list()[1:3]
    if None in size:
        shape = emit("Shape", [images])
        size = emit("StridedSlice", [shape, [1], [3], [1]])
    return [emit("ResizeNearestNeighborGrad", [grad, size], **_alignment(op)), None]


@gradient_of("CropAndResize")
def _crop_and_resize(op: Any, grad: Any) -> Any:
    image, boxes, of_box = op.inputs[:3]
    kind = image.dtype.base_dtype
    by_image = None
    if kind.is_floating:
        by_image = emit("CropAndResizeGradImage", [grad, boxes, of_box, emit("Shape", [image])],
                        T=kind, method=op.get_attr("method"))  # fmt: skip
    # As in TensorFlow, by bilinear mixing whatever the method is.
    by_boxes = emit("CropAndResizeGradBoxes", [grad, image, boxes, of_box])
    return [by_image, by_boxes, None, None]


@gradient_of("ExtractImagePatches")
def _extract_image_patches(op: Any, grad: Any) -> Any:
    """Put each number back where it was taken: a convolution whose filters are ones."""
    image = op.inputs[0]
    rows, cols = op.get_attr("ksizes")[1:3]
    count = rows * cols
    batch, height, width, depth = array_ops.unstack(array_ops.shape(image), 4)
    down, right = array_ops.unstack(array_ops.shape(grad)[1:3], 2)
    # Each channel is an image of its own, so that filters need not distinguish them.
    apart = array_ops.reshape(grad, array_ops.stack([batch, down, right, count, depth]))
    apart = array_ops.transpose(apart, [0, 4, 1, 2, 3])
    apart = array_ops.reshape(apart, array_ops.stack([batch * depth, down, right, count]))
    ones = np.eye(count).reshape(rows, cols, 1, count)
    back = emit("Conv2DBackpropInput",
                [array_ops.stack([batch * depth, height, width, 1]),
                 framework.constant(ones, dtype=grad.dtype.base_dtype), apart],
                strides=op.get_attr("strides"), dilations=op.get_attr("rates"),
                padding=op.get_attr("padding"))  # fmt: skip
    back = array_ops.reshape(back, array_ops.stack([batch, depth, height, width]))
    back = array_ops.transpose(back, [0, 2, 3, 1])
    back.set_shape(image.get_shape())
    return [back]
