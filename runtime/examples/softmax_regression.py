"""Softmax regression on handwritten digits: the smallest program that learns.

python softmax_regression.py [--epochs 40]
"""

import argparse

import tfbuild_runtime.compat.v1 as tf
from digits import CLASSES, SIDE, batches, load_digits, random_digits

BATCH, RATE = 64, 0.5


class Model:
    """One matrix and one bias, trained by plain gradient descent."""

    def __init__(self):
        self.images = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="images")
        self.labels = tf.placeholder(tf.int64, [None], name="labels")
        weights = tf.Variable(tf.zeros([SIDE * SIDE, CLASSES]), name="weights")
        bias = tf.Variable(tf.zeros([CLASSES]), name="bias")
        logits = tf.matmul(tf.reshape(self.images, [-1, SIDE * SIDE]), weights) + bias
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        self.loss = tf.reduce_mean(losses)
        self.step = tf.train.GradientDescentOptimizer(RATE).minimize(self.loss)
        right = tf.equal(tf.argmax(logits, 1), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

    def feed(self, images, labels):
        """Return what a step is fed with."""
        return {self.images: images, self.labels: labels}


def train(epochs=40):
    """Train from nothing; return the loss of every step and the accuracy on unseen digits."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    with tf.Graph().as_default():
        model, losses = Model(), []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for images, labels in batches(seen, seen_labels, BATCH, epochs):
                loss, _ = session.run([model.loss, model.step], model.feed(images, labels))
                losses.append(float(loss))
            accuracy = session.run(model.accuracy, model.feed(unseen, unseen_labels))
    return {"losses": losses, "accuracy": float(accuracy)}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    model = Model()
    return model.step, model.feed(*random_digits(BATCH))


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    results = train(parser.parse_args().epochs)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of unseen digits are right")


if __name__ == "__main__":
    main()
