"""Names that few programs use against what TensorFlow 2.21's compat.v1 computed."""

import json
from pathlib import Path

import programs
import pytest
import rare_programs
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("rare_programs.json").read_text(encoding="utf-8"))


# A deviation divides what has been subtracted from each other.
ROUNDED = ("renormalisation", "renormalisation_within_limits")


@pytest.mark.parametrize("name", sorted(rare_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    rounding = 5e-6 if tf.test.is_gpu_available() else 3e-6  # an H200 is 3.6e-6 away
    ours = programs.plain(rare_programs.PROGRAMS[name](tf))
    assert_alike(ours, THEIRS[name], atol=rounding if name in ROUNDED else 1e-7)


def test_what_has_no_exponential_is_refused():
    with pytest.raises(TypeError, match="not int32"):
        tf.linalg.expm([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="square matrices"):
        tf.linalg.expm([[1.0, 2.0]])


def test_a_table_is_needed_to_look_up_rows():
    ids = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
    with pytest.raises(ValueError, match="Missing embedding_weights"):
        tf.nn.safe_embedding_lookup_sparse([], ids)
