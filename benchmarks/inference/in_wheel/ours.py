"""A network of the examples in this process: its weights and outputs, or how long a call takes.

    python ours.py NETWORK FOLDER keep          # weights.npz, and batch.npz with inputs and output
    python ours.py NETWORK FOLDER time SECONDS  # restores them; the last line is milliseconds

PYTHONPATH has the examples.
"""

import statistics
import sys
import time

import bert_encoder
import convolutional_network
import numpy as np
import tfbuild_runtime.compat.v1 as tf
from convolutional_network import SIDE

BATCH, LENGTH = 8, 64
CONFIG = bert_encoder.BertConfig(words=2000, hidden=256, layers=4, heads=4)


def bert():
    """Return inputs by name, and the output: the sequence that an encoder makes of words."""
    names = ("words", "segments", "mask")
    inputs = {name: tf.placeholder(tf.int32, [None, LENGTH], name=name) for name in names}
    return inputs, bert_encoder.BertEncoder(CONFIG, **inputs).sequence


def convolutional():
    """Return inputs by name, and the output: logits of images."""
    model = convolutional_network.Model()
    return {"images": model.images}, model.logits


def batch_of(name):
    """Return one batch of inputs, the same each time."""
    dice = np.random.RandomState(7)
    if name == "convolutional":
        return {"images": dice.rand(64, SIDE, SIDE).astype(np.float32)}
    words = dice.randint(0, CONFIG.words, (BATCH, LENGTH)).astype(np.int32)
    ends = dice.randint(LENGTH // 2, LENGTH + 1, BATCH)
    mask = (np.arange(LENGTH) < ends[:, None]).astype(np.int32)
    return {"words": words, "segments": np.zeros_like(words), "mask": mask}


def main():
    """Keep or time."""
    name, folder, task = sys.argv[1:4]
    tf.set_random_seed(1)
    inputs, output = {"bert": bert, "convolutional": convolutional}[name]()
    batch = batch_of(name)
    wanted = {variable.op.name: variable for variable in tf.trainable_variables()}
    threads = tf.ConfigProto(intra_op_parallelism_threads=0)
    with tf.Session(config=threads) as session:
        session.run(tf.global_variables_initializer())
        feed = {inputs[key]: value for key, value in batch.items()}
        if task == "keep":
            np.savez(f"{folder}/weights.npz", **session.run(wanted))
            np.savez(f"{folder}/batch.npz", output=session.run(output, feed), **batch)
            return
        call = session.make_callable(output, list(feed))
        values = list(feed.values())
        sys.stdout.write(f"{median_of(lambda: call(*values), float(sys.argv[4]))}\n")


def median_of(call, seconds):
    """Return the median of a call's milliseconds, of at least ten."""
    took, end = [], time.perf_counter() + seconds
    call()
    while time.perf_counter() < end or len(took) < 10:
        start = time.perf_counter()
        call()
        took.append((time.perf_counter() - start) * 1e3)
    return statistics.median(took)


if __name__ == "__main__":
    main()
