"""Speed of one training step of a perceptron, 64 x 784 - 256 - 10, plain gradient descent.

The batch is fed at each step as a training loop does. NumPy computes the same by hand.
"""

from functools import partial

import numpy as np
import probe_tools as probe

BATCH, INPUTS, HIDDEN, CLASSES, RATE = 64, 784, 256, 10, 0.01


def make_arrays():
    """Images, labels and the two weight matrices."""
    random = np.random.default_rng(0)
    return (
        random.standard_normal((BATCH, INPUTS), dtype=np.float32),
        random.integers(0, CLASSES, BATCH).astype(np.int64),
        random.standard_normal((INPUTS, HIDDEN), dtype=np.float32) * np.float32(0.05),
        random.standard_normal((HIDDEN, CLASSES), dtype=np.float32) * np.float32(0.05),
    )


def graph_step(tf, device):
    """A function that trains one step."""
    images, labels, first, second = make_arrays()
    with tf.device(device):
        fed_images = tf.placeholder(tf.float32, [BATCH, INPUTS])
        fed_labels = tf.placeholder(tf.int64, [BATCH])
        hidden = tf.matmul(fed_images, probe.variable(tf, first))
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, probe.variable(tf, np.zeros(HIDDEN, "f4"))))
        logits = tf.matmul(hidden, probe.variable(tf, second))
        logits = tf.nn.bias_add(logits, probe.variable(tf, np.zeros(CLASSES, "f4")))
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=fed_labels, logits=logits)
        )
        step = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
    session = probe.started_session(tf)
    feed = {fed_images: images, fed_labels: labels}
    return lambda: session.run(step, feed)


def numpy_step():
    """The same with NumPy."""
    images, labels, first, second = make_arrays()
    first_bias, second_bias = np.zeros(HIDDEN, "f4"), np.zeros(CLASSES, "f4")
    rows = np.arange(BATCH)

    def step():
        hidden = np.maximum(images @ first + first_bias, 0)
        logits = hidden @ second + second_bias
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = powers / powers.sum(axis=1, keepdims=True)
        error[rows, labels] -= 1
        error /= BATCH
        below = (error @ second.T) * (hidden > 0)
        second[...] -= RATE * (hidden.T @ error)
        first[...] -= RATE * (images.T @ below)
        second_bias[...] -= RATE * error.sum(axis=0)
        first_bias[...] -= RATE * below.sum(axis=0)

    return step


def timings(module, device):
    """One step."""
    kind = probe.kind_of(module)
    if kind not in ("numpy", "tensorflow"):
        raise probe.NotForThis(f"{module.__name__} does not run this graph")
    make = numpy_step if kind == "numpy" else partial(graph_step, module, device)
    return {"train_step": probe.Timed(make, "us")}


if __name__ == "__main__":
    probe.serve(__doc__, timings)
