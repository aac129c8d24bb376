"""The process ends while steps run: without a signal, and without waiting for them."""

import random
import subprocess
import sys
import time

import pytest

_PROGRAM = """
import os, sys, threading, time
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tfbuild_runtime.compat.v1 as tf
tf.disable_eager_execution()
KIND, WAIT, ENDING = sys.argv[1], float(sys.argv[2]), sys.argv[3]
ones = np.ones((1500, 1500), np.float32)

def matmul():
    return tf.matmul(tf.matmul(ones, ones), tf.matmul(ones, ones))

def conv():
    return tf.nn.conv2d(np.ones((8, 224, 224, 16), np.float32), np.ones((5, 5, 16, 32), np.float32),
                        1, "SAME")

def conv_grad():
    x, w = tf.Variable(tf.ones((8, 112, 112, 16))), tf.Variable(tf.ones((5, 5, 16, 32)))
    return tf.gradients(tf.nn.conv2d(x, w, 1, "SAME"), [x, w])

def elementwise():
    x = tf.random_uniform([1 << 22])
    for _ in range(20):
        x = tf.sin(x) * tf.exp(-x)
    return x

def sort():
    return tf.nn.top_k(tf.random_uniform([1 << 20]), k=1 << 20)

def string():
    return tf.strings.regex_replace(["ab" * 50000] * 50, "(a|b)*c|ab", "x")

def py_func():
    return tf.py_func(lambda x: np.sort(np.random.rand(100000)), [1.0], tf.float64)

def queue():
    return tf.FIFOQueue(3, [tf.float32]).dequeue()

def dataset():
    data = tf.data.Dataset.range(1 << 40)
    data = data.map(lambda x: tf.matmul(ones, ones)[0, 0] + tf.cast(x, tf.float32), 4)
    return data.prefetch(2).make_one_shot_iterator().get_next()

def dataset_of_python():
    data = tf.data.Dataset.range(1 << 40)
    data = data.map(lambda x: tf.py_func(lambda y: y + 1, [x], tf.int64), 4)
    return data.prefetch(2).make_one_shot_iterator().get_next()

def linalg():
    return tf.linalg.svd(tf.random_uniform([300, 300]))

def loop():
    return tf.while_loop(lambda _: True, lambda x: -x, [tf.constant(1.0)])

def writer():
    return tf.summary.scalar("x", tf.reduce_sum(tf.matmul(ones, ones)))

session = tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=3 if WAIT > 0.2 else 1))
y = globals()[KIND]()
session.run(tf.global_variables_initializer())
begun = threading.Event()

def work():
    begun.set()
    while True:
        session.run(y)

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(WAIT)
if ENDING == "error":
    raise ValueError("as planned")
if ENDING == "thread":
    threading.Thread(target=sys.exit).start()
if ENDING == "status":
    sys.exit(7)
if ENDING == "fork":
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
"""

_KINDS = [
    "matmul", "conv", "conv_grad", "elementwise", "sort", "string", "py_func", "queue", "dataset",
    "dataset_of_python", "linalg", "loop", "writer",
]  # fmt: skip
_CODES = {"end": 0, "error": 1, "thread": 0, "status": 7, "fork": 0}


def end_of(kind, wait, ending):
    """The exit code of a program that ends amidst such work, and the seconds that its end took."""
    program = [sys.executable, "-c", _PROGRAM, kind, str(wait), ending]
    begun = time.monotonic()
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == _CODES[ending], (kind, wait, ending, done.stderr[-2000:])
    assert "terminate called" not in done.stderr
    return time.monotonic() - begun


@pytest.mark.parametrize("kind", ["matmul", "conv_grad", "dataset_of_python"])
def test_a_process_ends_amidst_its_steps(kind):
    for wait in (0.1, 0.3):
        end_of(kind, wait, "end")


@pytest.mark.slow
@pytest.mark.parametrize("kind", _KINDS)
def test_a_process_ends_at_any_moment(kind):
    chance = random.Random(kind)
    # A fork waits for steps, and this one has no end.
    endings = [ending for ending in (*_CODES, "end") if (kind, ending) != ("loop", "fork")]
    for ending in endings:
        assert end_of(kind, chance.uniform(0, 0.6), ending) < 60
