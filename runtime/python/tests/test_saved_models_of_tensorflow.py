"""SavedModels that TensorFlow 2.21 wrote, binary and as text, and graphs of programs still newer.

tensorflow_saved_models/make.py has the model, and wrote what TensorFlow computes of it.
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from google.protobuf import text_format
from tfbuild_runtime.framework import op_defs, producer_ops
from tfbuild_runtime.protos import messages
from tfbuild_runtime.saved_model.loader import parse_saved_model

ARCHIVE = Path(__file__).parent / "tensorflow_saved_models" / "models.zip"
BINARY, TEXT = "saved_model.pb", "saved_model.pbtxt"


@pytest.fixture
def unpacked(tmp_path):
    """A function that unpacks the model, with its graph in one of the two forms alone."""

    def unpack(form):
        with zipfile.ZipFile(ARCHIVE) as archive:
            archive.extractall(tmp_path)
        (tmp_path / "model" / (TEXT if form == BINARY else BINARY)).unlink()
        return tmp_path / "model", json.loads((tmp_path / "expected.json").read_text())

    return unpack


def run_model(folder, x):
    with tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], str(folder))
        outputs = meta.signature_def["serving_default"].outputs
        return {key: session.run(info.name, {"x:0": x}) for key, info in outputs.items()}


@pytest.mark.parametrize("form", [BINARY, TEXT])
def test_they_load_and_compute_what_tensorflow_computes(unpacked, form):
    folder, expected = unpacked(form)
    found = {key: value.tolist() for key, value in run_model(folder, expected["x"]).items()}
    assert found == expected["outputs"]


def test_text_and_binary_are_the_same_model(unpacked):
    binary = parse_saved_model(unpacked(BINARY)[0])
    text = parse_saved_model(unpacked(TEXT)[0])
    # As the maps of a message: no order of them is that of another program.
    assert binary == text
    again = messages.SavedModel()
    messages.merge_text(messages.to_text(binary), again)
    assert again == binary
    (meta,) = binary.meta_graphs
    gather = next(op for op in meta.meta_info_def.stripped_op_list.op if op.name == "GatherNd")
    (policy,) = (attr for attr in gather.attr if attr.name == "bad_indices_policy")
    assert policy.default_value.WhichOneof("value") == "s"
    assert meta.graph_def.library.function[0].signature.name.startswith("cond")
    (asset,) = meta.collection_def["saved_model_assets"].any_list.value
    assert messages.AssetFileDef.FromString(asset.value).filename == "words.txt"


def test_a_message_in_an_any_is_read_as_text():
    """TensorFlow's own tools write it so."""
    text = (
        'collection_def { key: "saved_model_assets" value { any_list { value {'
        ' [type.googleapis.com/tensorflow.AssetFileDef] { filename: "words.txt" } } } } }'
    )
    made = messages.MetaGraphDef()
    messages.merge_text(text, made)
    (asset,) = made.collection_def["saved_model_assets"].any_list.value
    assert messages.AssetFileDef.FromString(asset.value).filename == "words.txt"
    assert "[type.googleapis.com/tensorflow.AssetFileDef]" in messages.to_text(made)
    with pytest.raises(text_format.ParseError, match="no_such_field"):
        messages.merge_text("no_such_field: 1", made)


def test_all_that_the_meta_information_may_have_is_read_and_written():
    text = """
    meta_graph_version: "2"
    stripped_op_list { op { name: "A" attr { name: "n" type: "int" default_value { i: 3 } } } }
    any_info { type_url: "type.googleapis.com/unknown" value: "x" }
    tags: "serve"
    stripped_default_attrs: true
    function_aliases { key: "f" value: "alias" }
    """
    info = messages.MetaGraphDef.MetaInfoDef()
    messages.merge_text(text, info)
    # The bytes that TensorFlow 2.21 writes of that text.
    encoded = (
        b'\n\x012\x12\x13\n\x11\n\x01A"\x0c\n\x01n\x12\x03int\x1a\x02\x18\x03'
        b'\x1a \n\x1btype.googleapis.com/unknown\x12\x01x"\x05serve8\x01B\n\n\x01f\x12\x05alias'
    )
    assert info.SerializeToString(deterministic=True) == encoded
    assert type(info).FromString(encoded) == info


# ---- what ops are here and there ----------------------------------------------------------------

# Of a type that has no kernel here: a graph that does not name it cannot be run in any case.
OTHERWISE = {("StatelessRandomUniformFullInt", "dtype")}


def theirs():
    """Return TensorFlow's ops that are here as well, by their names."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        found = messages.OpList.FromString(archive.read("ops.pb"))
    ops = {op.name: op for op in found.op}
    return {name: ops[name] for name in op_defs.names() if name in ops}


def written(value):
    """Return an AttrValue as text; a tensor may be written in several ways."""
    if value.WhichOneof("value") == "tensor":
        return tf.make_ndarray(value.tensor).tolist()
    return str(value)


def signature(op):
    """Return the arguments and attributes of an op, with the defaults of these."""
    fields = ("name", "type", "type_attr", "number_attr", "type_list_attr", "is_ref")
    inputs, outputs = (
        [[getattr(arg, field) for field in fields] for arg in args]
        for args in (op.input_arg, op.output_arg)
    )
    attrs = {
        attr.name: (attr.type, attr.HasField("default_value"), written(attr.default_value))
        for attr in op.attr
        if (op.name, attr.name) not in OTHERWISE
    }
    return inputs, outputs, attrs


def test_ops_have_tensorflows_arguments_and_attributes():
    ops = theirs()
    assert len(ops) > 600
    ours = {name: signature(producer_ops.op_message(name)) for name in ops}
    different = [name for name, op in ops.items() if ours[name] != signature(op)]
    assert different == []


def test_ops_are_said_as_tensorflow_says_them():
    def said(op):
        return {attr.name: (attr.has_minimum, attr.minimum) for attr in op.attr}

    (ours, theirs_) = (producer_ops.op_message("Split"), theirs()["Split"])
    assert said(ours) == said(theirs_) == {"num_split": (True, 1), "T": (False, 0)}
    ours, theirs_ = (producer_ops.op_message("MaxPool"), theirs()["MaxPool"])
    ours, theirs_ = ({attr.name: attr for attr in op.attr} for op in (ours, theirs_))
    assert ours["padding"] == theirs_["padding"]
    assert list(ours["data_format"].allowed_values.list.s)[:2] == [b"NHWC", b"NCHW"]


def test_what_is_written_names_its_ops():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.gather_nd(x, [[1]], name="y")
        meta = tf.train.export_meta_graph()
    ops = {op.name: op for op in meta.meta_info_def.stripped_op_list.op}
    assert {"Placeholder", "GatherNd", "Const"} <= set(ops)
    (policy,) = (attr for attr in ops["GatherNd"].attr if attr.name == "bad_indices_policy")
    (node,) = (node for node in meta.graph_def.node if node.name == "y")
    # By that a program that does not know the attribute drops it, as TensorFlow's importer does.
    assert node.attr["bad_indices_policy"] == policy.default_value


def test_defaults_are_stripped_on_demand(run, tmp_path):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.gather_nd(x, [[5]], name="kept", bad_indices_policy="IGNORE")
        tf.gather_nd(x, [[1]], name="y")
        path = str(tmp_path / "graph.meta")
        meta = tf.train.export_meta_graph(path, strip_default_attrs=True)
    attrs = {node.name: set(node.attr) for node in meta.graph_def.node}
    assert {"bad_indices_policy", "Tparams"} - attrs["y"] == {"bad_indices_policy"}
    assert "bad_indices_policy" in attrs["kept"]
    assert meta.meta_info_def.stripped_default_attrs
    tf.train.import_meta_graph(path)
    assert run(["y:0", "kept:0"], {"x:0": [[1, 2], [3, 4]]})[0].tolist() == [[3, 4]]


# ---- what a newer program adds to ops -----------------------------------------------------------


def newer(value, *, in_function=False):
    """A MetaGraphDef of a program whose Neg has an attribute more, of which 7 is the default."""
    made = messages.MetaGraphDef()
    node = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
    neg = (
        'op: "Neg" attr { key: "T" value { type: DT_FLOAT } } '
        f'attr {{ key: "new_thing" value {{ {value} }} }}'
    )
    if in_function:
        node += (
            'node { name: "y" op: "PartitionedCall" input: "x"'
            ' attr { key: "Tin" value { list { type: DT_FLOAT } } }'
            ' attr { key: "Tout" value { list { type: DT_FLOAT } } }'
            ' attr { key: "f" value { func { name: "body" } } } }'
            'library { function { signature { name: "body" input_arg { name: "a" type: DT_FLOAT }'
            ' output_arg { name: "b" type: DT_FLOAT } }'
            f' node_def {{ name: "n" input: "a" {neg} }} ret {{ key: "b" value: "n:y:0" }} }} }}'
        )
    else:
        node += f'node {{ name: "y" input: "x" {neg} }}'
    ops = 'op { name: "Neg" attr { name: "new_thing" type: "int" default_value { i: 7 } } }'
    text = (
        f"meta_info_def {{ stripped_op_list {{ {ops} op {{ name: 'Unknown' }} }} }}"
        f"graph_def {{ {node} versions {{ producer: 99999 }} }}"
    )
    messages.merge_text(text, made)
    return made


@pytest.mark.parametrize("in_function", [False, True])
def test_an_unknown_attribute_is_dropped_where_it_has_its_default(in_function, run):
    tf.train.import_meta_graph(newer("i: 7", in_function=in_function))
    np.testing.assert_array_equal(run("y:0", {"x:0": 2.0}), -2.0)


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("value", ["i: 8", 's: "7"', "f: 7"])
def test_an_unknown_attribute_of_another_value_is_refused(value, in_function):
    with pytest.raises(ValueError, match="Neg has no attribute new_thing"):
        tf.train.import_meta_graph(newer(value, in_function=in_function))
    assert tf.get_default_graph().get_operations() == []


def test_an_unknown_attribute_is_refused_where_nothing_says_its_default():
    made = newer("i: 7")
    made.meta_info_def.ClearField("stripped_op_list")
    with pytest.raises(ValueError, match="Neg has no attribute new_thing"):
        tf.train.import_meta_graph(made)


@pytest.mark.parametrize("kind", ["message", "bytes", "graph_def"])
def test_an_importer_takes_the_list_of_the_producers_ops(kind, run):
    made = newer("i: 7")
    graph_def = made.graph_def
    if kind != "message":
        graph_def = graph_def.SerializeToString()
    if kind == "graph_def":
        graph_def = tf.GraphDef.FromString(graph_def)
    ops = made.meta_info_def.stripped_op_list
    (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], producer_op_list=ops)
    np.testing.assert_array_equal(run(y, {"import/x:0": 2.0}), -2.0)


# ---- indices outside ----------------------------------------------------------------------------


def test_indices_outside_may_be_ignored(run):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    gathered = tf.gather_nd(x, [[1], [2], [-1]], bad_indices_policy="IGNORE")
    assert run(gathered).tolist() == [[3, 4], [0, 0], [0, 0]]
    scattered = tf.scatter_nd([[0], [9]], [1.0, 2.0], [3], bad_indices_policy="IGNORE")
    assert run(scattered).tolist() == [1, 0, 0]
    words = {"bad_indices_policy": "IGNORE"}
    for change, expected in (
        (tf.tensor_scatter_update, [5, 2]),
        (tf.tensor_scatter_add, [6, 2]),
        (tf.tensor_scatter_sub, [-4, 2]),
    ):
        changed = change([1.0, 2.0], [[0], [2]], [5.0, 6.0], **words)
        assert run(changed).tolist() == expected


def test_gradients_leave_out_what_was_ignored(run):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for places in ([[0, 1], [5, 0]], [[0], [5]]):
        taken = tf.gather_nd(x, places, bad_indices_policy="IGNORE")
        (gradient,) = tf.gradients(taken, x)
        row = [0, 1] if len(places[0]) == 2 else [1, 1]
        assert run(gradient).tolist() == [row, [0, 0]]
    updates = tf.constant([1.0, 2.0])
    put = tf.scatter_nd([[0], [5]], updates, [3], bad_indices_policy="IGNORE")
    assert run(tf.gradients(put, updates)[0]).tolist() == [1, 0]


@pytest.mark.cpu
@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR"])
def test_indices_outside_are_an_error_otherwise(policy, run):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = \[5\]"):
        run(tf.gather_nd([1.0], [[5]], bad_indices_policy=policy))


def test_another_policy_is_refused(run):
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_indices_policy"):
        run(tf.gather_nd(tf.placeholder_with_default([1.0], [1]), [[0]], bad_indices_policy="x"))
