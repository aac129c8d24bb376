"""RunMetadata: what a traced step shows, in TensorFlow's messages."""

import struct
import warnings

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from google.protobuf import message
from tfbuild_runtime.protos import messages

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def unfused():
    """Return a configuration in which each op is run as the program wrote it."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.remapping = config.graph_options.rewrite_options.OFF
    return config


def traced(fetches, feed_dict=None, level=tf.RunOptions.FULL_TRACE, config=None, **options):
    metadata = tf.RunMetadata()
    with tf.Session(config=config or unfused()) as session:
        session.run(tf.global_variables_initializer())
        values = session.run(
            fetches,
            feed_dict,
            options=tf.RunOptions(trace_level=level, **options),
            run_metadata=metadata,
        )
    return values, metadata


def nodes(metadata):
    return {
        stats.node_name: stats
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
    }


def training_step():
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    w = tf.get_variable("w", [8, 4], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.nn.relu(tf.matmul(x, w, name="product")), name="loss")
    return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@pytest.mark.cpu
def test_every_kernel_of_a_step_is_shown_with_times_and_outputs():
    x, loss, train = training_step()
    (value, _), metadata = traced([loss, train], {x: np.ones((2, 8), np.float32)})
    assert value == 8
    (device,) = metadata.step_stats.dev_stats
    assert device.device == CPU
    found = nodes(metadata)
    product = found["product"]
    assert product.timeline_label == "product = MatMul(x, w/read)"
    assert product.all_start_micros == product.all_start_nanos // 1000
    assert 0 <= product.op_start_rel_nanos <= product.op_end_rel_nanos <= product.all_end_rel_nanos
    assert product.scheduled_micros <= product.all_start_micros
    (output,) = product.output
    described = output.tensor_description
    assert [dim.size for dim in described.shape.dim] == [2, 4]
    assert described.dtype == tf.float32.as_datatype_enum
    assert described.allocation_description.requested_bytes == 32
    assert described.allocation_description.allocator_name == "cpu"
    assert [(used.allocator_name, used.total_bytes) for used in product.memory] == [("cpu", 32)]
    starts = [stats.all_start_nanos for stats in device.node_stats]
    assert starts == sorted(starts)
    assert metadata.peak_bytes["cpu"] >= 32
    assert metadata.untraced_runs == 0


def test_a_step_without_a_trace_level_leaves_nothing():
    x, loss, _ = training_step()
    feed = {x: np.ones((2, 8), np.float32)}
    _, metadata = traced(loss, feed, level=tf.RunOptions.NO_TRACE)
    assert metadata.SerializeToString() == b""
    assert not metadata.passes


def test_results_are_the_same_in_any_nesting():
    x, loss, train = training_step()
    feed = {x: np.ones((2, 8), np.float32)}
    values, metadata = traced({"loss": loss, "more": [train, (loss,)]}, feed)
    assert values["loss"] == values["more"][1][0] == 8
    assert values["more"][0] is None
    assert "product" in nodes(metadata)


def test_metadata_of_an_earlier_step_is_forgotten():
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE)
    one = tf.placeholder(tf.float32, [], name="one")
    doubled, halved = tf.multiply(one, 2.0, name="doubled"), tf.divide(one, 2.0, name="halved")
    with tf.Session() as session:
        for fetch in (doubled, halved):
            session.run(fetch, {one: 1.0}, options=options, run_metadata=metadata)
    assert "doubled" not in nodes(metadata)
    assert any(name.startswith("halved") for name in nodes(metadata))


def test_loops_are_shown_by_iteration():
    count = tf.placeholder(tf.int32, [], name="count")
    last = tf.while_loop(lambda i: i < count, lambda i: tf.add(i, 1, name="more"), [0])
    _, metadata = traced(last, {count: 5})
    runs = [
        stats
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
        if stats.node_name.endswith("more")
    ]
    assert len(runs) == 5
    assert all(stats.timeline_label.startswith("while/more = Add") for stats in runs)


def test_a_trace_that_is_full_says_so():
    count = tf.placeholder(tf.int32, [], name="count")
    last = tf.while_loop(lambda i: i < count, lambda i: i + 1, [0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, metadata = traced(last, {count: 60_000})
    assert value == 60_000
    total = sum(len(device.node_stats) for device in metadata.step_stats.dev_stats)
    assert total == 1 << 17
    assert metadata.untraced_runs > 60_000
    (warning,) = caught
    assert f"{metadata.untraced_runs} later runs" in str(warning.message)
    assert warning.filename == __file__


def test_kernels_beside_each_other_are_shown():
    x = tf.placeholder(tf.float32, [64, 64], name="x")
    products = [tf.matmul(x + float(k), x, name=f"product{k}") for k in range(4)]
    config = tf.ConfigProto(inter_op_parallelism_threads=2)
    _, metadata = traced(tf.add_n(products), {x: np.ones((64, 64), np.float32)}, config=config)
    assert {f"product{k}" for k in range(4)} <= set(nodes(metadata))


@pytest.mark.cpu
def test_peak_memory_is_that_of_the_tensors_that_live_at_once():
    x = tf.placeholder(tf.float32, [1000], name="x")
    y = tf.identity(x)
    for _ in range(10):  # each lies in the memory of the one before
        y = tf.nn.relu(tf.tanh(y))
    both = tf.concat([y, tf.exp(x)], 0)
    _, metadata = traced(both, {x: np.ones(1000, np.float32)})
    assert metadata.peak_bytes == {"cpu": 16_000}


@pytest.mark.cpu
def test_partition_graphs_are_what_runs():
    x, loss, _ = training_step()
    _, metadata = traced(
        loss,
        {x: np.ones((2, 8), np.float32)},
        level=tf.RunOptions.NO_TRACE,
        output_partition_graphs=True,
    )
    (partition,) = metadata.partition_graphs
    assert {node.device for node in partition.node} == {CPU}
    ops = {node.name: node.op for node in partition.node}
    assert ops["product"] == "MatMul"
    assert ops["x"] == "Placeholder"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(partition, name="")
        assert graph.get_tensor_by_name("loss:0").shape.rank == 0


@pytest.mark.cpu
def test_messages_are_read_as_they_were_written():
    x, loss, _ = training_step()
    _, metadata = traced(loss, {x: np.ones((2, 8), np.float32)}, output_partition_graphs=True)
    data = metadata.SerializeToString()
    again = tf.RunMetadata.FromString(data)
    assert again == metadata
    assert again.partition_graphs[0] == metadata.partition_graphs[0]
    copy = messages.StepStats()
    copy.CopyFrom(metadata.step_stats)
    copy.MergeFrom(metadata.step_stats)
    assert len(copy.dev_stats) == 2
    assert copy.dev_stats[0] == metadata.step_stats.dev_stats[0]


def test_what_is_not_known_of_a_message_is_kept():
    stats = messages.NodeExecStats(node_name="n", all_start_micros=-5)
    stats.output.add(slot=2).tensor_description.shape.dim.add(size=3)
    fixed = bytes([31 << 3 & 0x7F | 0x80 | 1, 1]) + struct.pack("<d", 1.5)
    data = stats.SerializeToString() + fixed
    again = messages.NodeExecStats.FromString(data)
    assert again.all_start_micros == -5
    assert again.output[0].tensor_description.shape.dim[0].size == 3
    assert again.SerializeToString() == data


def test_messages_are_printed_as_tensorflow_prints_them():
    device = messages.DeviceStepStats(device='a "b"', thread_names={1: "one"})
    output = device.node_stats.add(node_name="n").output.add(slot=1)
    output.tensor_description.dtype = 1
    assert str(device) == (
        'device: "a \\"b\\""\n'
        "node_stats {\n"
        '  node_name: "n"\n'
        "  output {\n"
        "    slot: 1\n"
        "    tensor_description {\n"
        "      dtype: DT_FLOAT\n"
        "    }\n"
        "  }\n"
        "}\n"
        "thread_names {\n"
        "  key: 1\n"
        '  value: "one"\n'
        "}\n"
    )


@pytest.mark.parametrize(
    "data", [b"\x0a", b"\x0a\x05ab", b"\xff" * 11, b"\x0b", b"\x0a\x02\x0a\x05"]
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(message.DecodeError, match="RunMetadata"):
        tf.RunMetadata.FromString(data)


_READ = """
import sys
import tensorflow.compat.v1 as tf
from tensorflow.python.client import timeline
metadata = tf.RunMetadata.FromString(sys.stdin.buffer.read())
text = str(metadata.step_stats)  # drawing it changes it
trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
labels = [n.timeline_label for d in metadata.step_stats.dev_stats for n in d.node_stats]
assert len(trace) > 1000 and len(metadata.partition_graphs) == 1
tf.import_graph_def(metadata.partition_graphs[0])
sys.stdout.write("\\n".join(labels) + "\\n--\\n" + text)
"""


@pytest.mark.tensorflow
def test_tensorflow_reads_what_a_step_left(tensorflow):
    x, loss, train = training_step()
    feed = {x: np.ones((2, 8), np.float32)}
    _, metadata = traced([loss, train], feed, output_partition_graphs=True)
    printed = tensorflow(_READ, data=metadata.SerializeToString()).decode()
    labels, _, text = printed.partition("\n--\n")
    ours = [stats.timeline_label for stats in metadata.step_stats.dev_stats[0].node_stats]
    assert labels.splitlines() == ours
    assert text == str(metadata.step_stats)
