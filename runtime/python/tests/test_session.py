"""What a session returns, takes, refuses and keeps."""

import collections
import contextlib
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


class Pair(NamedTuple):
    """Two fetches."""

    first: Any
    second: Any


def test_a_scalar_comes_back_as_a_numpy_scalar(run):
    value = run(tf.constant(1.0) + tf.constant(2.0))
    assert type(value) is np.float32
    assert value == 3.0


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "bool"],
)
def test_types_survive_feed_and_fetch(dtype, run):
    array = np.array([[0, 1, 1], [1, 0, 1]], dtype)
    fed = tf.placeholder(dtype, [2, 3])
    same, scalar = run([tf.identity(fed), tf.identity(tf.constant(array[0, 1]))], {fed: array})
    assert same.dtype == array.dtype
    np.testing.assert_array_equal(same, array)
    assert type(scalar) is array.dtype.type


def test_bfloat16_survives_feed_and_fetch(run):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    fed = tf.placeholder(tf.bfloat16, [2])
    result = run(tf.identity(fed), {fed: array})
    assert result.dtype == array.dtype
    assert result.tolist() == array.tolist()
    assert run(tf.constant(1.5, tf.bfloat16)) == 1.5


def test_bfloat16_without_ml_dtypes_says_what_to_install(python):
    text = python(
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import tfbuild_runtime.compat.v1 as tf\n"
        "x = tf.cast(tf.constant([1.0]), tf.bfloat16)\n"
        "try:\n    tf.Session().run(x)\nexcept TypeError as error:\n    print(error)\n"
    )
    assert "pip install ml_dtypes" in text


def test_strings_are_bytes(run):
    fed = tf.placeholder(tf.string, [None])
    result, scalar = run([fed, tf.constant("größe")], {fed: ["a", b"\xff\x00", "ü"]})
    assert result.dtype == object
    assert result.tolist() == [b"a", b"\xff\x00", "ü".encode()]
    assert scalar == "größe".encode()


def test_nested_fetches_keep_their_form(run):
    a, b = tf.constant(1), tf.constant([2.0])
    nothing = tf.no_op()
    result = run({"t": (a, [b, nothing]), "n": Pair(a, b.name), "o": nothing, "e": []})
    assert result["t"][0] == 1
    assert isinstance(result["t"], tuple)
    assert result["t"][1][1] is None
    assert isinstance(result["n"], Pair)
    assert result["n"].second.tolist() == [2.0]
    assert result["o"] is None
    assert result["e"] == []


def test_the_same_fetch_twice_and_flat_lists(run):
    a, nothing = tf.constant([1, 2]), tf.no_op()
    first, none, second = run([a, nothing, a])
    assert none is None
    np.testing.assert_array_equal(first, second)
    assert run((a, a))[1].tolist() == [1, 2]
    assert run(nothing) is None
    assert run([nothing]) == [None]


def test_prepared_fetches_do_not_mix_up_lists_tuples_and_feeds():
    x = tf.placeholder(tf.float32, [])
    y, z = x + 1.0, x * 2.0
    with tf.Session() as session:
        for _ in range(2):
            assert session.run([y, z], {x: 1.0}) == [2.0, 2.0]
            assert session.run((y, z), {x: 1.0}) == (2.0, 2.0)
            assert session.run(y, {x: 5}) == 6.0
            assert session.run([y], {x: 5}) == [6.0]
            assert session.run([y], {y: 5}) == [5.0]
            assert session.run(z, {y: 5, x: 7}) == 14.0


class Other(NamedTuple):
    """Two fetches of another kind, which Python takes for equal to the pair."""

    one: Any
    two: Any


def form_of(value: Any) -> Any:
    """The classes of the lists and tuples in a value."""
    return (type(value), *map(form_of, value)) if isinstance(value, (list, tuple)) else ()


def test_prepared_fetches_do_not_mix_up_classes_of_tuples():
    x = tf.placeholder(tf.float32, [])
    y, z = x + 1.0, x * 2.0
    pairs = ((y, z), Pair(y, z), Other(y, z))
    with tf.Session() as session:
        for _ in range(2):
            for fetches in (*pairs, *([pair] for pair in pairs), *((y, (pair,)) for pair in pairs)):
                assert form_of(session.run(fetches, {x: 1.0})) == form_of(fetches)


@pytest.mark.parametrize("feed_dict", [{}, None, collections.OrderedDict()])
def test_nothing_to_feed(feed_dict):
    total = tf.constant(1.0) + 2.0
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(total, feed_dict) == 3.0
            assert session.run([total], feed_dict=feed_dict) == [3.0]
            assert session.run(fetches=total, feed_dict=feed_dict) == 3.0


def test_errors_of_prepared_steps_that_are_fed_name_their_operation():
    x = tf.placeholder(tf.float32, [None], name="x")
    checked = tf.check_numerics(x, "not a number", name="checked")
    with tf.Session() as session:
        assert session.run(checked, {x: [1.0]}) == [1.0]
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                session.run(checked, feed_dict={x: [np.nan]})
            assert raised.value.op is checked.op
            with pytest.raises(ValueError, match="could not convert"):
                session.run(checked, {x: ["text"]})
        assert session.run(checked, {x: [2.0]}) == [2.0]


def test_the_graph_may_grow_between_steps():
    a = tf.constant(1.0)
    with tf.Session() as session:
        assert session.run(a) == 1.0
        b = a + 1.0
        assert session.run(b) == 2.0
        assert session.run([a, b]) == [1.0, 2.0]


def test_any_tensor_can_be_fed_also_by_name():
    a = tf.constant(1.0, name="a")
    b = tf.add(a, 1.0, name="b")
    c = b * 10.0
    with tf.Session() as session:
        assert session.run(c) == 20.0
        assert session.run(c, {b: 5.0}) == 50.0
        assert session.run(c, {"a:0": 2.0}) == 30.0
        assert session.run("b:0") == 2.0


def test_values_fed_are_converted(run):
    x = tf.placeholder(tf.float32, [None, 2])
    y = x * 2.0
    big_endian = np.array([[1, 2]], ">f4")
    transposed = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert run(y, {x: [[1, 2]]}).tolist() == [[2, 4]]
    assert run(y, {x: big_endian}).tolist() == [[2, 4]]
    assert run(y, {x: np.array([[1, 2]], np.int64)}).tolist() == [[2, 4]]
    np.testing.assert_array_equal(run(y, {x: transposed}), transposed * 2)
    raw = np.zeros(17, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(2, 2)
    assert not unaligned.flags.aligned
    assert run(y, {x: unaligned}).tolist() == [[0, 0], [0, 0]]


def test_empty_arrays(run):
    x = tf.placeholder(tf.float32, [None, 3])
    assert run(x * 2.0, {x: np.zeros((0, 3), np.float32)}).shape == (0, 3)


def test_wrong_feeds_are_refused(run):
    x = tf.placeholder(tf.int32, [2], name="x")
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor x:0"):
        run(x, {x: [1, 2, 3]})
    with pytest.raises(ValueError, match="shape"):
        run(x, {x: np.zeros((2, 1), np.int32)})
    with pytest.raises((TypeError, ValueError)):
        run(x, {x: ["a", "b"]})
    with pytest.raises(TypeError, match=r"feed cannot be a tf\.Tensor"):
        run(x, {x: tf.constant([1, 2])})
    with pytest.raises(TypeError, match="feed_dict key"):
        run(x, {3: 1})
    scalar = tf.placeholder(tf.int8, [])
    with pytest.raises(TypeError, match="does not fit into int8"):
        run(scalar, {scalar: 1000})


def test_waiting_for_a_placeholder_that_is_fed(run):
    x = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([x]):
        y = tf.constant(3.0)
    assert run(y, {x: 1.0}) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(y)


def test_a_placeholder_that_is_not_fed_names_itself(run):
    x = tf.placeholder(tf.float32, [2], name="input")
    with pytest.raises(tf.errors.InvalidArgumentError, match="input") as caught:
        run(x + 1.0)
    assert caught.value.op is x.op
    assert caught.value.error_code == 3
    assert "test_session.py" in str(caught.value)


@pytest.mark.parametrize(
    ("fetch", "kind"),
    [(None, TypeError), (3, TypeError), ("no such", ValueError), ("no:0", ValueError)],
)
def test_wrong_fetches_are_refused(fetch, kind, run):
    tf.constant(1)
    with pytest.raises(kind):
        run(fetch)


def test_a_tensor_of_another_graph_is_refused(run):
    tf.constant(1)
    with tf.Graph().as_default():
        foreign = tf.constant(1)
    with pytest.raises(ValueError, match="not an element of this graph"):
        run(foreign)


def test_a_closed_session_is_refused():
    a = tf.constant(1.0)
    session = tf.Session()
    assert session.run(a) == 1.0
    call = session.make_callable(a)
    session.close()
    session.close()
    for use in (lambda: session.run(a), lambda: session.run([a]), call):
        with pytest.raises(RuntimeError, match="closed Session"):
            use()


class ClosingFeed(dict):
    """Closes the session when its keys are read for the nth time, as another thread may."""

    def __init__(self, session, reads, fed):
        super().__init__(fed)
        self.session, self.reads = session, reads

    def __iter__(self):
        self.reads -= 1
        if self.reads == 0:
            self.session.close()
        return super().__iter__()


@pytest.mark.parametrize("options", [None, tf.RunOptions(timeout_in_ms=60000)])
def test_closing_beside_a_step_refuses_it(options):
    x = tf.placeholder(tf.float32, [])
    refused = 0
    for reads in range(1, 8):
        session = tf.Session()
        try:
            session.run(x, ClosingFeed(session, reads, {x: 1.0}), options)
        except RuntimeError as error:
            assert "closed Session" in str(error)
            refused += 1
    assert refused >= 2


@pytest.mark.parametrize(
    "options", [{"trace_level": tf.RunOptions.FULL_TRACE}, {"output_partition_graphs": True}, {}]
)
def test_closing_beside_a_traced_step_refuses_it(options):
    sessions = []

    class Closing:
        timeout_in_ms = 0
        output_partition_graphs = options.get("output_partition_graphs", False)

        @property
        def trace_level(self):
            for session in sessions:
                session.close()
            return options.get("trace_level", tf.RunOptions.NO_TRACE)

    sessions.append(tf.Session())
    with pytest.raises(RuntimeError, match="closed Session"):
        sessions[0].run(tf.constant(1.0), None, Closing(), tf.RunMetadata())


def test_an_empty_graph_is_refused():
    with pytest.raises(RuntimeError, match="graph is empty"):
        tf.Session().run("x:0")


def test_a_remote_target_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="grpc"):
        tf.Session("grpc://worker.example:2222")


def test_make_callable():
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        call = session.make_callable([x - y, tf.no_op()], [x, y])
        assert call(5.0, 3.0) == [2.0, None]
        with pytest.raises(TypeError, match="expected 2 values"):
            call(5.0)


def test_defaults_follow_the_blocks():
    a = tf.constant(2.0)
    assert tf.get_default_session() is None
    with pytest.raises(ValueError, match="no default session"):
        a.eval()
    with tf.Session() as session:
        assert tf.get_default_session() is session
        assert a.eval() == 2.0
    assert tf.get_default_session() is None
    interactive = tf.InteractiveSession()
    assert a.eval() == 2.0
    interactive.close()
    assert tf.get_default_session() is None


def test_fetched_arrays_never_change_and_can_be_written():
    start = np.zeros(4096, np.float32)
    v = tf.Variable(start)
    add = tf.assign_add(v, np.ones(4096, np.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before, ref, read = session.run([v, v.op.outputs[0], v.value()])
        first = session.run(add)
        session.run(add)
        for array in (before, ref, read):
            assert array.max() == 0.0
            array[:] = 7.0
        assert first.max() == 1.0
        first[:] = 9.0
        assert session.run(v).max() == 2.0


def test_fetched_constants_can_be_written_without_harm():
    c = tf.constant(np.ones(4096, np.float32))
    with tf.Session() as session:
        session.run(c)[:] = 5.0
        assert session.run(c).max() == 1.0
        both = session.run([c, tf.identity(c)])
        both[0][:] = 3.0
        assert both[1].max() == 1.0


def test_a_fed_array_may_change_after_the_step():
    x = tf.placeholder(tf.float32, [4096])
    v = tf.Variable(np.zeros(4096, np.float32))
    assign = tf.assign(v, x)
    array = np.ones(4096, np.float32)
    with tf.Session() as session:
        kept, echoed, _ = session.run([assign, tf.identity(x), assign.op], {x: array})
        array[:] = 8.0
        assert session.run(v).max() == 1.0
        assert kept.max() == 1.0
        assert echoed.max() == 1.0
        session.run(tf.nn.relu(x), {x: array})
        assert array.max() == 8.0


def test_a_step_never_writes_into_a_fed_array():
    x = tf.placeholder(tf.float32, [4096])
    y = tf.nn.relu(tf.negative(tf.nn.relu(x)))
    array = np.full(4096, -1.0, np.float32)
    with tf.Session() as session:
        session.run(y, {x: array})
    assert array.max() == -1.0


def test_results_outlive_their_session():
    session = tf.Session()
    array = session.run(tf.constant(np.arange(4096.0, dtype=np.float32)) * 2.0)
    session.close()
    del session
    assert array[-1] == 8190.0


def test_threads_share_a_session():
    x = tf.placeholder(tf.float32, [64, 64])
    total = tf.reduce_sum(tf.matmul(x, x))
    v = tf.Variable(0.0)
    add = tf.assign_add(v, 1.0)
    failures = []
    with tf.Session() as session:
        session.run(v.initializer)

        def work(number):
            array = np.full((64, 64), number, np.float32)
            for _ in range(50):
                got = session.run([total, add], {x: array})[0]
                if got != 64.0**3 * number * number:
                    failures.append((number, got))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert session.run(v) == 400.0


def test_sessions_have_variables_of_their_own():
    v = tf.Variable(1.0)
    one, two = tf.Session(), tf.Session()
    one.run(v.initializer)
    two.run(v.initializer)
    one.run(tf.assign_add(v, 5.0))
    assert one.run(v) == 6.0
    assert two.run(v) == 1.0


def test_config_is_checked():
    config = tf.ConfigProto(
        allow_soft_placement=True,
        intra_op_parallelism_threads=1,
        device_count={"GPU": 0},
        gpu_options=tf.GPUOptions(allow_growth=True),
    )
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    with tf.device("/gpu:7"):
        a = tf.constant(1.0) + 1.0
    assert tf.Session(config=config).run(a) == 2.0
    with pytest.raises(ValueError, match='no "alow_soft_placement" field'):
        tf.ConfigProto(alow_soft_placement=True)
    with pytest.raises(TypeError, match=r"tf\.ConfigProto"):
        tf.Session(config={"a": 1})
    with pytest.raises(tf.errors.OpError, match="GPU:7"):
        tf.Session().run(a)


def test_devices_and_the_state_of_gpus():
    names = [device.name for device in tf.Session().list_devices()]
    assert names[0] == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert bool(tf.test.gpu_device_name()) == any("GPU" in name for name in names)


def test_a_control_edge_added_after_the_first_run_is_honoured():
    v = tf.Variable(0.0)
    add = tf.assign_add(v, 1.0)
    x = tf.placeholder(tf.float32, [])
    y = x * 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(y, {x: 1.0})
        assert session.run(v) == 0
        y.op._add_control_input(add.op)
        session.run(y, {x: 1.0})
        assert session.run(v) == 1
        with pytest.raises(tf.errors.OpError, match="cycle"):
            add.op._add_control_input(y.op)


def test_a_shape_set_after_the_first_run_holds():
    x = tf.placeholder(tf.float32)
    y = tf.shape(x)
    with tf.Session() as session:
        assert list(session.run(y, {x: [1.0, 2.0]})) == [2]
        x.set_shape([3])
        assert list(session.run(y, {x: [1.0, 2.0, 3.0]})) == [3]
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(y, {x: [1.0, 2.0]})


def test_prepared_steps_do_not_pile_up():
    constants = [tf.constant(float(number)) for number in range(1100)]
    with tf.Session() as session:
        for number, constant in enumerate(constants):
            assert session.run(constant) == number
        assert len(session._steps) <= 1024
        assert session.run(constants[0]) == 0


@pytest.mark.cpu  # a GPU gathers zeros where there is nothing
def test_fed_positions_are_read_once():
    """Another thread may write into a fed array meanwhile; positions are checked, then used."""
    indices = np.zeros(200000, np.int64)
    x = tf.placeholder(tf.int64, [None])
    picked = tf.gather(tf.constant([7.0, 8.0]), x)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            indices[::2] = 1 << 40
            indices[::2] = 0

    writer = threading.Thread(target=write)
    with tf.Session() as session:
        step = session.make_callable(picked, [x])
        writer.start()
        try:
            for _ in range(30):
                with contextlib.suppress(tf.errors.InvalidArgumentError):  # seen while it was wrong
                    assert set(np.unique(step(indices))) <= {7.0, 8.0}
        finally:
            stop.set()
            writer.join()


@pytest.mark.cpu
def test_passes_report_what_they_did_and_can_be_switched_off():
    x = tf.placeholder(tf.float32, [2])
    y = x * tf.square(tf.constant([1.0, 2.0])) + tf.square(tf.constant([1.0, 2.0]))
    metadata = tf.RunMetadata()
    trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as session:
        assert list(session.run(y, {x: [1.0, 1.0]}, trace, metadata)) == [2, 8]
    names = [report.name for report in metadata.passes]
    assert names == [
        "drop_waits", "fold_constants", "simplify", "layout", "common_subexpressions", "fuse",
        "partition",
    ]  # fmt: skip
    folded = metadata.passes[1]
    assert any("is constant" in change for change in folded.changes)
    assert folded.nodes_after < folded.nodes_before
    assert "digraph plan" in metadata.passes[-1].graphviz
    assert any(change.endswith("are one") for change in metadata.passes[5].changes)
    off = tf.ConfigProto()
    off.graph_options.rewrite_options.remapping = off.graph_options.rewrite_options.OFF
    with tf.Session(config=off) as session:
        assert list(session.run(y, {x: [1.0, 1.0]}, trace, metadata)) == [2, 8]
    assert "fuse" not in [report.name for report in metadata.passes]
    off = tf.ConfigProto()
    off.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    with tf.Session(config=off) as session:
        assert list(session.run(y, {x: [1.0, 1.0]}, trace, metadata)) == [2, 8]
    assert [report.name for report in metadata.passes] == ["partition"]


def test_placement_is_logged_when_asked(capfd):
    x = tf.constant([1.0], name="x")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        session.run(x)
        session.run(tf.negative(x, name="y"))
    printed = capfd.readouterr().err
    assert printed.startswith("Device mapping:")
    assert bool(tf.test.gpu_device_name()) != ("Device mapping: no known devices.\n" in printed)
    assert printed.count("x: (Const): /job:localhost/replica:0/task:0/device:") == 1
    assert printed.count("y: (Neg): /job:localhost/replica:0/task:0/device:") == 1


def test_shapes_computed_from_shapes_are_known():
    x = tf.placeholder(tf.float32, [None, 28, 28])
    flat = tf.reshape(x, [tf.shape(x)[0], 784])
    assert flat.shape.as_list() == [None, 784]
    assert tf.layers.dense(flat, 10).shape.as_list() == [None, 10]
    halved = tf.reshape(x, tf.concat([tf.shape(x)[:1], [14 * 56]], 0))
    assert halved.shape.as_list() == [None, 784]
    with pytest.raises(ValueError, match="must be a vector"):
        tf.reshape(x, tf.constant(6))
    with pytest.raises(ValueError, match="1000 dimensions"):
        tf.reshape(x, tf.ones([1000], tf.int32))
