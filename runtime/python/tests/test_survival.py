"""What would end or hang the whole process: forks, threads at the end, memory that is not there."""

import pytest

_STEP = """
import os, sys, threading
import numpy as np
import tfbuild_runtime.compat.v1 as tf
tf.disable_eager_execution()
ones = np.ones((400, 400), np.float32)
fed = tf.placeholder(tf.float32, [None, None])
both = [tf.reduce_sum(tf.matmul(fed, fed)), tf.reduce_sum(tf.matmul(fed, fed + 1))]
session = tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=THREADS))
def step():
    return [float(value) for value in session.run(both, {fed: ones})]
"""

_FORK = """
before = step()
child = os.fork()
if child == 0:
    with tf.Session() as fresh:
        assert [float(value) for value in fresh.run(both, {fed: ones})] == before
    os._exit(0 if step() == before else 3)
assert os.waitpid(child, 0)[1] == 0
assert step() == before
print("done")
"""

_FORK_AMONG_STEPS = """
before = step()
ended = threading.Event()
def work():
    while not ended.is_set():
        assert step() == before
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if step() == before else 3)
    assert os.waitpid(child, 0)[1] == 0
ended.set()
for thread in threads:
    thread.join()
print("done")
"""

_POOL = """
import multiprocessing
def work(count):
    return step() if count else None
before = step()
with multiprocessing.get_context("fork").Pool(3) as pool:
    assert pool.map(work, range(1, 9)) == [before] * 8
print("done")
"""

_DAEMONS = """
values = ones.tolist() if CONVERTED else ones
started = threading.Event()
def work():
    while True:
        if WRONG:
            try:
                session.run(both, {fed: np.ones((2, 3))})
            except tf.errors.OpError:
                pass
        else:
            session.run(both, {fed: values})
        started.set()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
started.wait()
print("done")
"""

_NO_MEMORY = """
import resource
step()
resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
def refused(fetch, feeds=None):
    try:
        session.run(fetch, feeds)
    except tf.errors.ResourceExhaustedError as error:
        return error
    raise AssertionError("it ran")
fill = tf.fill([1 << 30], 1.0, name="large")
assert refused(fill).op is fill.op
refused(tf.fill([1 << 28], "text"))
refused(tf.tile(tf.constant(["text"]), [1 << 28]))
refused(tf.range(1 << 30))
assert step() == step()
print("done")
"""


def outcome(python, script, **settings):
    """What a script prints that runs in a process of its own, with its first words replaced."""
    for name, value in {"THREADS": 0, **settings}.items():
        script = script.replace(name, str(value))
    # Of the processor: CUDA works in no child of a fork, and takes more addresses than there are.
    return python("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\n" + script)


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("script", [_FORK, _FORK_AMONG_STEPS, _POOL])
def test_the_child_of_a_fork_works(script, threads, python):
    assert outcome(python, _STEP + script, THREADS=threads) == "done\n"


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize(("converted", "wrong"), [(False, False), (True, False), (False, True)])
def test_daemon_threads_end_quietly_with_the_program(threads, converted, wrong, python):
    script = _STEP + _DAEMONS
    settings = {"THREADS": threads, "CONVERTED": converted, "WRONG": wrong}
    assert [outcome(python, script, **settings) for _ in range(5)] == ["done\n"] * 5


@pytest.mark.parametrize("threads", [0, 3])
def test_memory_that_is_not_there_is_an_error(threads, python):
    assert outcome(python, _STEP + _NO_MEMORY, THREADS=threads) == "done\n"
