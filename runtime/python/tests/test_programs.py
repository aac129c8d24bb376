"""Small programs against what TensorFlow 2.21's compat.v1 computed, kept in programs.json."""

import json
from pathlib import Path

import numpy as np
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf

THEIRS = json.loads(Path(__file__).with_name("programs.json").read_text(encoding="utf-8"))


def assert_alike(ours, theirs, atol=1e-7):
    if isinstance(theirs, list) and not is_array(theirs):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs):
            assert_alike(mine, other, atol)
    elif isinstance(theirs, (list, float)):
        np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=atol)
    else:
        assert ours == theirs


def is_array(value):
    try:
        return np.asarray(value).dtype.kind == "f"
    except ValueError:
        return False


# What TensorFlow's kernels of processors alone make of an infinity.
OF_PROCESSORS = ("softmax_of_infinities",)
NAMES = [
    pytest.param(name, marks=pytest.mark.cpu) if name in OF_PROCESSORS else name
    for name in sorted(programs.PROGRAMS)
]


@pytest.mark.parametrize("name", NAMES)
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(programs.PROGRAMS[name](tf)), THEIRS[name])


@pytest.mark.tensorflow
def test_the_record_is_what_tensorflow_says(tensorflow):
    script = Path(programs.__file__).read_text(encoding="utf-8")
    again = json.loads(tensorflow(script, "tensorflow.compat.v1"))
    assert sorted(again) == sorted(THEIRS)
    for name, value in again.items():
        assert_alike(value, THEIRS[name])
