"""timeline.Timeline: the file that Chrome's tracing and Perfetto draw."""

import json
from collections import Counter, defaultdict

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.protos import messages
from tfbuild_runtime.python.client import timeline

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def node(name, label, start, duration, outputs=(), *, ptr=0):
    """A run of a kernel, times in microseconds; an output for each number of bytes."""
    stats = messages.NodeExecStats(
        node_name=name,
        timeline_label=label,
        all_start_micros=start,
        all_end_rel_micros=duration,
        all_start_nanos=start * 1000,
        all_end_rel_nanos=duration * 1000,
    )
    for slot, size in enumerate(outputs):
        allocation = stats.output.add(slot=slot).tensor_description.allocation_description
        allocation.requested_bytes = size
        allocation.allocator_name = "cpu"
        allocation.ptr = ptr + slot
    return stats


def step(**devices):
    stats = messages.StepStats()
    names = {"cpu": CPU, "gpu": GPU, "memcpy": "/device:GPU:0/memcpy",
             "stream": "/device:GPU:0/stream:all"}  # fmt: skip
    for short, nodes in devices.items():
        stats.dev_stats.add(device=names[short]).node_stats.extend(nodes)
    return stats


def events(stats, phase=None, **options):
    text = timeline.Timeline(stats).generate_chrome_trace_format(**options)
    found = json.loads(text)["traceEvents"]
    return [event for event in found if phase in (None, event["ph"])]


def test_each_device_has_a_process_for_what_it_computes_and_one_for_its_tensors():
    stats = step(cpu=[node("a", "a = Add(x, y)", 10, 5, [4])])
    processes = {event["pid"]: event["args"]["name"] for event in events(stats, "M")}
    assert processes == {0: "Allocators", 1: f"{CPU} Compute", 2: f"{CPU} Tensors"}
    (bar,) = events(stats, "X")
    assert bar == {
        "ph": "X", "cat": "Op", "name": "Add", "pid": 1, "tid": 0, "ts": 10, "dur": 5,
        "args": {"name": "a", "op": "Add", "input0": "x", "input1": "y"},
    }  # fmt: skip


def test_what_runs_beside_each_other_has_lanes_of_its_own():
    stats = step(
        cpu=[
            node("a", "a = NoOp()", 0, 10),
            node("b", "b = NoOp()", 5, 10),
            node("c", "c = NoOp()", 10, 3),
            node("d", "d = NoOp()", 12, 5),
        ]
    )
    lanes = {event["args"]["name"]: event["tid"] for event in events(stats, "X")}
    assert lanes == {"a": 0, "b": 1, "c": 0, "d": 2}


def test_arrows_lead_to_readers_in_other_lanes_and_devices():
    stats = step(
        cpu=[
            node("a", "a = NoOp()", 0, 10, [4, 4]),
            node("b", "b = Neg(a)", 20, 5),  # in the same lane
            node("c", "c = Neg(a:1)", 22, 5),
        ],
        gpu=[node("a/_recv", "a/_recv = _Recv(edge_1_a @cpu)", 30, 5, [4])],
    )
    starts, ends = events(stats, "s"), events(stats, "t")
    assert [(event["name"], event["id"]) for event in starts] == [("a", 0), ("a:1", 1)]
    assert [(event["pid"], event["tid"], event["ts"]) for event in ends] == [(3, 0, 30), (1, 1, 22)]
    assert all(0 <= event["ts"] < 10 for event in starts)
    assert events(stats, "s", show_dataflow=False) == []


def test_of_a_loop_the_latest_tensor_is_read():
    stats = step(
        cpu=[
            node("a", "a = Add(b)", 0, 10, [4]),
            node("b", "b = Neg(a)", 5, 10, [4]),
            node("a", "a = Add(b)", 20, 10, [4]),
            node("b", "b = Neg(a)", 25, 10, [4]),
        ]
    )
    starts = {event["id"]: event for event in events(stats, "s")}
    arrows = [(starts[event["id"]]["ts"], event["ts"]) for event in events(stats, "t")]
    assert sorted(arrows) == [(4.999, 5), (14.999, 20), (24.999, 25)]


def test_memory_is_counted_once_however_many_tensors_lie_in_it():
    stats = step(
        cpu=[
            node("a", "a = NoOp()", 0, 10, [400], ptr=64),
            node("b", "b = Neg(a)", 20, 5, [400], ptr=64),  # in the memory of a
            node("c", "c = Neg(b)", 30, 5, [100], ptr=96),
            node("d", "d = Neg(c)", 50, 5, [100], ptr=64),  # the same place, later
        ]
    )
    curve = [(event["ts"], event["args"]["cpu"]) for event in events(stats, "C", show_memory=True)]
    assert curve == [(0, 400), (30, 500), (35, 100), (50, 200), (55, 100), (55, 0)]
    analysis = timeline.Timeline(stats).analyze_step_stats()
    assert analysis.allocator_maximums == {"cpu": (30, 500, {"a", "b", "c"})}
    assert [event["name"] for event in events(stats, "N", show_memory=True)] == list("abcd")
    assert len(events(stats, "D", show_memory=True)) == 4
    snapshot = events(stats, "O", show_memory=True)[0]["args"]["snapshot"]
    assert "requested_bytes: 400" in snapshot["tensor_description"]
    assert events(stats, "C") == []


def test_gpus_have_what_they_copy_and_compute_and_their_times_can_be_shown():
    stats = step(
        gpu=[node("a", "a = MatMul(x, y)", 10, 2)],
        memcpy=[node("x/_recv:MEMCPYHtoD", "x/_recv:MEMCPYHtoD", 5, 3, [40])],
        stream=[node("a:MatMul", "a = MatMul(x, y)", 11, 30)],
    )
    assert Counter(event["name"] for event in events(stats, "X")) == {
        "MatMul": 2, "MEMCPYHtoD": 1,
    }  # fmt: skip
    copied = next(event for event in events(stats, "X") if event["name"] == "MEMCPYHtoD")
    assert copied["args"] == {"name": "x/_recv", "op": "MEMCPYHtoD"}

    def shown(op_time):
        host = [event for event in events(stats, "X", op_time=op_time) if event["pid"] == 1]
        return [(event["ts"], event["dur"]) for event in host]

    assert shown("schedule") == [(10, 2)]
    assert shown("gpu") == [(11, 30)]
    assert shown("all") == [(10, 31)]
    with pytest.raises(ValueError, match="one of schedule, gpu, all"):
        events(stats, op_time="never")


def test_it_and_what_it_draws_are_where_tensorflow_has_them():
    assert tf.python.client.timeline.Timeline is timeline.Timeline
    assert tf.core.framework.step_stats_pb2.StepStats is messages.StepStats


def test_nothing_is_written_into_what_was_traced():
    stats = step(cpu=[node("a", "a = NoOp()", 0, 10, [4]), node("b", "b = NoOp()", 5, 9)])
    before = stats.SerializeToString()
    events(stats, show_memory=True, op_time="all")
    assert stats.SerializeToString() == before
    assert events(step()) == [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "Allocators"}}
    ]


def test_labels_that_say_nothing_are_drawn_as_unknown():
    stats = step(cpu=[node("RecvTensor", "from there", 0, 1), node("b", "", 2, 1)])
    assert [event["name"] for event in events(stats, "X")] == ["unknown", "unknown"]


def network():
    x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
    kernel = tf.get_variable("kernel", [3, 3, 1, 4], initializer=tf.ones_initializer())
    h = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"))
    loss = tf.reduce_mean(h * tf.nn.sigmoid(h), name="loss")
    return x, loss, tf.train.AdamOptimizer().minimize(loss)


def trace_of(session, fetches, feed):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(fetches, feed, options=options, run_metadata=metadata)
    return metadata


@pytest.mark.cpu
def test_a_training_step_is_drawn_whole():
    x, loss, train = network()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        metadata = trace_of(session, [loss, train], {x: np.ones((4, 8, 8, 1), np.float32)})
    drawn = events(metadata.step_stats, show_memory=True)
    kinds = Counter(event["ph"] for event in drawn)
    runs = sum(len(device.node_stats) for device in metadata.step_stats.dev_stats)
    assert kinds["X"] == runs
    assert kinds["N"] == kinds["D"] == kinds["O"] > runs / 2
    assert kinds["s"] == kinds["t"]
    assert {"_Conv2DChain", "Conv2DBackpropFilter"} <= {
        event["name"] for event in drawn if event["ph"] == "X"
    }
    ends = defaultdict(float)
    for event in drawn:  # bars of a lane do not overlap, or viewers drop them
        if event["ph"] == "X":
            lane = (event["pid"], event["tid"])
            assert event["ts"] >= ends[lane]
            ends[lane] = event["ts"] + event["dur"]
    # The curve ends where it began, and its top is near what the step itself has counted, which
    # knows of what is freed before the end of a kernel, and of what is no output.
    curve = [event["args"]["cpu"] for event in drawn if event["ph"] == "C"]
    assert curve[-1] == 0
    assert 0.5 < max(curve) / metadata.peak_bytes["cpu"] < 3


_DRAW = """
import sys, json
from tensorflow.core.framework import step_stats_pb2
from tensorflow.python.client import timeline
stats = step_stats_pb2.StepStats.FromString(sys.stdin.buffer.read())
print(timeline.Timeline(stats).generate_chrome_trace_format(show_memory=True))
"""


@pytest.mark.tensorflow
def test_the_same_step_is_drawn_as_tensorflow_draws_it(tensorflow):
    x, loss, train = network()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        metadata = trace_of(session, [loss, train], {x: np.ones((4, 8, 8, 1), np.float32)})
    ours = events(metadata.step_stats, show_memory=True)
    data = metadata.step_stats.SerializeToString()
    theirs = json.loads(tensorflow(_DRAW, data=data))["traceEvents"]

    def keys(drawn):
        found = {}
        for event in drawn:
            found.setdefault(event["ph"], set()).add(tuple(sorted(event)))
        return found

    def named(drawn, phase):
        return Counter(
            (event["cat"], event["name"], json.dumps(event.get("args", {}), sort_keys=True))
            for event in drawn
            if event["ph"] == phase
        )

    # Arrows are between lanes; TensorFlow gives kernels of one thread several.
    assert set(keys(theirs)) - set(keys(ours)) <= {"s", "t"}
    assert all(keys(theirs)[phase] == found for phase, found in keys(ours).items())
    assert [e for e in ours if e["ph"] == "M"] == [e for e in theirs if e["ph"] == "M"]
    for phase in "XNOD":
        assert named(ours, phase) == named(theirs, phase)
