"""Images: sizes, parts, mirrors and colours against NumPy."""

import base64
import colorsys

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

IMAGE = np.random.RandomState(0).rand(4, 6, 3).astype(np.float32)


def test_parts_and_borders(run):
    x = tf.placeholder(tf.float32, [None, None, 3])
    fit = tf.image.resize_image_with_crop_or_pad(x, 3, 9)
    part = tf.image.crop_to_bounding_box(x, 1, 2, 2, 3)
    padded = tf.image.pad_to_bounding_box(x, 1, 2, 6, 9)
    middle = tf.image.central_crop(tf.constant(IMAGE), 0.5)
    got = run([fit, part, padded, middle], {x: IMAGE})
    assert fit.shape.as_list() == [3, 9, 3]
    np.testing.assert_array_equal(got[0], np.pad(IMAGE[0:3], [[0, 0], [1, 2], [0, 0]]))
    np.testing.assert_array_equal(got[1], IMAGE[1:3, 2:5])
    np.testing.assert_array_equal(got[2], np.pad(IMAGE, [[1, 1], [2, 1], [0, 0]]))
    np.testing.assert_array_equal(got[3], IMAGE[1:3, 1:5])
    with pytest.raises(ValueError, match="beyond"):
        tf.image.crop_to_bounding_box(tf.constant(IMAGE), 3, 0, 2, 2)
    with pytest.raises(ValueError, match="does not fit"):
        tf.image.pad_to_bounding_box(tf.constant(IMAGE), 0, 0, 3, 9)


def test_mirrors_and_turns(run):
    batch = np.stack([IMAGE, IMAGE + 1])
    one, many = tf.constant(IMAGE), tf.constant(batch)
    got = run([tf.image.flip_left_right(one), tf.image.flip_up_down(many), tf.image.rot90(one),
               tf.image.transpose_image(many)])  # fmt: skip
    np.testing.assert_array_equal(got[0], IMAGE[:, ::-1])
    np.testing.assert_array_equal(got[1], batch[:, ::-1])
    np.testing.assert_array_equal(got[2], np.rot90(IMAGE))
    np.testing.assert_array_equal(got[3], batch.transpose(0, 2, 1, 3))
    turned = tf.image.random_flip_left_right(one, seed=1)
    with tf.Session() as session:
        seen = {session.run(turned).tobytes() for _ in range(30)}
    assert seen == {IMAGE.tobytes(), IMAGE[:, ::-1].tobytes()}


def test_a_random_part_is_a_part(run):
    part = tf.random_crop(tf.constant(IMAGE), [2, 3, 3], seed=1)
    assert part.shape.as_list() == [2, 3, 3]
    got = run(part)
    assert any((IMAGE[i : i + 2, j : j + 3] == got).all() for i in range(3) for j in range(4))


def test_types(run):
    byte = tf.constant([[[0, 128, 255]]], tf.uint8)
    wide = tf.image.convert_image_dtype(byte, tf.float32)
    got = run([wide, tf.image.convert_image_dtype(wide, tf.uint8),
               tf.image.convert_image_dtype(byte, tf.int16)])  # fmt: skip
    np.testing.assert_allclose(got[0].ravel(), [0, 128 / 255, 1], rtol=1e-6)
    assert got[1].ravel().tolist() == [0, 128, 255]
    assert got[2].ravel().tolist() == [0, 128 * 128, 255 * 128]


def test_brightness_contrast_and_standardization(run):
    x = tf.constant(IMAGE)
    bright, contrast, standard = run([
        tf.image.adjust_brightness(x, 0.25), tf.image.adjust_contrast(x, 2.0),
        tf.image.per_image_standardization(x),
    ])  # fmt: skip
    np.testing.assert_allclose(bright, IMAGE + 0.25, rtol=1e-6)
    mean = IMAGE.mean((0, 1))
    np.testing.assert_allclose(contrast, (IMAGE - mean) * 2 + mean, atol=1e-6)
    np.testing.assert_allclose(standard, (IMAGE - IMAGE.mean()) / IMAGE.std(), atol=1e-5)
    gray = run(tf.image.rgb_to_grayscale(x))
    np.testing.assert_allclose(gray[..., 0], IMAGE @ [0.2989, 0.587, 0.114], rtol=1e-5)


def test_hue_and_saturation(run):
    hsv = np.apply_along_axis(lambda c: colorsys.rgb_to_hsv(*c), -1, IMAGE)

    def back(changed):
        return np.apply_along_axis(lambda c: colorsys.hsv_to_rgb(*c), -1, changed)

    x = tf.constant(IMAGE)
    found, hue, saturation = run([
        tf.image.rgb_to_hsv(x), tf.image.adjust_hue(x, 0.3), tf.image.adjust_saturation(x, 0.5),
    ])  # fmt: skip
    np.testing.assert_allclose(found, hsv, atol=1e-6)
    np.testing.assert_allclose(hue, back(hsv + np.array([0.3, 0, 0])), atol=1e-5)
    np.testing.assert_allclose(saturation, back(hsv * [1, 0.5, 1]), atol=1e-5)


def test_random_changes_stay_within_their_limits(run):
    x = tf.constant(IMAGE)
    got = run([tf.image.random_brightness(x, 0.2, seed=1), tf.image.random_contrast(x, 0.5, 1.5),
               tf.image.random_hue(x, 0.1), tf.image.random_saturation(x, 0.5, 1.5)])  # fmt: skip
    assert abs((got[0] - IMAGE).mean()) <= 0.2
    assert all(value.shape == IMAGE.shape for value in got)
    with pytest.raises(ValueError, match="upper must be"):
        tf.image.random_contrast(x, 1.0, 1.0)


@pytest.mark.parametrize("method", [0, 1, 2])
@pytest.mark.parametrize("align_corners", [False, True])
def test_sizes_and_their_gradients(run, method, align_corners):
    x = tf.placeholder(tf.float32, [None, 3, 4, 2])
    y = tf.image.resize_images(x, [5, 7], method, align_corners=True)
    assert y.shape.as_list() == [None, 5, 7, 2]
    values = np.random.RandomState(1).rand(1, 3, 4, 2).astype(np.float32)
    got = run(y, {x: values})
    np.testing.assert_allclose(got[0, [0, -1]][:, [0, -1]], values[0, [0, -1]][:, [0, -1]],
                               rtol=1e-6)  # fmt: skip
    with tf.Session():
        fixed = tf.constant(values)
        resized = tf.image.resize_images(fixed, [5, 7], method, align_corners)
        error = tf.test.compute_gradient_error(fixed, [1, 3, 4, 2], resized, [1, 5, 7, 2],
                                               delta=1e-2)  # fmt: skip
    assert error < 1e-3


def test_sizes_by_name_and_what_is_no_way(run):
    x = tf.constant(IMAGE)
    by_name = run(tf.image.resize_images(x, [2, 3], "area"))
    np.testing.assert_allclose(by_name, IMAGE.reshape(2, 2, 3, 2, 3).mean((1, 3)), rtol=1e-5)
    with pytest.raises(ValueError, match="method is not implemented"):
        tf.image.resize_images(x, [5, 7], 9)
    with pytest.raises(ValueError, match="must be > 0"):
        tf.image.resize_image_with_pad(x, 0, 3)


def test_files_come_back(run):
    pixels = (IMAGE * 255).astype(np.uint8)
    png = run(tf.image.encode_png(pixels))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert (run(tf.image.decode_png(png)) == pixels).all()
    wide = (IMAGE * 65535).astype(np.uint16)
    back = tf.image.decode_png(tf.image.encode_png(wide), dtype=tf.uint16)
    assert (run(back) == wide).all()
    flat = np.full((9, 8, 3), 70, np.uint8)
    jpeg = tf.io.encode_jpeg(flat, quality=90)
    assert abs(run(tf.io.decode_jpeg(jpeg)).astype(int) - 70).max() <= 1
    assert run(tf.io.extract_jpeg_shape(jpeg)).tolist() == [9, 8, 3]
    assert run([tf.io.is_jpeg(jpeg), tf.io.is_jpeg(png)]) == [True, False]
    part = run(tf.image.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4]))
    assert part.shape == (3, 4, 3)
    assert (part == run(tf.image.decode_jpeg(jpeg))[1:4, 2:6]).all()


def test_what_is_known_of_a_file_before_it_is_read():
    data = tf.placeholder(tf.string, [])
    assert tf.image.decode_jpeg(data, channels=3).shape.as_list() == [None, None, 3]
    assert tf.image.decode_gif(data).shape.as_list() == [None, None, None, 3]
    assert tf.image.decode_image(data).shape.ndims is None
    assert tf.image.decode_and_crop_jpeg(data, [0, 0, 5, 6]).shape.as_list() == [5, 6, None]


@pytest.mark.parametrize(
    "data",
    [b"", b"none", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM" + b"\xff" * 60],
)
def test_what_is_no_image_is_refused(run, data):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.image.decode_image(data))


def test_boxes_have_gradients():
    values = np.random.RandomState(2).rand(2, 5, 6, 2).astype(np.float32)
    with tf.Session():
        images = tf.constant(values)
        boxes = tf.constant([[0.11, 0.13, 0.71, 0.83], [0.9, 0.2, 0.3, 0.7]])
        crops = tf.image.crop_and_resize(images, boxes, [0, 1], [3, 4])
        by_image = tf.test.compute_gradient_error(
            images, values.shape, crops, [2, 3, 4, 2], delta=1e-2
        )
        by_boxes = tf.test.compute_gradient_error(boxes, [2, 4], crops, [2, 3, 4, 2], delta=1e-4)
    assert by_image < 1e-3
    assert by_boxes < 2e-2


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_patches_have_gradients(padding):
    values = np.random.RandomState(3).rand(2, 6, 5, 2).astype(np.float32)
    with tf.Session():
        images = tf.constant(values)
        patches = tf.extract_image_patches(
            images, [1, 2, 3, 1], [1, 2, 1, 1], [1, 2, 1, 1], padding
        )
        error = tf.test.compute_gradient_error(images, values.shape, patches,
                                               patches.shape.as_list(), delta=1e-2)  # fmt: skip
    assert error < 1e-3


def test_measures_report_what_cannot_be_compared():
    x = tf.constant(IMAGE)
    with pytest.raises(ValueError, match="cannot be compared"):
        tf.image.psnr(x, x[:2], 1.0)
    with pytest.raises(ValueError, match="4D tensor"):
        tf.image.image_gradients(x)
    with pytest.raises(ValueError, match="dimensions"):
        tf.image.total_variation(x[0])


def test_a_soft_threshold_lowers_scores_however_large_the_overlap_is(run):
    """The numbers are TensorFlow 2.21's."""
    boxes = [[0.0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]]
    for threshold in (0.0, 0.5, 0.9):
        chosen, scores = run(tf.image.non_max_suppression_with_scores(
            boxes, [0.9, 0.8, 0.7], 3, iou_threshold=threshold, soft_nms_sigma=0.5
        ))  # fmt: skip
        assert chosen.tolist() == [0, 2, 1]
        assert scores.tolist() == pytest.approx([0.9, 0.7, 0.4096], abs=1e-4)


# 16 rows of 12 pixels, each 50 times (row // 3 + column // 4) % 5, interlaced.
INTERLACED = base64.b64decode(
    "R0lGODdhDAAQAIIAAAAAADIyMmRkZJaWlsjIyAAAAAAAAAAAACwAAAAADAAQAAAISgABCAQQoGAA"
    "AQgFDCRoMKHCgQYPJozocIDFARQTXsTYUOPFihcJiCQA0uJIkh5Njtx4ciHLkS5DwhzYEqLBmgIj"
    "4mRYcGFGhAEBADs="
)


def test_a_sequence_of_an_interlaced_gif_reaches_from_row_to_row(run):
    rows, columns = np.mgrid[0:16, 0:12]
    expected = ((rows // 3 + columns // 4) % 5 * 50)[:, :, None].repeat(3, 2)
    assert (run(tf.image.decode_gif(INTERLACED))[0] == expected).all()
    assert (run(tf.image.decode_image(INTERLACED))[0] == expected).all()
    cut = run(tf.image.decode_gif(INTERLACED[:-12] + b"\x00;"))[0]
    assert (cut[0] == expected[0]).all()
