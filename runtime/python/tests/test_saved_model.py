"""SavedModels: written, read, damaged, and handed to and fro with a real TensorFlow."""

import json
import shutil

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

SERVE = tf.saved_model.tag_constants.SERVING
X = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)


def model(path, *, use_resource=False, asset=None):
    """Write a SavedModel of y = x w + b; return what it gives for X."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=np.float32([[1, 2, 3], [4, 5, 6]]),
                            use_resource=use_resource)  # fmt: skip
        b = tf.get_variable("b", initializer=np.float32([0.5, 0, -1]), use_resource=use_resource)
        y = tf.nn.bias_add(tf.matmul(x, w), b, name="y")
        if asset is not None:
            name = tf.constant(str(asset), name="vocabulary")
            tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, name)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(w.assign(w * 2))
            tf.saved_model.simple_save(session, str(path), {"x": x}, {"y": y})
            return session.run(y, {x: X})


def load(path, tags=(SERVE,), **words):
    """Return what the SavedModel gives for X, by the names of its signature."""
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, list(tags), str(path), **words)
        key = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        signature = meta.signature_def[key]
        scope = words.get("import_scope")
        utils = tf.saved_model.utils
        x = utils.get_tensor_from_tensor_info(signature.inputs["x"], import_scope=scope)
        y = utils.get_tensor_from_tensor_info(signature.outputs["y"], import_scope=scope)
        assert signature.method_name == "tensorflow/serving/predict"
        return session.run(y, {x: X})


@pytest.mark.parametrize("use_resource", [False, True])
def test_written_and_read(tmp_path, use_resource):
    expected = model(tmp_path / "m", use_resource=use_resource)
    assert tf.saved_model.maybe_saved_model_directory(str(tmp_path / "m"))
    assert not tf.saved_model.maybe_saved_model_directory(str(tmp_path))
    np.testing.assert_array_equal(load(tmp_path / "m"), expected)
    np.testing.assert_array_equal(load(tmp_path / "m", import_scope="there"), expected)


def test_a_builder_writes_several_graphs_and_assets(tmp_path):
    asset = tmp_path / "words.txt"
    asset.write_text("a b")
    builder = tf.saved_model.Builder(str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=3.0)
        ready = tf.get_variable("ready", initializer=0, collections=["local_variables"])
        name = tf.constant(str(asset), name="file")
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        with pytest.raises(AssertionError, match="has not been saved yet"):
            builder.add_meta_graph(["eval"])
        begin = tf.group(ready.assign(7), name="begin")
        builder.add_meta_graph_and_variables(
            session, [SERVE, "gpu"], assets_list=[name], main_op=begin, clear_devices=True
        )
        with pytest.raises(AssertionError, match="already been"):
            builder.add_meta_graph_and_variables(session, [SERVE])
    with tf.Graph().as_default():
        tf.multiply(tf.get_variable("v", initializer=0.0), 2.0, name="twice")
        builder.add_meta_graph(["eval"])
    builder.save(as_text=True)
    assert (tmp_path / "m" / "assets" / "words.txt").read_text() == "a b"
    assert (tmp_path / "m" / "saved_model.pbtxt").is_file()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["gpu", SERVE], str(tmp_path / "m"))
        assert session.run(["v:0", "ready:0"]) == [3.0, 7]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["eval"], str(tmp_path / "m"))
        assert session.run("twice:0") == 6.0
    with pytest.raises(AssertionError, match="isn't empty"):
        tf.saved_model.Builder(str(tmp_path / "m"))
    assert v.name == "v:0"


def test_what_is_wrong_is_said(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        load(tmp_path)
    model(tmp_path / "m")
    with pytest.raises(RuntimeError, match="could not be found"):
        load(tmp_path / "m", ["train"])
    shutil.copytree(tmp_path / "m", tmp_path / "cut")
    file = tmp_path / "cut" / "saved_model.pb"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(OSError, match="Cannot parse"):
        load(tmp_path / "cut")
    shutil.rmtree(tmp_path / "m" / "variables")
    with pytest.raises(OSError, match="variables of the SavedModel are not there"):
        load(tmp_path / "m")


def test_assets_stay_in_their_folder(tmp_path):
    asset = tmp_path / "words.txt"
    asset.write_text("a b")
    model(tmp_path / "m", asset=asset)
    saved = tf.saved_model.loader
    assert saved.maybe_saved_model_directory(str(tmp_path / "m"))
    file = tmp_path / "m" / "saved_model.pb"
    data = file.read_bytes()
    assert data.count(b"words.txt") >= 1
    name = b"../rds.txt"[: len(b"words.txt")]
    at = data.rindex(b"\x12\x09words.txt")
    file.write_bytes(data[:at] + b"\x12\x09" + name + data[at + 11 :])
    with pytest.raises(ValueError, match="outside of the SavedModel"):
        load(tmp_path / "m")


def test_assets_in_the_collection_of_tensorflow_are_found(tmp_path):
    """TensorFlow's builder lists assets there, and says what its own ops are."""
    from google.protobuf import text_format
    from tfbuild_runtime.protos import messages

    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        name = tf.constant(str(words), name="file")
        lines = tf.lookup.TextFileInitializer(name, tf.string, 0, tf.int64, -1)
        table = tf.lookup.StaticVocabularyTable(lines, 1)
        tf.identity(table.lookup(tf.constant(["b"])), name="found")
        builder = tf.saved_model.Builder(str(tmp_path / "m"))
        builder.add_meta_graph_and_variables(session, [SERVE], assets_list=[name],
                                             main_op=tf.tables_initializer())  # fmt: skip
        builder.save()
    words.write_text("b\na\n")
    file = tmp_path / "m" / "saved_model.pb"
    saved = messages.SavedModel.FromString(file.read_bytes())
    (graph,) = saved.meta_graphs
    packed = graph.collection_def["saved_model_assets"].any_list.value
    packed.add(type_url="type.googleapis.com/tensorflow.AssetFileDef",
               value=graph.asset_file_def[0].SerializeToString())  # fmt: skip
    del graph.asset_file_def[:]
    text_format.Merge('op { name: "Sum" input_arg { name: "x" experimental_full_type { '
                      "type_id: TFT_TENSOR } } attr { name: \"T\" type: \"type\" } }",
                      graph.meta_info_def.stripped_op_list)  # fmt: skip
    file.unlink()
    text = text_format.MessageToString(saved)
    file.with_suffix(".pbtxt").write_text(text)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, [SERVE], str(tmp_path / "m"))
        assert session.run("found:0").tolist() == [1]
    packed[0].value = b"\xff"
    file.write_bytes(saved.SerializeToString())
    with pytest.raises(OSError, match="assets of the SavedModel are damaged"):
        load(tmp_path / "m")


def test_signatures(tmp_path):
    x = tf.placeholder(tf.string, [None])
    scores = tf.zeros([3], name="scores")
    utils = tf.saved_model.signature_def_utils
    regression = utils.regression_signature_def(x, scores)
    assert utils.is_valid_signature(regression)
    assert regression.outputs["outputs"].name == "scores:0"
    assert not utils.is_valid_signature(utils.build_signature_def())
    classes = utils.classification_signature_def(x, None, scores)
    assert set(classes.outputs) == {"scores"}
    with pytest.raises(ValueError, match="cannot be None"):
        utils.predict_signature_def({}, {"y": scores})
    info = tf.saved_model.utils.build_tensor_info(x)
    assert [d.size for d in info.tensor_shape.dim] == [-1]
    assert tf.saved_model.utils.get_tensor_from_tensor_info(info) is x


def test_what_tensorflow_writes_is_read_here(tmp_path, tensorflow):
    script = """
import sys, json, numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", initializer=np.float32([[1, 2], [3, 4]]), use_resource=sys.argv[2] == "1")
y = tf.tanh(tf.matmul(x, w), name="y")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(session, sys.argv[1], {"x": x}, {"y": y})
    print(json.dumps(session.run(y, {x: [[1, 2], [3, -1]]}).tolist()))
"""
    for kind in "01":
        theirs = json.loads(tensorflow(script, str(tmp_path / kind), kind))
        np.testing.assert_allclose(load(tmp_path / kind), theirs, rtol=1e-6)


def test_what_is_written_here_is_read_by_tensorflow(tmp_path, tensorflow):
    script = """
import sys, json
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with tf.Session() as session:
    meta = tf.saved_model.loader.load(session, ["serve"], sys.argv[1])
    signature = meta.signature_def["serving_default"]
    names = signature.outputs["y"].name, signature.inputs["x"].name
    print(json.dumps(session.run(names[0], {names[1]: [[1, 2], [3, -1]]}).tolist()))
"""
    for kind in (False, True):
        expected = model(tmp_path / str(kind), use_resource=kind)
        theirs = json.loads(tensorflow(script, str(tmp_path / str(kind))))
        np.testing.assert_allclose(theirs, expected, rtol=1e-6)
