"""Writes what input pipelines give in a real TensorFlow to answers.json.gz beside it.

python make.py    # with tensorflow-cpu 2.21
"""

import gzip
import json
import tempfile
from pathlib import Path

import pipelines
import tensorflow.compat.v1 as tf

HERE = Path(__file__).resolve().parent


def main():
    """Read each pipeline in a graph and a folder of its own."""
    tf.disable_v2_behavior()
    answers = {}
    for name in pipelines.PIPELINES:
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            answers[name] = pipelines.read(tf, name, folder)
    data = json.dumps({"tensorflow": tf.__version__, "answers": answers}, sort_keys=True).encode()
    (HERE / "answers.json.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
