"""Functions made of others, against what TensorFlow 2.21's compat.v1 computed."""

import json
import sys
from pathlib import Path

import composed_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("composed_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(composed_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(composed_programs.PROGRAMS[name](tf)), THEIRS[name])


def test_printing_and_the_time(capsys):
    x = tf.constant([[1.5, 2.0], [3.0, 4.0]])
    show = tf.print("x:", x, tf.constant("word"), output_stream=sys.stdout)
    with tf.control_dependencies([show]):
        y = tf.identity(x)
    with tf.Session() as session:
        session.run(y)
        early, late = session.run(tf.timestamp()), session.run(tf.timestamp())
    assert capsys.readouterr().out == "x: [[1.5 2. ]\n [3.  4. ]] word\n"
    assert 1.5e9 < early <= late


def test_shapes_that_cannot_be_broadcast_are_refused():
    with pytest.raises(ValueError, match="Incompatible shapes"):
        tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    unknown = tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([4]))
    assert unknown.as_list() == [None, 4]


def test_weights_of_pairs_are_for_rows_and_elements():
    x, y = tf.constant([[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]]), tf.zeros([2, 3])
    for weights in ([1.0, 2.0], [[1.0], [1.0], [1.0]], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="can not be broadcast"):
            tf.losses.mean_pairwise_squared_error(y, x, weights=tf.constant(weights))
    losses = [
        tf.losses.mean_pairwise_squared_error(y, x, weights=weights)
        for weights in (1.0, [[1.0], [0.0]], [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    ]
    hidden = tf.placeholder(tf.float32)
    late = tf.losses.mean_pairwise_squared_error(y, x, weights=hidden)
    with tf.Session() as session:
        all_rows, first, each = session.run(losses)
        # (1 + 4 + 9) / 3 is the mean of squared differences of the pairs of 1, 2 and 4.
        assert first == pytest.approx(14 / 3)
        assert all_rows == pytest.approx(14 / 3 + (1 + 16 + 25) / 3)
        assert each == pytest.approx(3 * first), "each row counts once for each of its weights"
        assert session.run(late, {hidden: [[1.0], [0.0]]}) == pytest.approx(first)
        with pytest.raises(tf.errors.InvalidArgumentError, match="can not be broadcast"):
            session.run(late, {hidden: [1.0, 2.0]})


def test_integers_that_no_type_holds_are_refused():
    assert tf.constant(2**63 - 1).dtype == tf.int64
    for value in (2**63, [2**63], 2**64 - 1, 2**64, -(2**63) - 1, [1, 2**64]):
        with pytest.raises(TypeError, match=r"convert"):
            tf.constant(value)


def test_a_histogram_refuses_nan():
    counts = tf.histogram_fixed_width([1.0, float("nan")], [0.0, 5.0])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        session.run(counts)
