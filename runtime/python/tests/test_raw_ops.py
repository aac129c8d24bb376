"""Ops by their own names, without a wrapper of theirs."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_every_op_is_a_function(run):
    assert {"Exp", "Sum", "NoOp"} <= set(dir(tf.raw_ops))
    assert tf.raw_ops.Exp.__name__ == "Exp"
    assert run(tf.raw_ops.Exp(x=[0.0])).tolist() == [1.0]
    total = tf.raw_ops.Sum(input=[[1.0, 2.0]], reduction_indices=1, keep_dims=True)
    assert run(total).tolist() == [[3.0]]


def test_several_outputs_and_none(run):
    first, second = tf.raw_ops.Split(split_dim=0, value=np.arange(4.0), num_split=2)
    assert run([first, second])[1].tolist() == [2.0, 3.0]
    assert tf.raw_ops.NoOp(name="nothing").name == "nothing"


def test_what_is_missing_or_unknown_is_named():
    with pytest.raises(TypeError, match="misses"):
        tf.raw_ops.Exp()
    with pytest.raises(TypeError, match="knows no"):
        tf.raw_ops.Exp(x=1.0, y=2.0)
    with pytest.raises(AttributeError, match="no op 'Expp'"):
        tf.raw_ops.Expp  # noqa: B018
