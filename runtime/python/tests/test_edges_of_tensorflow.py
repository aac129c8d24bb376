"""Edges that public programs reach. The numbers are those of TensorFlow 2.21 and tf_keras 2.21."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

NAN, INF = float("nan"), float("inf")


# ---- windows and images -------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "stride"), [(4, 1), (4, 2), (1, 4), (2, 4)])
def test_patches_larger_than_the_image_are_none(run, size, stride):
    image = tf.placeholder(tf.float32, [1, None, None, 1])

    def patches(of):
        return tf.extract_image_patches(
            of, [1, 3, 3, 1], [1, stride, stride, 1], [1, 2, 2, 1], "VALID"
        )

    value = np.ones((1, size, size, 1), np.float32)
    assert patches(tf.constant(value)).shape.as_list() == [1, 0, 0, 9]
    found = patches(image)
    values, (slope,) = run([found, tf.gradients(found, image)], {image: value})
    assert values.shape == (1, 0, 0, 9)
    assert slope.shape == value.shape
    assert not slope.any()


def test_patches_that_reach_a_step_beyond_the_image_are_refused(run):
    with pytest.raises(ValueError, match="Computed output size would be negative: -3"):
        tf.extract_image_patches(
            tf.ones([1, 1, 1, 1]), [1, 3, 3, 1], [1, 1, 1, 1], [1, 2, 2, 1], "VALID"
        )


def test_areas_of_a_side_of_one_reach_from_corner_to_corner(run):
    line = tf.reshape(tf.range(4.0), [1, 1, 4, 1])
    rows = run(tf.image.resize_area(line, [2, 3], align_corners=True))[0, :, :, 0]
    np.testing.assert_allclose(rows, [[0.33333334, 1.6666667, 3.0]] * 2, rtol=1e-6)


@pytest.mark.parametrize("quarters", [-1, 0, 1, 2, 3, 6])
def test_an_image_is_turned_by_a_tensor(run, quarters):
    image = np.arange(6, dtype=np.float32).reshape(2, 3, 1)
    k = tf.placeholder(tf.int32, [])
    turned = tf.image.rot90(image, k)
    assert turned.shape.as_list() == [None, None, 1]
    np.testing.assert_array_equal(run(turned, {k: quarters}), np.rot90(image, quarters))
    np.testing.assert_array_equal(run(tf.image.rot90(image, tf.constant(quarters))),
                                  np.rot90(image, quarters))  # fmt: skip


# ---- what is not finite -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16])
def test_gradients_that_are_not_finite_pass_where_there_is_none(run, dtype):
    grads = tf.constant([NAN, INF, -INF, 2.0, NAN, 3.0], dtype)
    features = tf.constant([-1.0, -1.0, 0.0, -1.0, 7.0, 1.0], dtype)
    relu, relu6 = run([
        tf.raw_ops.ReluGrad(gradients=grads, features=features),
        tf.raw_ops.Relu6Grad(gradients=grads, features=features),
    ])  # fmt: skip
    np.testing.assert_array_equal(relu, [NAN, NAN, NAN, 0, NAN, 3])
    np.testing.assert_array_equal(relu6, [NAN, NAN, NAN, 0, NAN, 3])


def test_keras_takes_roots_of_what_it_cuts_off(run):
    x = tf.constant([NAN, -INF, INF, -1.0, 0.0, 1.0, 4.0])
    root = tf.keras.backend.sqrt(x)
    values, slopes = run([root, tf.gradients(root, x)[0]])
    np.testing.assert_array_equal(values, [NAN, 0, INF, 0, 0, 1, 2])
    np.testing.assert_array_equal(slopes, [0, 0, 0, 0, INF, 0.5, 0.25])


def test_keras_slopes_leak_where_there_is_no_threshold(run):
    x = tf.constant([-2.0, 0.0, 3.0])
    leaky = tf.keras.backend.relu(x, alpha=0.5)
    values, slopes = run([leaky, tf.gradients(leaky, x)[0]])
    assert values.tolist() == [-1, 0, 3]
    assert slopes.tolist() == [0.5, 0.5, 1]


# ---- complex numbers ----------------------------------------------------------------------------

COMPLEX = {
    "asin": ([0.51981 + 0.11497j, -0.60651 + 1.62249j, 1.42792 - 1.32876j],
             [1.28904 + 2.20479j, 0.1638 + 0.10511j, -0.56006 + 0.09272j]),
    "acos": ([1.05099 - 0.11497j, 2.17731 - 1.62249j, 0.14287 + 1.32876j],
             [-1.28904 - 2.20479j, -0.1638 - 0.10511j, 0.56006 - 0.09272j]),
    "atan": ([0.46686 + 0.08004j, -1.31122 + 0.31043j, 1.11211 - 0.04954j],
             [0.67201 + 1.6671j, -0.01026 - 0.08205j, 0.0394 + 0.19455j]),
    "tan": ([0.53928 + 0.12903j, -0.00536 + 1.03692j, -1.59669 - 1.0994j],
            [1.5525 + 2.40917j, -0.03759 + 0.00556j, 3.51079 + 2.34074j]),
    "sinh": ([0.51849 + 0.11257j, 0.88609 + 2.13904j, 3.51411 - 0.93078j],
             [1.22604 + 2.19196j, -0.48947 + 0.96807j, -0.8973 + 3.64524j]),
    "cosh": ([1.12199 + 0.05202j, -0.97895 - 1.93615j, 3.64524 - 0.8973j],
             [0.74364 + 0.92441j, 0.44305 - 1.06952j, -0.93078 + 3.51411j]),
    "asinh": ([0.48301 + 0.08949j, -1.60041 + 0.88777j, 1.44921 - 0.11148j],
              [0.82372 + 1.82776j, 0.13457 - 0.15244j, 0.04444 + 0.44331j]),
    "acosh": ([0.11497 + 1.05099j, 1.62249 + 2.17731j, 1.32876 - 0.14287j],
              [-2.20479 + 1.28904j, -0.10511 + 0.1638j, 0.09272 + 0.56006j]),
    "atanh": ([0.54061 + 0.13198j, -0.22009 + 1.24526j, 0.53588 - 1.48988j],
              [1.63376 + 2.41661j, 0.03156 + 0.06887j, -0.10385 - 0.30507j]),
}  # fmt: skip


@pytest.mark.cpu
@pytest.mark.parametrize("name", sorted(COMPLEX))
@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128])
def test_functions_of_complex_numbers_have_gradients(run, name, dtype):
    x = tf.constant([0.5 + 0.1j, -1.5 + 2j, 2 - 0.25j], dtype)
    y = getattr(tf, name)(x)
    (slope,) = tf.gradients(y, x, grad_ys=tf.constant([1 + 2j, 0.5, 1j], dtype))
    values, slopes = run([y, slope])
    assert values.dtype == dtype.as_numpy_dtype
    np.testing.assert_allclose(values, COMPLEX[name][0], atol=1e-5)
    np.testing.assert_allclose(slopes, COMPLEX[name][1], atol=1e-5)


# ---- sparse placeholders ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "known", "unfed"),
    [
        (lambda: [2, 3], [2, 3], [2, 3]),
        (lambda: [None, 3], [None, 3], [-1, 3]),
        (lambda: [-1, 3], [None, 3], [-1, 3]),
        (lambda: tf.TensorShape([2, None]), [2, None], [2, -1]),
        (lambda: [tf.Dimension(2), tf.Dimension(None)], [2, None], [2, -1]),
        (lambda: np.array([2, 3]), [2, 3], [2, 3]),
        (lambda: tf.constant([2, 3], tf.int64), [2, 3], [2, 3]),
        (lambda: tf.shape(tf.placeholder_with_default(tf.zeros([2, 3]), [None, 3]),
                          out_type=tf.int64), [None, 3], [2, 3]),
    ],
)  # fmt: skip
def test_a_sparse_placeholder_knows_of_its_shape_what_it_is_given(run, shape, known, unfed):
    sparse = tf.sparse_placeholder(tf.float32, shape())
    assert sparse.get_shape().as_list() == known
    assert sparse.dense_shape.op.type == "PlaceholderWithDefault"
    assert run(sparse.dense_shape).tolist() == unfed
    value = tf.SparseTensorValue([[0, 1]], [2.0], [2, 3])
    assert run(tf.sparse_tensor_to_dense(sparse), {sparse: value}).tolist() == [
        [0, 2, 0],
        [0, 0, 0],
    ]


def test_a_sparse_placeholder_takes_a_shape_that_is_fed(run):
    for rank in (2, None):
        sizes = tf.placeholder(tf.int64, None if rank is None else [rank])
        sparse = tf.sparse_placeholder(tf.float32, sizes)
        assert sparse.get_shape().ndims == rank
        value = tf.SparseTensorValue([[0, 1]], [2.0], [2, 3])
        dense = run(tf.sparse_tensor_to_dense(sparse), {sparse: value})
        assert dense.tolist() == [[0, 2, 0], [0, 0, 0]]
