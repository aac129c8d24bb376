"""Boxes in images: drawn, drawn at random, the best of them; and the surroundings of each pixel."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Return images with frames around boxes [y1, x1, y2, x2], which are shares of the image."""
    if colors is None:
        return emit("DrawBoundingBoxes", [images, boxes], name)
    return emit("DrawBoundingBoxesV2", [images, boxes, colors], name)


def sample_distorted_bounding_box(
        image_size: Any, bounding_boxes: Any, seed: int | None = None, seed2: int | None = None,
        min_object_covered: Any = 0.1, aspect_ratio_range: Any = None, area_range: Any = None,
        max_attempts: int | None = None, use_image_if_no_bounding_boxes: bool | None = None,
        name: str | None = None) -> Any:  # fmt: skip
    """Return begin and size for tf.slice, and the box, of a random part that shows enough.

    The seeds are the operation's own: the graph's does not count.
    """
    attrs = {"aspect_ratio_range": aspect_ratio_range, "area_range": area_range,
             "max_attempts": max_attempts,
             "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes}  # fmt: skip
    given = {key: value for key, value in attrs.items() if value is not None}
    made = framework.apply_op(
        "SampleDistortedBoundingBoxV2", [image_size, bounding_boxes, min_object_covered],
        {"seed": seed or 0, "seed2": seed2 or 0, **given},
        name or "sample_distorted_bounding_box",
    )  # fmt: skip
    return made.outputs[0], made.outputs[1], made.outputs[2]


def non_max_suppression(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
                        score_threshold: Any = float("-inf"),
                        name: str | None = None) -> Any:  # fmt: skip
    """Return the indices of the boxes with the best scores that do not overlap much."""
    with framework.name_scope(name, "non_max_suppression"):
        return emit("NonMaxSuppressionV3",
                    [boxes, scores, max_output_size, iou_threshold, score_threshold])  # fmt: skip


def non_max_suppression_with_scores(
        boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
        score_threshold: Any = float("-inf"), soft_nms_sigma: Any = 0.0,
        name: str | None = None) -> Any:  # fmt: skip
    """Return the same, and scores that overlaps have made smaller where soft_nms_sigma is not 0."""
    with framework.name_scope(name, "non_max_suppression_with_scores"):
        made = framework.apply_op(
            "NonMaxSuppressionV5",
            [boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma],
            {"pad_to_max_output_size": False},
        )
        return made.outputs[0], made.outputs[1]


def non_max_suppression_padded(
        boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
        score_threshold: Any = float("-inf"), pad_to_max_output_size: bool = False,
        name: str | None = None, sorted_input: bool = False,
        canonicalized_coordinates: bool = False, tile_size: int = 512) -> Any:  # fmt: skip
    """Return the indices, with zeros behind them up to max_output_size, and how many are valid.

    Raises NotImplementedError for the way of TensorFlow 2, which the last three ask for.
    """
    if sorted_input or canonicalized_coordinates or tile_size != 512:
        raise NotImplementedError("boxes in batches are not there: sort nothing, and give one "
                                  "image to each call")  # fmt: skip
    with framework.name_scope(name, "non_max_suppression_padded"):
        made = framework.apply_op(
            "NonMaxSuppressionV4",
            [boxes, scores, max_output_size, iou_threshold, score_threshold],
            {"pad_to_max_output_size": pad_to_max_output_size},
        )
        return made.outputs[0], made.outputs[1]


def non_max_suppression_overlaps(
        overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any = 0.5,
        score_threshold: Any = float("-inf"), name: str | None = None) -> Any:  # fmt: skip
    """Return the indices of the best scores, where a matrix says how much each two overlap."""
    with framework.name_scope(name, "non_max_suppression_overlaps"):
        return emit("NonMaxSuppressionWithOverlaps",
                    [overlaps, scores, max_output_size, overlap_threshold,
                     score_threshold])  # fmt: skip


def combined_non_max_suppression(
        boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any,
        iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
        pad_per_class: bool = False, clip_boxes: bool = True,
        name: str | None = None) -> Any:  # fmt: skip
    """Return boxes, scores and classes of the best of all classes in each image, and how many."""
    with framework.name_scope(name, "combined_non_max_suppression"):
        made = framework.apply_op(
            "CombinedNonMaxSuppression",
            [boxes, scores, max_output_size_per_class, max_total_size, iou_threshold,
             score_threshold],
            {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes},
        )  # fmt: skip
        return _Detections(*made.outputs)


class _Detections(NamedTuple):
    """What is found in images: the best first, with zeros behind those that are valid."""

    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


def extract_glimpse(input: Any, size: Any, offsets: Any, centered: bool = True,
                    normalized: bool = True, uniform_noise: bool = True,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return a window of each image around an offset, with noise where it lies outside.

    Offsets are shares of half the image from its centre, unless they are said to be pixels
    (normalized) or counted from its upper left corner (centered).
    """
    return emit("ExtractGlimpse", [input, size, offsets], name, centered=centered,
                normalized=normalized, uniform_noise=uniform_noise)  # fmt: skip


def extract_image_patches(images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None,
                          padding: str | None = None, name: str | None = None,
                          sizes: Any = None) -> Any:  # fmt: skip
    """Return the surroundings of each pixel as its channels."""
    chosen = sizes if ksizes is None else ksizes
    return emit("ExtractImagePatches", [images], name, ksizes=list(chosen), strides=list(strides),
                rates=list(rates), padding=padding)  # fmt: skip


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str,
                    name: str | None = None) -> Any:  # fmt: skip
    """Return the surroundings of each pixel as its channels."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)
