"""Layers: names of variables and operations, what they compute, and how they are shared."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def names(things):
    return [thing.name for thing in things]


def test_functions_name_and_share_as_tensorflow_does():
    x = tf.placeholder(tf.float32, [None, 6, 6, 3])
    tf.layers.conv2d(x, 4, 3)
    tf.layers.conv2d(x, 4, 3, name="again")
    y = tf.layers.conv2d(x, 4, 3, name="again", reuse=True)
    assert names(tf.global_variables()) == [
        "conv2d/kernel:0", "conv2d/bias:0", "again/kernel:0", "again/bias:0",
    ]  # fmt: skip
    assert y.name == "again_1/BiasAdd:0"


def test_an_object_makes_its_variables_once():
    layer = tf.layers.Dense(4, kernel_regularizer=tf.nn.l2_loss)
    one, two = layer(tf.ones([2, 3])), layer.apply(tf.zeros([5, 3]))
    assert names(layer.trainable_variables) == ["dense/kernel:0", "dense/bias:0"]
    assert [one.name, two.name] == ["dense/BiasAdd:0", "dense/BiasAdd_1:0"]
    assert names(tf.losses.get_regularization_losses()) == ["dense/kernel/Regularizer/L2Loss:0"]
    assert layer.losses == tf.losses.get_regularization_losses()
    with pytest.raises(ValueError, match="axis -1 of input shape to have value 3"):
        layer(tf.ones([2, 4]))


def test_a_layer_of_ones_own(run):
    class Scale(tf.layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_weight("factor", [], initializer=tf.constant_initializer(3.0))
            self.built = True

        def call(self, inputs):
            return inputs * self.factor

    y = Scale()(tf.constant([1.0, 2.0]))
    assert names(tf.trainable_variables()) == ["scale/factor:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [3.0, 6.0]


def normalised(x, axes):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-3), mean.ravel(), variance.ravel()


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("axis", [1, 3])
def test_batch_normalization_in_training_and_inference(fused, axis):
    values = np.random.RandomState(0).rand(4, 5, 6, 3).astype(np.float32) * 3 + 1
    x, training = tf.constant(values), tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(x, axis=axis, training=training, fused=fused, momentum=0.5)
    assert names(tf.global_variables()) == [
        f"batch_normalization/{name}:0" for name in ("gamma", "beta", "moving_mean",
                                                     "moving_variance")
    ]  # fmt: skip
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == 2
    axes = tuple(i for i in range(4) if i != axis)
    expected, mean, variance = normalised(values.astype(np.float64), axes)
    count = values.size / values.shape[axis]
    kept = variance * count / (count - 1) if fused else variance
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run([y, *updates], {training: True})[0]
        np.testing.assert_allclose(got, expected, atol=1e-5)
        moving = session.run(tf.global_variables()[2:])
        np.testing.assert_allclose(moving[0], mean / 2, rtol=1e-5)
        np.testing.assert_allclose(moving[1], (kept + 1) / 2, rtol=1e-5)
        shape = [1] * 4
        shape[axis] = -1
        inference = (values - moving[0].reshape(shape)) / np.sqrt(moving[1] + 1e-3).reshape(shape)
        np.testing.assert_allclose(session.run(y, {training: False}), inference, atol=1e-5)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("training", [True, False])
def test_gradients_of_fused_batch_normalization(layout, training):
    random = np.random.RandomState(1)
    shape = [3, 4, 2, 3] if layout == "NHWC" else [3, 3, 4, 2]
    x = tf.constant(random.rand(*shape), tf.float32)
    scale, offset = (tf.constant(random.rand(3), tf.float32) for _ in range(2))
    mean, variance = (None, None) if training else (tf.constant([0.1, 0.2, 0.3]), tf.ones([3]))
    y, _, _ = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, data_format=layout,
                                     is_training=training)  # fmt: skip
    y = tf.tanh(y)
    with tf.Session():
        for tensor, size in ((x, shape), (scale, [3]), (offset, [3])):
            assert tf.test.compute_gradient_error(tensor, size, y, shape, delta=1e-2) < 5e-3


def test_transposed_convolution_grows_and_separable_has_three_variables():
    x = tf.placeholder(tf.float32, [None, 5, 5, 3])
    up = tf.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same")
    valid = tf.layers.conv2d_transpose(x, 2, 3, strides=2)
    apart = tf.layers.separable_conv2d(x, 4, 3, depth_multiplier=2)
    assert up.shape.as_list() == [None, 10, 10, 2]
    assert valid.shape.as_list() == [None, 11, 11, 2]
    assert apart.shape.as_list() == [None, 3, 3, 4]
    assert [v.shape.as_list() for v in tf.global_variables("separable")] == [
        [3, 3, 3, 2], [1, 1, 6, 4], [4],
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(up, {x: np.ones([2, 5, 5, 3])}).shape == (2, 10, 10, 2)


def test_pools_of_rows(run):
    x = tf.constant([[[1.0], [4.0], [2.0], [0.0]]])
    assert run(tf.layers.max_pooling1d(x, 2, 2)).ravel().tolist() == [4, 2]
    assert run(tf.layers.average_pooling1d(x, 2, 2)).ravel().tolist() == [2.5, 1]


def test_dropout_with_a_switch_keeps_its_shape(run):
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(tf.ones([20, 30]), 0.5, training=training)
    assert y.shape.as_list() == [20, 30]
    assert run(y, {training: False}).min() == 1
    assert set(np.unique(run(y, {training: True}))) == {0, 2}


def test_unknown_sizes_are_reported_by_name():
    with pytest.raises(ValueError, match="'dense_1' got"):
        tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 3)
    with pytest.raises(ValueError, match="channel dimension"):
        tf.layers.conv2d(tf.placeholder(tf.float32, [None, 4, 4, None]), 3, 3)
    with pytest.raises(NotImplementedError, match="virtual_batch_size"):
        tf.layers.batch_normalization(tf.ones([2, 3]), virtual_batch_size=1)
    with pytest.raises(ValueError, match="renorm_clipping takes rmax, rmin, dmax"):
        tf.layers.batch_normalization(tf.ones([2, 3]), renorm=True, renorm_clipping={"rmaxx": 1.0})
    with pytest.raises(ValueError, match="fused=True and renorm=True"):
        tf.layers.batch_normalization(tf.ones([2, 3, 3, 3]), renorm=True, fused=True)


def test_gradient_of_local_response_normalization():
    x = tf.placeholder(tf.float32, [1, 2, 2, 5])
    y = tf.nn.local_response_normalization(x, depth_radius=1, alpha=0.5)
    with tf.Session():
        error = tf.test.compute_gradient_error(x, [1, 2, 2, 5], y, [1, 2, 2, 5], delta=1e-2)
    assert error < 5e-3


def test_the_fused_variance_is_that_of_the_population_unless_switched_off():
    x = np.random.default_rng(3).standard_normal((2, 3, 2, 4)).astype("f4")
    moved = {}
    for kind, fused, corrected in (
        ("op", True, True),
        ("plain", True, False),
        ("own", False, True),
    ):
        layer = tf.layers.BatchNormalization(fused=fused, name=kind, momentum=0.0)
        layer._bessels_correction_test_only = corrected
        layer.apply(tf.constant(x), training=True)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(layer.updates)
            moved[kind] = session.run(layer.moving_variance)
    variance = x.reshape(-1, 4).var(0)
    np.testing.assert_allclose(moved["op"], variance * 12 / 11, rtol=1e-5)
    np.testing.assert_allclose(moved["plain"], variance, rtol=1e-5)
    np.testing.assert_allclose(moved["own"], variance, rtol=1e-5)
