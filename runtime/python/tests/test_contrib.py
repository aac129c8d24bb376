"""tf.contrib: slim's scopes of arguments, names and collections, regularizers, settings."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

slim = tf.contrib.slim


def names(things):
    return [thing.name for thing in things]


def network(x, training=True):
    layers = [slim.conv2d, slim.fully_connected]
    with slim.arg_scope(layers, weights_regularizer=slim.l2_regularizer(0.1),
                        normalizer_fn=slim.batch_norm), \
            slim.arg_scope([slim.batch_norm], is_training=training, decay=0.9), \
            slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections="ends"), \
            tf.variable_scope("net"):  # fmt: skip
        h = slim.conv2d(x, 4, [3, 3], scope="c1")
        h = slim.max_pool2d(h, [2, 2], scope="p1")
        h = slim.repeat(h, 2, slim.conv2d, 3, 1, scope="r")
        return slim.fully_connected(slim.flatten(h), 5, activation_fn=None, scope="out")


def test_slim_names_variables_losses_updates_and_end_points():
    network(tf.placeholder(tf.float32, [None, 8, 8, 3]))
    expected = [f"net/{layer}/{name}:0" for layer in ("c1", "r/r_1", "r/r_2", "out")
                for name in ("weights", "BatchNorm/beta", "BatchNorm/moving_mean",
                             "BatchNorm/moving_variance")]  # fmt: skip
    assert names(tf.global_variables()) == names(tf.model_variables()) == expected
    assert names(slim.get_trainable_variables("net/c1")) == expected[:2]
    assert names(tf.losses.get_regularization_losses()) == [
        f"net/{layer}/kernel/Regularizer/l2_regularizer:0" for layer in ("c1", "r/r_1", "r/r_2",
                                                                         "out")
    ]  # fmt: skip
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 8
    ends = slim.utils.convert_collection_to_dict("ends")
    assert list(ends) == ["net/c1", "net/p1", "net/r/r_1", "net/r/r_2"]
    assert ends["net/p1"].name == "net/p1/MaxPool:0"


def test_a_train_op_makes_the_loss_smaller_and_moves_the_means():
    tf.set_random_seed(2)
    x = np.random.RandomState(0).rand(6, 8, 8, 3).astype(np.float32)
    labels = [0, 1, 2, 3, 4, 0]
    slim.losses.sparse_softmax_cross_entropy(network(tf.constant(x)), labels)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = slim.learning.create_train_op(tf.losses.get_total_loss(), optimizer)
    mean = slim.get_unique_variable("net/c1/BatchNorm/moving_mean")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run(train_op) for _ in range(15)]
        assert losses[-1] < 0.8 * losses[0]
        assert np.abs(session.run(mean)).max() > 0
        assert session.run(tf.train.get_global_step()) == 15


@pytest.mark.parametrize("checks", [True, False])
def test_a_train_op_stops_at_a_loss_that_is_no_number(checks):
    w = tf.get_variable("w", initializer=-1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = slim.learning.create_train_op(tf.log(w), optimizer, check_numerics=checks)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if checks:
            with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
                session.run(train_op)
        else:
            assert np.isnan(session.run(train_op))


def test_arguments_of_variables_and_norms_count():
    parts = slim.variable("parts", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    assert [part.shape.as_list() for part in parts] == [[2, 2], [2, 2]]
    assert slim.model_variable("handle", [1], use_resource=True).handle.dtype == tf.resource
    with pytest.raises(TypeError, match="initialiser"):
        slim.variable("typo", [1], initialiser=tf.zeros_initializer())
    begin = {"gamma": tf.constant_initializer(2.0), "beta": tf.constant_initializer(3.0)}
    y = tf.contrib.layers.instance_norm(tf.ones([1, 2, 2, 1]), param_initializers=begin)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y).ravel(), [3.0] * 4, rtol=1e-5)
        assert session.run(tf.trainable_variables("InstanceNorm")) == [[3.0], [2.0]]


def test_batch_norm_updates_in_place_without_a_collection():
    x = tf.constant(np.random.RandomState(1).rand(8, 3), tf.float32)
    y = slim.batch_norm(x, decay=0.5, updates_collections=None, scope="bn")
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run(y)
        np.testing.assert_allclose(got.mean(0), 0, atol=1e-5)
        moved = session.run(slim.get_variables("bn/moving_mean")[0])
        np.testing.assert_allclose(moved, session.run(x).mean(0) / 2, rtol=1e-5)


def test_layer_norm_is_over_all_but_the_batch():
    x = tf.constant(np.random.RandomState(1).rand(2, 3, 4), tf.float32)
    y = tf.contrib.layers.layer_norm(x)
    assert names(tf.trainable_variables()) == ["LayerNorm/beta:0", "LayerNorm/gamma:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run(y).reshape(2, -1)
    np.testing.assert_allclose(got.mean(1), 0, atol=1e-5)
    np.testing.assert_allclose(got.std(1), 1, atol=1e-4)


def test_scopes_of_arguments_nest_and_are_entered_again():
    @slim.add_arg_scope
    def scoped(a, b=1, *, c=2):
        return a, b, c

    with slim.arg_scope([scoped], b=5) as scope:
        assert scoped(0) == (0, 5, 2)
        assert scoped(0, b=6) == (0, 6, 2)
        with slim.arg_scope([scoped], c=7):
            assert scoped(0) == (0, 5, 7)
    assert scoped(0) == (0, 1, 2)
    with slim.arg_scope(scope):
        assert scoped(0) == (0, 5, 2)
    assert slim.arg_scoped_arguments(scoped) == ("b", "c")
    with pytest.raises(ValueError, match="not decorated"), slim.arg_scope([print], a=1):
        pass


def test_regularizers(run):
    w = tf.constant([1.0, -2.0])
    layers = tf.contrib.layers
    assert run([layers.l1_regularizer(0.5)(w), layers.l2_regularizer(0.5)(w)]) == [1.5, 1.25]
    assert run(layers.l1_l2_regularizer(0.5, 0.5)(w)) == 2.75
    assert layers.l2_regularizer(0.0)(w) is None
    with pytest.raises(ValueError, match="integer"):
        layers.l2_regularizer(1)
    assert run(layers.apply_regularization(layers.l2_regularizer(1.0), [w, w])) == 5


@pytest.mark.parametrize(("mode", "n"), [("FAN_IN", 36), ("FAN_OUT", 72), ("FAN_AVG", 54)])
def test_variance_scaling(run, mode, n):
    make = tf.contrib.layers.variance_scaling_initializer(2.0, mode, uniform=True, seed=1)
    values = run(make([3, 3, 4, 8]))
    limit = (6 / n) ** 0.5
    assert np.abs(values).max() <= limit
    np.testing.assert_allclose(values.var(), 2 / n, rtol=0.2)


def test_settings_of_a_model():
    settings = tf.contrib.training.HParams(steps=3, rate=0.5, sizes=[1, 2], name="x")
    settings.parse("steps=7,sizes=[4,5],name=y")
    assert (settings.steps, settings.sizes, settings.name) == (7, [4, 5], "y")
    settings.set_hparam("rate", 1)
    assert settings.values()["rate"] == 1.0
    assert "steps" in settings and settings.get("none", 3) == 3
    for wrong in ("steps=x", "nothing=1", "steps"):
        with pytest.raises(ValueError, match=r"parse|Unknown|Malformed"):
            settings.parse(wrong)


def test_sequence_loss_and_copies_of_a_batch(run):
    random = np.random.RandomState(0)
    logits = random.rand(2, 3, 4).astype(np.float32)
    targets, weights = random.randint(0, 4, (2, 3)), np.float32([[1, 1, 0], [1, 0, 0]])
    got = run(tf.contrib.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets),
                                               tf.constant(weights)))  # fmt: skip
    log = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, targets[..., None], 2)[..., 0]
    np.testing.assert_allclose(got, (log * weights).sum() / 3, rtol=1e-6)
    assert run(tf.contrib.seq2seq.tile_batch(tf.constant([[1], [2]]), 2)).ravel().tolist() == [
        1, 1, 2, 2,
    ]  # fmt: skip


def test_folders_of_old_imports():
    from tfbuild_runtime.compat import v1

    assert v1.contrib.layers.python.layers.initializers.xavier_initializer is (
        v1.contrib.layers.xavier_initializer
    )
    assert v1.contrib.slim.python.slim.conv2d is slim.conv2d
    with pytest.raises(AttributeError, match="has no 'nonsense'"):
        v1.contrib.layers.python.nonsense  # noqa: B018
