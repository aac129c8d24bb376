"""Arguments by position and by name, against what TensorFlow 2.21's compat.v1 computed."""

import json
from pathlib import Path

import argument_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("argument_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(argument_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(argument_programs.PROGRAMS[name](tf)), THEIRS[name])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: tf.matrix_diag([1.0, 2.0], num_rows=1), ValueError, "need 2 rows"),
        (lambda: tf.matrix_diag([1.0], align="LEFT"), ValueError, "align is one of"),
        (lambda: tf.matrix_diag_part([[1.0]], k=(1, 0)), ValueError, "the lowest and the highest"),
        (lambda: tf.matrix_diag_part([[1.0]], k=tf.placeholder(tf.int32, [])), NotImplementedError,
         "while the graph is built"),
        (lambda: tf.linspace([0.0], [1.0], 3, axis=2), ValueError, "no axis 2"),
        (lambda: tf.random.stateless_uniform([2], [1, 2], alg="threefry"), NotImplementedError,
         "threefry"),
        (lambda: tf.image.non_max_suppression_padded([[0.0] * 4], [1.0], 1, sorted_input=True),
         NotImplementedError, "one image to each call"),
        (lambda: tf.data.experimental.RandomDataset(1, True), NotImplementedError,
         "same numbers in each iteration"),
        (lambda: tf.data.experimental.CsvDataset("f", [0.0], exclude_cols=[1]),
         NotImplementedError, "select_cols"),
        (lambda: tf.Graph().as_graph_def(3), NotImplementedError, "from_version"),
        (lambda: tf.saved_model.build_signature_def(defaults={"x": 1}), NotImplementedError,
         "defaults"),
        (lambda: tf.nn.sigmoid_cross_entropy_with_logits([1.0]), ValueError, "both labels and"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
