"""Steps of many kinds in processes with little address space: run by test_little_memory.py.

`little_memory.py sweep THREADS AMOUNTS [NAME ...]` runs each program with each amount in a child
of its own, forked from this process, which has imported the runtime and built the graph but run no
step. An amount is the MiB that the child gets beside what it has. Prints JSON: program -> outcome
-> the amounts.

`little_memory.py all THREADS` runs everything in this process, which its caller has limited, and
says "imported" before.
"""

import collections
import json
import os
import resource
import signal
import sys
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf

# What is said where there is no memory.
REFUSALS = (MemoryError, tf.errors.ResourceExhaustedError)
# Exit statuses of a child, far from those of Python, libgomp and the loader.
RESULT, REFUSED, WRONG_VALUE, WRONG_ERROR, BROKEN = range(40, 45)
OUTCOMES = {
    RESULT: "result",
    REFUSED: "refused",
    WRONG_VALUE: "wrong value",
    WRONG_ERROR: "wrong error",
    BROKEN: "broken after a refusal",
}
SECONDS = 120
IMAGES, FILTERS = (4, 28, 28, 8), (3, 3, 8, 16)


def values(*shape):
    count = int(np.prod(shape))
    return (np.arange(count, dtype=np.float32) % 17 / 16 - 0.5).reshape(shape)


def convolution():
    """The operands of a convolution, what they are fed, and the result."""
    x, w = tf.placeholder(tf.float32, IMAGES), tf.placeholder(tf.float32, FILTERS)
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    return x, w, {x: values(*IMAGES), w: values(*FILTERS)}, y


# A program: (fetches, feeds) in the default graph.


def matmul():
    x = tf.placeholder(tf.float32, [None, None])
    return [tf.matmul(x, x), tf.matmul(x, x, transpose_b=True)], {x: values(300, 300)}


def small_matmul():
    x = tf.placeholder(tf.float32, [None, None])
    turned = [tf.matmul(x, x, one, other) for one in (False, True) for other in (False, True)]
    return [*turned, tf.matmul(x, x[:, :1]), tf.matmul(x[:1], x)], {x: values(60, 60)}


def batch_matmul():
    x = tf.placeholder(tf.float32, [None, None, None])
    return [tf.matmul(x, x)], {x: values(6, 120, 120)}


def double_matmul():
    x = tf.placeholder(tf.float64, [None, None])
    return [tf.matmul(x, x, transpose_b=True)], {x: values(200, 200).astype(np.float64)}


def conv2d():
    _, _, feeds, y = convolution()
    return [y], feeds


def conv2d_to_input():
    x, _, feeds, y = convolution()
    return tf.gradients(y * y, [x]), feeds


def conv2d_to_filter():
    _, w, feeds, y = convolution()
    return tf.gradients(y * y, [w]), feeds


def pooling():
    x = tf.placeholder(tf.float32, IMAGES)
    settings = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    both = [pool(x, **settings) for pool in (tf.nn.max_pool, tf.nn.avg_pool)]
    return both + tf.gradients(both, [x]), {x: values(*IMAGES)}


def softmax():
    x = tf.placeholder(tf.float32, [None, None])
    return [tf.nn.softmax(x), tf.nn.log_softmax(x)], {x: values(500, 1000)}


def reductions():
    x = tf.placeholder(tf.float32, [None, None])
    over = [tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_max(x, 1), tf.argmax(x, 1)]
    return over, {x: values(700, 900)}


def elementwise():
    x = tf.placeholder(tf.float32, [None])
    return [tf.exp(x), tf.tanh(x), tf.sigmoid(x), x * x + x], {x: values(400_000)}


def layout():
    x = tf.placeholder(tf.float32, [None, None, None])
    grown = [tf.concat([x, x], 1), tf.tile(x, [1, 2, 1]), tf.pad(x, [[1, 1]] * 3)]
    return [tf.transpose(x, [2, 0, 1]), *grown], {x: values(60, 70, 80)}


def random():
    return [tf.random_normal([300, 300], seed=5), tf.random_uniform([300_000], seed=5)], {}


def training():
    x = tf.placeholder(tf.float32, [None, 14, 14, 3])
    filters, weights = tf.Variable(values(3, 3, 3, 8)), tf.Variable(values(7 * 7 * 8, 10))
    y = tf.nn.relu(tf.nn.conv2d(x, filters, strides=[1, 1, 1, 1], padding="SAME"))
    y = tf.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    logits = tf.matmul(tf.reshape(y, [-1, 7 * 7 * 8]), weights)
    labels = tf.one_hot(tf.range(32) % 10, 10)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    with tf.control_dependencies([tf.train.AdamOptimizer(0.01).minimize(loss)]):
        after = tf.identity(loss)
    return [after], {x: values(32, 14, 14, 3)}


PROGRAMS = (
    matmul, small_matmul, batch_matmul, double_matmul, conv2d, conv2d_to_input, conv2d_to_filter,
    pooling, softmax, reductions, elementwise, layout, random, training,
)  # fmt: skip


class Program:
    """A graph that is built, and sessions that run it."""

    def __init__(self, build, threads):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.fetches, self.feeds = build()
            self.initializer = tf.global_variables_initializer()
        self.config = tf.ConfigProto(inter_op_parallelism_threads=threads)

    def run(self):
        with tf.Session(graph=self.graph, config=self.config) as session:
            session.run(self.initializer)
            return session.run(self.fetches, self.feeds)

    def run_within(self, extra):
        """RESULT or REFUSED with so many bytes more; what was refused must run with all of them."""
        before = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + extra
        resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
        try:
            found, outcome = self.run(), RESULT
        except REFUSALS:
            found, outcome = None, REFUSED
        resource.setrlimit(resource.RLIMIT_AS, before)
        try:
            expected = self.run()
        except Exception as error:  # noqa: BLE001  (whatever it is, it is not a result)
            complain(error)
            return BROKEN
        pairs = zip(found or expected, expected)
        # Another path may be taken where memory is short; what counts is that nothing is wrong.
        right = all(np.allclose(one, other, rtol=1e-3, atol=1e-4) for one, other in pairs)
        return outcome if right else WRONG_VALUE


def complain(error):
    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)


def outcome_in_child(program, extra):
    """How a child of this process ends that runs the program within so many bytes more."""
    child = os.fork()
    if child == 0:
        status = WRONG_ERROR
        try:
            signal.alarm(SECONDS)
            status = program.run_within(extra)
        except BaseException as error:  # noqa: BLE001  (the status says it)
            complain(error)
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return OUTCOMES.get(os.WEXITSTATUS(status), f"exit {os.WEXITSTATUS(status)}")


def sweep(threads, amounts, *names):
    found = {}
    for build in PROGRAMS:
        if names and build.__name__ not in names:
            continue
        program = Program(build, int(threads))
        ended = found[build.__name__] = collections.defaultdict(list)
        for amount in map(float, amounts.split()):
            ended[outcome_in_child(program, int(amount * 2**20))].append(amount)
    print(json.dumps(found))


def run_all(threads):
    print("imported", flush=True)
    try:
        for build in PROGRAMS:
            Program(build, int(threads)).run()
    except REFUSALS:
        sys.exit(REFUSED)
    sys.exit(RESULT)


if __name__ == "__main__":
    {"sweep": sweep, "all": run_all}[sys.argv[1]](*sys.argv[2:])
