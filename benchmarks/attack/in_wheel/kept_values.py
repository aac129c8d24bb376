"""What a graph keeps under a name or in a handle, taken out by a node that states another type."""

import numpy as np
import tfbuild_runtime.compat.v1 as tf

_TYPES = (tf.float32, tf.float64, tf.int32, tf.int64, tf.uint8, tf.bool, tf.string)
raw = tf.raw_ops


def kept_values(folder):
    """Give what tries one way to keep a value, and to take it as a type of its own choice.

    A value that comes out as another type than it was put in is a fault, as is a crash.
    """
    del folder

    def attempt(chance):
        put, taken = chance.choice(_TYPES), chance.choice(_TYPES)
        if chance.random() < 0.2:
            taken = put
        size = chance.choice((1, 3, 40))
        with tf.Graph().as_default() as graph:
            value = tf.constant(_elements(put, size))
            before, result, kept = chance.choice(_WAYS)(chance, value, put, taken)
        with tf.Session(graph=graph) as session:
            options = tf.RunOptions(timeout_in_ms=2000)
            for step in before:
                session.run(step, options=options)
            found = session.run(result, options=options)
        if result.dtype.base_dtype != kept and np.size(found):
            raise AssertionError(f"{result.op.type} gave {kept.name} as {result.dtype.name}")

    return attempt, (tf.errors.OpError, ValueError, TypeError)


def _elements(dtype, size):
    numbers = np.arange(size)
    return numbers.astype(str) if dtype == tf.string else numbers.astype(dtype.as_numpy_dtype)


def _in_array(chance, value, put, taken):
    handle, flow = raw.TensorArrayV3(size=2, dtype=put)
    flow = raw.TensorArrayWriteV3(handle=handle, index=0, value=value, flow_in=flow)
    if chance.random() < 0.5:
        return [], raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=taken), put
    return [], raw.TensorArrayGatherV3(handle=handle, indices=[0], flow_in=flow, dtype=taken), put


def _in_variable(chance, value, put, taken):
    make = raw.VariableV2 if chance.random() < 0.8 else raw.Variable
    one, other = (make(shape=value.shape, dtype=t, shared_name="v") for t in (put, taken))
    assign = raw.Assign(ref=one, value=value)
    return [assign.op], chance.choice((tf.identity, lambda ref: ref))(other), put


def _in_resource(chance, value, put, taken):
    del chance
    one, other = (raw.VarHandleOp(dtype=t, shape=[], shared_name="v") for t in (put, taken))
    assign = raw.AssignVariableOp(resource=one, value=value)
    return [assign], raw.ReadVariableOp(resource=other, dtype=taken), put


def _in_queue(chance, value, put, taken):
    make = chance.choice((raw.FIFOQueueV2, raw.RandomShuffleQueueV2))
    queue = make(component_types=[put], shapes=[value.shape], shared_name="q")
    other = make(component_types=[taken], shapes=[value.shape], shared_name="q")
    enqueue = raw.QueueEnqueueV2(handle=queue, components=[value])
    handle = chance.choice((queue, other))
    return [enqueue], raw.QueueDequeueV2(handle=handle, component_types=[taken])[0], put


def _staged(chance, value, put, taken):
    stage = raw.Stage(values=[value] * chance.choice((1, 2)), shared_name="s")
    return [stage], raw.Unstage(dtypes=[taken], shared_name="s")[0], put


def _in_accumulator(chance, value, put, taken):
    del put, value
    floats = (tf.float32, tf.float64)
    put = chance.choice(floats)
    taken = taken if taken in floats else put
    sparse = chance.random() < 0.5
    step = tf.constant(0, tf.int64)
    make = raw.SparseConditionalAccumulator if sparse else raw.ConditionalAccumulator
    handle = make(dtype=put, shape=[4, 4])
    if sparse:
        apply = raw.SparseAccumulatorApplyGradient(
            handle=handle, local_step=step, gradient_indices=tf.range(4, dtype=tf.int64),
            gradient_values=tf.ones([4, 4], put), gradient_shape=tf.constant([4, 4], tf.int64),
            has_known_shape=True,
        )  # fmt: skip
    else:
        apply = raw.AccumulatorApplyGradient(
            handle=handle, local_step=step, gradient=tf.ones([4, 4], put)
        )
    if chance.random() < 0.5:
        take = raw.AccumulatorTakeGradient(handle=handle, num_required=1, dtype=taken)
    else:
        take = raw.SparseAccumulatorTakeGradient(handle=handle, num_required=1, dtype=taken)[1]
    return [apply], take, put


def _in_list(chance, value, put, taken):
    shape = tf.constant(-1)
    handle = raw.EmptyTensorList(element_shape=shape, max_num_elements=4, element_dtype=put)
    handle = raw.TensorListPushBack(input_handle=handle, tensor=value)
    named = {"input_handle": handle, "element_shape": shape, "element_dtype": taken}
    if chance.random() < 0.5:
        return [], raw.TensorListGetItem(index=0, **named), put
    return [], raw.TensorListStack(**named), put


_WAYS = (
    _in_array, _in_variable, _in_resource, _in_queue, _staged, _in_accumulator, _in_list,
)  # fmt: skip
