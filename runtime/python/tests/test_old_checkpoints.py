"""Checkpoints of version 1 and of several files: written, read and restored, both ways."""

import json

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

# One program for both: writes a file alone and one for each device, or reads what the other wrote.
PROGRAM = """
import json, sys
import numpy as np
if sys.argv[1] == "tensorflow":
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
else:
    import tfbuild_runtime.compat.v1 as tf
task, folder = sys.argv[2:]
kinds = ("f4", "f8", "i4", "i8", "i2", "i1", "u1", "?", "c8", "c16", "f2")
made = {f"v{n}": (np.arange(6).reshape(2, 3) * (1 if k == "u1" else -1)).astype(k)
        for n, k in enumerate(kinds)}
made["words"] = np.array(["a", "", "three"], object)
for n, (name, value) in enumerate(made.items()):
    with tf.device(f"/cpu:{n % 2}"):
        tf.Variable(value, name=name)
saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
shards = tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=True)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    if task == "save":
        session.run(tf.global_variables_initializer())
        paths = [saver.save(session, folder + "/one"), shards.save(session, folder + "/two")]
        print(json.dumps(paths))
    else:
        for path in (folder + "/one", folder + "/two-?????-of-00002"):
            assert tf.train.checkpoint_exists(path), path
            shards.restore(session, path)
            found = session.run({v.op.name: v for v in tf.global_variables()})
            for name, value in made.items():
                got = found[name]
                if value.dtype == object:
                    got = np.array([text.decode() for text in got], object)
                assert got.dtype == value.dtype and np.array_equal(got, value), (name, got)
        print("restored")
"""


@pytest.mark.tensorflow
@pytest.mark.parametrize("writer", ["tensorflow", "ours"])
def test_files_go_both_ways(writer, tmp_path, tensorflow, python):
    run = {"tensorflow": tensorflow, "ours": python}
    reader = {"tensorflow": "ours", "ours": "tensorflow"}[writer]
    paths = json.loads(run[writer](PROGRAM, writer, "save", str(tmp_path)))
    assert paths == [f"{tmp_path}/one", f"{tmp_path}/two-?????-of-00002"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint", "one", "one.meta", "two-00000-of-00002", "two-00001-of-00002", "two.meta",
    }  # fmt: skip
    assert run[reader](PROGRAM, reader, "restore", str(tmp_path)).split()[-1] in (
        "restored", b"restored",
    )  # fmt: skip


@pytest.mark.tensorflow
def test_graphs_of_version_1_are_imported_and_save_again(tmp_path, tensorflow):
    tensorflow(PROGRAM, "tensorflow", "save", str(tmp_path))
    for name, pattern in (("one", "one"), ("two", "two-?????-of-00002")):
        with tf.Graph().as_default():
            saver = tf.train.import_meta_graph(tmp_path / f"{name}.meta")
            config = tf.ConfigProto(device_count={"CPU": 2})
            with tf.Session(config=config) as session:
                saver.restore(session, str(tmp_path / pattern))
                assert session.run("v0:0").tolist() == [[0, -1, -2], [-3, -4, -5]]
                again = saver.save(session, tmp_path / "again" / name)
            assert tf.train.load_variable(again, "v3").tolist() == [[0, -1, -2], [-3, -4, -5]]


def placed():
    """Make a variable on each of two devices, and one on none."""
    made = []
    for number in range(2):
        with tf.device(f"/cpu:{number}"):
            made.append(tf.Variable([float(number)] * 2, name=f"v{number}"))
    return [*made, tf.Variable(["x"], name="words")]


def session_of_two():
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))


def test_a_sharded_saver_writes_a_file_for_each_device(tmp_path):
    made = placed()
    saver = tf.train.Saver(sharded=True, max_to_keep=1)
    with session_of_two() as session:
        session.run(tf.global_variables_initializer())
        for step in range(2):
            path = saver.save(session, tmp_path / "model", global_step=step)
        assert path == str(tmp_path / "model-1")
        session.run([tf.assign(v, tf.zeros_like(v)) for v in made[:2]])
        saver.restore(session, path)
        assert [v.tolist() for v in session.run(made)] == [[0.0, 0.0], [1.0, 1.0], [b"x"]]
        # Where it takes the place of another it is whole all the same.
        saver.save(session, tmp_path / "model", global_step=1)
        saver.restore(session, path)
    data = [f"model-1.data-0000{n}-of-00003" for n in range(3)]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["checkpoint", *data, "model-1.index", "model-1.meta"]
    )
    assert saver.saver_def.sharded
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert {"save/MergeV2Checkpoints", "save/ShardedFilename_2", "save/restore_shard_1",
            "save/restore_all"} <= set(names)  # fmt: skip


def test_a_sharded_save_that_fails_leaves_nothing(tmp_path):
    with tf.device("/cpu:0"):
        good = tf.Variable([1.0], name="good")
    with tf.device("/cpu:1"):
        tf.Variable([1.0], name="never")
    with session_of_two() as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(good.initializer)
        tf.train.Saver(sharded=True).save(session, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_old_files_that_are_too_many_are_removed(tmp_path):
    placed()
    saver = tf.train.Saver(sharded=True, write_version=1, max_to_keep=1)
    beside = tmp_path / "model-0-00000-of-00009"
    with session_of_two() as session:
        session.run(tf.global_variables_initializer())
        saver.save(session, tmp_path / "model", global_step=0)
        beside.write_bytes(b"of another")
        pattern = saver.save(session, tmp_path / "model", global_step=1)
    assert tf.train.latest_checkpoint(tmp_path) == pattern
    assert len(tf.train.get_checkpoint_mtimes([pattern, str(tmp_path / "none-?-of-1")])) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint", "model-0-00000-of-00009", "model-1-00000-of-00003",
        "model-1-00001-of-00003", "model-1-00002-of-00003", "model-1.meta",
    ]  # fmt: skip
    reader = tf.train.load_checkpoint(pattern)
    assert reader.get_variable_to_shape_map() == {"v0": [2], "v1": [2], "words": [1]}


def test_versions_that_are_none():
    placed()
    with pytest.raises(ValueError, match="version 3 cannot be written"):
        tf.train.Saver(write_version=3)


def test_files_that_do_not_go_together(tmp_path):
    for number, shape in enumerate(([2], [2], [3])):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.Variable(tf.zeros(shape), name="v")
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(write_version=1)
            saver.save(session, tmp_path / f"m-{number}", write_state=False, write_meta_graph=False)
    for pattern, said in (("m-[01]", "there twice"), ("m-[12]", "not of one tensor")):
        with pytest.raises(tf.errors.DataLossError, match=said):
            tf.train.load_checkpoint(str(tmp_path / pattern))
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.load_checkpoint(str(tmp_path / "none-?"))


def test_a_name_that_is_no_text_is_read(tmp_path):
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "model"), tensor_names=[b"\xff\xfe"], shape_and_slices=[""],
        tensors=[tf.constant([1.0, 2.0])],
    )  # fmt: skip
    with tf.Session() as session:
        session.run(tf.get_default_graph().get_operations()[-1])
    reader = tf.train.load_checkpoint(str(tmp_path / "model"))
    (name,) = reader.get_variable_to_shape_map()
    assert reader.get_tensor(name).tolist() == [1.0, 2.0]


def test_what_a_saver_does_not_take():
    v = tf.Variable(1.0, name="v")
    with pytest.raises(ValueError, match="same name: v"):
        tf.train.Saver([v, v])
    with pytest.raises(ValueError, match="two names: b"):
        tf.train.Saver({"a": v, "b": v})


def test_where_all_are_kept_the_state_names_the_latest(tmp_path):
    tf.Variable(1.0, name="v")
    saver = tf.train.Saver(max_to_keep=None)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(3):
            saver.save(session, tmp_path / "model", global_step=step)
    assert saver.last_checkpoints == []
    state = tf.train.get_checkpoint_state(tmp_path)
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / "model-2")]
    assert len(list(tmp_path.glob("*.index"))) == 3


# ---- first values out of checkpoints -------------------------------------------------------------

WHOLE = np.arange(84, dtype="f4").reshape(12, 7)


def in_parts(count, axis=0):
    """Make a variable in so many parts."""
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(count, axis)):
        return tf.get_variable("v", initializer=tf.constant(WHOLE))


def saved_in_parts(folder):
    """Save a variable of five parts and a whole one; return the prefix."""
    with tf.Graph().as_default(), tf.Session() as session:
        in_parts(5)
        tf.get_variable("old/b", initializer=[1.0, 2.0])
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, folder / "model")


@pytest.mark.parametrize("which", ["name", "scope", "variable", "list"])
def test_first_values_of_a_variable_in_other_parts(which, tmp_path, run):
    path = saved_in_parts(tmp_path)
    parts = in_parts(3, 1)
    chosen = {"name": {"s/v": "s/v"}, "scope": {"s/": "s/"}, "variable": {"s/v": parts},
              "list": {"s/v": list(parts)}}[which]  # fmt: skip
    tf.train.init_from_checkpoint(path, chosen)
    with tf.Session() as session:
        session.run([tf.assign(part, tf.zeros_like(part)) for part in parts])
        session.run(tf.global_variables_initializer())
        assert np.array_equal(session.run(tf.convert_to_tensor(parts)), WHOLE)


def test_warm_start_takes_what_fits_a_pattern(tmp_path):
    path = saved_in_parts(tmp_path)
    in_parts(2)
    new = tf.get_variable("new/b", [2], initializer=tf.zeros_initializer())
    other = tf.get_variable("other", [1], initializer=tf.zeros_initializer())
    tf.train.warm_start(path, "new/.*|s/.*", var_name_to_prev_var_name={"new/b": "old/b"})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(new).tolist() == [1.0, 2.0]
        assert session.run(other).tolist() == [0.0]
    with pytest.raises(ValueError, match="other"):
        tf.train.warm_start(path, "new/.*", var_name_to_prev_var_name={"other": "old/b"})
    with pytest.raises(NotImplementedError, match="vocabularies"):
        tf.train.warm_start(path, ".*", {"v": object()})


def test_each_new_checkpoint_of_a_folder(tmp_path):
    tf.Variable(1.0, name="v")
    saver = tf.train.Saver()
    found, asked = [], []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())

        def save_or_end():
            asked.append(None)
            if len(asked) == 3:
                return True
            saver.save(session, tmp_path / "model", global_step=len(asked))
            return False

        found += tf.train.checkpoints_iterator(tmp_path, timeout=0.02, timeout_fn=save_or_end)
    assert found == [str(tmp_path / "model-1"), str(tmp_path / "model-2")]
    assert list(tf.train.checkpoints_iterator(tmp_path / "none", timeout=0.02)) == []
