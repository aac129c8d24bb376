"""What it costs to read records, parse Examples, decode and resize images, and to save and restore.

Records, images and variables are the same for every module; files lie in a folder of their own.
"""

import struct
import sys
import tempfile
import zlib
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tfbuild" / "probes"))
import probe_tools as probe

FOLDER = Path(tempfile.mkdtemp(prefix="perf-input-"))
RECORDS, RECORD_BYTES, READ_AT_ONCE = 20_000, 400, 1000
EXAMPLES, SIDE, BATCH = 256, 256, 32
CHECKPOINT_VARIABLES, VARIABLE_FLOATS = 16, 1 << 24  # a gigabyte


def photograph(height, width):
    """An image with soft edges, some noise and colours, as photographs have."""
    random = np.random.RandomState(5)
    y, x = np.mgrid[:height, :width]
    waves = [np.sin(x / s + y / t + c) for s, t, c in ((31, 57, 0), (83, 23, 1), (41, 97, 2))]
    image = 128 + 90 * np.stack(waves, 2) + random.normal(0, 6, (height, width, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


def png(image):
    """The bytes of a PNG, whose rows have the five filters in turn."""
    pixels = image.astype(np.int32)
    left, above = np.zeros_like(pixels), np.zeros_like(pixels)
    left[:, 1:], above[1:] = pixels[:, :-1], pixels[:-1]
    corner = np.zeros_like(pixels)
    corner[1:, 1:] = pixels[:-1, :-1]
    guess = left + above - corner
    far = [abs(guess - part) for part in (left, above, corner)]
    nearest = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left,
                       np.where(far[1] <= far[2], above, corner))  # fmt: skip
    predicted = (0 * pixels, left, above, (left + above) // 2, nearest)
    rows = b"".join(
        bytes([row % 5]) + (pixels[row] - predicted[row % 5][row]).astype(np.uint8).tobytes()
        for row in range(len(pixels))
    )

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def jpeg(tf, image):
    """The bytes of a JPEG."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.image.encode_jpeg(image, quality=90))


def written(tf, name, records):
    """The name of a file with these records, written once."""
    path = FOLDER / name
    if not path.exists():
        with tf.python_io.TFRecordWriter(str(path)) as writer:
            for record in records:
                writer.write(record)
    return str(path)


def next_of(tf, dataset):
    """What an iterator of the dataset gives."""
    return tf.data.make_one_shot_iterator(dataset).get_next()


def running(tf, fetches, feed=None):
    """A function that runs the fetches in a session with its variables, and its queues if any."""
    session = probe.started_session(tf)
    session.run(tf.local_variables_initializer())
    tf.train.start_queue_runners(session)
    return lambda: session.run(fetches, feed)


def read_records(tf):
    """A thousand records as one tensor."""
    random = np.random.RandomState(1)
    name = written(tf, "records", (random.bytes(RECORD_BYTES) for _ in range(RECORDS)))
    dataset = tf.data.TFRecordDataset(name).repeat().batch(READ_AT_ONCE)
    return running(tf, next_of(tf, dataset))


def example(tf, number, image=b""):
    """A serialized Example."""
    random = np.random.RandomState(number)
    features = {}
    for i in range(6):
        values = tf.train.FloatList(value=random.rand(16))
        features[f"floats{i}"] = tf.train.Feature(float_list=values)
    for i in range(4):
        values = tf.train.Int64List(value=random.randint(0, 1 << 20, 1 + number % 8))
        features[f"ids{i}"] = tf.train.Feature(int64_list=values)
    values = tf.train.Int64List(value=[number % 10])
    features["label"] = tf.train.Feature(int64_list=values)
    features["image"] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[image]))
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def parse_examples(tf):
    """Dense floats and sparse numbers of a batch."""
    serialized = tf.Variable([example(tf, number) for number in range(EXAMPLES)])
    asked = {f"floats{i}": tf.FixedLenFeature([16], tf.float32) for i in range(6)}
    asked.update({f"ids{i}": tf.VarLenFeature(tf.int64) for i in range(4)})
    asked["label"] = tf.FixedLenFeature([], tf.int64)
    parsed = tf.parse_example(serialized, asked)
    return running(tf, [getattr(found, "values", found).op for found in parsed.values()])


def decode(tf, contents, decoder):
    """One image."""
    given = tf.placeholder(tf.string, [])
    return running(tf, decoder(given).op, {given: contents})


def resize_area(tf):
    """Four images of bytes to a third of their sides."""
    images = tf.Variable(np.stack([photograph(512, 512)] * 4), trainable=False)
    return running(tf, tf.image.resize_area(images, [170, 170]).op)


def shuffle_batch(tf):
    """A batch out of a shuffling queue that two threads fill."""
    images = tf.Variable(np.random.RandomState(2).rand(512, 32, 32, 3).astype("f4"))
    index = tf.random_uniform([], 0, 512, tf.int32, seed=1)
    return running(tf, shuffled(tf, tf.gather(images, index), index, 128))


def shuffled(tf, image, label, size):
    """A batch of these, from among ten of them."""
    return tf.train.shuffle_batch([image, label], size, 20 * size, 10 * size, num_threads=2, seed=1)


def image_files(tf):
    """Names of four files of Examples with JPEGs."""
    contents = jpeg(tf, photograph(SIDE, SIDE))
    return [written(tf, f"images{i}", (example(tf, 64 * i + k, contents) for k in range(64)))
            for i in range(4)]  # fmt: skip


def pipeline(tf):
    """A batch of images: files in turns, parsed, decoded and resized in two threads, shuffled."""

    def parse(record):
        asked = {
            "image": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], "int64"),
        }
        found = tf.parse_single_example(record, asked)
        image = tf.image.decode_jpeg(found["image"], channels=3)
        image = tf.image.resize_bilinear(tf.expand_dims(image, 0), [96, 96])[0]
        return image / 255.0, found["label"]

    files = tf.data.Dataset.from_tensor_slices(image_files(tf))
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4).repeat()
    images = records.map(parse, num_parallel_calls=2).shuffle(64, seed=1)
    return running(tf, next_of(tf, images.batch(BATCH).prefetch(2)))


def trained(tf, image, label):
    """A step on a batch of images by two convolutions."""
    first = tf.Variable(np.random.RandomState(3).rand(5, 5, 3, 32).astype("f4") / 40)
    second = tf.Variable(np.random.RandomState(4).rand(5, 5, 32, 32).astype("f4") / 400)
    last = tf.Variable(np.random.RandomState(5).rand(8 * 8 * 32, 512).astype("f4") / 1000)
    out = tf.nn.relu(tf.nn.conv2d(image, first, [1, 2, 2, 1], "SAME"))
    out = tf.nn.relu(tf.nn.conv2d(out, second, [1, 2, 2, 1], "SAME"))
    logits = tf.matmul(tf.reshape(out, [-1, 8 * 8 * 32]), last)
    wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)
    return running(tf, tf.train.GradientDescentOptimizer(1e-3).minimize(tf.reduce_mean(wrong)))


def train_in_memory(tf):
    """A training step whose batch is there."""
    random = np.random.RandomState(2)
    images = tf.Variable(random.rand(128, 32, 32, 3).astype("f4"), trainable=False)
    labels = tf.Variable(random.randint(0, 512, 128, "i4"), trainable=False)
    return trained(tf, images, labels)


def train_from_queue(tf):
    """The same step on batches of a shuffling queue."""
    images = tf.Variable(np.random.RandomState(2).rand(512, 32, 32, 3).astype("f4"),
                         trainable=False)  # fmt: skip
    index = tf.random_uniform([], 0, 512, tf.int32, seed=1)
    image = tf.ensure_shape(tf.gather(images, index), [32, 32, 3])
    return trained(tf, *shuffled(tf, image, index, 128))


def checkpoint(tf):
    """A session and a saver of a gigabyte, and where it lies."""
    for number in range(CHECKPOINT_VARIABLES):
        tf.Variable(tf.random_uniform([VARIABLE_FLOATS], seed=number), name=f"v{number}")
    return probe.started_session(tf), tf.train.Saver(), str(FOLDER / "model")


def save(tf):
    """A gigabyte written."""
    session, saver, path = checkpoint(tf)
    return lambda: saver.save(session, path, write_meta_graph=False)


def restore(tf):
    """A gigabyte read."""
    session, saver, path = checkpoint(tf)
    saver.save(session, path, write_meta_graph=False)
    return lambda: saver.restore(session, path)


def in_graph(tf, device, make, *arguments):
    """What is made in a graph of its own."""
    with tf.Graph().as_default(), tf.device(device):
        return make(tf, *arguments)


def timings(module, device):
    """Every quantity by its name."""
    picture = photograph(384, 512)
    images = {"jpeg": jpeg(module, picture), "png": png(picture)}
    makes = {
        "tfrecords": partial(in_graph, module, device, read_records),
        "parse_example": partial(in_graph, module, device, parse_examples),
        "decode_jpeg": partial(in_graph, module, device, decode, images["jpeg"],
                               module.image.decode_jpeg),
        "decode_png": partial(in_graph, module, device, decode, images["png"],
                              module.image.decode_png),
    }  # fmt: skip
    for make in (resize_area, shuffle_batch, pipeline, train_in_memory, train_from_queue, save,
                 restore):  # fmt: skip
        makes[make.__name__] = partial(in_graph, module, device, make)
    return {name: probe.Timed(make, "ms") for name, make in makes.items()}


if __name__ == "__main__":
    probe.serve(__doc__, timings)
