"""Tensors as messages, compressed strings, records drawn for ever, graphs and events as files."""

import gzip
import zlib

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.compat import internal

# What TensorFlow 2.21 writes for values.
TENSORS = [
    (1.5, {}, "08011200 2a040000c03f"),
    ([1, 2], {}, "0803120412020802 22080100000002000000"),
    (3, {}, "08031200 3a0103"),
    (1 << 40, {}, "08091200 5206808080808020"),
    (["a", "b"], {}, "0807120412020802 420161420162"),
    (np.float16(1.5), {}, "08131200 6a02807c"),
    ([True, False], {}, "080a120412020802 5a020100"),
    (1 + 2j, {}, "08121200 6210000000000000f03f0000000000000040"),
    (np.uint16(7), {}, "08111200 3a0107"),
    ([1.0], {"shape": [1, 1]}, "080112081202080112020801 2a040000803f"),
    (1.0, {"shape": [2, 2], "dtype": tf.float64}, "080212081202080212020802 3208000000000000f03f"),
    ([1, 2], {"shape": [3]}, "0803120412020803 3a020102"),
    ([[1.0, 2.0]], {}, "080112081202080112020802 22080000803f00000040"),
    (np.arange(2.0), {}, "0802120412020802 221000000000000000000000 00000000f03f"),
    (np.int64(7), {}, "08091200 520107"),
    ([["a", b"b"]], {}, "080712081202080112020802 420161420162"),
    ([1, 2], {"dtype": tf.float16}, "0813120412020802 2204003c0040"),
    ([1, 2], {"dtype": tf.bfloat16}, "080e120412020802 2204803f0040"),
    ([1 + 2j], {"dtype": tf.complex64}, "0808120412020801 4a080000803f00000040"),
    (3, {"shape": [2, 2]}, "080312081202080212020802 3a0103"),
    ([1.0, 2.0], {"shape": [3]}, "0801120412020803 2a080000803f00000040"),
    ([1, 2], {"dtype": tf.uint8}, "0804120412020802 22020102"),
    ([], {}, "080112021200"),
    (b"a\0\0", {"shape": [1]}, "0807120412020801 4203610000"),
    ([b"a\0", "b"], {}, "0807120412020802 42026100420162"),
    (b"a\0", {"shape": [2]}, "0807120412020802 42026100"),
]


@pytest.mark.parametrize(("values", "options", "expected"), TENSORS)
def test_tensors_as_messages(values, options, expected, run):
    made = tf.make_tensor_proto(values, **options)
    assert made.SerializeToString().hex() == expected.replace(" ", "")
    array = tf.make_ndarray(made)
    assert array.shape == tuple(dim.size for dim in made.tensor_shape.dim)
    flat = [one.decode() if isinstance(one, bytes) else one for one in array.ravel().tolist()]
    given = [one.decode() if isinstance(one, bytes) else one
             for one in np.array(values, object).ravel().tolist()]  # fmt: skip
    assert flat[: len(given)] == given
    assert all(one == given[-1] for one in flat[len(given) :])
    read = run(tf.parse_tensor(made.SerializeToString(), tf.as_dtype(made.dtype)))
    assert read.dtype == array.dtype
    assert np.array_equal(read, array)


def test_values_that_make_no_message():
    for values, options, error, says in (
        (None, {}, ValueError, "None values"),
        (object(), {}, TypeError, "object"),
        ([1, 2, 3], {"shape": [2]}, ValueError, "Too many elements"),
        ([1, 2], {"shape": [3], "verify_shape": True}, TypeError, "Expected Tensor's shape"),
    ):
        with pytest.raises(error, match=says):
            tf.make_tensor_proto(values, **options)


def test_messages_that_are_none(run):
    for serialized, kind in ((b"\xff", tf.float32), (b"", tf.float32)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
            run(tf.io.parse_tensor(serialized, kind))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        run(tf.parse_tensor(tf.serialize_tensor(1.0), tf.int32))
    assert run(tf.parse_tensor(tf.serialize_tensor([["a", ""]]), tf.string)).tolist() == [
        [b"a", b""]
    ]


def test_compressed_strings(run):
    texts = [b"abc" * 1000, b""]
    packed = {"ZLIB": [zlib.compress(t) for t in texts], "GZIP": [gzip.compress(t) for t in texts],
              "": texts}  # fmt: skip
    for kind, given in packed.items():
        assert run(tf.io.decode_compressed(given, kind)).tolist() == texts
    with pytest.raises(tf.errors.DataLossError):
        run(tf.decode_compressed([b"junk"], "ZLIB"))


def test_numbers_of_two_bytes(run):
    assert run(tf.decode_raw([b"\x01\x02\xff\xff"], tf.uint16)).tolist() == [[513, 65535]]
    assert run(tf.constant([7, 65535], tf.uint16)).tolist() == [7, 65535]
    image = tf.constant(np.array([[[0], [1], [255]]], "u1"))
    wide = run(tf.image.convert_image_dtype(image, tf.uint16))
    assert (wide.dtype, wide.ravel().tolist()) == (np.uint16, [0, 256, 65280])


def test_batches_of_records_of_many_files(tmp_path):
    for number in range(3):
        with tf.python_io.TFRecordWriter(str(tmp_path / f"r-{number}")) as writer:
            for place in range(4):
                writer.write(b"%d%d" % (number, place))
    make = internal.python.ops.data_flow_ops.RecordInput
    whole = make(str(tmp_path / "r-*"), batch_size=6, buffer_size=5, seed=2).get_yield_op()
    pairs = make(str(tmp_path / "r-*"), batch_size=2, batches=3).get_yield_op()
    assert [len(batch) for batch in pairs] == [2, 2, 2]
    expected = sorted(b"%d%d" % (n, p) for n in range(3) for p in range(4))
    with tf.Session() as session:
        for _ in range(3):  # each round has all of them once
            first = session.run(whole).tolist()
            rest = session.run([whole, tf.constant(0)])[0].tolist()
            assert sorted(first + rest) == expected
        found = [session.run(pairs) for _ in range(2)]
        assert sorted(r for batch in found for part in batch for r in part) == expected
    with pytest.raises(tf.errors.NotFoundError, match="none"), tf.Session() as session:
        session.run(make(str(tmp_path / "none-*")).get_yield_op())


def test_a_dataset_is_written_as_records(tmp_path, run):
    path = str(tmp_path / "records")
    words = tf.data.Dataset.from_tensor_slices(["a", "", "ccc"])
    for kind in ("", "GZIP"):
        run(tf.data.experimental.TFRecordWriter(path, kind).write(words))
        options = tf.io.TFRecordOptions(kind)
        assert list(tf.io.tf_record_iterator(path, options)) == [b"a", b"", b"ccc"]
    with pytest.raises(TypeError, match="string"):
        tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.range(3))


def test_a_dataset_with_a_reduced_one_is_imported(run):
    total = tf.data.Dataset.range(5).reduce(np.int64(0), lambda a, b: a + b)
    graph_def = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        (again,) = tf.import_graph_def(graph_def, return_elements=[total.name], name="")
        assert session.run(again) == 10


def test_graphs_are_looked_into(tmp_path):
    x = tf.placeholder(tf.string, [None, 2], name="x")
    v = tf.Variable(1.0, name="v", use_resource=False)
    graph = tf.get_default_graph()
    path = tf.io.write_graph(graph, str(tmp_path / "new"), "graph.pb", as_text=False)
    assert tf.GraphDef.FromString((tmp_path / "new" / "graph.pb").read_bytes()).node
    assert path == str(tmp_path / "new" / "graph.pb")
    shape = tf.graph_util.tensor_shape_from_node_def_name(graph, "x")
    assert shape.as_list() == x.shape.as_list()
    assert tf.graph_util.must_run_on_cpu(tf.constant("text").op)
    assert not tf.graph_util.must_run_on_cpu(tf.constant(1.0).op.node_def)
    assert tf.graph_util.must_run_on_cpu(v.op, pin_variables_on_cpu=True)


def test_who_writes_events_begins_with_the_graph(tmp_path):
    step = tf.train.get_or_create_global_step()
    more = tf.assign_add(step, 1)
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
        for _ in range(4):
            session.run(more)
    writer = tf.summary.FileWriterCache.get(str(tmp_path))
    writer.flush()
    (path,) = tmp_path.glob("events*")
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(path))]
    assert kinds[:2] == ["file_version", "graph_def"]
    traced = [event.tagged_run_metadata.tag for event in tf.train.summary_iterator(str(path))
              if event.WhichOneof("what") == "tagged_run_metadata"]  # fmt: skip
    assert traced == ["step_2", "step_4"]
    tf.summary.FileWriterCache.clear()


def test_a_supervisor_writes_its_graph(tmp_path):
    tf.train.get_or_create_global_step()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0, summary_op=None)
    with supervisor.managed_session():
        assert "global_step" in (tmp_path / "graph.pbtxt").read_text()


def test_sides_that_no_image_has():
    with pytest.raises(ValueError, match="target_height"):
        tf.image.resize_image_with_crop_or_pad(tf.zeros([4, 4, 3]), 0, 3)
