"""Iterators of datasets, what ends them, functions that datasets call, and what wrong use says."""

import contextlib
import os
import threading
import time

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

Dataset = tf.data.Dataset


def drain(session, element):
    """Return all that is left of an iterator."""
    values = []
    try:
        while True:
            values.append(session.run(element))
    except tf.errors.OutOfRangeError:
        return values


def test_a_one_shot_iterator_needs_no_begin():
    element = Dataset.range(3).map(lambda x: x * 2).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert drain(session, element) == [0, 2, 4]
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(element)
    with tf.Session() as session:  # each session reads it for itself
        assert drain(session, element) == [0, 2, 4]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: Dataset.list_files(path("?"), shuffle=False).map(tf.read_file), [b"A", b"B"]),
        (lambda path: Dataset.list_files(path("?"), shuffle=False).interleave(
            tf.data.TextLineDataset, 2), [b"A", b"B"]),
        (lambda path: Dataset.from_tensors(tf.size(tf.io.matching_files(path("?")))), [2]),
        (lambda path: Dataset.from_tensors(tf.read_file(path("b"))), [b"B"]),
    ],
)  # fmt: skip
def test_a_one_shot_iterator_reads_files(make, expected, tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name.upper())
    dataset = make(lambda name: str(tmp_path / name))
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert drain(session, element) == expected


def test_a_one_shot_iterator_takes_no_state():
    count = tf.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        Dataset.range(count).make_one_shot_iterator()
    variable = tf.get_variable("v", initializer=np.int64(1), use_resource=True)
    with pytest.raises(ValueError, match="make_initializable_iterator"):
        Dataset.range(3).map(lambda x: x + variable).make_one_shot_iterator()
    with pytest.raises(ValueError, match="does not have an initializer"):
        Dataset.range(3).make_one_shot_iterator().initializer  # noqa: B018


def test_an_initializable_iterator_begins_again():
    count = tf.placeholder(tf.int64, [])
    iterator = tf.data.make_initializable_iterator(Dataset.range(count).shuffle(9, seed=4))
    element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(element)
        orders = []
        for size in (3, 8, 8):
            session.run(iterator.initializer, {count: size})
            orders.append(drain(session, element))
            assert sorted(orders[-1]) == list(range(size))
    assert orders[1] == orders[2]  # the seeds begin again with the dataset


def test_one_iterator_for_several_datasets():
    training = Dataset.from_tensor_slices({"x": [1.0, 2.0], "y": [1, 2]})
    iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
    element = iterator.get_next()
    first = iterator.make_initializer(training)
    second = iterator.make_initializer(training.skip(1), name="second")
    assert second.name == "second"
    with tf.Session() as session:
        session.run(first)
        assert [value["y"] for value in drain(session, element)] == [1, 2]
        session.run(second)
        assert drain(session, element) == [{"x": 2.0, "y": 2}]
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(Dataset.range(3))


def test_a_fed_handle_chooses_the_iterator():
    handle = tf.placeholder(tf.string, [])
    element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    one = Dataset.range(3).make_one_shot_iterator()
    other = Dataset.range(10, 20).make_initializable_iterator()
    with tf.Session() as session:
        session.run(other.initializer)
        first, second = session.run([one.string_handle(), other.string_handle()])
        got = [session.run(element, {handle: which}) for which in (first, second, first, second)]
        assert got == [0, 10, 1, 11]
        for wrong in (b"", b"iterator 123456789", b"nonsense"):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(element, {handle: wrong})


def test_functions_see_variables_as_they_are():
    variable = tf.get_variable("v", initializer=np.int64(5), use_resource=True)
    iterator = Dataset.range(3).map(lambda x: x + variable).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])
        assert session.run(element) == 5
        session.run(variable.assign(50))
        assert session.run(element) == 51


def test_reduce_and_single_elements():
    total = Dataset.range(5).reduce(np.int64(0), lambda a, b: a + b)
    pair = Dataset.range(5).reduce((0, 1), lambda s, x: (s[0] + 1, s[1] * 2))
    one = tf.data.experimental.get_single_element(Dataset.range(4).batch(4))
    size = tf.data.experimental.cardinality(Dataset.range(9).batch(2))
    with tf.Session() as session:
        assert session.run([total, pair, size]) == [10, (5, 32), 5]
        assert session.run(one).tolist() == [0, 1, 2, 3]


def test_a_step_ends_while_it_waits_for_an_element():
    def slow():
        while True:
            time.sleep(0.01)
            yield 1

    never = Dataset.from_generator(slow, tf.int64).filter(lambda x: x > 5)
    iterator = never.prefetch(1).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=50))
    session = tf.Session()
    session.run(iterator.initializer)
    ended = []

    def wait():
        try:
            session.run(element)
        except tf.errors.CancelledError as error:
            ended.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.05)
    session.close()
    waiting.join(timeout=30)
    assert len(ended) == 1


def test_generators_are_closed():
    closed = []

    def generate():
        try:
            yield from range(100)
        finally:
            closed.append(True)

    iterator = Dataset.from_generator(generate, tf.int64).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == 0
        session.run(iterator.initializer)  # the first one is dropped in the middle
        assert closed == [True]
        assert len(drain(session, element)) == 100
    assert closed == [True, True]


def test_a_child_process_gets_an_error_as_the_threads_are_gone():
    iterator = Dataset.range(100).prefetch(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(element)
        child = os.fork()
        if child == 0:
            try:
                session.run(element)
            except tf.errors.FailedPreconditionError:
                session.run(iterator.initializer)
                os._exit(0 if session.run(element) == 0 else 2)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert session.run(element) == 1


def test_a_graph_with_datasets_is_written_and_read():
    captured = tf.constant(10, tf.int64)
    dataset = Dataset.range(4).map(lambda x: x + captured).batch(2)
    element = tf.identity(dataset.make_one_shot_iterator().get_next(), "element")
    expected = tf.Session().run(element).tolist()
    graph_def = tf.GraphDef.FromString(tf.get_default_graph().as_graph_def().SerializeToString())
    with tf.Graph().as_default():
        (read,) = tf.import_graph_def(graph_def, return_elements=["element:0"])
        with tf.Session() as session:
            assert session.run(read).tolist() == expected


def test_what_tensorflow_writes_runs_here(tensorflow):
    script = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
dataset = tf.data.Dataset.range(10).shuffle(5, seed=3).map(lambda x: (x, x * x), 2).batch(3)
dataset = dataset.repeat(2).prefetch(1)
tf.identity(dataset.make_one_shot_iterator().get_next()[1], "element")
sys.stdout.buffer.write(tf.get_default_graph().as_graph_def().SerializeToString())
"""
    graph_def = tf.GraphDef.FromString(tensorflow(script))
    (element,) = tf.import_graph_def(graph_def, return_elements=["element:0"])
    ours = Dataset.range(10).shuffle(5, seed=3).map(lambda x: x * x).batch(3).repeat(2)
    same = ours.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        read = [value.tolist() for value in drain(session, element)]
        assert read == [value.tolist() for value in drain(session, same)]
    assert len(read) == 8


def test_what_is_wrong_is_said_while_the_graph_is_built():
    with pytest.raises(TypeError, match="must return a Dataset"):
        Dataset.range(3).flat_map(lambda x: x)
    with pytest.raises(TypeError, match="must return a Dataset"):
        Dataset.range(3).interleave(lambda x: (x, x), 2)
    with pytest.raises(TypeError, match="Unsupported return value"):
        Dataset.range(3).map(lambda x: None)
    with pytest.raises(TypeError, match="filenames"):
        tf.data.TFRecordDataset([1, 2])
    with pytest.raises(TypeError, match="list"):
        Dataset.zip([Dataset.range(3)])
    with pytest.raises(ValueError, match="window_size"):
        Dataset.range(3).apply(tf.data.experimental.group_by_window(lambda x: x, lambda k, w: w))
    with pytest.raises(RuntimeError, match="eager"):
        iter(Dataset.range(3))
    with pytest.raises(TypeError, match="cannot be batched"):
        Dataset.range(3).window(2).batch(2)


def test_old_names_are_there():
    dataset = tf.contrib.data.Dataset.from_tensor_slices([1, 2, 3])
    dataset = dataset.apply(tf.contrib.data.batch_and_drop_remainder(2))
    assert dataset.output_shapes.as_list() == [2]
    assert tf.contrib.data.TFRecordDataset is tf.data.TFRecordDataset
    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = 2
    with pytest.raises(AttributeError, match="no option 'threds'"):
        options.experimental_threading.threds = 2
    with pytest.raises(AttributeError, match="no option 'foo'"):
        options.foo = True
    same = dataset.with_options(options)
    assert same.options().experimental_threading.private_threadpool_size == 2
    with tf.Session() as session:
        element = same.apply(tf.data.experimental.prefetch_to_device("/gpu:0"))
        assert drain(session, element.make_one_shot_iterator().get_next())[0].tolist() == [1, 2]


def test_checks_in_functions():
    """What `tf.Assert` and loops do in a branch is waited for where that branch ends."""

    def checked(x):
        with tf.control_dependencies([tf.Assert(x < 2, ["too large:", x])]):
            return x + 1

    def counted(x):
        def more(i):
            with tf.control_dependencies([tf.Assert(i < 5, [i])]):
                return i + 1

        return tf.while_loop(lambda i: i < 3, more, [x])

    checked_once = tf.data.Dataset.range(3).map(checked).make_one_shot_iterator().get_next()
    counting = tf.data.Dataset.range(2).map(counted).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(checked_once), session.run(checked_once)] == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
            session.run(checked_once)
        assert [session.run(counting), session.run(counting)] == [3, 3]


def test_threads_that_build_functions_at_once_get_names_of_their_own(monkeypatch):
    from tfbuild_runtime.framework import function_graph

    graph, others, made = tf.get_default_graph(), [], []
    choose = function_graph.unique_name

    def map_by(factor):
        with graph.as_default():
            dataset = Dataset.range(1, 4).map(lambda x: x * factor)
            return dataset.make_one_shot_iterator().get_next()

    def choose_beside_another(*arguments):
        name = choose(*arguments)
        if not others:  # the first one: another thread comes before the name is taken
            others.append(threading.Thread(target=lambda: made.append(map_by(10))))
            others[0].start()
            others[0].join(0.5)
        return name

    monkeypatch.setattr(function_graph, "unique_name", choose_beside_another)
    made.append(map_by(100))
    others[0].join()
    with tf.Session() as session:
        assert sorted(session.run(made)) == [10, 100]


def test_threads_share_the_elements_of_an_iterator():
    values = tf.data.Dataset.range(20_000).map(lambda x: x, num_parallel_calls=2).prefetch(2)
    element = values.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        found = [[] for _ in range(4)]

        def read(mine):
            mine += drain(session, element)

        threads = [threading.Thread(target=read, args=(mine,)) for mine in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(value for mine in found for value in mine) == list(range(20_000))


def test_no_reader_takes_the_end_of_a_session_for_the_end_of_the_data():
    ends = set()

    def read(session, element):
        try:
            while True:
                session.run(element)
        except (RuntimeError, tf.errors.OpError) as error:
            ends.add(type(error).__name__)

    for _ in range(60):  # before threads waited again for what another one took, 9 and more failed
        with tf.Graph().as_default():
            values = Dataset.range(1000).map(lambda x: x * 2, num_parallel_calls=2)
            element = values.repeat().prefetch(2).make_one_shot_iterator().get_next()
            session = tf.Session()
        threads = [threading.Thread(target=read, args=(session, element)) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        session.close()
        for thread in threads:
            thread.join()
    assert ends <= {"RuntimeError", "CancelledError"}


def test_lines_of_text_have_no_carriage_returns(tmp_path):
    (tmp_path / "lines").write_bytes(b"a\rb\r\nc\r\rd\n\re\n")
    lines = tf.data.TextLineDataset(str(tmp_path / "lines"))
    element = tf.data.make_one_shot_iterator(lines).get_next()
    with tf.Session() as session:
        assert drain(session, element) == [b"ab", b"cd", b"e"]


def read_through(session, element):
    """All elements to the end, and how many times one failed."""
    read, failed = [], 0
    with contextlib.suppress(tf.errors.OutOfRangeError):
        while True:
            with contextlib.suppress(tf.errors.InvalidArgumentError):
                failed += 1
                read.extend(session.run(element).tolist())
                failed -= 1
    return read, failed - 1


@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.parametrize("batch", [1, 3])
def test_a_cache_has_no_holes(in_file, batch, tmp_path):
    """What failed, or was stopped, is computed anew in the next epoch, and not missing for ever."""
    path = str(tmp_path / "cache") if in_file else ""
    calls = []

    def work(value):
        calls.append(int(value))
        if value == 4 and calls.count(4) == 1:
            raise ValueError("once")
        return value

    data = tf.data.Dataset.range(9).map(lambda v: tf.py_func(work, [v], tf.int64))
    three = data.batch(batch).cache(path).repeat(3)
    element = tf.data.make_one_shot_iterator(three).get_next()
    with tf.Session() as session:
        read, failed = read_through(session, element)
    assert failed == 1
    assert read[-18:] == [*range(9), *range(9)]
    assert calls.count(8) == 2, "the third time came out of the cache"
