"""Queue runners, coordinators and what feeds a training from queues."""

import threading

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def _epochs(tensor):
    """What a pipeline of some epochs gives until its end."""
    given = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            while not coord.should_stop():
                given.append(session.run(tensor))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return given


def test_strings_come_in_order_or_shuffled_as_in_tensorflow():
    queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    assert b"".join(_epochs(queue.dequeue())) == b"abcabc"
    tf.reset_default_graph()
    queue = tf.train.string_input_producer(["a", "b", "c", "d"], num_epochs=2, seed=3)
    given = _epochs(queue.dequeue())
    assert sorted(given[:4]) == sorted(given[4:]) == [b"a", b"b", b"c", b"d"]
    with pytest.raises(ValueError, match="non-null"):
        tf.train.string_input_producer([])


def test_an_empty_tensor_of_names_ends_the_training():
    queue = tf.train.string_input_producer(
        tf.placeholder_with_default(tf.constant([], tf.string), [None])
    )
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(queue.dequeue())
        with pytest.raises(tf.errors.InvalidArgumentError, match="non-null"):
            coord.join(threads)


def test_slices_stay_together():
    number, letter = tf.train.slice_input_producer([[1, 2, 3], ["a", "b", "c"]], 2, seed=1)
    given = _epochs([number, letter])
    assert len(given) == 6
    assert all("abc".index(text.decode()) == value - 1 for value, text in given)


def test_names_are_tensorflows():
    files = tf.train.string_input_producer(["a", "b"], num_epochs=2)
    assert files.name == "input_producer"
    images = tf.train.shuffle_batch([tf.constant(1.0)], 3, 100, 10, num_threads=2)
    pair = tf.train.batch([tf.constant(1.0), [1, 2]], 3, name="pair")
    assert (images.op.name, pair[0].op.name) == ("shuffle_batch", "pair")
    assert [v.name for v in tf.local_variables()] == ["input_producer/limit_epochs/epochs:0"]
    assert [s.op.name for s in tf.get_collection("summaries")] == [
        "input_producer/fraction_of_32_full", "shuffle_batch/fraction_over_10_of_90_full",
        "pair/fraction_of_32_full",
    ]  # fmt: skip
    runners = tf.get_collection("queue_runners")
    assert [runner.name for runner in runners] == [
        "input_producer", "shuffle_batch/random_shuffle_queue", "pair/fifo_queue",
    ]  # fmt: skip
    assert len(runners[1].enqueue_ops) == 2


def test_batches_and_the_smaller_last_one():
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch({"n": number, "twice": number * 2}, 2, allow_smaller_final_batch=True)
    given = _epochs(batch)
    assert [value["n"].tolist() for value in given] == [[0, 1], [2, 3], [4]]
    assert [value["twice"].tolist() for value in given] == [[0, 2], [4, 6], [8]]


def test_rows_sizes_and_choices():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    rows = tf.train.batch([tf.range(number)], 3, dynamic_pad=True)
    assert rows.shape.as_list() == [3, None]
    assert [value.tolist() for value in _epochs(rows)] == [
        [[0, 0], [0, 0], [0, 1]], [[0, 1, 2, 0, 0], [0, 1, 2, 3, 0], [0, 1, 2, 3, 4]],
    ]  # fmt: skip
    tf.reset_default_graph()
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    even = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 3)
    assert [value.tolist() for value in _epochs(even)] == [[0, 2, 4]]
    tf.reset_default_graph()
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue_many(3)
    odd = tf.train.maybe_batch([number], tf.equal(number % 2, 1), 3, enqueue_many=True)
    assert [value.tolist() for value in _epochs(odd)] == [[1, 3, 5]]


def test_shuffled_batches_lose_and_double_nothing():
    number = tf.train.range_input_producer(1000, num_epochs=3).dequeue()
    sources = [[number] for _ in range(3)]
    batch = tf.train.shuffle_batch_join(sources, 50, 400, 100, allow_smaller_final_batch=True)
    given = np.concatenate(_epochs(batch))
    assert sorted(given.tolist()) == sorted(list(range(1000)) * 3)


def test_a_monitored_session_starts_the_runners():
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([number], 2)
    tf.train.create_global_step()
    given = []
    with tf.train.MonitoredSession() as session:
        assert tf.train.start_queue_runners(session) == []
        while not session.should_stop():
            given.append(session.run(batch).tolist())
    assert given == [[0, 1], [2, 3]]


@pytest.mark.cpu  # a GPU gathers zeros where there is nothing
def test_what_a_runner_raises_reaches_the_join():
    queue = tf.FIFOQueue(10, [tf.float32])
    broken = queue.enqueue(tf.gather([1.0, 2.0], tf.placeholder_with_default(5, [])))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [broken]))
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        assert coord.wait_for_stop(60)
        with pytest.raises(tf.errors.InvalidArgumentError):
            coord.join(threads)


def test_without_a_coordinator_errors_are_kept():
    queue = tf.FIFOQueue(10, [tf.int32])
    broken = queue.enqueue(tf.gather([1, 2], tf.placeholder_with_default(5, [])))
    runner = tf.train.QueueRunner(queue, [broken])
    with tf.Session() as session:
        threads = runner.create_threads(session, start=True)
        threads[0].join(60)
        assert isinstance(runner.exceptions_raised[0], tf.errors.InvalidArgumentError)
    with pytest.raises(ValueError, match="Must provide queue"):
        tf.train.QueueRunner()
    with pytest.raises(TypeError, match="queue_closed_exception_types"):
        tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=(1,))


def test_runners_are_in_meta_graphs():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[()])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(7)]))
    queue.dequeue_many(2, name="batch")
    saved = tf.train.export_meta_graph()
    tf.reset_default_graph()
    tf.train.import_meta_graph(saved)
    given = []
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        assert len(threads) == 2
        given = session.run("batch:0")
        coord.request_stop()
        coord.join(threads)
    assert given.tolist() == [7, 7]


def test_files_are_matched_when_the_variable_is_made(tmp_path):
    names = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    (tmp_path / "x.txt").write_text("")
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(names).tolist() == [str(tmp_path / "x.txt").encode()]


def test_a_program_may_end_while_its_runners_go_on(python):
    text = python(
        "import tfbuild_runtime.compat.v1 as tf\n"
        "q = tf.train.range_input_producer(1000)\n"
        "batch = tf.train.shuffle_batch([q.dequeue()], 8, 100, 50, num_threads=4)\n"
        "session = tf.Session()\n"
        "tf.train.start_queue_runners(session)\n"
        "for _ in range(20): session.run(batch)\n"
        "print('done', flush=True)\n"
    )
    assert "done" in text


def test_a_looper_stops_with_its_coordinator():
    coord = tf.train.Coordinator()
    turns = threading.Semaphore(0)
    looper = tf.train.LooperThread.loop(coord, None, turns.release)
    for _ in range(3):
        assert turns.acquire(timeout=60)
    coord.request_stop(ValueError("enough"))
    with pytest.raises(ValueError, match="enough"):
        coord.join([looper])
    assert coord.joined


def _sparse_of(number):
    """A sparse vector of `number` + 1 places, of which the last one holds the number."""
    place = tf.reshape(tf.cast(number, tf.int64), [1, 1])
    return tf.SparseTensor(place, tf.reshape(number, [1]), tf.reshape(place + 1, [1]))


def test_sparse_tensors_are_batched_beside_dense_ones():
    number = tf.train.range_input_producer(3, shuffle=False).dequeue()
    given = {"sparse": _sparse_of(number), "dense": number}
    batch = tf.train.batch(given, batch_size=4)
    assert batch["sparse"].shape.as_list() == [None, None]
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        first, second = session.run(batch), session.run(batch)
        coord.request_stop()
        coord.join(threads, ignore_live_threads=True)
    assert first["dense"].tolist() == first["sparse"].values.tolist() == [0, 1, 2, 0]
    assert first["sparse"].indices.tolist() == [[0, 0], [1, 1], [2, 2], [3, 0]]
    assert first["sparse"].dense_shape.tolist() == [4, 3]
    assert second["sparse"].values.tolist() == [1, 2, 0, 1]


def test_rows_of_sparse_tensors_are_batched():
    matrix = tf.SparseTensor([[0, 1], [2, 0]], ["a", "b"], [3, 2])
    batch = tf.train.batch([matrix, tf.range(3)], 4, enqueue_many=True)
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        sparse, dense = session.run(batch)
        coord.request_stop()
        coord.join(threads, ignore_live_threads=True)
    assert dense.tolist() == [0, 1, 2, 0]
    assert (sparse.indices.tolist(), sparse.values.tolist()) == (
        [[0, 1], [2, 0], [3, 1]],
        [b"a", b"b", b"a"],
    )
    assert sparse.dense_shape.tolist() == [4, 2]


def test_sparse_tensors_are_shuffled_and_joined():
    sources = [[_sparse_of(tf.constant(n)), tf.constant(n)] for n in (1, 2)]
    batch = tf.train.shuffle_batch_join(sources, 8, 100, 20, seed=3)
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        sparse, dense = session.run(batch)
        coord.request_stop()
        coord.join(threads, ignore_live_threads=True)
    assert sparse.values.tolist() == dense.tolist() == sparse.indices[:, 1].tolist()
    with pytest.raises(TypeError, match="sparse or dense"):
        tf.train.batch_join([[_sparse_of(tf.constant(1))], [tf.constant(1)]], 2)
