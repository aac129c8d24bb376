"""What is computed of images by TensorFlow and by the runtime, each by its own `tf`."""

import numpy as np

IMAGE = np.random.RandomState(0).rand(2, 7, 5, 3).astype(np.float32)
BYTES = np.random.RandomState(1).randint(0, 256, (2, 7, 5, 3)).astype(np.uint8)
SIZES = [(3, 4), (7, 11), (14, 10), (1, 1), (20, 3)]
BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.5, 0.8, 0.2, 0.1], [-0.3, 0.1, 1.2, 1.1]])
MANY = np.random.RandomState(2).rand(40, 4).astype(np.float32)


def files(tf, held):
    """Give name and pixels of each file, as each operation reads it."""
    image = tf.image
    for name, data in sorted(held.items()):
        yield f"any/{name}", image.decode_image(data)
        if name.startswith("png"):
            for channels in (1, 3, 4):
                yield f"png{channels}/{name}", image.decode_png(data, channels)
                yield f"wide{channels}/{name}", image.decode_png(data, channels, tf.uint16)
            yield f"float/{name}", image.decode_image(data, dtype=tf.float32)
        elif name.startswith("jpeg"):
            yield f"shape/{name}", image.extract_jpeg_shape(data)
            yield f"float/{name}", image.decode_image(data, dtype=tf.float32)
            yield f"wide/{name}", image.decode_image(data, dtype=tf.uint16)
            for ratio in (1, 2, 4, 8):
                yield f"ratio{ratio}/{name}", image.decode_jpeg(data, ratio=ratio)
            yield f"plain/{name}", image.decode_jpeg(data, fancy_upscaling=False)
            yield f"fast/{name}", image.decode_jpeg(data, dct_method="INTEGER_FAST")
            yield f"exact/{name}", image.decode_jpeg(data, dct_method="INTEGER_ACCURATE")
            if "cmyk" not in name:
                yield f"one/{name}", image.decode_jpeg(data, channels=1)
            yield f"part/{name}", image.decode_and_crop_jpeg(data, [4, 5, 9, 11], channels=3)
        elif name.startswith("gif"):
            yield f"gif/{name}", image.decode_gif(data)
            yield f"first/{name}", image.decode_image(data, expand_animations=False)
        elif name.startswith("bmp"):
            yield f"bmp/{name}", image.decode_bmp(data)


def written(tf):
    """Give JPEG files of an image, by all ways to write one."""
    pixels = np.random.RandomState(3).randint(0, 256, (4, 5, 3)).repeat(5, 0).repeat(4, 1)
    pixels = pixels.astype(np.uint8)
    encode = tf.image.encode_jpeg
    yield "plain", encode(pixels)
    yield "rough", encode(pixels, quality=20)
    yield "grey", encode(pixels[..., :1], format="grayscale")
    yield "progressive", encode(pixels, progressive=True)
    yield "small", encode(pixels, optimize_size=True)
    yield "whole", encode(pixels, chroma_downsampling=False)
    yield "dense", encode(pixels, density_unit="cm", x_density=7, y_density=9)
    yield "meta", encode(pixels, xmp_metadata="<x/>")


def values(tf):
    """Give numbers that must be close."""
    image = tf.image
    for size in SIZES:
        for method in range(4):
            for corners in (False, True):
                yield (
                    f"resize/{size}/{method}/{corners}",
                    image.resize_images(IMAGE, size, method, align_corners=corners),
                )
            yield f"resized bytes/{size}/{method}", image.resize_images(BYTES, size, method)
        for name in ("bilinear", "bicubic", "nearest_neighbor"):
            way = getattr(image, f"resize_{name}")
            yield f"centres/{size}/{name}", way(IMAGE, size, half_pixel_centers=True)
        if size != (1, 1):
            yield f"pad/{size}", image.resize_image_with_pad(IMAGE, *size)
    yield "proportion", image.resize_images(IMAGE, [4, 9], preserve_aspect_ratio=True)
    for method in ("bilinear", "nearest"):
        yield (
            f"crops/{method}",
            image.crop_and_resize(
                IMAGE, BOXES, [0, 1, 1, 0], [4, 3], method=method, extrapolation_value=0.5
            ),
        )
    yield "crops/one", image.crop_and_resize(BYTES, BOXES, [0, 1, 1, 0], [1, 1])
    for padding in ("SAME", "VALID"):
        yield (
            f"patches/{padding}",
            image.extract_image_patches(IMAGE, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], padding),
        )
    for width in (1, 3, 4):
        canvas = np.zeros((1, 9, 8, width), np.float32)
        yield f"boxes/{width}", image.draw_bounding_boxes(canvas, BOXES[None].astype("f4"))
    colours = np.array([[0.2, 0.3, 0.4], [0.5, 0.6, 0.7]], "f4")
    canvas = np.zeros((1, 9, 8, 3), np.float32)
    yield "coloured", image.draw_bounding_boxes(canvas, BOXES[None].astype("f4"), colors=colours)
    yield from best(tf)
    yield from glimpses(tf)
    yield from colours_of(tf)
    yield from measures(tf)


def best(tf):
    """Give boxes that do not overlap."""
    image, scores = tf.image, MANY[:, 0].round(1)
    yield "best", image.non_max_suppression(MANY, scores, 30, 0.3)
    yield "best/few", image.non_max_suppression(MANY, scores, 5, 0.6, 0.4)
    padded = tf.raw_ops.NonMaxSuppressionV4(
        boxes=MANY,
        scores=scores,
        max_output_size=40,
        iou_threshold=0.2,
        score_threshold=0.1,
        pad_to_max_output_size=True,
    )
    yield "best/padded", padded[0]
    yield "best/count", padded[1]
    for sigma in (0.0, 0.5):
        chosen, lowered = image.non_max_suppression_with_scores(MANY, scores, 25, 0.9, 0.2, sigma)
        yield f"best/soft/{sigma}", chosen
        yield f"best/scores/{sigma}", lowered
    table = np.abs(MANY @ MANY.T) / 2
    yield "best/overlaps", image.non_max_suppression_overlaps(table, MANY[:, 1], 12, 0.6, 0.1)
    of_classes = MANY.reshape(2, 20, 4)[:, :, 1:]
    for sets, clip in ((1, True), (3, False)):
        boxes = np.stack([MANY.reshape(2, 20, 4) * 1.4 - 0.2] * sets, 2)
        found = image.combined_non_max_suppression(
            boxes, of_classes, 4, 9, 0.4, 0.3, pad_per_class=not clip, clip_boxes=clip
        )
        for name, value in zip(("boxes", "scores", "classes", "count"), found):
            yield f"best/combined/{sets}/{name}", value


def glimpses(tf):
    """Give windows around offsets, zeros where they lie outside."""
    offsets = np.array([[0.1, -0.4], [1.3, 0.9]], "f4")
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (True, False):
            for normalized in (True, False):
                window = getattr(tf.raw_ops, op)(
                    input=IMAGE, size=[4, 3], offsets=offsets, centered=centered,
                    normalized=normalized, uniform_noise=False, noise="zero",
                )  # fmt: skip
                yield f"glimpse/{op}/{centered}/{normalized}", window
    yield "glimpse/inside", tf.image.extract_glimpse(IMAGE, [3, 3], [[0.0, 0.0], [0.1, 0.1]])


def colours_of(tf):
    """Give images with other colours."""
    image = tf.image
    for name, pixels in (("float", IMAGE), ("bytes", BYTES)):
        yield f"hue/{name}", image.adjust_hue(pixels, 0.3)
        yield f"hue back/{name}", image.adjust_hue(pixels, -0.7)
        yield f"saturation/{name}", image.adjust_saturation(pixels, 1.7)
        yield f"pale/{name}", image.adjust_saturation(pixels, 0.2)
        yield f"contrast/{name}", image.adjust_contrast(pixels, 1.4)
        yield f"brightness/{name}", image.adjust_brightness(pixels, 0.2)
        yield f"gamma/{name}", image.adjust_gamma(pixels, 0.7, 1.1)
        yield f"grey/{name}", image.rgb_to_grayscale(pixels)
        yield f"standard/{name}", image.per_image_standardization(pixels)
    for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_hsv"):
        yield name, getattr(image, name)(IMAGE)
    yield "quality", image.adjust_jpeg_quality(BYTES[0], 60)


def measures(tf):
    """Give how images change and how far two are apart."""
    image = tf.image
    first = np.random.RandomState(4).rand(2, 33, 30, 3).astype(np.float32)
    second = np.clip(first + np.random.RandomState(5).normal(0, 0.1, first.shape), 0, 1)
    one, other = tf.constant(first), tf.constant(second.astype("f4"))
    bytes_of = [tf.constant((pixels * 255).astype("u1")) for pixels in (first, second)]
    yield "variation", image.total_variation(tf.constant(IMAGE))
    yield "variation/one", image.total_variation(tf.constant(IMAGE[0]))
    yield "sobel", image.sobel_edges(tf.constant(IMAGE))
    down, right = image.image_gradients(tf.constant(IMAGE))
    yield "down", down
    yield "right", right
    yield "psnr", image.psnr(one, other, 1.0)
    yield "psnr/bytes", image.psnr(*bytes_of, 255)
    yield "ssim", image.ssim(one, other, 1.0)
    yield "ssim/bytes", image.ssim(*bytes_of, 255)
    scales = image.ssim_multiscale(one, other, 1.0, power_factors=(0.4, 0.6), filter_size=5)
    yield "ssim/scales", scales


def draws(tf):
    """Give what is drawn with seeds: in a graph of its own, whose operations are counted."""
    tf.set_random_seed(7)
    image = tf.image
    box = np.array([[[0.2, 0.3, 0.8, 0.9], [0, 0, 0.5, 0.5]]], np.float32)
    for number in range(4):
        begin, size, part = image.sample_distorted_bounding_box(
            [60 + number, 80, 3], box, seed=number + 1, min_object_covered=0.3
        )
        yield f"begin/{number}", begin
        yield f"size/{number}", size
        yield f"part/{number}", part
    begin, size, _ = image.sample_distorted_bounding_box(
        [64, 64, 3],
        np.zeros((1, 0, 4), np.float32),
        seed2=5,
        use_image_if_no_bounding_boxes=True,
        area_range=[0.1, 0.4],
        aspect_ratio_range=[0.5, 2.0],
        max_attempts=20,
    )
    yield "begin/image", begin
    yield "size/image", size
    yield "brightness", image.random_brightness(IMAGE, 0.3, seed=2)
    yield "contrast", image.random_contrast(IMAGE, 0.3, 1.4, seed=3)
    yield "hue", image.random_hue(IMAGE, 0.2, seed=4)
    yield "saturation", image.random_saturation(IMAGE, 0.3, 1.4, seed=5)
    yield "left right", image.random_flip_left_right(IMAGE, seed=6)
    yield "up down", image.random_flip_up_down(IMAGE[0], seed=7)
    yield "crop", tf.random_crop(IMAGE[0], [3, 4, 3], seed=8)
    yield "quality", image.random_jpeg_quality(BYTES[0], 30, 90, seed=9)


def slopes(tf):
    """Give gradients."""
    image = tf.image
    x = tf.constant(IMAGE)
    boxes = tf.constant(BOXES.astype("f4"))
    weights = {}

    def slope(name, result, of):
        shape = result.shape.as_list()
        if str(shape) not in weights:
            weights[str(shape)] = np.random.RandomState(len(shape)).rand(*shape).astype("f4")
        total = tf.reduce_sum(result * weights[str(shape)])
        return name, tf.gradients(total, of)[0]

    for corners in (False, True):
        for method in (0, 1, 2):
            for size in SIZES:
                resized = image.resize_images(x, size, method, align_corners=corners)
                if resized is not x:
                    yield slope(f"{corners}/{method}/{size}", resized, x)
    for name in ("bilinear", "bicubic", "nearest_neighbor"):
        way = getattr(image, f"resize_{name}")
        yield slope(f"centres/{name}", way(x, [4, 9], half_pixel_centers=True), x)
    for method in ("bilinear", "nearest"):
        crops = image.crop_and_resize(x, boxes, [0, 1, 1, 0], [4, 3], method=method)
        yield slope(f"crops/{method}", crops, x)
        yield slope(f"crops/{method}/boxes", crops, boxes)
    yield slope("crops/one", image.crop_and_resize(x, boxes, [0, 1, 1, 0], [1, 1]), boxes)
    for padding in ("SAME", "VALID"):
        patches = image.extract_image_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1], padding)
        yield slope(f"patches/{padding}", patches, x)
    yield slope("variation", image.total_variation(x), x)
    yield slope("sobel", image.sobel_edges(x), x)
