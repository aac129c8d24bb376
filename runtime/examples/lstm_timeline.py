"""An LSTM reads handwritten digits row by row; one step of it is drawn as a timeline.

    python lstm_timeline.py [--epochs 15] [--timeline step.json]

Chrome (chrome://tracing) and Perfetto draw the file: when each kernel ran, and what it held.
"""

import argparse
from pathlib import Path

import tfbuild_runtime.compat.v1 as tf
from digits import CLASSES, SIDE, batches, load_digits, random_digits
from tfbuild_runtime.python.client import timeline

BATCH, UNITS, RATE = 64, 64, 0.005


class Model:
    """Rows are time: eight steps of eight numbers, and the last output decides."""

    def __init__(self):
        self.images = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="images")
        self.labels = tf.placeholder(tf.int64, [None], name="labels")
        first = tf.glorot_uniform_initializer(seed=3)
        with tf.variable_scope("rows", initializer=first):
            cell = tf.nn.rnn_cell.LSTMCell(UNITS, name="lstm_cell")
            outputs, _ = tf.nn.dynamic_rnn(cell, self.images, dtype=tf.float32)
            weights = tf.get_variable("weights", [UNITS, CLASSES])
        bias = tf.get_variable("bias", [CLASSES], initializer=tf.zeros_initializer())
        logits = tf.matmul(outputs[:, -1], weights) + bias
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        self.loss = tf.reduce_mean(losses)
        self.step = tf.train.AdamOptimizer(RATE).minimize(self.loss)
        right = tf.equal(tf.argmax(logits, 1), self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

    def feed(self, images, labels):
        """Return what a step is fed with."""
        return {self.images: images, self.labels: labels}


def draw(session, fetch, feed):
    """Return a step's timeline as text."""
    metadata = tf.RunMetadata()
    everything = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(fetch, feed, options=everything, run_metadata=metadata)
    return timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)


def train(epochs=15, drawing=None):
    """Train; return losses, accuracy and the bytes of the timeline, which is written if asked."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    with tf.Graph().as_default():
        model, losses = Model(), []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for images, labels in batches(seen, seen_labels, BATCH, epochs):
                loss, _ = session.run([model.loss, model.step], model.feed(images, labels))
                losses.append(float(loss))
            accuracy = session.run(model.accuracy, model.feed(unseen, unseen_labels))
            text = draw(session, model.step, model.feed(seen[:BATCH], seen_labels[:BATCH]))
    if drawing:
        Path(drawing).write_text(text, encoding="utf-8")
    return {"losses": losses, "accuracy": float(accuracy), "timeline": len(text)}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    model = Model()
    return model.step, model.feed(*random_digits(BATCH))


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--timeline", default="step.json", metavar="FILE")
    options = parser.parse_args()
    results = train(options.epochs, options.timeline)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of unseen digits are right; {options.timeline} shows a step")


if __name__ == "__main__":
    main()
