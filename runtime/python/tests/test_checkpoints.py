"""Checkpoints: TensorFlow's files both ways, damage, kills and full disks, graphs with savers."""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

# One program for both, so that the files can be compared and exchanged.
PROGRAM = """
import json, os, sys
import numpy as np
if sys.argv[1] == "tensorflow":
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
else:
    import tfbuild_runtime.compat.v1 as tf
kind, task, folder = sys.argv[1:4]
rows = np.arange(24, dtype="f4").reshape(2, 3, 4)
made = {
    "net/kernel": rows, "net/half": rows.astype("f2"), "double": np.float64(1.5),
    "flags": np.array([True, False]), "step": np.int64(7), "small": np.array([[-3], [4]], "i1"),
    "bytes": np.arange(5, dtype="u1"), "short": np.array([-300], "i2"),
    "nothing": np.zeros([0, 3], "f4"),
    "words": np.array([["", "one"], ["two \\u00e4", "x" * 300]], object),
}
for name, value in made.items():
    tf.Variable(value, name=name, trainable=name == "net/kernel")
loss = tf.reduce_sum(tf.square(tf.trainable_variables()[0]), name="loss")
tf.add_to_collection("losses", loss)
saver = tf.train.Saver()
with tf.Session() as session:
    if task == "save":
        session.run(tf.global_variables_initializer())
        print(json.dumps(saver.save(session, folder + "/model", global_step=3)))
    else:
        saver.restore(session, tf.train.latest_checkpoint(folder))
        found = session.run({v.op.name: v for v in tf.global_variables()})
        for name, value in made.items():
            got = found[name]
            if value.dtype == object:
                got = np.array([[text.decode() for text in row] for row in got], object)
            assert got.dtype == value.dtype and np.array_equal(got, value), (name, got, value)
        print(json.dumps(sorted(found)))
"""


def variables():
    """Make two variables; return them."""
    w = tf.Variable([[1.0, 2.0]], name="layer/w")
    return w, tf.Variable(np.int64(3), name="step", trainable=False)


def save(session, saver, folder, **options):
    session.run(tf.global_variables_initializer())
    return saver.save(session, folder / "model", **options)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# ---- TensorFlow's own ----------------------------------------------------------------------------


@pytest.mark.tensorflow
@pytest.mark.parametrize("writer", ["tensorflow", "ours"])
def test_checkpoints_go_both_ways(writer, tmp_path, tensorflow, python):
    run = {"tensorflow": tensorflow, "ours": python}
    reader = {"tensorflow": "ours", "ours": "tensorflow"}[writer]
    run[writer](PROGRAM, writer, "save", str(tmp_path))
    names = json.loads(run[reader](PROGRAM, reader, "restore", str(tmp_path)))
    assert len(names) == 10


@pytest.mark.tensorflow
def test_checkpoints_are_tensorflows_to_the_byte(tmp_path, tensorflow, python):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    tensorflow(PROGRAM, "tensorflow", "save", str(tmp_path / "theirs"))
    python(PROGRAM, "ours", "save", str(tmp_path / "ours"))
    assert files(tmp_path / "ours") == files(tmp_path / "theirs")
    for name in ("model-3.index", "model-3.data-00000-of-00001"):
        ours, theirs = (tmp_path / side / name for side in ("ours", "theirs"))
        assert ours.read_bytes() == theirs.read_bytes()
    ours, theirs = (
        (tmp_path / side / "checkpoint").read_text().replace(side, "")
        for side in ("ours", "theirs")
    )
    assert ours == theirs


IMPORT = """
import sys
import numpy as np
if sys.argv[1] == "tensorflow":
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
else:
    import tfbuild_runtime.compat.v1 as tf
path = tf.train.latest_checkpoint(sys.argv[2])
saver = tf.train.import_meta_graph(path + ".meta", clear_devices=True)
assert [v.op.name for v in tf.trainable_variables()] == ["net/kernel"]
assert len(tf.global_variables()) == 10
assert tf.get_collection("losses")[0].name == "loss:0"
with tf.Session() as session:
    saver.restore(session, path)
    print(float(session.run("loss:0")), saver.saver_def.max_to_keep)
    saver.save(session, sys.argv[2] + "/again")
"""


@pytest.mark.tensorflow
@pytest.mark.parametrize("writer", ["tensorflow", "ours"])
def test_graphs_with_savers_go_both_ways(writer, tmp_path, tensorflow, python):
    run = {"tensorflow": tensorflow, "ours": python}
    reader = {"tensorflow": "ours", "ours": "tensorflow"}[writer]
    run[writer](PROGRAM, writer, "save", str(tmp_path))
    assert run[reader](IMPORT, reader, str(tmp_path)).split()[0] in (b"4324.0", "4324.0")
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "again")


SLICES = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.disable_resource_variables()
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
    v = tf.get_variable("v", initializer=tf.reshape(tf.range(28), [7, 4]))
with tf.Session() as session:
    if sys.argv[2] == "save":
        session.run(tf.global_variables_initializer())
        tf.train.Saver(sharded=True).save(session, sys.argv[1] + "/model")
    else:
        tf.train.Saver().restore(session, sys.argv[1] + "/ours")
        print(session.run(tf.convert_to_tensor(v)).tolist())
"""


class Slice:
    """What a variable knows that is a part of another."""

    full_name = "s/v"
    full_shape = (7, 4)

    def __init__(self, start, length):
        self.var_offset, self.var_shape = [start, 0], [length, 4]
        self.spec = f"7 4 {start},{length}:0,4"


@pytest.mark.tensorflow
def test_parts_of_variables_go_both_ways(tmp_path, tensorflow):
    tensorflow(SLICES, str(tmp_path), "save")
    rows = np.arange(28, dtype="i4").reshape(7, 4)
    assert tf.train.list_variables(str(tmp_path / "model")) == [("s/v", [7, 4])]
    assert np.array_equal(tf.train.load_variable(str(tmp_path), "s/v"), rows)
    parts = [tf.Variable(np.zeros([n, 4], "i4"), name=f"p{n}") for n in (5, 2)]
    parts[0]._save_slice_info, parts[1]._save_slice_info = Slice(0, 5), Slice(5, 2)
    saver = tf.train.Saver()
    with tf.Session() as session:
        saver.restore(session, tmp_path / "model")
        values = session.run(parts)
        assert np.array_equal(np.concatenate(values), rows)
        saver.save(session, tmp_path / "ours")
    said = tensorflow(SLICES, str(tmp_path), "restore")
    assert json.loads(said) == rows.tolist()


VERSION_1 = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import saver_pb2
tf.disable_v2_behavior()
tf.disable_resource_variables()
for kind in ("f4", "f8", "i8", "?", "f2", "u1"):
    tf.Variable((np.arange(70000) % 999).reshape(350, 200).astype(kind), name="a" + kind.strip("?"))
tf.Variable(np.int64(-7), name="step")
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
    tf.get_variable("v", initializer=tf.reshape(tf.range(28), [7, 4]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver(write_version=saver_pb2.SaverDef.V1)
    saver.save(session, sys.argv[1] + "/old.ckpt", write_meta_graph=False)
"""


@pytest.mark.tensorflow
def test_checkpoints_of_version_1_are_read(tmp_path, tensorflow):
    tensorflow(VERSION_1, str(tmp_path))
    path = tf.train.latest_checkpoint(tmp_path)
    assert path == str(tmp_path / "old.ckpt")
    values = (np.arange(70000) % 999).reshape(350, 200)
    for kind in ("f4", "f8", "i8", "?", "f2", "u1"):
        found = tf.train.load_variable(path, "a" + kind.strip("?"))
        assert found.dtype == kind
        assert np.array_equal(found, values.astype(kind))
    whole = np.arange(28).reshape(7, 4)
    assert np.array_equal(tf.train.load_variable(path, "s/v"), whole)
    step = tf.Variable(np.int64(0), name="step")
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)
        assert session.run(step) == -7
    source = random.Random(5)
    data = (tmp_path / "old.ckpt").read_bytes()
    for _ in range(100):
        damaged = bytearray(data)
        damaged[source.randrange(len(data) - 4000, len(data))] = source.randrange(256)
        (tmp_path / "old.ckpt").write_bytes(damaged)
        try:
            reader = tf.train.load_checkpoint(path)
            assert np.array_equal(reader.get_tensor("s/v"), whole)
        except (tf.errors.DataLossError, tf.errors.NotFoundError):
            pass


# ---- saving and restoring ------------------------------------------------------------------------


def test_what_is_kept(tmp_path, monkeypatch):
    variables()
    saver = tf.train.Saver(max_to_keep=2, keep_checkpoint_every_n_hours=1)
    now = time.time()
    with tf.Session() as session:
        for hour in range(6):
            monkeypatch.setattr(time, "time", lambda hour=hour: now + hour * 1801)
            save(session, saver, tmp_path, global_step=hour)
    # The first is not old enough; then one of each hour stays.
    found = sorted(int(path.stem[6:]) for path in tmp_path.glob("model-*.index"))
    assert found == [2, 4, 5]
    assert [path[-1] for path in saver.last_checkpoints] == ["4", "5"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / "model-5")
    assert list(state.all_model_checkpoint_paths) == saver.last_checkpoints


def test_names_of_files(tmp_path):
    variables()
    saver = tf.train.Saver(pad_step_number=True, save_relative_paths=True)
    with tf.Session() as session:
        path = save(session, saver, tmp_path, global_step=12, write_meta_graph=False)
        assert path == str(tmp_path / "model-00000012")
        assert '"model-00000012"' in (tmp_path / "checkpoint").read_text()
        assert tf.train.latest_checkpoint(tmp_path) == path
        save(session, saver, tmp_path, latest_filename="other", write_meta_graph=False)
        assert tf.train.latest_checkpoint(tmp_path, "other") == str(tmp_path / "model")
        with pytest.raises(ValueError, match="collides"):
            saver.save(session, tmp_path / "checkpoint")
        with pytest.raises(ValueError, match="path components"):
            saver.save(session, tmp_path / "model", latest_filename="a/b")
    assert files(tmp_path) == [
        "checkpoint", "model-00000012.data-00000-of-00001", "model-00000012.index",
        "model.data-00000-of-00001", "model.index", "other",
    ]  # fmt: skip


def test_a_relative_folder_can_be_moved(tmp_path, monkeypatch):
    variables()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, "a/model")
    (tmp_path / "a").rename(tmp_path / "b")
    assert tf.train.latest_checkpoint("b") == "b/model"


def test_looking_into_a_checkpoint(tmp_path):
    variables()
    with tf.Session() as session:
        path = save(session, tf.train.Saver(), tmp_path)
    assert tf.train.list_variables(tmp_path) == [("layer/w", [1, 2]), ("step", [])]
    reader = tf.train.NewCheckpointReader(path)
    assert reader.has_tensor("step")
    assert not reader.has_tensor("none")
    assert reader.get_tensor("layer/w").tolist() == [[1.0, 2.0]]
    assert reader.get_variable_to_dtype_map() == {"layer/w": tf.float32, "step": tf.int64}
    assert b"layer/w (DT_FLOAT) [1,2]\n" in reader.debug_string()
    with pytest.raises(tf.errors.NotFoundError, match="Key none not found"):
        reader.get_tensor("none")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint'"):
        tf.train.load_checkpoint(tmp_path / "..")
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.load_checkpoint(str(tmp_path / "other"))


def test_first_values_out_of_a_checkpoint(tmp_path):
    variables()
    with tf.Session() as session:
        save(session, tf.train.Saver(), tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("new/w", [1, 2])
        tf.train.init_from_checkpoint(tmp_path, {"layer/": "new/"})
        other = tf.get_variable("other", [], tf.int64)
        tf.train.init_from_checkpoint(str(tmp_path), {"step": other})
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [[1.0, 2.0]]
        assert session.run(other) == 3
        with pytest.raises(ValueError, match="is not found in"):
            tf.train.init_from_checkpoint(tmp_path, {"none": w})
        with pytest.raises(ValueError, match="doesn't match with shape"):
            tf.train.init_from_checkpoint(tmp_path, {"step": w})


def test_a_graph_comes_back_in_a_scope(tmp_path):
    w, _ = variables()
    tf.add_to_collection("texts", "said")
    tf.add_to_collection("numbers", 4)
    tf.add_to_collection("objects", object())
    tf.multiply(w, 2.0, name="twice")
    tf.add_to_collection("outputs", tf.get_default_graph().get_tensor_by_name("twice:0"))
    with tf.Session() as session:
        path = save(session, tf.train.Saver(max_to_keep=7), tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(path + ".meta", import_scope="in")
        saver.restore(session, path)
        assert session.run("in/twice:0").tolist() == [[2.0, 4.0]]
        assert [v.op.name for v in tf.trainable_variables()] == ["in/layer/w"]
        assert tf.trainable_variables()[0] is tf.global_variables()[0]
        assert tf.get_collection("outputs")[0].name == "in/twice:0"
        assert tf.get_collection("texts") == [b"said"]
        assert tf.get_collection("numbers") == [4]
        assert tf.get_collection("objects") == []
        assert saver.saver_def.max_to_keep == 7
        inner = tf.train.export_meta_graph(export_scope="in")
        assert "twice" in {node.name for node in inner.graph_def.node}
    with pytest.raises(OSError, match="does not exist"):
        tf.train.import_meta_graph(tmp_path / "none.meta")
    (tmp_path / "bad.meta").write_bytes(b"\xff\xff")
    with pytest.raises(OSError, match="Cannot parse"):
        tf.train.import_meta_graph(tmp_path / "bad.meta")


def test_a_graph_as_text(tmp_path):
    variables()
    tf.train.Saver().export_meta_graph(tmp_path / "graph.pbtxt", as_text=True)
    assert "node {" in (tmp_path / "graph.pbtxt").read_text()
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(tmp_path / "graph.pbtxt") is not None
        assert len(tf.global_variables()) == 2


# ---- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["index", "data-00000-of-00001"])
def test_random_damage_is_an_error_or_harmless(part, tmp_path):
    w, _ = variables()
    saver = tf.train.Saver()
    source = random.Random(3)
    outcomes = set()
    with tf.Session() as session:
        save(session, saver, tmp_path)
        path = tmp_path / f"model.{part}"
        whole = path.read_bytes()
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(source.randint(1, 3)):
                place = source.randrange(len(damaged))
                damaged[place] = source.choice((0, 0xFF, source.randrange(256)))
            if source.random() < 0.2:
                del damaged[source.randrange(len(damaged)) :]
            path.write_bytes(damaged)
            try:
                saver.restore(session, tmp_path / "model")
                outcomes.add("restored")
            except tf.errors.OpError as error:
                outcomes.add(type(error).__name__)
            assert session.run(w).tolist() == [[1.0, 2.0]]
    assert "DataLossError" in outcomes
    assert outcomes <= {"DataLossError", "restored", "NotFoundError", "UnimplementedError",
                        "InvalidArgumentError"}  # fmt: skip


@pytest.mark.parametrize(
    "state",
    [b"\xff\xfe", b'model_checkpoint_path: "a\\"', b'model_checkpoint_path: 7',
     b'model_checkpoint_path: "\\u0000"', b'model_checkpoint_path: "\\ud800"', b"", b"other: 1"],
)  # fmt: skip
def test_a_damaged_state_names_no_checkpoint(state, tmp_path):
    (tmp_path / "checkpoint").write_bytes(state)
    assert tf.train.latest_checkpoint(tmp_path) is None


# ---- kills and full disks ------------------------------------------------------------------------

# Saves the same name again and again: each checkpoint has one number in all its places.
WRITER = """
import sys
import numpy as np
import tfbuild_runtime.compat.v1 as tf
parts = [tf.Variable(np.zeros(100000, "f4"), name=f"v{n}") for n in range(4)]
more = tf.group(*[tf.assign_add(v, np.ones(100000, "f4")) for v in parts])
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    while True:
        session.run(more)
        saver.save(session, sys.argv[1] + "/model", write_meta_graph=False)
        print("saved", flush=True)
"""


def numbers_in(prefix):
    """Return the numbers that a checkpoint of the writer holds."""
    reader = tf.train.load_checkpoint(prefix)
    return {number for n in range(4) for number in np.unique(reader.get_tensor(f"v{n}"))}


def test_a_kill_leaves_the_old_checkpoint_or_the_new_one(tmp_path):
    source = random.Random(4)
    last = 0
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        )
        for _ in range(source.randint(1, 4)):
            assert writer.stdout.readline() == b"saved\n"
        time.sleep(source.random() * 0.02)  # anywhere within a save
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        found = numbers_in(tf.train.latest_checkpoint(tmp_path))
        assert len(found) == 1
        last = max(last, *found)
    assert last >= 1


def test_what_killed_writers_left_is_removed_and_what_is_written_stays(tmp_path):
    variables()
    left = [".model.ckpt-7.meta.12.part", ".model.ckpt-31.meta.4000000.part", ".checkpoint.1.part",
            f".model.ckpt-8.meta.{os.getpid()}.part"]  # fmt: skip
    others = [".model.ckpt-7.meta.x.part", ".other.ckpt-7.meta.12.part", "model.ckpt-7.meta.1.part"]
    written = ".model.ckpt-9.meta.12.part"
    for name in (*left, *others, written):
        (tmp_path / name).write_bytes(b"half")
    with tf.Session() as session, (tmp_path / written).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as its writer does, in whatever process
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model.ckpt"), global_step=8)
    parts = {path.name for path in tmp_path.iterdir() if path.suffix == ".part"}
    assert parts == {*others, written}
    assert (tmp_path / "model.ckpt-8.meta").read_bytes().count(b"half") == 0


def test_threads_write_one_state_after_another(tmp_path):
    failed = []

    def write(number):
        try:
            for step in range(100):
                tf.train.update_checkpoint_state(str(tmp_path), f"model-{number}-{step}")
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert files(tmp_path) == ["checkpoint"]
    assert tf.train.get_checkpoint_state(tmp_path).model_checkpoint_path.endswith("-99")


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path):
    code = (
        WRITER.replace("while True:", "for attempt in range(2):")
        .replace("import sys\n", "import resource, signal, sys\n", 1)
        .replace("        session.run(more)\n", "        session.run(more)\n"
                 "        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                 "        size = attempt * 100000 or -1\n"
                 "        resource.setrlimit(resource.RLIMIT_FSIZE, (size, -1))\n")
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "ResourceExhaustedError" in done.stderr
    assert "model.data-00000-of-00001" in done.stderr
    assert numbers_in(str(tmp_path / "model")) == {1.0}
    assert files(tmp_path) == ["checkpoint", "model.data-00000-of-00001", "model.index"]


@pytest.mark.slow
def test_a_checkpoint_of_five_gigabytes(tmp_path):
    if os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize < 11 << 30:
        pytest.skip("the disk has no room for it")
    big = tf.Variable(tf.zeros([5 << 28]), name="big")  # 5 GiB
    end = tf.Variable([7.0], name="end")
    saver = tf.train.Saver([big, end])
    with tf.Session() as session:
        path = save(session, saver, tmp_path)
    assert tf.train.load_variable(path, "end").tolist() == [7.0]
    assert (tmp_path / "model.data-00000-of-00001").stat().st_size > 5 << 30


def test_a_checkpoint_is_printed(tmp_path, capsys):
    from tfbuild_runtime.compat.internal import python

    tf.get_variable("v", initializer=np.array([1.0, 2.0], np.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "model"))
    tool = python.tools.inspect_checkpoint
    tool.print_tensors_in_checkpoint_file(prefix, tensor_name="", all_tensors=True)
    assert capsys.readouterr().out == "tensor: v (float32) [2]\n[1. 2.]\n"
    tool.print_tensors_in_checkpoint_file(prefix, tensor_name="v", all_tensors=False)
    assert capsys.readouterr().out == "tensor_name:  v\n[1. 2.]\n"


def test_tables_that_steps_fill_are_saved_unless_they_say_no(tmp_path):
    from tfbuild_runtime.compat.internal import python

    tables = python.ops.lookup_ops
    kept = tables.MutableHashTable(tf.string, tf.int64, -1, name="kept")
    tables.MutableHashTable(tf.string, tf.int64, -1, name="left", checkpoint=False)
    tf.get_variable("v", [])
    fill = kept.insert(["a", "b"], [1, 2])
    look = kept.lookup(tf.constant(["a", "b", "c"]))
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fill)
        prefix = saver.save(session, str(tmp_path / "model"))
    shapes = tf.train.NewCheckpointReader(prefix).get_variable_to_shape_map()
    assert shapes == {"kept-keys": [2], "kept-values": [2], "v": []}
    with tf.Session() as session:
        assert session.run(look).tolist() == [-1, -1, -1]
        saver.restore(session, prefix)
        assert session.run(look).tolist() == [1, 2, -1]
