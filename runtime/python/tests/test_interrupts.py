"""Steps that end early: Ctrl-C, a session that is closed, a timeout; and several CPU devices."""

import os
import signal
import threading
import time

import pytest
import tfbuild_runtime.compat.v1 as tf


@pytest.fixture(autouse=True)
def interruptible():
    """Ctrl-C means what it means on a terminal; a program in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def endless():
    """Return a loop that does not end by itself."""
    return tf.while_loop(lambda _: True, lambda x: -x, [tf.constant(1.0)])


def interrupt_after(seconds):
    """Send this process SIGINT, as Ctrl-C does, once that time is over."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c_ends_a_step_and_the_session_goes_on(threads):
    loop, x = endless(), tf.placeholder(tf.float32)
    config = tf.ConfigProto(inter_op_parallelism_threads=threads)
    with tf.Session(config=config) as session:
        session.run(x + 1.0, {x: 1.0})
        timer = interrupt_after(0.3)
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            session.run(loop)
        took = time.monotonic() - begun
        timer.join()
        assert 0.3 <= took < 3  # 0.35 on a quiet machine
        assert session.run(x + 1.0, {x: 2.0}) == 3.0


def test_ctrl_c_ends_a_long_chain_of_products():
    x = tf.random_uniform([400, 400])
    for _ in range(300):
        x = tf.matmul(x, x)
    with tf.Session() as session:
        timer = interrupt_after(1)
        with pytest.raises(KeyboardInterrupt):
            while True:
                session.run(x.op)
        timer.join()


def test_what_a_handler_of_the_program_raises_ends_a_step():
    class Enough(Exception):
        pass

    def raise_it(*_):
        raise Enough

    before = signal.signal(signal.SIGUSR1, raise_it)
    try:
        with tf.Session() as session:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
            with pytest.raises(Enough):
                session.run(endless())
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_may_fork_within_a_step():
    children = []

    def fork(*_):
        child = os.fork()
        if child == 0:
            os._exit(7)
        children.append(os.waitpid(child, 0)[1])

    before = signal.signal(signal.SIGUSR1, fork)
    try:
        loop = endless()
        with tf.Session() as session:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
            timer = interrupt_after(0.6)
            with pytest.raises(KeyboardInterrupt):
                session.run(loop)
            timer.join()
        assert children == [7 << 8]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_close_cancels_the_steps_of_other_threads():
    loop = endless()
    session = tf.Session()
    ends = []

    def run():
        with pytest.raises(tf.errors.CancelledError, match="Session::Close") as caught:
            session.run(loop)
        ends.append(caught.value)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)  # they run by then; one that came later would be refused
    session.close()
    for thread in threads:
        thread.join()
    assert len(ends) == 3
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(loop)


def test_a_timeout_ends_a_loop():
    with tf.Session() as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(endless(), options=tf.RunOptions(timeout_in_ms=100))


# ---- several processors ---------------------------------------------------------------------


def two_processors(**more):
    """Return a session with CPU:0 and CPU:1."""
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}, **more))


def test_a_session_has_as_many_processors_as_it_asks_for():
    tf.constant(1.0)
    with two_processors() as session:
        cpus = [d.name for d in session.list_devices() if d.device_type == "CPU"]
    place = "/job:localhost/replica:0/task:0/device:CPU:"
    assert cpus == [f"{place}0", f"{place}1"]


def test_values_and_variables_on_the_second_processor():
    with tf.device("/cpu:1"):
        v = tf.Variable(2.0, use_resource=True)
        square = tf.square(v)
    with tf.device("/cpu:0"):
        total = square + tf.cond(tf.constant(True), lambda: v / 2.0, lambda: v)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(total)
    with two_processors(allow_soft_placement=False) as session:
        session.run(v.initializer)
        assert session.run(total) == 5.0
        session.run(train)
        assert session.run(v) == 0.875
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="CPU:1"):
        session.run(total)


def test_a_loop_over_two_processors_and_its_gradient():
    x = tf.placeholder(tf.float64, [])

    def body(i, y):
        with tf.device("/cpu:1"):
            return i + 1, tf.sin(y) * x

    result = tf.while_loop(lambda i, _: i < 4, body, [0, x])[1]
    (slope,) = tf.gradients(result, x)
    soft = tf.ConfigProto(allow_soft_placement=True)
    with two_processors() as two, tf.Session(config=soft) as one:
        assert two.run([result, slope], {x: 1.5}) == one.run([result, slope], {x: 1.5})


def test_more_devices_than_anybody_needs_are_refused():
    with pytest.raises(ValueError, match="at most 1024"):
        tf.Session(config=tf.ConfigProto(device_count={"CPU": 2**31 - 1}))


@pytest.mark.parametrize("limit", [10**13, 2**63 - 1])
def test_a_time_beyond_the_clock_is_no_limit(limit):
    config = tf.ConfigProto(operation_timeout_in_ms=limit)
    with tf.Session(config=config) as session:
        assert session.run(tf.constant(1)) == 1
        assert session.run(tf.constant(2), options=tf.RunOptions(timeout_in_ms=limit)) == 2
