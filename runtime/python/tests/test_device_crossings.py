"""What training programs bring from a GPU to the host and back: what is fed and fetched, no tensor
for its shape's sake, no state. Where no GPU is, also no emulated one, there is nothing to see.
"""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


@pytest.fixture(autouse=True)
def gpu():
    with tf.Session() as session:
        kinds = {device.device_type for device in session.list_devices()}
    if "GPU" not in kinds:
        pytest.skip("there is no GPU, nor an emulated one")


def crossings(fetches, feeds):
    """Return the names of what a step moves between memories, but for feeds and fetches."""
    trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fetches, feeds, trace, metadata)
    (partition,) = [report for report in metadata.passes if report.name == "partition"]
    moved = {change.partition(" goes from ")[0] for change in partition.changes}
    wanted = {value.name for value in tf.nest.flatten(fetches) if isinstance(value, tf.Tensor)}
    return moved - wanted - {placeholder.name for placeholder in feeds}


def test_batches_of_any_size():
    x, labels = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int64, [None])
    training = tf.placeholder(tf.bool)
    images = tf.layers.conv2d(tf.reshape(x, [-1, 8, 8, 1]), 4, 3, activation=tf.nn.relu)
    normal = tf.layers.batch_normalization(images, training=training)
    flat = tf.layers.dropout(tf.layers.flatten(normal), training=training)
    noise = tf.random_normal(tf.shape(flat))
    logits = tf.layers.dense(flat + noise, 10)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_sum(losses)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer().minimize(loss)
    feeds = {x: np.ones((3, 64), np.float32), labels: [1, 2, 3], training: True}
    assert crossings([train, loss], feeds) == set()


@pytest.mark.parametrize("asked_for", [None, "/gpu:0"])
def test_sequences_of_any_length(asked_for):
    sequences = tf.placeholder(tf.float32, [None, None, 4])
    with tf.device(asked_for):
        cell = tf.nn.rnn_cell.BasicLSTMCell(8)
        outputs, _ = tf.nn.dynamic_rnn(cell, sequences, dtype=tf.float32)
        loss = tf.reduce_sum(tf.square(outputs))
        train = tf.train.AdamOptimizer().minimize(loss)
    feeds = {sequences: np.ones((2, 5, 4), np.float32)}
    assert crossings([train, loss], feeds) == set()


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    "optimizer",
    [
        tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9),
        tf.train.AdagradOptimizer(0.1), tf.train.AdamOptimizer(), tf.train.FtrlOptimizer(0.1),
        tf.train.RMSPropOptimizer(0.1),
    ],
    ids=lambda optimizer: optimizer.get_name(),
)  # fmt: skip
def test_tables(optimizer, use_resource):
    """Only numbers of rows go to the GPU: the table and its slots are there."""
    table = tf.get_variable("table", [50, 4], use_resource=use_resource)
    rows = tf.placeholder(tf.int32, [None])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, rows)))
    train = optimizer.minimize(loss)
    numbers = {value.name for op in tf.get_default_graph().get_operations()
               for value in op.outputs if value.dtype.base_dtype == tf.int32}  # fmt: skip
    assert crossings([train, loss], {rows: [7, 5, 7]}) <= numbers
