"""Writes training graphs beside it with a real TensorFlow, and the losses that it got.

    python make.py    # with tensorflow-cpu 2.21

Each graph has variables behind handles, an optimizer and its initializer; some have a loop or a
branch, whose gradients keep values on stacks.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

HERE = Path(__file__).resolve().parent
STEPS = 6


def weights(*shape, seed):
    """Return small random numbers."""
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32) * 0.3


def dense(x, units, name, seed):
    """Return a layer's result."""
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", initializer=weights(int(x.shape[-1]), units, seed=seed))
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(x, kernel), bias)


def layers(x, _):
    """Return logits of two layers."""
    return dense(tf.nn.relu(dense(x, 8, "first", 1)), 3, "second", 2)


def loop(x, _):
    """Return logits of a recurrent loop."""
    w = tf.get_variable("w", initializer=weights(6, 6, seed=3))
    scale = tf.get_variable("scale", initializer=0.5)
    state = tf.while_loop(
        lambda i, _: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w) * scale)), [0, x]
    )[1]
    return dense(state, 3, "last", 4)


def branch(x, _):
    """Return logits of one of two branches."""
    w = tf.get_variable("w", initializer=weights(6, 3, seed=5))
    v = tf.get_variable("v", initializer=weights(6, 3, seed=6))
    positive = tf.reduce_sum(tf.matmul(x, w)) > 0
    return tf.cond(positive, lambda: tf.matmul(x, w), lambda: tf.matmul(x, v) * 2.0)


def embedding(x, y):
    """Return logits of looked up rows."""
    rows = tf.nn.embedding_lookup(tf.get_variable("E", initializer=weights(10, 4, seed=7)), y)
    return dense(rows, 3, "last", 8) + 0.0 * tf.reduce_sum(x)


GRAPHS = {
    "layers_adam": (layers, lambda: tf.train.AdamOptimizer(0.05)),
    "loop_sgd": (loop, lambda: tf.train.GradientDescentOptimizer(0.2)),
    "branch_rmsprop": (branch, lambda: tf.train.RMSPropOptimizer(0.05)),
    "embedding_momentum": (embedding, lambda: tf.train.MomentumOptimizer(0.1, 0.9)),
    "embedding_adagrad": (embedding, lambda: tf.train.AdagradOptimizer(0.3)),
}


def train(name, inputs, labels):
    """Build a graph, write it, train it; return the names of its ends and its losses."""
    build, optimizer = GRAPHS[name]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 6], name="x")
        y = tf.placeholder(tf.int32, [None], name="y")
        logits = build(x, y)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        loss = tf.reduce_mean(losses, name="loss")
        step = tf.train.get_or_create_global_step()
        train_op = optimizer().minimize(loss, global_step=step)
        start = tf.global_variables_initializer()
        packed = gzip.compress(graph.as_graph_def().SerializeToString(), mtime=0)
        (HERE / f"{name}.pb.gz").write_bytes(packed)
        with tf.Session() as session:
            session.run(start)
            feed = {x: inputs, y: labels}
            found = [float(session.run([train_op, loss], feed)[1]) for _ in range(STEPS)]
    return {"init": start.name, "train": train_op.name, "loss": loss.name, "losses": found}


def main():
    """Write all graphs and one file of what they were fed and gave."""
    tf.disable_v2_behavior()
    tf.enable_resource_variables()
    random = np.random.RandomState(1)
    inputs = random.standard_normal((12, 6)).astype(np.float32)
    labels = random.randint(0, 3, 12).astype(np.int32)
    recorded = {"x": inputs.tolist(), "y": labels.tolist(), "tensorflow": tf.__version__}
    recorded["graphs"] = {name: train(name, inputs, labels) for name in GRAPHS}
    (HERE / "losses.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
