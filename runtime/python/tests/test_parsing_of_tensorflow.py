"""CSV, SequenceExamples, barriers and staging areas: values and kinds of errors of TensorFlow 2.21.

tensorflow_parsing/make.py has asked it.
"""

import json
import sys
from pathlib import Path

import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.compat import internal

HERE = Path(__file__).resolve().parent / "tensorflow_parsing"
ANSWERS = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))["answers"]
sys.path.insert(0, str(HERE.parent))
from tensorflow_parsing import cases  # noqa: E402


class _Names:
    """Ours, with TensorFlow's module of what steps share."""

    data_flow = internal.python.ops.data_flow_ops

    def __getattr__(self, name):
        return getattr(tf, name)


def test_there_are_many_cases():
    assert set(ANSWERS) == set(cases.CASES)
    assert len(ANSWERS) > 100


@pytest.mark.parametrize("name", cases.CASES)
def test_case(name):
    assert cases.answer(_Names(), name) == ANSWERS[name]
