"""Digits out of TFRecord files by tf.data: read in turns, parsed in parallel, shuffled, batched.

python input_pipeline.py [--epochs 30]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from digits import CLASSES, SIDE, load_digits

BATCH, RATE, FILES = 64, 0.5, 4


def example(image, label):
    """Return an Example of the image's bytes and its label."""
    pixels = tf.train.BytesList(value=[image.astype(np.float32).tobytes()])
    number = tf.train.Int64List(value=[int(label)])
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "image": tf.train.Feature(bytes_list=pixels),
                "label": tf.train.Feature(int64_list=number),
            }
        )
    )


def write_records(folder, images, labels):
    """Write FILES compressed files of serialized Examples; return the names."""
    names = [str(Path(folder) / f"digits-{number}.tfrecord") for number in range(FILES)]
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    for number, name in enumerate(names):
        with tf.python_io.TFRecordWriter(name, options) as writer:
            for image, label in zip(images[number::FILES], labels[number::FILES]):
                writer.write(example(image, label).SerializeToString())
    return names


def parse(record):
    """Return the image and the label of a record."""
    asked = {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    found = tf.parse_single_example(record, asked)
    image = tf.reshape(tf.decode_raw(found["image"], tf.float32), [SIDE, SIDE])
    return image, found["label"]


def pipeline(names, *, training):
    """Return batches: of training for ever in new orders, else once in the files' order."""
    files = tf.data.Dataset.from_tensor_slices(names)
    records = files.interleave(lambda name: tf.data.TFRecordDataset(name, "GZIP"), FILES)
    digits = records.map(parse, num_parallel_calls=2).cache()
    if training:
        digits = digits.shuffle(512, seed=1).repeat()
    return digits.batch(BATCH, drop_remainder=training).prefetch(2)


def train(epochs=30):
    """Train from nothing; return the loss of every step and the accuracy on unseen digits."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    losses, right, count = [], 0, 0
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        for name in ("seen", "unseen"):
            (Path(folder) / name).mkdir()
        training = pipeline(write_records(Path(folder) / "seen", seen, seen_labels), training=True)
        testing = pipeline(
            write_records(Path(folder) / "unseen", unseen, unseen_labels), training=False
        )
        shapes = tf.TensorShape([None, SIDE, SIDE]), tf.TensorShape([None])
        iterator = tf.data.Iterator.from_structure(training.output_types, shapes)
        images, labels = iterator.get_next()
        weights = tf.Variable(tf.zeros([SIDE * SIDE, CLASSES]), name="weights")
        bias = tf.Variable(tf.zeros([CLASSES]), name="bias")
        logits = tf.matmul(tf.reshape(images, [-1, SIDE * SIDE]), weights) + bias
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        step = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
        hits = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.int32))
        begin_training = iterator.make_initializer(training)
        begin_testing = iterator.make_initializer(testing)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), begin_training])
            losses += [
                float(session.run([loss, step])[0]) for _ in range(epochs * len(seen) // BATCH)
            ]
            session.run(begin_testing)
            try:
                while True:
                    batch_hits, batch = session.run([hits, labels])
                    right, count = right + int(batch_hits), count + len(batch)
            except tf.errors.OutOfRangeError:
                pass  # each unseen digit was asked once
    return {"losses": losses, "accuracy": right / count}


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    results = train(parser.parse_args().epochs)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of unseen digits are right")


if __name__ == "__main__":
    main()
