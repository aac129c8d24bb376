"""Ops by their own names, without a wrapper of theirs."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_every_op_is_a_function(run):
    assert {"Exp", "Sum", "NoOp"} <= set(dir(tf.raw_ops))
    assert tf.raw_ops.Exp.__name__ == "Exp"
    assert run(tf.raw_ops.Exp(x=[0.0])).tolist() == [1.0]
    total = tf.raw_ops.Sum(input=[[1.0, 2.0]], axis=1, keep_dims=True)
    assert run(total).tolist() == [[3.0]]


def test_arguments_have_the_names_of_tensorflow_s_functions(run):
    assert run(tf.raw_ops.Any(input=[False, True], axis=0))
    assert run(tf.raw_ops.ExpandDims(input=[1.0], axis=0)).shape == (1, 1)
    assert run(tf.raw_ops.Select(condition=[True, False], x=[1, 2], y=[3, 4])).tolist() == [1, 4]
    assert run(tf.raw_ops.Squeeze(input=[[1.0]], axis=[0])).shape == (1,)
    assert run(tf.raw_ops.Where(condition=[False, True])).tolist() == [[1]]
    parts = tf.raw_ops.SplitV(value=[1, 2, 3], size_splits=[1, 2], axis=0, num_split=2)
    assert run(parts)[1].tolist() == [2, 3]


def test_several_outputs_and_none(run):
    first, second = tf.raw_ops.Split(axis=0, value=np.arange(4.0), num_split=2)
    assert run([first, second])[1].tolist() == [2.0, 3.0]
    assert tf.raw_ops.NoOp(name="nothing").name == "nothing"


def test_what_is_missing_or_unknown_is_named():
    with pytest.raises(TypeError, match="misses"):
        tf.raw_ops.Exp()
    with pytest.raises(TypeError, match="knows no"):
        tf.raw_ops.Exp(x=1.0, y=2.0)
    with pytest.raises(AttributeError, match="no op 'Expp'"):
        tf.raw_ops.Expp  # noqa: B018


def test_several_outputs_have_names(run):
    found = tf.raw_ops.UniqueWithCounts(x=[3, 3, 5])
    assert run(found.y).tolist() == [3, 5]
    assert run(found.count).tolist() == [2, 1]
    assert run(found).idx.tolist() == [0, 0, 1]


def test_generated_modules_take_positions_and_snake_case(run):
    from tfbuild_runtime.compat.v1 import python

    arrays, maths = python.ops.gen_array_ops, python.ops.gen_math_ops
    assert run(arrays.concat_v2([[1.0], [2.0]], 0)).tolist() == [1.0, 2.0]
    assert run(maths.sum([[1.0, 2.0]], axis=1)).tolist() == [3.0]
    assert run(maths.mat_mul([[1.0, 2.0]], [[3.0, 4.0]], False, True)).tolist() == [[11.0]]
    assert run(maths.cast([1.5], tf.int32)).tolist() == [1]
    assert arrays.identity([1.0], name="kept").op.name == "kept"


def test_generated_modules_refuse_what_does_not_fit():
    from tfbuild_runtime.compat.v1 import python

    with pytest.raises(TypeError, match="at most 2 arguments"):
        python.ops.gen_math_ops.exp(1.0, "name", 3)
    with pytest.raises(TypeError, match="several values for 'x'"):
        python.ops.gen_math_ops.exp(1.0, x=2.0)
    with pytest.raises(AttributeError, match="has no 'expp' here"):
        python.ops.gen_math_ops.expp  # noqa: B018
