"""Idioms of protocol buffers with graphs and configurations, and what TensorFlow answered.

    python message_programs.py tensorflow.compat.v1 > message_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import copy
import pickle
import sys

import numpy as np
import programs
from google.protobuf import json_format, text_format

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def small_graph(tf):
    """Return the GraphDef of a graph of three nodes, without its versions."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        tf.add(x, tf.constant([1.0, 2.0], name="c"), name="y")
    graph_def = graph.as_graph_def()
    graph_def.ClearField("versions")
    graph_def.ClearField("library")
    return graph_def


def refusal(function):
    """Return the class of the error that a function raises."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 (that of TensorFlow's is to be known)
        return type(error).__name__
    return None


@program
def texts(tf):
    graph_def, config = tf.GraphDef(), tf.ConfigProto()
    text_format.Merge(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }',
        graph_def,
    )
    options = "gpu_options { allow_growth: true } graph_options { optimizer_options {"
    text_format.Parse(options + " opt_level: L0 } } device_count { key: 'GPU' value: 0 }", config)
    shown = [
        str(graph_def),
        str(config),
        repr(config),
        text_format.MessageToString(small_graph(tf)),
        text_format.MessageToString(config, as_one_line=True),
    ]
    wrong = refusal(lambda: text_format.Merge("nodes { }", graph_def))
    return [*shown, graph_def.node[0].attr["dtype"].type, config.gpu_options.allow_growth, wrong]


@program
def json(tf):
    text = json_format.MessageToJson(small_graph(tf), sort_keys=True)
    again = json_format.Parse(text, tf.GraphDef())
    config = json_format.ParseDict({"gpuOptions": {"allowGrowth": True}}, tf.ConfigProto())
    return [text, again == small_graph(tf), config.gpu_options.allow_growth,
            json_format.MessageToDict(tf.RunOptions(trace_level=3),
                                      preserving_proto_field_name=True),
            refusal(lambda: json_format.ParseDict({"nodes": 1}, tf.GraphDef()))]  # fmt: skip


@program
def bytes_of_messages(tf):
    config = tf.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=-1)
    config.gpu_options.per_process_gpu_memory_fraction = 0.25
    config.graph_options.rewrite_options.remapping = 2
    config.experimental.collective_group_leader = "/job:worker"
    listed = tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, 150], type=[1, 3], b=[True]))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=60000)
    shown = [config, listed, options, small_graph(tf), tf.NameAttrList(name="f")]
    read = tf.ConfigProto()
    size = read.MergeFromString(b"\x38\x01")
    return [[one.SerializeToString(deterministic=True).hex() for one in shown],
            [one.ByteSize() for one in shown], size, read.allow_soft_placement,
            read.ParseFromString(b""), read.allow_soft_placement,
            tf.GraphDef.FromString(shown[3].SerializeToString()) == shown[3],
            refusal(lambda: tf.GraphDef.FromString(b"\xff")),
            refusal(lambda: tf.ConfigProto().ParseFromString(b"\x0a\x05a"))]  # fmt: skip


@program
def unknown_fields(tf):
    data = b"\xf2\xc0\x0c\x03abc\x38\x01"  # field 25614, then allow_soft_placement
    config = tf.ConfigProto.FromString(data)
    outer = tf.GraphDef()
    outer.node.add().MergeFromString(b"\x0a\x01n\xf2\xc0\x0c\x03abc")
    moved = tf.GraphDef()
    moved.CopyFrom(outer)
    kept = [config.SerializeToString().hex(), moved.SerializeToString().hex(), str(config)]
    config.DiscardUnknownFields()
    return [*kept, config.SerializeToString().hex()]


@program
def copies_are_deep(tf):
    one, other = tf.ConfigProto(), tf.ConfigProto()
    one.gpu_options.visible_device_list = "0"
    other.CopyFrom(one)
    other.gpu_options.allow_growth = True
    found = [one.gpu_options.allow_growth, other.gpu_options.visible_device_list, one == other]
    other.MergeFrom(tf.ConfigProto(device_filters=["/job:a"], device_count={"CPU": 2}))
    other.MergeFrom(tf.ConfigProto(device_filters=["/job:b"], device_count={"GPU": 0}))
    found += [list(other.device_filters), sorted(other.device_count.items()),
              other.gpu_options.visible_device_list]  # fmt: skip
    graph_def = tf.GraphDef()
    graph_def.CopyFrom(small_graph(tf))
    graph_def.MergeFrom(small_graph(tf))
    graph_def.node[0].attr["dtype"].type = 3
    meta = tf.MetaGraphDef()
    meta.graph_def.CopyFrom(graph_def)
    meta.graph_def.node[0].name = "other"
    return [*found, len(graph_def.node), graph_def.node[3].attr["dtype"].type,
            graph_def.node[0].name, [node.name for node in meta.graph_def.node],
            refusal(lambda: graph_def.CopyFrom(meta))]  # fmt: skip


@program
def python_copies(tf):
    config = tf.ConfigProto(log_device_placement=True)
    graph_def = small_graph(tf)
    node = graph_def.node[0]
    copied = [copy.copy(config), copy.deepcopy(config), pickle.loads(pickle.dumps(config))]
    nested = tf.AttrValue.ListValue(s=[b"a"])
    again = pickle.loads(pickle.dumps([graph_def, nested, node, tf.RunMetadata()]))
    changed = copy.deepcopy(node)
    changed.name = "changed"
    return [[one == config for one in copied], again[:3] == [graph_def, nested, node], node.name,
            type(again[1]) is tf.AttrValue.ListValue]  # fmt: skip


@program
def presence(tf):
    config = tf.ConfigProto()
    found = [config.HasField("gpu_options"), len(config.ListFields()),
             config.gpu_options.allow_growth, config.HasField("gpu_options")]  # fmt: skip
    config.gpu_options.SetInParent()
    found += [config.HasField("gpu_options"), [f.name for f, _ in config.ListFields()]]
    config.gpu_options.allow_growth = True
    config.ClearField("gpu_options")
    found += [config.HasField("gpu_options"), config.gpu_options.allow_growth]
    config.log_device_placement = True
    config.Clear()
    return [*found, config.log_device_placement, config == tf.ConfigProto(),
            config.IsInitialized(), refusal(lambda: config.HasField("device_count")),
            refusal(lambda: config.HasField("allow_soft_placement")),
            tf.GraphDef().HasField("versions"), refusal(lambda: hash(config))]  # fmt: skip


@program
def choices(tf):
    value = tf.AttrValue(i=3)
    found = [value.WhichOneof("value"), value.i, value.HasField("i"), value.f]
    value.f = 0.5
    found += [value.WhichOneof("value"), value.i, value.HasField("i")]
    value.list.i.extend([1, 2])
    found += [value.WhichOneof("value"), list(value.list.i), value.f]
    value.ClearField("value")
    found += [value.WhichOneof("value"), tf.AttrValue(b=False) == tf.AttrValue(), str(value)]
    value.func.name = "f"
    value.func.attr["T"].type = 1
    found += [value.WhichOneof("value"), value.func.attr["T"].type]
    info = tf.TensorInfo(name="x:0", dtype=1)
    info.tensor_shape.dim.add(size=2)
    return [*found, info.WhichOneof("encoding"), str(info)]


@program
def lists(tf):
    graph_def = tf.GraphDef()
    graph_def.CopyFrom(small_graph(tf))
    del graph_def.node[1]
    names = [[node.name for node in graph_def.node]]
    graph_def.node.extend([tf.NodeDef(name="z", op="NoOp", input=["^x"])])
    graph_def.node.add(name="k", op="NoOp").input.extend(["^x", "^y"])
    del graph_def.node[0].attr["shape"]
    graph_def.node[1].input[:] = ["a", "b"]
    graph_def.node[1].input.append("c")
    graph_def.node[1].input.remove("a")
    names += [
        [node.name for node in graph_def.node[-2:]],
        list(graph_def.node[1].input),
        graph_def.node[1].input == ["b", "c"],
        graph_def.node[1].input.pop(),
    ]
    graph_def.node.sort(key=lambda node: node.name)
    popped = graph_def.node.pop(0).name
    graph_def.node.insert(0, tf.NodeDef(name="first"))
    node = graph_def.node[0]
    node.name = "changed"
    return [*names, popped, [one.name for one in graph_def.node], str(graph_def.node[-1]),
            refusal(lambda: graph_def.node.append(tf.AttrValue())),
            refusal(lambda: node.input.append(3)), refusal(lambda: setattr(node, "name", 3)),
            refusal(lambda: setattr(node, "attr", {}))]  # fmt: skip


@program
def mappings(tf):
    config = tf.ConfigProto(device_count={"GPU": 0})
    config.device_count["CPU"] = 2
    config.device_count.update({"TPU": 1})
    node = tf.NodeDef()
    made = node.attr["T"].type  # asking makes it
    node.attr["shape"].shape.dim.add(size=3)
    node.attr["f"].CopyFrom(tf.AttrValue(f=1.5))
    return [sorted(config.device_count.items()), config.device_count.get("XPU", 7),
            config.device_count["XPU"], "XPU" in config.device_count, made, sorted(node.attr),
            node.attr.get("none") is None, "none" in node.attr, len(node.attr),
            node.attr["shape"].shape.dim[0].size,
            refusal(lambda: node.attr.__setitem__("T", tf.AttrValue())),
            refusal(lambda: config.device_count.__setitem__("a", "b"))]  # fmt: skip


@program
def arguments(tf):
    config = tf.ConfigProto(
        gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5), device_count={"GPU": 0},
        graph_options={"rewrite_options": {"constant_folding": "OFF"}}, log_device_placement=None,
    )  # fmt: skip
    pool = config.session_inter_op_thread_pool.add()
    pool.num_threads, pool.global_name = 2, "all"
    config.isolate_session_state = True
    value = tf.AttrValue(list=tf.AttrValue.ListValue(type=["DT_FLOAT", 3]))
    node = tf.NodeDef(name="z", op="NoOp", input=["^x"], attr={"value": value})
    graph_def = tf.GraphDef(node=[node], versions={"producer": 21})
    return [str(config), str(graph_def), tf.RunOptions(trace_level="FULL_TRACE").trace_level,
            refusal(lambda: tf.ConfigProto(alow=True)), refusal(lambda: tf.ConfigProto(1)),
            refusal(lambda: tf.ConfigProto(allow_soft_placement="yes")),
            refusal(lambda: tf.ConfigProto().foo),
            refusal(lambda: setattr(tf.ConfigProto(), "foo", 1))]  # fmt: skip


@program
def numbers_of_names(tf):
    rewriter = type(tf.GraphOptions().rewrite_options)
    kinds = [tf.RunOptions.FULL_TRACE, tf.RunOptions.TraceLevel.Name(1),
             tf.RunOptions.TraceLevel.Value("HARDWARE_TRACE"), tf.OptimizerOptions.L0,
             tf.OptimizerOptions.ON_2, tf.OptimizerOptions.OFF, rewriter.OFF, rewriter.AGGRESSIVE,
             rewriter.Toggle.items(), rewriter.NO_MEM_OPT]  # fmt: skip
    value = tf.AttrValue(type=1)
    field = value.DESCRIPTOR.fields_by_name["type"]
    return [
        kinds,
        value.type == tf.float32,
        tf.as_dtype(value.type).name,
        field.enum_type.values_by_number[1].name,
        value.DESCRIPTOR.full_name,
        tf.GraphDef.DESCRIPTOR.name,
        tf.ConfigProto.INTRA_OP_PARALLELISM_THREADS_FIELD_NUMBER,
        sorted(tf.RunOptions.DESCRIPTOR.fields_by_name),
        tf.AttrValue.ListValue.__name__,
    ]


@program
def nodes_by_hand(tf):
    graph_def = small_graph(tf)
    node = graph_def.node.add(name="k", op="Const")
    node.attr["dtype"].type = 1
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([3.0], dtype=tf.float32))
    tensor = graph_def.node.add(name="t", op="Const").attr["value"].tensor
    graph_def.node[-1].attr["dtype"].type = tensor.dtype = tf.int32.as_datatype_enum
    tensor.tensor_shape.dim.add().size = 3
    tensor.int_val.append(7)
    with tf.Graph().as_default():
        ones = tf.constant(np.ones((1, 2), np.float32))
        k, t, y = tf.import_graph_def(graph_def, {"x": ones}, ["k:0", "t:0", "y:0"], name="")
        with tf.Session() as session:
            return session.run([k, t, y])


@program
def nodes_of_graphs(tf):
    graph_def = small_graph(tf)
    nodes = {node.name: node for node in graph_def.node}
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        same = x.op.node_def == nodes["x"]
        texts = [str(x.shape.as_proto()), str(tf.TensorShape(None).as_proto())]
        shown = tf.get_default_graph().as_graph_def(add_shapes=True).node[0].attr["_output_shapes"]
    shape = nodes["x"].attr["shape"].shape
    return [same, *texts, str(shown), str(tf.TensorShape(shape)),
            str(tf.TensorShape(shown.list.shape[0])), tf.TensorShape(x.shape.as_proto()).as_list(),
            tf.make_ndarray(nodes["c"].attr["value"].tensor),
            text_format.MessageToString(nodes["c"])]  # fmt: skip


@program
def graphs_cut_to_size(tf):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
        tf.identity(tf.multiply(x, v, name="p"), name="y")
        tf.identity(x, name="other")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            whole = graph.as_graph_def()
            part = tf.graph_util.extract_sub_graph(whole, ["y"])
            frozen = tf.graph_util.convert_variables_to_constants(session, whole, ["y"])
            short = tf.graph_util.remove_training_nodes(frozen, ["y"])
    names = [[node.name for node in one.node] for one in (part, frozen, short)]
    constant = next(node for node in frozen.node if node.name == "v")
    return [names, text_format.MessageToString(constant), part.versions == whole.versions,
            part.HasField("library"), [list(node.input) for node in short.node],
            type(frozen) is tf.GraphDef]  # fmt: skip


@program
def steps(tf):
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        session.run(tf.square(x, name="y"), {x: [1.0, 2.0]}, options, metadata)
    again = tf.RunMetadata.FromString(metadata.SerializeToString())
    other = tf.RunMetadata()
    other.MergeFrom(again)
    graphs = [type(graph) is tf.GraphDef for graph in other.partition_graphs]
    shown = {
        stats.node_name.partition(":")[0]
        for device in other.step_stats.dev_stats
        for stats in device.node_stats
    }
    return [again == metadata, all(graphs), len(graphs), "y" in shown,
            [f.name for f, _ in metadata.ListFields() if f.number < 1000],
            refusal(lambda: tf.Session(config={"a": 1})),
            refusal(lambda: tf.import_graph_def(tf.MetaGraphDef())),
            refusal(lambda: tf.import_graph_def(tf.ConfigProto()))]  # fmt: skip


@program
def clusters(tf):
    job = tf.train.JobDef(name="worker", tasks={0: "a:1", 2: "b:1"})
    cluster = tf.train.ClusterDef(job=[job])
    server = tf.train.ServerDef(cluster=cluster, job_name="worker", task_index=2, protocol="grpc")
    server.default_session_config.gpu_options.allow_growth = True
    return [text_format.MessageToString(server), server.cluster.job[0].tasks[2]]


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
