"""Writes what the cases give in a real TensorFlow to answers.json beside it.

python make.py    # with tensorflow-cpu 2.21
"""

import json
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import data_flow_ops

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensorflow_parsing import cases  # noqa: E402


def main():
    """Run each case in a graph of its own."""
    tf.disable_v2_behavior()
    tf.data_flow = data_flow_ops
    answers = {name: cases.answer(tf, name) for name in cases.CASES}
    text = json.dumps({"tensorflow": tf.__version__, "answers": answers}, indent=0)
    (HERE / "answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
