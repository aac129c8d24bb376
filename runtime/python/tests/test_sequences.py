"""Masks of lengths, identity matrices, evenly spaced numbers, reversed sequences, old names."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_masks(run):
    assert run(tf.sequence_mask([1, 3, 0])).tolist() == [
        [True, False, False], [True] * 3, [False] * 3,
    ]  # fmt: skip
    mask = tf.sequence_mask(tf.constant([[1], [2]], tf.int64), 3, tf.float32)
    assert run(mask).tolist() == [[[1, 0, 0]], [[1, 1, 0]]]


def test_identity_matrices_and_even_numbers(run):
    assert run(tf.eye(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert run(tf.eye(2, batch_shape=[4])).shape == (4, 2, 2)
    np.testing.assert_allclose(run(tf.linspace(10.0, 12.0, 3)), [10, 11, 12])
    assert run(tf.linspace(5.0, 6.0, 1)).tolist() == [5]
    assert run(tf.linspace(0.0, 0.3, 7))[-1] == np.float32(0.3)


def test_sequences_from_their_end(run):
    x = np.arange(12).reshape(2, 3, 2)
    got = run(tf.reverse_sequence(tf.constant(x), [2, 3], seq_axis=1))
    expected = x.copy()
    expected[0, :2], expected[1] = x[0, :2][::-1], x[1][::-1]
    assert got.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="seq_dim must be < input rank"):
        tf.reverse_sequence(tf.constant(x), [1, 1, 1], seq_axis=3, batch_axis=1)


def test_names_from_before_version_one(run):
    one, two = tf.constant([7.0]), tf.constant([2.0])
    assert run([tf.mul(one, two), tf.sub(one, two), tf.neg(one)]) == [14, 5, -7]
    assert run(tf.truncatediv(-7, 2)) == -3
    assert run(tf.concat_v2([[1], [2]], 0)).tolist() == [1, 2]


def test_templates_share_their_variables():
    scale = tf.make_template("scale", lambda x: x * tf.get_variable("w", [], tf.float32))
    one, two = scale(tf.ones([2])), scale(tf.zeros([2]))
    assert [v.name for v in scale.trainable_variables] == ["scale/w:0"] == [
        v.name for v in tf.global_variables()
    ]  # fmt: skip
    assert one.graph is two.graph


def test_nestings():
    structure = {"b": (1, [2]), "a": 3}
    assert tf.nest.flatten(structure) == [3, 1, 2]
    assert tf.nest.map_structure(lambda x, y: x + y, structure, structure) == {
        "b": (2, [4]), "a": 6,
    }  # fmt: skip
    with pytest.raises(ValueError, match="had 3 elements"):
        tf.nest.pack_sequence_as(structure, [1])


def test_lengths_beyond_32_bits_are_not_cut(run):
    with pytest.raises(ValueError, match="too many elements"):
        run(tf.sequence_mask(tf.constant([2**50], tf.int64)))


@pytest.mark.parametrize("length", [4, 2**32 + 1, -1])
def test_no_sequence_is_reversed_beyond_its_steps(run, length):
    lengths = tf.constant([length, 2], tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.reverse_sequence(np.arange(6).reshape(2, 3), lengths, seq_axis=1, batch_axis=0))
