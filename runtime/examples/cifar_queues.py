"""CIFAR-10 by queues: files in random order, records, distorted images, shuffled batches.

python cifar_queues.py [--steps 300] [--folder FOLDER]

FOLDER has the binary version of CIFAR-10; without it, files like those are made, of patterns.
"""

import argparse
import tempfile
from pathlib import Path

import tfbuild_runtime.compat.v1 as tf
from patterns import CLASSES, SIDE, write_patterns

BATCH, CROP, THREADS = 64, 24, 2
BYTES = 1 + 3 * SIDE * SIDE
KEPT = 512  # images among which the next one is chosen
RATE, DECAY = 0.01, 0.004


def read_image(names, epochs=None):
    """Return an image and its label out of the next record of the files."""
    files = tf.train.string_input_producer(names, num_epochs=epochs, shuffle=epochs is None, seed=1)
    _, value = tf.FixedLengthRecordReader(record_bytes=BYTES).read(files)
    numbers = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.reshape(tf.strided_slice(numbers, [0], [1]), []), tf.int64)
    planes = tf.reshape(tf.strided_slice(numbers, [1], [BYTES]), [3, SIDE, SIDE])
    return tf.cast(tf.transpose(planes, [1, 2, 0]), tf.float32), label


def training_batch(names):
    """Return images and labels for ever, each image cut, mirrored and lit by chance."""
    image, label = read_image(names)
    image = tf.random_crop(image, [CROP, CROP, 3], seed=2)
    image = tf.image.random_flip_left_right(image, seed=3)
    image = tf.image.random_brightness(image, max_delta=40, seed=4)
    image = tf.image.random_contrast(image, lower=0.6, upper=1.4, seed=5)
    image = tf.image.per_image_standardization(image)
    return tf.train.shuffle_batch(
        [image, label], BATCH, KEPT + 3 * BATCH, KEPT, num_threads=THREADS, seed=6
    )


def testing_batch(names):
    """Return each image of the files once, its middle, and the labels."""
    image, label = read_image(names, epochs=1)
    image = tf.image.resize_image_with_crop_or_pad(image, CROP, CROP)
    image = tf.image.per_image_standardization(image)
    return tf.train.batch([image, label], BATCH, allow_smaller_final_batch=True)


def weights(name, shape, deviation, decay=0.0):
    """Return a variable; what its size costs is one of the losses."""
    first = tf.truncated_normal_initializer(stddev=deviation, seed=7)
    made = tf.get_variable(name, shape, initializer=first)
    if decay:
        tf.add_to_collection("losses", decay * tf.nn.l2_loss(made))
    return made


def convolution(name, images, filters, deviation):
    """Return 5 x 5 convolution, relu, the largest of 3 x 3, normalised over channels."""
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        kernel = weights("kernel", [5, 5, images.shape.as_list()[-1], filters], deviation)
        bias = tf.get_variable("bias", [filters], initializer=tf.zeros_initializer())
        out = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME"), bias))
        out = tf.nn.max_pool(out, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
        return tf.nn.lrn(out, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)


def full(name, rows, width, deviation, decay=0.0):
    """Return the product with a matrix, and a bias."""
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        matrix = weights("matrix", [rows.shape.as_list()[1], width], deviation, decay)
        bias = tf.get_variable("bias", [width], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(rows, matrix), bias)


def infer(images):
    """Return logits; later calls take the variables of the first."""
    out = convolution("first", images, 16, 0.05)
    out = convolution("second", out, 32, 0.05)
    side = CROP // 4
    out = tf.nn.relu(full("third", tf.reshape(out, [-1, side * side * 32]), 64, 0.04, DECAY))
    return full("last", out, CLASSES, 1 / 64)


def training_step(images, labels):
    """Return the loss, and what makes it smaller."""
    logits = infer(images)
    wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.add_n([tf.reduce_mean(wrong), *tf.get_collection("losses")])
    count = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(RATE, count, 200, 0.5, staircase=True)
    return loss, tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=count)


def files_of(folder):
    """Return the names of the files to learn from and of those to be asked; made where none are."""
    if not list(folder.glob("*.bin")):
        write_patterns(folder)
    names = sorted(str(path) for path in folder.glob("data_batch_*.bin"))
    return names, [str(folder / "test_batch.bin")]


def run(folder, steps):
    """Train on the files of the folder; return every loss and the accuracy on unseen images."""
    losses, right, count = [], 0, 0
    seen, unseen = files_of(folder)
    with tf.Graph().as_default():
        loss, step = training_step(*training_batch(seen))
        images, labels = testing_batch(unseen)
        hits = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(infer(images), 1), labels), tf.int32))
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while len(losses) < steps:
                    losses.append(float(session.run([loss, step])[0]))
                while True:
                    batch_hits, batch = session.run([hits, labels])
                    right, count = right + int(batch_hits), count + len(batch)
            except tf.errors.OutOfRangeError:
                pass  # each unseen image was asked once
            finally:
                coordinator.request_stop()
            coordinator.join(threads)
    return {"losses": losses, "accuracy": right / count, "asked": count}


def train(steps=300, folder=None):
    """Train from nothing; return the loss of every step, the accuracy and how many were asked."""
    with tempfile.TemporaryDirectory() as scratch:
        return run(Path(folder or scratch), steps)


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--folder", help="of data_batch_1.bin and so on, and test_batch.bin")
    options = parser.parse_args()
    results = train(options.steps, options.folder)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['accuracy']:.1%} of {results['asked']} unseen images are right")


if __name__ == "__main__":
    main()
