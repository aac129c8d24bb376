"""Forks among steps that wait, that need the GIL or that have no end.

The parent goes on, and the child works, or says what it cannot do. Each script is a process of its
own.
"""

import pytest

_BEGIN = """
import os, sys, threading, time
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # CUDA works in no child of a fork
import numpy as np
import tfbuild_runtime.compat.v1 as tf

session = tf.Session()
ones = tf.reduce_sum(tf.matmul(tf.ones([64, 64]), tf.ones([64, 64])))

def in_thread(function):
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread

def check_child(work):
    child = os.fork()
    if child == 0:
        try:
            assert session.run(ones) == 64 ** 3
            with tf.Session() as fresh:
                assert fresh.run(ones) == 64 ** 3
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

def nothing():
    pass
"""

# A thread reads what other threads of the dataset compute in Python.
_DATASETS = """
def function(x):
    return np.float32(x)

def generate():
    number = 0
    while True:
        yield number
        number += 1

Dataset = tf.data.Dataset
def mapped(calls):
    return Dataset.range(1 << 40).map(lambda x: tf.py_func(function, [x], tf.float32), calls)
datasets = {
    "map": lambda: mapped(None),
    "map ahead": lambda: mapped(None).prefetch(2),
    "parallel map": lambda: mapped(3),
    "generator ahead": lambda: Dataset.from_generator(generate, tf.float32, []).prefetch(1),
    "ahead twice": lambda: mapped(3).prefetch(1).map(lambda x: x + 1, 2).prefetch(2),
    "interleaved": lambda: Dataset.range(4).interleave(lambda x: mapped(None), 2,
                                                        num_parallel_calls=2),
}
iterator = datasets[KIND]().make_initializable_iterator()
element = iterator.get_next()
session.run(iterator.initializer)
session.run(element)
ended = threading.Event()
def read():
    while not ended.is_set():
        session.run(element)
threads = [in_thread(read) for _ in range(2)]

def read_again():
    try:
        session.run(element)
    except tf.errors.FailedPreconditionError as error:
        assert "initialize" in error.message
    session.run(iterator.initializer)
    session.run(element)

for _ in range(15):
    check_child(read_again)
ended.set()
for thread in threads:
    thread.join()
print("done")
"""

_KINDS = ("map", "map ahead", "parallel map", "generator ahead", "ahead twice", "interleaved")

_ENDLESS = {
    "loop": """
fetch = tf.while_loop(lambda x: True, lambda x: x + 1, [tf.constant(0.0)])
""",
    "dataset": """
fetch = tf.data.Dataset.range(1 << 62).filter(lambda x: x < 0).make_one_shot_iterator().get_next()
""",
    "skip": """
fetch = tf.data.Dataset.range(1 << 62).skip(1 << 61).make_one_shot_iterator().get_next()
""",
    "function": """
fetch = tf.py_func(lambda: time.sleep(1000), [], tf.float32)
""",
    "kernel of Python's": """
import ctypes
kernel = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(lambda *_: time.sleep(1000))
(fetch,) = tf.native_function(kernel, [tf.random_uniform([1])], [tf.float32], [0])
""",
    "queue": """
fetch = tf.FIFOQueue(1, [tf.float32], shapes=[[]]).dequeue()
""",
    "function ahead": """
dataset = tf.data.Dataset.range(3).map(lambda x: tf.py_func(lambda: time.sleep(1000), [], tf.int64))
fetch = dataset.prefetch(1).make_one_shot_iterator().get_next()
""",
}

_AMONG_ENDLESS = """
other = tf.Session()
def work():
    try:
        other.run(fetch)
    except tf.errors.OpError:
        pass
thread = in_thread(work)
time.sleep(0.1)  # most find it running, whatever it is
for _ in range(10):
    check_child(nothing)
if ENDS:
    other.close()
    thread.join()
print("done")
sys.stdout.flush()
os._exit(0)
"""

# What is fed goes where nobody has the GIL: a queue's other end drops the last share of it.
_FEEDS = """
queue = tf.FIFOQueue(2, [tf.float32], shapes=[[1000]])
fed = tf.placeholder(tf.float32, [None, 1000])
put, taken = queue.enqueue_many([fed]), queue.dequeue()
ended = threading.Event()
def feed():
    while not ended.is_set():
        session.run(put, {fed: np.ones([4, 1000], np.float32)})
    session.run(queue.close())
def take():
    try:
        while True:
            session.run(taken)
    except tf.errors.OutOfRangeError:
        pass
threads = [in_thread(feed), in_thread(take)]
for _ in range(100):
    check_child(nothing)
ended.set()
for thread in threads:
    thread.join()
print("done")
"""

# A kernel under whose step a fork waits, and longer than a fork does.
_STUCK = """
other = tf.Session()
stuck = tf.linalg.svd(tf.random_normal([3000, 3000]))
def work():
    try:
        other.run(stuck)
    except tf.errors.CancelledError:
        pass
thread = in_thread(work)
time.sleep(1)
child = os.fork()
if child == 0:
    for forked in (session, other, tf.Session()):
        try:
            forked.run(ones)
        except tf.errors.FailedPreconditionError as error:
            assert "forked" in error.message, error
        else:
            os._exit(1)
        forked.close()
    tf.constant(np.ones(100000)) + 1
    sys.exit(7)
assert os.waitpid(child, 0)[1] >> 8 == 7
other.close()
thread.join()
assert session.run(ones) == 64 ** 3
print("done")
"""


@pytest.mark.parametrize("kind", _KINDS)
def test_a_fork_among_threads_of_datasets(kind, python):
    assert python(_BEGIN + _DATASETS.replace("KIND", repr(kind))) == "done\n"


@pytest.mark.parametrize("kind", _ENDLESS)
def test_a_fork_beside_a_step_without_an_end(kind, python):
    ends = "function" not in kind and "kernel" not in kind
    script = _BEGIN + _ENDLESS[kind] + _AMONG_ENDLESS.replace("ENDS", str(ends))
    assert python(script) == "done\n"


def test_a_fork_among_steps_that_are_fed(python):
    assert python(_BEGIN + _FEEDS) == "done\n"


@pytest.mark.slow
def test_a_fork_beside_a_kernel_that_does_not_let_go(python):
    assert python(_BEGIN + _STUCK) == "done\n"
