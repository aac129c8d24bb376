"""Around a training: optimizers that are composed, averages, schedules, hooks, coordinators."""

import json
import math
import threading
import time

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

T = tf.train
START = np.float32([1, -2, 0.3, 0.01])
TARGET = np.float64([0.5, 0.5, 0, 0])


def adadelta(w, g, s):
    s["a"] = 0.95 * s.get("a", 0) + 0.05 * g * g
    step = np.sqrt(s.get("u", 0) + 1e-8) / np.sqrt(s["a"] + 1e-8) * g
    s["u"] = 0.95 * s.get("u", 0) + 0.05 * step * step
    return w - step


def ftrl(w, g, s):
    old = s.get("a", 0.1)
    s["a"] = old + g * g
    s["l"] = s.get("l", 0) + g - (np.sqrt(s["a"]) - np.sqrt(old)) / 0.5 * w
    moved = (np.sign(s["l"]) * 0.1 - s["l"]) / (np.sqrt(s["a"]) / 0.5 + 0.4)
    return np.where(np.abs(s["l"]) > 0.1, moved, 0)


def shrunk(value, rate):
    return np.sign(value) * np.maximum(np.abs(value) - rate * 0.5, 0) / (1 + rate * 0.2)


def proximal(w, g, s):
    return shrunk(w - 0.1 * g, 0.1)


def proximal_adagrad(w, g, s):
    s["a"] = s.get("a", 0.1) + g * g
    rate = 0.1 / np.sqrt(s["a"])
    return shrunk(w - rate * g, rate)


def centred(w, g, s):
    s["g"] = 0.9 * s.get("g", 0) + 0.1 * g
    s["r"] = 0.9 * s.get("r", 1) + 0.1 * g * g
    s["m"] = 0.5 * s.get("m", 0) + 0.1 * g / np.sqrt(s["r"] - s["g"] ** 2 + 1e-10)
    return w - s["m"]


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: T.AdadeltaOptimizer(1.0), adadelta),
        (lambda: T.FtrlOptimizer(0.5, l1_regularization_strength=0.1,
                                 l2_regularization_strength=0.2), ftrl),
        (lambda: T.ProximalGradientDescentOptimizer(0.1, 0.5, 0.2), proximal),
        (lambda: T.ProximalAdagradOptimizer(0.1, 0.1, 0.5, 0.2), proximal_adagrad),
        (lambda: T.RMSPropOptimizer(0.1, momentum=0.5, centered=True), centred),
    ],
)  # fmt: skip
def test_optimizers_follow_their_rules(make, rule):
    w = tf.get_variable("w", initializer=START)
    step = make().minimize(tf.reduce_sum((w - TARGET.astype(np.float32)) ** 2))
    expected, state = START.astype(np.float64), {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run(step)
            expected = rule(expected, 2 * (expected - TARGET), state)
        np.testing.assert_allclose(session.run(w), expected, rtol=2e-5, atol=1e-6)


def test_slots_have_the_names_that_checkpoints_have():
    w = tf.get_variable("w", initializer=START)
    T.AdadeltaOptimizer(1.0).minimize(tf.reduce_sum(w))
    T.FtrlOptimizer(1.0).minimize(tf.reduce_sum(w))
    assert [v.op.name for v in tf.global_variables()] == [
        "w", "w/Adadelta", "w/Adadelta_1", "w/Ftrl", "w/Ftrl_1",
    ]  # fmt: skip


def test_averages_follow_variables_after_their_update():
    w = tf.Variable(1.0, name="w")
    step = T.get_or_create_global_step()
    change = tf.group(tf.assign_add(w, 1.0), tf.assign_add(step, 1))
    average = T.ExponentialMovingAverage(0.9, num_updates=step)
    with tf.control_dependencies([change]):
        update = average.apply([w])
    assert average.average(w).op.name == average.average_name(w) == "w/ExponentialMovingAverage"
    assert set(average.variables_to_restore()) == {"w/ExponentialMovingAverage", "global_step"}
    assert tf.moving_average_variables() == [w]
    kept = value = 1.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(1, 4):
            session.run(update)
            decay = min(0.9, (1 + number) / (10 + number))
            value += 1
            kept = decay * kept + (1 - decay) * value
            np.testing.assert_allclose(session.run(average.average(w)), kept, rtol=1e-6)
    with pytest.raises(ValueError, match="already computed"):
        average.apply([w])


def wave(share):
    return 0.5 * (1 + math.cos(math.pi * share))


@pytest.mark.parametrize("step", [0, 3, 4, 11, 25])
def test_schedules(run, step):
    g = tf.constant(step, tf.int64)
    rounds = max(1, math.ceil(step / 10))
    expected = {
        T.exponential_decay(0.1, g, 10, 0.5, staircase=True): 0.1 * 0.5 ** (step // 10),
        T.natural_exp_decay(0.1, g, 10, 0.5): 0.1 * math.exp(-0.05 * step),
        T.inverse_time_decay(0.1, g, 10, 0.5): 0.1 / (1 + 0.05 * step),
        T.polynomial_decay(0.1, g, 10, 0.01, 2.0): 0.09 * (1 - min(step, 10) / 10) ** 2 + 0.01,
        T.polynomial_decay(0.1, g, 10, 0.01, cycle=True): 0.09 * (1 - step / (10 * rounds)) + 0.01,
        T.piecewise_constant(g, [3, 11], [1.0, 0.5, 0.1]): 1 if step <= 3 else
            0.5 if step <= 11 else 0.1,
        T.cosine_decay(0.1, g, 10, 0.1): 0.1 * (0.9 * wave(min(step, 10) / 10) + 0.1),
        T.cosine_decay_restarts(0.1, g, 5, 1.0): 0.1 * wave(step % 5 / 5),
    }  # fmt: skip
    np.testing.assert_allclose(run(list(expected)), list(expected.values()), atol=1e-7)


def counting_model():
    step = T.get_or_create_global_step()
    w = tf.get_variable("w", initializer=1.0)
    return T.GradientDescentOptimizer(0.1).minimize(w**2, global_step=step)


def test_a_monitored_training_saves_stops_and_goes_on(tmp_path):
    train = counting_model()
    folder = str(tmp_path)
    for last in (4, 9):
        hooks = [T.StopAtStepHook(last_step=last)]
        with T.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks,
                                        save_checkpoint_steps=3) as session:  # fmt: skip
            while not session.should_stop():
                session.run(train)
        assert T.latest_checkpoint(folder).endswith(f"model.ckpt-{last}")
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(1)


def monitored(folder):
    return T.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=1)


def supervised(folder):
    return T.Supervisor(logdir=folder, save_model_secs=0).managed_session()


@pytest.mark.parametrize("begin", [monitored, supervised])
def test_what_earlier_runs_saved_counts_among_what_is_kept(tmp_path, begin):
    for last in range(1, 8):
        with tf.Graph().as_default():
            train = counting_model()
            with begin(str(tmp_path)) as session:
                session.run(train)
        kept = {path.stem for path in tmp_path.glob("*.index")}
        first = 0 if begin is monitored else 1  # only hooks save what a training begins with
        every = [f"model.ckpt-{step}" for step in range(first, last + 1)]
        assert kept == set(every[-5:])
        assert {path.stem for path in tmp_path.glob("*.meta")} == kept


class Recorder(T.SessionRunHook):
    def __init__(self, fetch, feed=None):
        self.fetch, self.feed, self.seen = fetch, feed, []

    def begin(self):
        self.seen.append("begin")

    def after_create_session(self, session, coord):
        self.seen.append("created")

    def before_run(self, context):
        self.seen.append(context.original_args.fetches)
        return T.SessionRunArgs(self.fetch, self.feed)

    def after_run(self, context, values):
        self.seen.append(values.results)
        if len(self.seen) > 5:
            context.request_stop()

    def end(self, session):
        self.seen.append("end")


def test_hooks_see_what_they_ask_for():
    x = tf.placeholder(tf.float32, [])
    y, z = x * 2, x * 3
    hook = Recorder({"z": z}, {x: 5.0})
    with T.MonitoredSession(hooks=[hook]) as session:
        got = []
        while not session.should_stop():
            got.append(session.run(y))
    assert got == [10, 10]
    assert hook.seen == ["begin", "created", y, {"z": 15}, y, {"z": 15}, "end"]


def test_the_end_of_input_is_no_error_but_others_are():
    nan = tf.constant(float("nan"))
    with pytest.raises(T.NanLossDuringTrainingError), \
            T.MonitoredSession(hooks=[T.NanTensorHook(nan)]) as session:  # fmt: skip
        session.run(nan)
    with T.MonitoredSession() as session:
        raise tf.errors.OutOfRangeError(None, None, "the end")
    with pytest.raises(RuntimeError, match="after should_stop"):
        session.run(nan)


def test_a_coordinator_stops_all_and_hands_on_errors():
    coord = T.Coordinator()

    def fail():
        with coord.stop_on_exception():
            raise KeyError("lost")

    def wait():
        coord.wait_for_stop()

    threads = [threading.Thread(target=target) for target in (fail, wait)]
    for thread in threads:
        thread.start()
    with pytest.raises(KeyError, match="lost"):
        coord.join(threads)
    assert coord.should_stop() and coord.joined
    coord.clear_stop()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.join()


def test_a_looper_calls_until_it_is_stopped():
    coord, calls = T.Coordinator(), []

    def call(word):
        calls.append(word)
        if len(calls) == 3:
            coord.request_stop()

    looper = T.LooperThread.loop(coord, None, call, ("x",))
    coord.join([looper])
    assert calls == ["x"] * 3
    with tf.Session() as session:
        tf.constant(1)
        assert T.start_queue_runners(session, coord) == []


def test_a_supervisor_restores_what_it_saved(tmp_path):
    train = counting_model()
    for expected in (3, 6):
        supervisor = T.Supervisor(logdir=str(tmp_path), save_model_secs=0)
        with supervisor.managed_session() as session:
            for _ in range(3):
                session.run(train)
            assert session.run(supervisor.global_step) == expected


def test_a_supervisor_writes_summaries(tmp_path):
    train = counting_model()
    tf.summary.scalar("seven", tf.constant(7.0))
    supervisor = T.Supervisor(logdir=str(tmp_path), save_model_secs=0, save_summaries_secs=0.01)
    with supervisor.managed_session() as session:
        session.run(train)
        supervisor.summary_computed(session, session.run(supervisor.summary_op), 41)
        for _ in range(1000):
            supervisor.summary_writer.flush()
            if any(event.step == 1 for event in events_of(tmp_path)):
                break
            time.sleep(0.01)
    found = {event.step: value.simple_value for event in events_of(tmp_path)
             for value in event.summary.value}  # fmt: skip
    assert found[1] == found[41] == 7.0
    for refused in ("ready_op", "session_manager", "local_init_run_options"):
        with pytest.raises(NotImplementedError, match=refused):
            T.Supervisor(**{refused: object()})


def test_a_supervisor_starts_nothing_it_is_not_asked_for(tmp_path):
    train = counting_model()
    supervisor = T.Supervisor(logdir=str(tmp_path), save_model_secs=0.01)
    with supervisor.managed_session("", None, False, False) as session:
        session.run(train)
        assert supervisor._threads == []
    supervisor.summary_writer.add_summary(tf.Summary(), 3)  # it is still open
    session = supervisor.prepare_or_wait_for_session("", None, False, 1, False)
    assert session.run(supervisor.global_step) == 1
    assert supervisor._threads == []


@pytest.mark.parametrize("save_graph_def", [True, False])
def test_a_graph_is_written_as_asked(tmp_path, save_graph_def):
    train = counting_model()
    with T.MonitoredTrainingSession(checkpoint_dir=str(tmp_path),
                                    save_graph_def=save_graph_def) as session:  # fmt: skip
        session.run(train)
    assert (tmp_path / "graph.pbtxt").exists() == save_graph_def


def events_of(folder):
    """Return the events of all event files of a folder."""
    tf.summary.FileWriterCache.clear()
    files = sorted(folder.glob("events.out.tfevents.*"))
    return [event for file in files for event in T.summary_iterator(str(file))]


@pytest.mark.parametrize("use_resource", [False, True])  # read when the step ends, or begins
def test_a_monitored_training_writes_summaries_and_the_graph(tmp_path, use_resource):
    tf.get_variable_scope().set_use_resource(use_resource)
    train = counting_model()
    tf.summary.scalar("doubled", tf.global_variables()[1] * 2)
    with T.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_summaries_steps=2, log_step_count_steps=2,
        hooks=[T.StopAtStepHook(last_step=5)], save_checkpoint_steps=100,
    ) as session:  # fmt: skip
        while not session.should_stop():
            session.run(train)
    assert (tmp_path / "graph.pbtxt").read_text().startswith("node {")
    events = events_of(tmp_path)
    tags = {}
    for event in events:
        for value in event.summary.value:
            tags.setdefault(value.tag, []).append(event.step)
    assert tags["doubled"] == [1, 3, 5]
    assert tags["global_step/sec"]
    assert any(event.graph_def for event in events)
    saved = [event.step for event in events if event.session_log.checkpoint_path]
    assert saved == [0, 5]


def test_summaries_of_a_hook_are_of_its_own_operation(tmp_path):
    train = counting_model()
    mine = tf.summary.scalar("mine", 1.0)
    with pytest.raises(ValueError, match="Exactly one"):
        T.SummarySaverHook(save_steps=1, output_dir=str(tmp_path))
    hook = T.SummarySaverHook(save_steps=1, output_dir=str(tmp_path), summary_op=mine)
    with T.MonitoredSession(hooks=[hook]) as session:
        for _ in range(3):
            session.run(train)
    steps = [event.step for event in events_of(tmp_path) if event.summary.value]
    assert steps == [1, 2, 3]


@pytest.mark.parametrize("use_resource", [False, True])  # read when the step ends, or begins
def test_a_profiler_writes_timelines(tmp_path, use_resource):
    tf.get_variable_scope().set_use_resource(use_resource)
    train = counting_model()
    hook = T.ProfilerHook(save_steps=2, output_dir=str(tmp_path / "made"))
    with T.MonitoredSession(hooks=[hook]) as session:
        for _ in range(5):
            session.run(train)
    files = sorted(file.name for file in (tmp_path / "made").glob("timeline-*"))
    assert files == ["timeline-2.json", "timeline-4.json"]
    rows = json.loads((tmp_path / "made" / "timeline-4.json").read_text())["traceEvents"]
    assert any(row["name"].startswith("AssignAdd") for row in rows)
