"""Two convolutions, dropout and Adam on handwritten digits; saved, restored, and asked again.

python convolutional_network.py [--epochs 12] [--checkpoint FOLDER]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from digits import CLASSES, SIDE, batches, load_digits, random_digits

BATCH, RATE, KEEP = 64, 0.005, 0.75


def weights(name, *shape):
    """Return a variable with small random first values."""
    deviation = float(np.sqrt(2.0 / np.prod(shape[:-1])))
    first = tf.truncated_normal_initializer(stddev=deviation, seed=11)
    return tf.get_variable(name, shape, initializer=first)


def convolution(name, images, filters):
    """Return 3 x 3 convolution, relu, and the largest of each 2 x 2."""
    with tf.variable_scope(name):
        kernel = weights("kernel", 3, 3, images.shape.as_list()[-1], filters)
        bias = tf.get_variable("bias", [filters], initializer=tf.zeros_initializer())
        out = tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME")
        out = tf.nn.relu(tf.nn.bias_add(out, bias))
        return tf.nn.max_pool(out, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


class Model:
    """Logits of two convolutions and a full layer."""

    def __init__(self):
        self.images = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="images")
        self.labels = tf.placeholder(tf.int64, [None], name="labels")
        self.keep = tf.placeholder_with_default(1.0, [], name="keep")
        out = convolution("first", tf.expand_dims(self.images, 3), 16)
        out = convolution("second", out, 32)
        size = int(np.prod(out.shape.as_list()[1:]))
        out = tf.nn.dropout(tf.reshape(out, [-1, size]), keep_prob=self.keep, seed=5)
        bias = tf.get_variable("bias", [CLASSES], initializer=tf.zeros_initializer())
        self.logits = tf.nn.bias_add(tf.matmul(out, weights("full", size, CLASSES)), bias)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.labels, logits=self.logits
        )
        self.loss = tf.reduce_mean(losses)
        self.step = tf.train.AdamOptimizer(RATE).minimize(self.loss)
        right = tf.equal(tf.argmax(self.logits, 1), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        for name in ("loss", "step", "accuracy"):  # by which others find them in a saved graph
            tf.add_to_collection(name, getattr(self, name))

    def feed(self, images, labels, keep=1.0):
        """Return what a step is fed with."""
        return {self.images: images, self.labels: labels, self.keep: keep}


def train(epochs=12, folder=None):
    """Train, save, and ask the restored network; return losses and accuracy."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    with tempfile.TemporaryDirectory() as scratch:
        path = str(Path(folder or scratch) / "model")
        with tf.Graph().as_default():
            tf.set_random_seed(17)
            model, losses, saver = Model(), [], tf.train.Saver()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for images, labels in batches(seen, seen_labels, BATCH, epochs):
                    feed = model.feed(images, labels, KEEP)
                    loss, _ = session.run([model.loss, model.step], feed)
                    losses.append(float(loss))
                saver.save(session, path)
            with tf.Session() as session:
                saver.restore(session, path)
                accuracy = session.run(model.accuracy, model.feed(unseen, unseen_labels))
    return {"losses": losses, "accuracy": float(accuracy)}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    model = Model()
    return model.step, model.feed(*random_digits(BATCH), KEEP)


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument(
        "--checkpoint", metavar="FOLDER", help="where it is saved (default: nowhere)"
    )
    options = parser.parse_args()
    results = train(options.epochs, options.checkpoint)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of unseen digits are right, from the restored network")


if __name__ == "__main__":
    main()
