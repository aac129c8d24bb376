"""Variables in parts: how they are cut, joined, looked up, trained and saved."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def names_and_shapes():
    return [(v.op.name, v.shape.as_list()) for v in tf.global_variables()]


def test_a_scope_cuts_its_variables():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
        v = tf.get_variable("v", [7, 2], initializer=tf.ones_initializer())
        tf.get_variable("number", [], initializer=tf.zeros_initializer())
    assert names_and_shapes() == [
        ("s/v/part_0", [3, 2]), ("s/v/part_1", [2, 2]), ("s/v/part_2", [2, 2]), ("s/number", []),
    ]  # fmt: skip
    assert (v.name, v.shape.as_list(), len(v)) == ("s/v", [7, 2], 3)
    with tf.variable_scope("s", reuse=True, partitioner=tf.fixed_size_partitioner(3)):
        assert tf.get_variable("v", [7, 2]) is v
    with pytest.raises(ValueError, match="already exists"):
        tf.get_variable("s/v", [7, 2], partitioner=tf.fixed_size_partitioner(3))


def test_layers_take_parts():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        y = tf.layers.dense(tf.ones([2, 4]), 3, kernel_initializer=tf.ones_initializer(), name="d")
    assert [name for name, _ in names_and_shapes()] == [
        "s/d/kernel/part_0", "s/d/kernel/part_1", "s/d/bias/part_0", "s/d/bias/part_1",
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(y), np.full((2, 3), 4.0))


def test_parts_are_looked_up_trained_and_saved_as_one(tmp_path):
    start = np.arange(14, dtype=np.float32).reshape(7, 2)
    v = tf.get_variable("v", [7, 2], initializer=start, partitioner=tf.fixed_size_partitioner(3))
    rows = tf.nn.embedding_lookup(v, [0, 3, 6], partition_strategy="div")
    step = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(rows))
    cleared = v.assign(np.zeros((7, 2)))
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(rows), start[[0, 3, 6]])
        session.run(step)
        prefix = saver.save(session, str(tmp_path / "model"))
        reader = tf.train.NewCheckpointReader(prefix)
        assert reader.get_variable_to_shape_map() == {"v": [7, 2]}
        wanted = start.copy()
        wanted[[0, 3, 6]] -= 1
        np.testing.assert_array_equal(reader.get_tensor("v"), wanted)
        session.run(cleared)
        assert not session.run(v.as_tensor()).any()
        saver.restore(session, prefix)
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(v)), wanted)


@pytest.mark.parametrize(
    ("partitioner", "parts"),
    [
        (tf.fixed_size_partitioner(4), [4, 1]),
        (tf.fixed_size_partitioner(40, axis=1), [1, 10]),
        (tf.min_max_variable_partitioner(4, min_slice_size=64), [4, 1]),
        (tf.min_max_variable_partitioner(40, min_slice_size=200), [2, 1]),
        (tf.variable_axis_size_partitioner(64), [10, 1]),
        (tf.variable_axis_size_partitioner(80), [5, 1]),
        (tf.variable_axis_size_partitioner(80, max_shards=3), [3, 1]),
    ],
)
def test_partitioners_say_how_many_parts(partitioner, parts):
    assert partitioner(shape=tf.TensorShape([10, 10]), dtype=tf.float32) == parts


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"partitioner": lambda shape, dtype: [2, 2]}, "one may be more than 1"),
        ({"partitioner": lambda shape, dtype: [2]}, "a number for each axis"),
        ({"partitioner": 3}, "must be callable"),
        ({"partitioner": tf.fixed_size_partitioner(2), "shape": [None, 2]}, "fully defined"),
    ],
)
def test_cuts_that_cannot_be_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        tf.get_variable("v", **{"shape": [4, 2], **arguments})
    with pytest.raises(ValueError, match="positive"):
        tf.min_max_variable_partitioner(0)


def test_slots_lie_below_the_open_scope_and_are_saved_as_parts():
    """Names and slices as TensorFlow 2.21 has them, where a scope cuts the names of parts short."""
    with tf.variable_scope("net"):
        whole = tf.get_variable("w", [4, 2])
        cut = tf.get_variable("p", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    loss = tf.reduce_sum(whole) + tf.reduce_sum(tf.convert_to_tensor(cut))
    before = len(tf.global_variables())
    with tf.variable_scope("train"):
        tf.train.FtrlOptimizer(0.1).minimize(loss)
    with tf.name_scope("names"):
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    made = tf.global_variables()[before:]
    slices = [variable._get_save_slice_info() for variable in made]
    described = [(variable.op.name, one and f"{one.full_name} {one.spec}")
                 for variable, one in zip(made, slices)]  # fmt: skip
    assert described == [
        ("train/net/w/Ftrl", None),
        ("train/net/w/Ftrl_1", None),
        ("train/net/p/part_0/Ftrl", "net/p/art_0/Ftrl 4 2 0,2:0,2"),
        ("train/net/p/part_0/Ftrl_1", "net/p/art_0/Ftrl_1 4 2 0,2:0,2"),
        ("train/net/p/part_1/Ftrl", "net/p/art_1/Ftrl 4 2 2,2:0,2"),
        ("train/net/p/part_1/Ftrl_1", "net/p/art_1/Ftrl_1 4 2 2,2:0,2"),
        ("net/w/Momentum", None),
        ("net/p/part_0/Momentum", "net/p/Momentum 4 2 0,2:0,2"),
        ("net/p/part_1/Momentum", "net/p/Momentum 4 2 2,2:0,2"),
    ]
