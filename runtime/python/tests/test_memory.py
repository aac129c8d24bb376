"""What steps take of memory: at once, and after very many."""

from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

MEBIBYTE = 1 << 20


def resident():
    """Bytes of this process that lie in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def dense(x, units, name):
    w = tf.get_variable(f"{name}/w", [int(x.shape[-1]), units])
    b = tf.get_variable(f"{name}/b", [units], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, w), b)


def convolutional_step():
    x = tf.placeholder(tf.float32, [None, 32, 32, 3])
    labels = tf.placeholder(tf.int32, [None])
    kernel = tf.get_variable("kernel", [3, 3, 3, 32])
    h = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"))
    h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    logits = dense(tf.reshape(h, [-1, 16 * 16 * 32]), 10, "dense")
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    return x, labels, tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)


def test_memory_serves_tensors_of_other_sizes(python):
    """The blocks behind a step's tensors are little more than what it takes at once."""
    printed = python(
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "os.environ['CUDA_VISIBLE_DEVICES'] = ''\n"
        "import numpy as np, tfbuild_runtime.compat.v1 as tf, test_memory\n"
        "x, labels, train = test_memory.convolutional_step()\n"
        "feed = {x: np.ones((64, 32, 32, 3), 'f'), labels: np.zeros(64, int)}\n"
        "session = tf.Session()\n"
        "session.run(tf.global_variables_initializer())\n"
        "small = {x: np.ones((1, 32, 32, 3), 'f'), labels: np.zeros(1, int)}\n"
        "session.run(train, small)\n"
        "before = test_memory.resident()\n"
        "for _ in range(3): session.run(train, feed)\n"
        "grown = test_memory.resident() - before\n"
        "options, metadata = tf.RunOptions(trace_level=1), tf.RunMetadata()\n"
        "session.run(train, feed, options=options, run_metadata=metadata)\n"
        "print(grown, metadata.peak_bytes['cpu'])\n",
        str(Path(__file__).parent),
    )
    grown, peak = map(int, printed.split())
    assert 16 * MEBIBYTE < peak < 22 * MEBIBYTE  # two activations of 8 MiB and what goes with them
    assert grown < 1.4 * peak + 4 * MEBIBYTE


@pytest.mark.parametrize("steps", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_grows_over_steps_of_changing_shapes(steps):
    x = tf.placeholder(tf.float32, [None, None])
    w = tf.get_variable("w", [256, 8])
    padded = tf.pad(x, [[0, 0], [0, 256 - tf.shape(x)[1]]])
    padded.set_shape([None, 256])
    loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(padded, w)) + tf.reduce_sum(x)))
    train = tf.train.AdamOptimizer(1e-5).minimize(loss)
    random = np.random.RandomState(0)
    shapes = [(random.randint(1, 600), random.randint(1, 257)) for _ in range(500)]
    values = [np.full(shape, 1e-6, np.float32) for shape in shapes]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        step = session.make_callable([train, loss], [x])
        sizes = []
        for number in range(steps):
            step(values[random.randint(len(values))])
            if number % (steps // 10) == steps // 10 - 1:
                sizes.append(resident())
    assert max(sizes[4:]) - sizes[3] < 8 * MEBIBYTE, sizes


def layered_step(layers):
    """A sum of squares behind so many layers of 4 MiB, none of which another step reads."""
    x = tf.placeholder(tf.float32, [None, 1024])
    h = x
    for i in range(layers):
        w = tf.get_variable(f"w{i}", [1024], initializer=tf.ones_initializer())
        h = tf.cumsum(h * w, axis=1, exclusive=True) * 1e-3
    return x, tf.reduce_sum(tf.square(h))


def test_a_step_gives_the_same_with_and_without_a_plan_for_its_memory():
    x, total = layered_step(6)
    large, small = (np.random.RandomState(n).rand(n, 1024).astype("f") for n in (1024, 300))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        step = session.make_callable(total, [x])
        first = step(large)
        # Planned from the second on; others between them take other sizes.
        assert [step(large) for _ in range(3)] == [first] * 3
        second = step(small)
        assert step(large) == first
        assert [step(small) for _ in range(8)] == [second] * 8
        assert [step(large) for _ in range(8)] == [first] * 8


def kept_by_caller(x, total):
    kept = []
    return lambda run: kept.append(run(total, {x: 1})), kept


def kept_by_queue(x, total):
    queue = tf.FIFOQueue(1000, [tf.float32], shapes=[[1024]])
    enqueue = queue.enqueue(total)
    return lambda run: run(enqueue, {x: 1}), queue


def kept_by_variables(x, total):
    assigned = [
        tf.assign(tf.get_variable(f"kept{i}", initializer=tf.zeros([1024])), total).op
        for i in range(40)
    ]
    return lambda run: [run(assign, {x: 1}) for assign in assigned for _ in range(3)], assigned


@pytest.mark.parametrize(
    ("keeper", "steps"), [(kept_by_caller, 200), (kept_by_queue, 200), (kept_by_variables, 2)]
)
def test_a_small_result_that_is_kept_keeps_no_more_of_its_step(keeper, steps):
    """Each step takes 8 MiB and more, and 4 KiB of it outlive it."""
    x = tf.placeholder(tf.float32, [])
    h = tf.fill([1024, 1024], x)
    for _ in range(4):
        h = tf.cumsum(h, axis=1) * 1e-3
    keep_one, kept = keeper(x, tf.reduce_sum(h, 0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            keep_one(session.run)
        before = resident()
        for _ in range(steps):
            keep_one(session.run)
        assert resident() - before < 16 * MEBIBYTE
    assert kept is not None  # until here
