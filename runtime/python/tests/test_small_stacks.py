"""Steps on threads with small stacks: a result, or an error where the stack does not suffice."""

import pytest

# Each step runs on a thread of its own; what it was is printed before, in case it ends the process.
_STEPS = """
import sys, threading
import numpy as np
import tfbuild_runtime.compat.v1 as tf

raw, Dataset = tf.raw_ops, tf.data.Dataset
image = tf.random_normal([8, 32, 32, 16], seed=1)
matrix = tf.random_normal([60, 60], seed=1)
symmetric = tf.matmul(matrix, matrix, transpose_b=True) + tf.eye(60)

def convolutions(dtype):
    x, filters = tf.cast(image, dtype), tf.ones([3, 3, 16, 32], dtype)
    y = tf.nn.conv2d(x, filters, 1, "SAME")
    return [tf.reduce_sum(each) for each in [y, *tf.gradients(y, [x, filters])]]

def first(dataset):
    return dataset.make_one_shot_iterator().get_next()

def mapped(times, function):
    dataset = Dataset.range(3)
    for _ in range(times):
        dataset = dataset.map(function)
    return first(dataset)

def convolved(x):
    y = tf.nn.conv2d(tf.ones([1, 9, 9, 8]), tf.ones([3, 3, 8, 8]), 1, "SAME")
    return x + tf.cast(tf.reduce_sum(y), tf.int64)

def recurrent():
    cell = tf.nn.rnn_cell.BasicRNNCell(8)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    return tf.gradients(outputs, tf.trainable_variables())

def text(parts):
    return tf.strings.regex_full_match(["ab" * 9], "(" * parts + "a|b" + ")*" * parts)

pixels = tf.zeros([200, 200, 3], tf.uint8)
number = np.arange(4000.0)
WORK = {
    "convolutions": lambda: convolutions(tf.float32),
    "convolutions of half": lambda: convolutions(tf.float16),
    "convolutions of double": lambda: convolutions(tf.float64),
    "volumes": lambda: tf.nn.conv3d(tf.ones([2, 8, 8, 8, 4]), tf.ones([3, 3, 3, 4, 8]), [1] * 5,
                                    "SAME"),
    "depthwise": lambda: tf.nn.depthwise_conv2d(image, tf.ones([3, 3, 16, 2]), [1] * 4, "SAME"),
    "pooling": lambda: [tf.nn.max_pool(image, 2, 2, "SAME"), tf.nn.avg_pool(image, 2, 2, "SAME")],
    "normalisation": lambda: tf.nn.fused_batch_norm(image, tf.ones([16]), tf.zeros([16]))[0],
    "products": lambda: [tf.matmul(tf.cast(matrix, t), tf.cast(matrix, t))
                         for t in (tf.float32, tf.float64, tf.float16, tf.int32, tf.complex128)],
    "sums": lambda: tf.add_n([tf.cast(tf.ones([9000]), tf.complex128)] * 3),
    "chains": lambda: tf.nn.softmax(tf.tanh(matrix * 2 + 1) / 3),
    "reductions": lambda: [tf.reduce_sum(image, [0, 2]), tf.reduce_max(image)],
    "transpositions": lambda: tf.transpose(image, [3, 1, 0, 2]),
    "decompositions": lambda: [tf.linalg.svd(matrix), tf.linalg.qr(matrix),
                               tf.linalg.eigh(symmetric), tf.linalg.cholesky(symmetric)],
    "transforms": lambda: tf.signal.fft2d(tf.cast(matrix, tf.complex64)),
    "sorting": lambda: tf.nn.top_k(tf.random_normal([100000]), 100000),
    "random": lambda: [tf.random_gamma([999], 0.5), tf.random_shuffle(number)],
    "loops": lambda: tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0]),
    "recurrent": recurrent,
    "JPEG": lambda: tf.image.decode_jpeg(tf.image.encode_jpeg(pixels)),
    "PNG": lambda: tf.image.decode_png(tf.image.encode_png(pixels)),
    "resizing": lambda: tf.image.resize_bicubic(image, [50, 50]),
    "boxes": lambda: tf.image.non_max_suppression(tf.random_uniform([99, 4]), tf.ones([99]), 50),
    "numbers as text": lambda: tf.as_string(number, precision=40, width=900),
    "text as numbers": lambda: tf.string_to_number(["1" * 3000 + "." + "3" * 3000]),
    "patterns": lambda: text(2),
    "records": lambda: raw.DecodeJSONExample(json_examples=['{"features":{}}']),
    "sparse": lambda: tf.sparse.to_dense(tf.sparse.reorder(tf.sparse.from_dense(matrix))),
    "datasets": lambda: mapped(5, lambda x: x + 1),
    "ahead": lambda: first(Dataset.range(9).map(lambda x: -x, 4).shuffle(5).prefetch(1)),
    "convolving dataset": lambda: mapped(5, convolved),
    "functions": lambda: tf.py_func(lambda x: x, [matrix], tf.float32),
    "nested patterns": lambda: text(190),
    "chained datasets": lambda: mapped(2000, lambda x: x + 1),
    "chained convolutions": lambda: mapped(100, convolved),
}

def on_thread(work):
    said = []
    def run():
        try:
            work()
            said.append("ok")
        except tf.errors.ResourceExhaustedError as error:
            said.append("refused" if "larger stacks" in error.message else str(error))
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return said[0]

session = tf.Session()
fetches = {name: make() for name, make in WORK.items()}
initialize = tf.global_variables_initializer()
session.run(initialize)
threading.stack_size(KIB << 10)
for name, fetch in fetches.items():
    print(name, end=": ", flush=True)
    print(on_thread(lambda: session.run(fetch)), flush=True)
"""

_MAY_BE_REFUSED = ("nested patterns", "chained datasets", "chained convolutions")


@pytest.mark.parametrize("kib", [64, 128, 256])
def test_a_small_stack_suffices_or_is_reported(kib, python):
    said = dict(line.split(": ") for line in python(_STEPS.replace("KIB", str(kib))).splitlines())
    outcomes = {name: said.pop(name) for name in _MAY_BE_REFUSED}
    assert set(outcomes.values()) <= {"ok", "refused"}
    assert outcomes["chained datasets"] == "refused"
    assert said
    assert set(said.values()) == {"ok"}, said
