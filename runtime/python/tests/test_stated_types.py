"""What is kept under a name or in a handle, and comes out as another type than a node states."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

raw = tf.raw_ops


def refused(fetch, before=(), named="states"):
    with tf.Session() as session:
        for step in before:
            session.run(step)
        with pytest.raises(tf.errors.InvalidArgumentError, match=named):
            session.run(fetch)


@pytest.mark.parametrize("dtype", [tf.string, tf.float64])
def test_an_element_of_an_array(dtype):
    handle, flow = raw.TensorArrayV3(size=1, dtype=tf.int64)
    flow = raw.TensorArrayWriteV3(
        handle=handle, index=0, value=tf.constant([7], tf.int64), flow_in=flow
    )
    refused(raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=dtype))


@pytest.mark.parametrize("other", [tf.string, tf.float64])
def test_a_variable_of_a_shared_name(other):
    numbers = raw.VariableV2(shape=[4], dtype=tf.int64, shared_name="shared")
    texts = raw.VariableV2(shape=[4], dtype=other, shared_name="shared")
    assign = raw.Assign(ref=numbers, value=tf.constant([1, 2, 3, 4], tf.int64))
    refused(tf.identity(texts), [assign], named="holds int64")
    refused(texts, [assign], named="holds int64")


def test_a_variable_behind_a_handle():
    handle = raw.VarHandleOp(dtype=tf.int64, shape=[2], shared_name="v")
    other = raw.VarHandleOp(dtype=tf.string, shape=[2], shared_name="v")
    assign = raw.AssignVariableOp(resource=handle, value=tf.constant([1, 2], tf.int64))
    refused(raw.ReadVariableOp(resource=other, dtype=tf.string), [assign], named="int64|string")


def a_sum(sparse):
    if not sparse:
        handle = raw.ConditionalAccumulator(dtype=tf.float32, shape=[4])
        return handle, raw.AccumulatorApplyGradient(
            handle=handle, local_step=tf.constant(0, tf.int64), gradient=tf.ones([4])
        )
    handle = raw.SparseConditionalAccumulator(dtype=tf.float32, shape=[4, 4])
    return handle, raw.SparseAccumulatorApplyGradient(
        handle=handle, local_step=tf.constant(0, tf.int64),
        gradient_indices=tf.range(4, dtype=tf.int64), gradient_values=tf.ones([4, 4]),
        gradient_shape=tf.constant([4, 4], tf.int64), has_known_shape=True,
    )  # fmt: skip


@pytest.mark.parametrize(("sparse", "dtype"), [(True, tf.float32), (False, tf.float64)])
def test_a_sum_taken_as_what_it_is_not(sparse, dtype):
    """Rows as a whole tensor, and a sum as another type."""
    handle, apply = a_sum(sparse)
    with tf.control_dependencies([apply]):
        take = raw.AccumulatorTakeGradient(handle=handle, num_required=1, dtype=dtype)
        refused(take, named="types")


def test_a_tensor_for_a_sum_of_rows():
    handle, _ = a_sum(sparse=True)
    apply = raw.AccumulatorApplyGradient(
        handle=handle, local_step=tf.constant(0, tf.int64), gradient=tf.ones([4])
    )
    refused(apply, named="types")


def test_tokens_of_functions_cannot_be_guessed():
    value = tf.py_func(lambda: np.float32(1), [], tf.float32)
    token = value.op.get_attr("token").decode()
    assert token.startswith("pyfunc_")
    assert len(token) >= len("pyfunc_") + 32
