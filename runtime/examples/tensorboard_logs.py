"""Digits learnt while TensorBoard looks on: curves, histograms, images, the graph, a profile.

python tensorboard_logs.py --logs FOLDER    # then: tensorboard --logdir FOLDER
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import tfbuild_runtime.compat.v1 as tf
from digits import CLASSES, SIDE, batches, load_digits

BATCH, RATE, HIDDEN, EVERY = 64, 0.2, 32, 10


def layer(name, rows, width):
    """Return the rows times a matrix plus a bias, both with a histogram."""
    with tf.variable_scope(name):
        first = tf.glorot_uniform_initializer(seed=1)
        matrix = tf.get_variable("matrix", [rows.shape.as_list()[1], width], initializer=first)
        bias = tf.get_variable("bias", [width], initializer=tf.zeros_initializer())
        tf.summary.histogram("weights", matrix)
        tf.summary.histogram("biases", bias)
        return tf.matmul(rows, matrix) + bias


class Model:
    """Two layers, and what is to be seen of them."""

    def __init__(self):
        with tf.name_scope("input"):
            self.images = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="images")
            self.labels = tf.placeholder(tf.int64, [None], name="labels")
            tf.summary.image("digits", tf.expand_dims(self.images, 3), max_outputs=4)
        hidden = tf.nn.relu(layer("hidden", tf.reshape(self.images, [-1, SIDE * SIDE]), HIDDEN))
        logits = layer("logits", hidden, CLASSES)
        with tf.name_scope("score"):
            wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.labels, logits=logits
            )
            self.loss = tf.reduce_mean(wrong)
            right = tf.equal(tf.argmax(logits, 1), self.labels)
            self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            tf.summary.scalar("loss", self.loss)
            tf.summary.scalar("accuracy", self.accuracy)
        self.step = tf.train.GradientDescentOptimizer(RATE).minimize(self.loss)
        self.summaries = tf.summary.merge_all()

    def feed(self, images, labels):
        """Return what a step is fed with."""
        return {self.images: images, self.labels: labels}


def profiled_step(session, model, feed, writer, number):
    """Run a step of which TensorBoard shows when each kernel ran and what it took."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    loss, _ = session.run([model.loss, model.step], feed, options=options, run_metadata=metadata)
    writer.add_run_metadata(metadata, f"step {number}", number)
    return loss


def learn(session, model, epochs, writers):
    """Return the loss of every step; every tenth is written, and what unseen digits say."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    losses, asked = [], model.feed(unseen, unseen_labels)
    training, testing = writers
    for number, some in enumerate(batches(seen, seen_labels, BATCH, epochs)):
        feed = model.feed(*some)
        if number == EVERY // 2:
            losses.append(float(profiled_step(session, model, feed, training, number)))
            continue
        if number % EVERY == 0:
            training.add_summary(session.run(model.summaries, feed), number)
            testing.add_summary(session.run(model.summaries, asked), number)
        losses.append(float(session.run([model.loss, model.step], feed)[0]))
    return losses, float(session.run(model.accuracy, asked))


def read_back(folder):
    """Return the curve of the loss, by step, and how many values there are of each name."""
    curve, names = {}, Counter()
    for path in sorted(Path(folder).glob("events.*")):
        for event in tf.train.summary_iterator(str(path)):
            if not event.HasField("summary"):
                names[event.WhichOneof("what")] += 1
            for value in event.summary.value:
                names[value.tag] += 1
                if value.tag == "score/loss":
                    curve[event.step] = value.simple_value
    return curve, dict(names)


def train(epochs=10, folder=None):
    """Train from nothing; return losses, accuracy, and what the logs say."""
    with tempfile.TemporaryDirectory() as scratch, tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        model, logs = Model(), Path(folder or scratch)
        training = tf.summary.FileWriter(str(logs / "training"), graph)
        testing = tf.summary.FileWriter(str(logs / "testing"))
        with tf.Session() as session, training, testing:
            session.run(tf.global_variables_initializer())
            losses, accuracy = learn(session, model, epochs, (training, testing))
        curve, names = read_back(logs / "training")
    return {"losses": losses, "accuracy": accuracy, "curve": curve, "names": names}


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--logs", metavar="FOLDER", help="where they are kept (default: nowhere)")
    options = parser.parse_args()
    results = train(options.epochs, options.logs)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of unseen digits are right")
    print(f"written: {', '.join(f'{count} {name}' for name, count in results['names'].items())}")


if __name__ == "__main__":
    main()
