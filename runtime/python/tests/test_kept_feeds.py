"""An array that is fed is the user's again once its step has ended, whatever keeps its values.

And the other way round: what a step gives is the caller's, whatever still holds the values.
"""

import sys
import threading

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

_SIZE = 1000
_VALUES = np.arange(_SIZE, dtype=np.float32)
_VARIANT = tf.dtypes.variant
raw = tf.raw_ops
_ONE = {"output_types": [tf.float32], "output_shapes": [[_SIZE]]}


def _in_queue(queue, fed):
    return queue.enqueue(fed), queue.dequeue()


def _fifo(fed):
    return _in_queue(tf.FIFOQueue(9, [tf.float32], shapes=[[_SIZE]]), fed)


def _fifo_of_many(fed):
    queue = tf.FIFOQueue(9, [tf.float32], shapes=[[_SIZE]])
    return queue.enqueue_many([tf.expand_dims(fed, 0)]), queue.dequeue()


def _shuffled(fed):
    return _in_queue(tf.RandomShuffleQueue(9, 0, [tf.float32], shapes=[[_SIZE]]), fed)


def _padded(fed):
    queue = tf.PaddingFIFOQueue(9, [tf.float32], shapes=[[None]])
    return queue.enqueue(fed), queue.dequeue_many(1)[0]


def _by_priority(fed):
    queue = tf.PriorityQueue(9, [tf.float32], shapes=[[_SIZE]])
    return queue.enqueue([tf.constant(1, tf.int64), fed]), queue.dequeue()[1]


def _reshaped(fed):
    queue = tf.FIFOQueue(9, [tf.float32], shapes=[[2, _SIZE // 2]])
    same = tf.identity(tf.reshape(fed, [2, -1]))
    return queue.enqueue(same), tf.reshape(queue.dequeue(), [-1])


def _chosen(fed):
    queue = tf.FIFOQueue(9, [tf.float32], shapes=[[_SIZE]])
    alive = tf.cond(tf.equal(tf.size(fed), _SIZE), lambda: tf.identity(fed), lambda: fed + 1)
    return queue.enqueue(alive), queue.dequeue()


def _staged(fed):
    staging = {"dtypes": [tf.float32], "shared_name": "stage"}
    return raw.Stage(values=[fed], shared_name="stage"), raw.Unstage(**staging)[0]


def _staged_by_key(fed):
    area = {"dtypes": [tf.float32], "shared_name": "map"}
    key, indices = tf.constant(1, tf.int64), tf.constant([0])
    put = raw.MapStage(key=key, indices=indices, values=[fed], **area)
    return put, raw.MapUnstage(key=key, indices=indices, **area)[0]


def _in_barrier(fed):
    handle = raw.Barrier(component_types=[tf.float32], shapes=[[_SIZE]], capacity=-1)
    put = raw.BarrierInsertMany(
        handle=handle, keys=["key"], values=tf.expand_dims(fed, 0), component_index=0
    )
    taken = raw.BarrierTakeMany(handle=handle, num_elements=1, component_types=[tf.float32])
    return put, taken.values[0][0]


def _accumulated(fed):
    sums = tf.ConditionalAccumulator(tf.float32, shape=[_SIZE])
    return sums.apply_grad(fed), sums.take_grad(1)


def _accumulated_rows(fed):
    sums = tf.SparseConditionalAccumulator(tf.float32, shape=[1, _SIZE])
    put = sums.apply_grad(tf.constant([0], tf.int64), tf.expand_dims(fed, 0))
    return put, sums.take_grad(1).values[0]


def _assigned(fed):
    variable = tf.Variable(tf.zeros([_SIZE]))
    return tf.assign(variable, fed).op, variable


def _assigned_by_handle(fed):
    variable = tf.get_variable("v", [_SIZE], use_resource=True)
    return variable.assign(fed).op, variable.read_value()


def _initialized(fed):
    variable = tf.Variable(fed, validate_shape=False)
    return variable.initializer, tf.reshape(variable, [_SIZE])


def _in_table(fed):
    table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, tf.zeros([_SIZE]))
    put = table.insert(tf.constant([1], tf.int64), tf.expand_dims(fed, 0))
    return put, table.lookup(tf.constant([1], tf.int64))[0]


def _read_from(dataset):
    iterator = dataset.make_initializable_iterator()
    return iterator.initializer, iterator.get_next()


def _dataset(fed):
    return _read_from(tf.data.Dataset.from_tensors(fed))


def _cached(fed):
    return _read_from(tf.data.Dataset.from_tensors(fed).cache().shuffle(3).prefetch(2))


def _sliced(fed):
    return _read_from(tf.data.Dataset.from_tensor_slices(fed).batch(_SIZE))


def _captured(fed):
    return _read_from(tf.data.Dataset.range(2).map(lambda _: fed))


def _captured_in_parallel(fed):
    return _read_from(tf.data.Dataset.range(2).map(lambda _: tf.identity(fed), 2))


def _scanned(fed):
    ones = tf.data.Dataset.range(2)
    scan = tf.data.experimental.scan(fed, lambda state, _: (state, state))
    return _read_from(ones.apply(scan))


def _in_queue_of_variants(variant, out):
    queue = tf.FIFOQueue(9, [_VARIANT], shapes=[[]])
    return queue.enqueue(variant), out(queue.dequeue())


def _optional(fed):
    held = raw.OptionalFromValue(components=[fed])
    return _in_queue_of_variants(
        held, lambda taken: raw.OptionalGetValue(optional=taken, **_ONE)[0]
    )


def _empty_list():
    return raw.EmptyTensorList(
        element_shape=tf.constant([_SIZE]), max_num_elements=-1, element_dtype=tf.float32
    )


def _item(handle):
    return raw.TensorListGetItem(
        input_handle=handle, index=0, element_shape=tf.constant([_SIZE]), element_dtype=tf.float32
    )


def _pushed(fed):
    held = raw.TensorListPushBack(input_handle=_empty_list(), tensor=fed)
    return _in_queue_of_variants(held, _item)


def _set(fed):
    reserved = raw.TensorListReserve(
        element_shape=tf.constant([_SIZE]), num_elements=1, element_dtype=tf.float32
    )
    return _in_queue_of_variants(
        raw.TensorListSetItem(input_handle=reserved, index=0, item=fed), _item
    )


def _in_rows(fed):
    held = raw.TensorListFromTensor(
        tensor=tf.expand_dims(fed, 0), element_shape=tf.constant([_SIZE])
    )
    return _in_queue_of_variants(held, _item)


def _dataset_in_queue(fed):
    dataset = raw.TensorDataset(components=[fed], output_shapes=[[_SIZE]])
    return _in_queue_of_variants(
        dataset, lambda taken: raw.DatasetToSingleElement(dataset=taken, **_ONE)[0]
    )


def _array_in_queue(fed):
    array = tf.TensorArray(tf.float32, 1).write(0, fed)
    queue = tf.FIFOQueue(9, [tf.float32], shapes=[[_SIZE]])
    return queue.enqueue(array.read(0)), queue.dequeue()


def _kept_by_function(fed):
    kept = []
    put = tf.py_func(kept.append, [fed], [])
    return put, tf.py_func(lambda: kept[0], [], tf.float32)


_STORES = {
    store.__name__.strip("_"): store
    for store in (
        _fifo, _fifo_of_many, _shuffled, _padded, _by_priority, _reshaped, _chosen, _staged,
        _staged_by_key, _in_barrier, _accumulated, _accumulated_rows, _assigned,
        _assigned_by_handle, _initialized, _in_table, _dataset, _cached, _sliced, _captured,
        _captured_in_parallel, _scanned, _optional, _pushed, _set, _in_rows, _dataset_in_queue,
        _array_in_queue, _kept_by_function,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", _STORES)
def test_what_is_kept_of_a_fed_array_is_a_copy(name):
    fed = tf.placeholder(tf.float32, [_SIZE])
    put, taken = _STORES[name](fed)
    array = _VALUES.copy()
    before = sys.getrefcount(array)
    with tf.Session() as session:
        session.run(put, {fed: array})
        assert sys.getrefcount(array) == before
        array[:] = -1
        np.testing.assert_array_equal(session.run(taken), _VALUES)


def _padding(fed, path):
    empty = tf.data.Dataset.from_tensors(tf.zeros([0]))
    return empty.padded_batch(1, [1], fed).map(lambda x: x[0, 0])


def _default(fed, path):
    path.write_text(",1\n")
    return tf.data.experimental.CsvDataset(str(path), [fed, tf.float32])


@pytest.mark.parametrize("make", [_padding, _default])
def test_what_a_dataset_keeps_of_a_fed_number_is_a_copy(make, tmp_path):
    fed = tf.placeholder(tf.float32, [])
    initializer, element = _read_from(make(fed, tmp_path / "file"))
    array = np.array(3, np.float32)
    with tf.Session() as session:
        session.run(initializer, {fed: array})
        array[...] = -1
        assert np.ravel(session.run(element))[0] == 3


def test_a_step_that_waits_keeps_what_it_was_fed():
    fed = tf.placeholder(tf.float32, [None, _SIZE])
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[_SIZE]])
    put, taken = queue.enqueue_many([fed]), queue.dequeue()
    rows = np.stack([_VALUES, _VALUES + 1, _VALUES + 2])
    with tf.Session() as session:
        waiting = threading.Thread(target=session.run, args=(put, {fed: rows}))
        waiting.start()
        got = [session.run(taken) for _ in range(2)]
        waiting.join()
        rows[:] = -1
        got.append(session.run(taken))
    np.testing.assert_array_equal(got, [_VALUES, _VALUES + 1, _VALUES + 2])


_HELD = {
    "constant": lambda: (tf.no_op(), tf.constant(_VALUES)),
    "variable": lambda: _assigned(tf.constant(_VALUES)),
    "computed variable": lambda: _assigned(tf.constant(_VALUES) * 1),
    "resource variable": lambda: _assigned_by_handle(tf.constant(_VALUES) * 1),
    "staging area": lambda: (
        raw.Stage(values=[tf.constant(_VALUES) * 1], shared_name="stage"),
        raw.StagePeek(index=0, dtypes=[tf.float32], shared_name="stage")[0],
    ),
    "table": lambda: _in_table(tf.constant(_VALUES) * 1),
    "dataset": lambda: _read_from(tf.data.Dataset.from_tensors(_VALUES).repeat()),
    "cache": lambda: _read_from(
        tf.data.Dataset.from_tensors(_VALUES).map(lambda x: x * 1).cache().repeat()
    ),
}


@pytest.mark.parametrize("name", _HELD)
def test_what_a_step_gives_is_the_callers(name):
    put, held = _HELD[name]()
    with tf.Session() as session:
        session.run(put)
        for _ in range(3):
            got = session.run(held)
            np.testing.assert_array_equal(got, _VALUES)
            got[:] = -1


@pytest.mark.parametrize("use_resource", [False, True])
def test_later_updates_do_not_reach_what_was_given(use_resource):
    variable = tf.get_variable("v", initializer=_VALUES, use_resource=use_resource)
    rows = tf.IndexedSlices(tf.ones([1]), tf.constant([0]))
    updates = [
        tf.assign_add(variable, tf.ones([_SIZE])).op,
        tf.scatter_update(variable, [0], [5.0]),
        tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([_SIZE]), variable)]),
        tf.train.AdagradOptimizer(1.0).apply_gradients([(rows, variable)]),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for update in updates:
            got = session.run(variable)
            before = got.copy()
            session.run(update)
            np.testing.assert_array_equal(got, before)
            assert (session.run(variable) != before).any()
