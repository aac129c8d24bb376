"""Queues: orders, batches, closing, waiting and what ends it. Messages are TensorFlow's."""

import multiprocessing
import threading

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


class Waiting(threading.Thread):
    """A step that another thread runs; what it gave or raised is returned by `outcome`."""

    def __init__(self, session, fetches, **options):
        super().__init__(daemon=True)
        self._call = (session, fetches, options)
        self.outcome = None
        self.start()

    def run(self):
        session, fetches, options = self._call
        try:
            self.outcome = session.run(fetches, **options)
        except Exception as error:  # noqa: BLE001
            self.outcome = error

    def result(self):
        self.join(60)
        assert not self.is_alive()
        return self.outcome


def _until(session, fetch, value):
    for _ in range(100_000):
        if session.run(fetch) == value:
            return
    raise AssertionError("it never came to that")


def test_a_fifo_queue_keeps_the_order():
    queue = tf.FIFOQueue(10, [tf.float32, tf.string], [[], [2]], name="q")
    one, two = queue.dequeue()
    many = queue.dequeue_many(2)
    assert (one.shape.as_list(), two.shape.as_list()) == ([], [2])
    assert [t.shape.as_list() for t in many] == [[2], [2, 2]]
    with tf.Session() as session:
        session.run(queue.enqueue([1.0, ["a", "b"]]))
        session.run(queue.enqueue_many([[2.0, 3.0], [["c", "d"], ["e", "f"]]]))
        assert session.run(queue.size()) == 3
        assert session.run(one) == 1.0
        numbers, strings = session.run(many)
    np.testing.assert_array_equal(numbers, [2, 3])
    np.testing.assert_array_equal(strings, [[b"c", b"d"], [b"e", b"f"]])


def test_operations_have_tensorflows_names():
    with tf.name_scope("s"):
        queue = tf.FIFOQueue(3, tf.int32, shapes=[()])
        put, puts = queue.enqueue(3), queue.enqueue_many([[1]])
    assert (queue.name, put.name, puts.name) == (
        "s/fifo_queue", "s/fifo_queue_enqueue", "s/fifo_queue_EnqueueMany",
    )  # fmt: skip
    assert put.inputs[1].name == "s/fifo_queue_enqueue/component_0:0"
    made = [queue.dequeue(), queue.dequeue_many(2), queue.dequeue_up_to(2), queue.size(),
            queue.is_closed()]  # fmt: skip
    assert [tensor.op.name for tensor in made] == [
        "fifo_queue_Dequeue", "fifo_queue_DequeueMany", "fifo_queue_DequeueUpTo",
        "fifo_queue_Size", "fifo_queue_Is_Closed",
    ]  # fmt: skip
    assert [queue.close().name, queue.close().name] == ["fifo_queue_Close", "fifo_queue_Close_1"]


def test_seeded_shuffles_are_tensorflows():
    queue = tf.RandomShuffleQueue(20, 3, [tf.int32], shapes=[()], seed=7)
    with tf.Session() as session:
        session.run(queue.enqueue_many([list(range(12))]))
        assert session.run(queue.dequeue_many(5)).tolist() == [3, 10, 5, 4, 0]
        assert [session.run(queue.dequeue()) for _ in range(4)] == [8, 7, 6, 9]
        session.run(queue.close())
        with pytest.raises(tf.errors.OutOfRangeError, match=r"requested 4, current size 3"):
            session.run(queue.dequeue_many(4))
        assert session.run(queue.dequeue_up_to(4)).tolist() == [1, 11, 2]


def test_a_shared_name_makes_the_second_seed():
    tf.set_random_seed(5)
    queue = tf.RandomShuffleQueue(20, 3, [tf.int32], shapes=[()], shared_name="x")
    op = queue.queue_ref.op
    assert (op.get_attr("seed"), op.get_attr("seed2")) == (5, 400749974)


def test_rows_of_different_sizes_are_padded(run):
    queue = tf.PaddingFIFOQueue(10, [tf.float32, tf.string], [[None], [None, 2]])
    batch = queue.dequeue_many(2)
    assert [tensor.shape.as_list() for tensor in batch] == [[2, None], [2, None, 2]]
    with tf.Session() as session:
        session.run(queue.enqueue([[1.0], [["a", "b"]]]))
        session.run(queue.enqueue([[1.0, 2.0, 3.0], [["a", "b"], ["c", "d"]]]))
        numbers, strings = session.run(batch)
    np.testing.assert_array_equal(numbers, [[1, 0, 0], [1, 2, 3]])
    assert strings.tolist() == [[[b"a", b"b"], [b"", b""]], [[b"a", b"b"], [b"c", b"d"]]]


def test_the_least_priority_comes_first(run):
    queue = tf.PriorityQueue(10, [tf.string], shapes=[()])
    assert queue.dtypes == [tf.int64, tf.string]
    with tf.Session() as session:
        session.run(queue.enqueue_many([[3, 1, 2, 1, 1, 3], list("abcdef")]))
        priorities, values = session.run(queue.dequeue_many(6))
    assert priorities.tolist() == [1, 1, 1, 2, 3, 3]
    assert values.tolist() == [b"b", b"d", b"e", b"c", b"a", b"f"]


def test_names_make_dictionaries():
    queue = tf.FIFOQueue(3, [tf.float32, tf.int32], names=["a", "b"], shapes=[(), ()])
    taken = queue.dequeue()
    with tf.Session() as session:
        session.run(queue.enqueue({"a": 1.0, "b": 2}))
        assert session.run(taken) == {"a": 1.0, "b": 2}
    with pytest.raises(ValueError, match="do not match names of Queue"):
        queue.enqueue({"a": 1.0})
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        queue.enqueue([1.0, 2])


def test_a_queue_is_chosen_when_a_step_runs():
    queues = [tf.FIFOQueue(3, [tf.float32]) for _ in range(2)]
    index = tf.placeholder(tf.int32, [])
    chosen = tf.QueueBase.from_list(index, queues)
    put = chosen.enqueue(1.0)
    with tf.Session() as session:
        session.run(put, {index: 1})
        assert session.run([queue.size() for queue in queues]) == [0, 1]
    with pytest.raises(TypeError, match="matching component dtypes"):
        tf.QueueBase.from_list(0, [queues[0], tf.FIFOQueue(3, [tf.int32])])


def test_what_does_not_fit_is_refused(run):
    queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[(), [2]], name="q")
    fed = tf.placeholder(tf.int32)
    with pytest.raises(ValueError, match="incompatible"):
        queue.enqueue([1.0, [1, 2, 3]])
    with pytest.raises(ValueError, match="components"):
        queue.enqueue([1.0])
    for put, value, expected in (
        (queue.enqueue([1.0, fed]), [1, 2, 3], "tuple component 1. Expected [2], got [3]"),
        (queue.enqueue_many([[1.0, 2.0], fed]), [[1, 2]], "component 1. Expected [2,2], got [1,2]"),
        (queue.enqueue_many([[1.0, 2.0], fed]), 3, "Expected [2,2], got []"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run(put, {fed: value})
        assert expected in caught.value.message
    count = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="DequeueManyOp requested -1 < 0"):
        run(queue.dequeue_many(count), {count: -1})
    with pytest.raises(tf.errors.InvalidArgumentError, match="to have specified shapes"):
        run(tf.FIFOQueue(3, [tf.float32]).dequeue_many(1))
    with pytest.raises(ValueError, match="fully defined"):
        tf.FIFOQueue(3, [tf.float32], [[None]])


def test_who_shares_a_queue_agrees_on_it():
    first = tf.FIFOQueue(10, [tf.float32], shared_name="s")
    same = tf.FIFOQueue(10, [tf.float32], shared_name="s")
    others = [
        (tf.FIFOQueue(11, [tf.float32], shared_name="s"), "has capacity 10 but requested"),
        (tf.FIFOQueue(10, [tf.int32], shared_name="s"), "component types"),
        (tf.FIFOQueue(10, [tf.float32], [[2]], shared_name="s"), "component shapes"),
        (tf.RandomShuffleQueue(10, 2, [tf.float32], shared_name="s"), "RandomShuffleQueue"),
    ]
    with tf.Session() as session:
        session.run(first.enqueue(1.0))
        assert session.run(same.size()) == 1
        for other, expected in others:
            with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
                session.run(other.size())
    with tf.Session() as session:
        assert session.run(first.size()) == 0


def test_a_closed_queue_gives_what_it_has():
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[()], name="q")
    four = queue.dequeue_many(4)
    with tf.Session() as session:
        session.run(queue.enqueue_many([[1.0, 2.0]]))
        waiting = Waiting(session, four)
        _until(session, queue.size(), 0)
        session.run(queue.close())
        error = waiting.result()
        assert isinstance(error, tf.errors.OutOfRangeError)
        assert error.op is four.op
        assert "FIFOQueue 'q' is closed and has insufficient elements" in error.message
        assert session.run(queue.is_closed())
        assert session.run(queue.size()) == 2  # nothing is lost
        with pytest.raises(tf.errors.CancelledError, match=r"FIFOQueue 'q' is closed\."):
            session.run(queue.enqueue(1.0))
        with pytest.raises(tf.errors.CancelledError, match="already closed"):
            session.run(queue.close())
        assert session.run(queue.dequeue_up_to(5)).tolist() == [1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match=r"requested 1, current size 0"):
            session.run(queue.dequeue())


def test_who_finds_no_room_waits_and_can_be_cancelled():
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[()])
    with tf.Session() as session:
        waiting = Waiting(session, queue.enqueue_many([[1.0, 2.0, 3.0, 4.0]]))
        _until(session, queue.size(), 2)
        assert session.run(queue.dequeue_many(4)).tolist() == [1, 2, 3, 4]
        assert waiting.result() is None
        session.run(queue.enqueue_many([[5.0, 6.0]]))
        waiting = Waiting(session, queue.enqueue(7.0))
        session.run(queue.close(cancel_pending_enqueues=True))
        error = waiting.result()
        assert isinstance(error, tf.errors.CancelledError)
        assert session.run(queue.dequeue_many(2)).tolist() == [5, 6]


def test_one_step_may_put_in_what_it_takes_out(run):
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[()])
    taken = queue.dequeue()
    assert run([taken, queue.enqueue(5.0)])[0] == 5.0
    both = queue.dequeue_many(3)
    value, _ = run([both * 2, queue.enqueue_many([[1.0, 2.0, 3.0]])])
    assert value.tolist() == [2, 4, 6]
    with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError):
        session.run([queue.dequeue(), queue.close()])


def test_threads_of_a_session_wait_without_a_thread_of_the_pool():
    config = tf.ConfigProto(inter_op_parallelism_threads=2)
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[64, 64]])
    taken = [queue.dequeue() for _ in range(6)]
    products = [tf.matmul(value, value) for value in taken]
    total = tf.reduce_sum(tf.add_n([*products, tf.matmul(tf.eye(64), tf.eye(64))]))
    ones = queue.enqueue_many([tf.ones([6, 64, 64])])
    with tf.Session(config=config) as session:
        waiting = [Waiting(session, total) for _ in range(4)]
        for _ in waiting:
            session.run(ones)
        assert [step.result() for step in waiting] == [6 * 64**3 + 64] * 4


def test_a_timeout_ends_the_wait(run):
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[()])
    options = tf.RunOptions(timeout_in_ms=30)
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.dequeue(), options=options)
        session.run(queue.enqueue(1.0))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.enqueue(2.0), options=options)
        assert session.run([queue.size(), queue.dequeue()]) in ([1, 1.0], [0, 1.0])


def test_closing_the_session_ends_the_wait():
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[()])
    session = tf.Session()
    session.run(queue.size())
    waiting = Waiting(session, queue.dequeue())
    _until_waiting(waiting)
    session.close()
    assert isinstance(waiting.result(), (tf.errors.CancelledError, RuntimeError))


def _until_waiting(thread):
    """Give the thread time to come to its wait; what is tested holds before as well."""
    thread.join(0.05)
    assert thread.is_alive()


def _answer(queue):
    queue.put("child")


def test_fork_does_not_wait_for_who_waits():
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[()])
    with tf.Session() as session:
        waiting = Waiting(session, queue.dequeue())
        _until_waiting(waiting)
        context = multiprocessing.get_context("fork")
        answers = context.Queue()
        child = context.Process(target=_answer, args=(answers,))
        child.start()
        assert answers.get(timeout=60) == "child"
        child.join(60)
        session.run(queue.enqueue(1.0))
        assert waiting.result() == 1.0


def test_old_graphs_hold_references_instead_of_handles(run):
    handle = tf.raw_ops.FIFOQueue(component_types=[tf.int32], shapes=[[]], capacity=5)
    put = tf.raw_ops.QueueEnqueueMany(handle=handle, components=[[4, 5]])
    with tf.control_dependencies([put]):
        taken = tf.raw_ops.QueueDequeueMany(handle=handle, n=2, component_types=[tf.int32])
    assert run(taken)[0].tolist() == [4, 5]
    variable = tf.raw_ops.VariableV2(shape=[2], dtype=tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no queue"):
        run(tf.raw_ops.QueueSize(handle=variable))


def test_a_staging_area_under_keys_takes_what_it_was_made_for():
    from tfbuild_runtime.compat import internal

    area = internal.python.ops.data_flow_ops.MapStagingArea(
        [tf.float32, tf.int32], shapes=[[2], []], names=["x", "y"], capacity=1
    )
    with pytest.raises(ValueError, match="names of staging area"):
        area.put(1, {"z": 1})
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        area.put(1, [1.0], [0])
    with pytest.raises(ValueError, match="Named indices"):
        area.get(1, "z")
    with pytest.raises(ValueError, match="Datatypes do not match"):
        area.put(1, {"y": 1.5})
    put = [area.put(tf.constant(n, tf.int64), {"x": [n, 0.5], "y": n}) for n in (1, 2)]
    key, taken = area.get()
    assert taken["x"].shape.as_list() == [2]
    with tf.Session() as session:
        session.run(put[0])
        second = Waiting(session, put[1])  # there is room for one
        assert session.run([key, taken["y"]]) == [1, 1]
        second.result()
        assert session.run(area.size()) == 1
