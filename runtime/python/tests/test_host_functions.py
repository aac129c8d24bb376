"""Functions of Python as ops, printing, assertions."""

import ctypes
import gc
import os
import threading

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_arrays_go_in_and_come_out(run):
    seen = []

    def function(matrix, number, text):
        seen.append((matrix.dtype, matrix.shape, float(number), text))
        return matrix.T, [b"a", "b"], 7

    matrix = tf.constant([[1.0, 2.0, 3.0]])
    y, texts, count = tf.py_func(function, [matrix, 2.5, "t"], [tf.float32, tf.string, tf.int64])
    assert y.shape.rank is None
    got = run([y, texts, count])
    assert seen == [(np.float32, (1, 3), 2.5, b"t")]
    assert got[0].tolist() == [[1], [2], [3]]
    assert got[1].tolist() == [b"a", b"b"]
    assert (got[2], got[2].dtype) == (7, np.int64)


def test_one_type_gives_one_tensor_and_none_an_operation(run):
    calls = []
    assert run(tf.py_func(lambda: np.float32(3), [], tf.float32)) == 3
    assert run(tf.py_func(lambda: calls.append(1), [], [])) is None
    assert calls == [1]


def test_what_the_function_gets_is_its_own(run):
    def spoil(array):
        array[:] = 0
        return array

    x = tf.constant(np.ones(2000, np.float32)) * 2
    spoiled = tf.py_func(spoil, [x], tf.float32)
    with tf.control_dependencies([spoiled]):
        kept = tf.identity(x)
    assert run([spoiled, kept])[1].min() == 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("bad"), tf.errors.InvalidArgumentError),
        (StopIteration("end"), tf.errors.OutOfRangeError),
        (NotImplementedError("no"), tf.errors.UnimplementedError),
        (KeyError("key"), tf.errors.UnknownError),
    ],
)
def test_errors_of_the_function_end_the_step(run, error, kind):
    def fail():
        raise error

    with pytest.raises(kind, match=type(error).__name__):
        run(tf.py_func(fail, [], tf.float32))


def _failing(depth):
    """An error of a step whose function runs a step whose function fails, and so on."""
    with tf.Graph().as_default(), tf.Session() as session:

        def fail():
            if depth == 0:
                raise ValueError("the innermost")
            raise _failing(depth - 1)

        with pytest.raises(tf.errors.OpError) as raised:
            session.run(tf.py_func(fail, [], tf.float32))
        return raised.value


def _failing_again(depth):
    """As _failing, but each function raises another error because of the one within."""
    with tf.Graph().as_default(), tf.Session() as session:

        def fail():
            try:
                raise _failing_again(depth - 1) if depth else ValueError("the innermost")
            except Exception as error:
                raise RuntimeError(f"level {depth}: {error}") from error

        with pytest.raises(tf.errors.OpError) as raised:
            session.run(tf.py_func(fail, [], tf.float32))
        return raised.value


@pytest.mark.parametrize("failing", [_failing, _failing_again])
def test_errors_within_errors_are_shown_once(failing):
    texts = [str(failing(depth)) for depth in range(9)]
    grown = [len(after) - len(before) for before, after in zip(texts, texts[1:])]
    assert max(grown) < 2 * min(grown)
    assert "ValueError" in texts[-1]
    assert 1 <= texts[-1].count("the innermost") <= len(texts) + 1
    assert "in fail" in texts[-1]


def test_an_error_says_where_and_because_of_what(run):
    def fail():
        try:
            {}["the key"]
        except KeyError:
            raise ValueError("the value")  # noqa: B904 (as functions of users do it)

    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        run(tf.py_func(fail, [], tf.float32))
    text = str(raised.value)
    assert "ValueError: the value" in text
    assert "This came of KeyError: 'the key'" in text
    assert text.count("in fail") == 2


def test_wrong_numbers_and_shapes_of_results(run):
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 1 values"):
        run(tf.py_func(lambda: [1.0], [], [tf.float32, tf.float32]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.py_func(lambda: "text", [], tf.float32))


def test_functions_are_called_from_several_threads_and_may_run_sessions():
    inner = tf.Graph()
    with inner.as_default():
        fed = tf.placeholder(tf.float32, [])
        doubled = fed * 2
    session = tf.Session(graph=inner)
    x = tf.placeholder(tf.float32, [])
    y = tf.py_func(lambda value: session.run(doubled, {fed: value}), [x], tf.float32)
    results = {}
    with tf.Session() as outer:

        def work(number):
            results[number] = [outer.run(y, {x: number}) for _ in range(20)]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == {number: [2 * number] * 20 for number in range(4)}


def test_a_function_goes_with_its_graph():
    graph = tf.Graph()
    with graph.as_default():
        tf.py_func(lambda: 1.0, [], tf.float32)
    data = graph.as_graph_def().SerializeToString()
    del graph
    gc.collect()
    with tf.Graph().as_default():
        found = tf.import_graph_def(tf.GraphDef.FromString(data), return_elements=["PyFunc:0"])
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError,
                                                    match="callback pyfunc_"):  # fmt: skip
            session.run(found)


def test_the_gradient_stops_at_a_function():
    x = tf.constant(2.0)
    assert tf.gradients(tf.py_func(lambda v: v, [x], tf.float32), x) == [None]


def test_printing_and_its_gradient(run, capfd):
    x = tf.constant([1.0, 2.5])
    y = tf.Print(x, [x, "t"], message="got ", first_n=1) * 3
    with tf.Session() as session:
        assert session.run([y, tf.gradients(y, x)])[1][0].tolist() == [3, 3]
        session.run(y)
    assert capfd.readouterr().err == "got [1 2.5][t]\n"


def test_assertions(run):
    condition = tf.placeholder(tf.bool, [])
    check = tf.Assert(condition, ["it is", tf.range(5)], summarize=2)
    run(check, {condition: True})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"failed: \[it is\] \[0 1\.\.\.\]"):
        run(check, {condition: False})
    guarded = tf.Assert(condition, [tf.constant(1.5)])
    run(guarded, {condition: True})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"failed: \[1\.5\]"):
        run(guarded, {condition: False})


KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.POINTER(ctypes.c_void_p)] * 4)


def doubled(inputs, input_dims, outputs, _):
    """Write twice the numbers of a vector; refuse one that is longer than three."""
    size = ctypes.cast(input_dims[0], ctypes.POINTER(ctypes.c_int64))[0]
    kinds = ctypes.POINTER(ctypes.c_float)
    source, target = ctypes.cast(inputs[0], kinds), ctypes.cast(outputs[0], kinds)
    for i in range(min(size, 3)):
        target[i] = 2 * source[i]
    return 0 if size <= 3 else 4


def test_a_kernel_in_machine_code_computes(run):
    x = tf.placeholder(tf.float32, [None])
    (y,) = tf.native_function(KERNEL(doubled), [x], [tf.float32], [0])
    assert y.shape.as_list() == [None]
    assert run(y, {x: [1, 2.5]}).tolist() == [2, 5]
    one = tf.native_function(KERNEL(doubled), [x], tf.float32, [2])
    assert one.shape.as_list() == [2]
    assert run(one, {x: [3, 4]}).tolist() == [6, 8]
    with pytest.raises(tf.errors.InternalError, match="returned 4"):
        run(y, {x: [1, 2, 3, 4]})


def test_a_kernel_lives_as_long_as_its_graph():
    graph = tf.Graph()
    with graph.as_default():
        y = tf.native_function(KERNEL(doubled), [tf.constant([1.0])], tf.float32, 0)
        token = y.op.get_attr("token")
    copy = tf.Graph()
    with copy.as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
    with tf.Session(graph=copy) as session:
        assert session.run("NativeFunction:0").tolist() == [2]
    del graph, y
    gc.collect()
    with (
        tf.Session(graph=copy) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=f"{token.decode()} is not found"),
    ):
        session.run("NativeFunction:0", {})


def test_a_reader_of_ones_own_in_machine_code(tmp_path):
    path = tmp_path / "records"
    np.arange(6, dtype=np.float32).tofile(path)

    def read(record):
        return tf.native_function(
            KERNEL(doubled), [tf.decode_raw(record, tf.float32)], tf.float32, 0
        )

    dataset = tf.data.FixedLengthRecordDataset([str(path)], 8).map(read, num_parallel_calls=2)
    element = dataset.make_one_shot_iterator().get_next()
    del read, dataset
    gc.collect()
    with tf.Session() as session:
        assert [session.run(element).tolist() for _ in range(3)] == [[0, 2], [4, 6], [8, 10]]


def test_a_kernel_has_the_gradient_that_is_named(run):
    @tf.RegisterGradient("GradientOfDoubled")
    def _gradient(op, grad):
        return 2 * grad

    x = tf.constant([1.0, 2.0])
    y = tf.native_function(KERNEL(doubled), [x], tf.float32, 0, gradient="GradientOfDoubled")
    assert run(tf.gradients(y, x)[0]).tolist() == [2, 2]
    with pytest.raises(LookupError, match="NativeFunction"):
        tf.gradients(tf.native_function(KERNEL(doubled), [x], tf.float32, 0), x)


def test_what_is_no_kernel_is_refused():
    with pytest.raises(TypeError, match="function of ctypes; got function"):
        tf.native_function(lambda: 0, [1.0], tf.float32, 0)
    with pytest.raises(ValueError, match="address is 0"):
        tf.native_function(KERNEL(0), [1.0], tf.float32, 0)
    with pytest.raises(ValueError, match="shape of input 1"):
        tf.native_function(KERNEL(doubled), [[1.0]], tf.float32, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no plain bytes"):
        y = tf.native_function(KERNEL(doubled), ["text"], tf.float32, [1])
        with tf.Session() as session:
            session.run(y)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_function_may_fork(threads):
    def forks(value):
        child = os.fork()
        if child == 0:
            os._exit(7)
        return value + np.float32(os.waitpid(child, 0)[1] >> 8)

    x = tf.placeholder(tf.float32, [64, 64])
    beside = tf.matmul(x, x)
    both = tf.py_func(forks, [x], tf.float32) + beside + tf.matmul(beside, x)
    with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=threads)) as session:
        for _ in range(10):
            assert session.run(both, {x: np.eye(64)}).trace() == 64 * (7 + 3)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (2.7, tf.int32),
        (np.int64(2**40 + 5), tf.int32),
        (float("nan"), tf.int64),
        ("3.5", tf.float32),
        (1e300, tf.float32),
    ],
)
def test_no_value_of_a_function_is_changed_by_its_type(run, value, dtype):
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot hold it"):
        run(tf.py_func(lambda: value, [], dtype))
