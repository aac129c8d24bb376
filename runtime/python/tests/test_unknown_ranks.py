"""Functions and gradients of tensors whose rank nobody knows. Numbers of TensorFlow 2.21."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

MATRIX = np.arange(1, 17, dtype=np.float32).reshape(4, 4) / 7
IMAGES = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)

# What is computed, of what, and the sum of its gradient with each element times its number.
GRADIENTS = {
    "resize_nearest_neighbor": (
        lambda x: tf.image.resize_nearest_neighbor(x, [5, 5]), IMAGES, 625),
    "resize_bilinear": (lambda x: tf.image.resize_bilinear(x, [5, 5]), IMAGES, 805),
    "flip_left_right": (tf.image.flip_left_right, IMAGES, 496),
    "einsum": (lambda x: tf.einsum("ij,jk->ik", x, x), MATRIX, 1257.142857),
    "sort": (tf.sort, MATRIX, 120),
    "repeat": (lambda x: tf.repeat(x, 2, 0), MATRIX, 240),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(GRADIENTS))
def test_a_gradient_needs_no_rank(run, name):
    function, value, expected = GRADIENTS[name]
    x = tf.placeholder(tf.float32)
    (slope,) = tf.gradients(function(x), x)
    numbers = np.arange(value.size).reshape(value.shape)
    weighed = tf.convert_to_tensor(slope) * numbers.astype(np.float32)
    found = run(tf.reduce_sum(weighed), {x: value})
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_decoded_image_is_standardised(run):
    image = tf.placeholder(tf.float32)
    standard = run(tf.image.per_image_standardization(image), {image: IMAGES[0]})
    assert standard.reshape(-1)[[0, -1]] == pytest.approx([-1.6787442, 1.6787442], rel=1e-5)


def test_decompositions_say_that_they_need_sizes():
    matrix = tf.placeholder(tf.float32)
    with pytest.raises(NotImplementedError, match="known size"):
        tf.gradients(tf.linalg.qr(matrix)[0], matrix)
