"""Tables are trained through loops and joins as TensorFlow trains them."""

import json
from pathlib import Path

import gradient_slices_programs
import numpy as np
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf

THEIRS = json.loads(
    Path(__file__).with_name("gradient_slices_programs.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", sorted(gradient_slices_programs.PROGRAMS))
def test_a_table_becomes_what_tensorflow_makes_of_it(name):
    ours = programs.plain(gradient_slices_programs.PROGRAMS[name](tf))
    np.testing.assert_allclose(ours, THEIRS[name], rtol=1e-4, atol=1e-5)


def test_the_gradient_by_a_table_of_a_loop_is_slices():
    table, ids = tf.Variable(gradient_slices_programs.TABLE), tf.constant([1, 2, 2])
    for rows in (gradient_slices_programs.in_a_loop, gradient_slices_programs.mapped):
        (grad,) = tf.gradients(rows(tf, table, ids), [table])
        assert isinstance(grad, tf.IndexedSlices)
    (grad,) = tf.gradients(gradient_slices_programs.looked_up_and_whole(tf, table, ids), [table])
    assert isinstance(grad, tf.Tensor)
