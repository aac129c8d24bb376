"""Graphs for the probes of GraphDef: a good one, and some that mean nothing."""

import numpy as np


def build(tf):
    """A small network of constants: every attribute type that frozen graphs use."""
    random = np.random.default_rng(1)
    image = tf.placeholder(tf.float32, [None, 8, 8, 2], name="image")
    weights = tf.constant(random.standard_normal((3, 3, 2, 4)).astype("f4"), name="weights")
    out = tf.nn.conv2d(image, weights, strides=[1, 1, 1, 1], padding="SAME", name="conv")
    out = tf.nn.relu(tf.nn.bias_add(out, tf.constant(np.ones(4, "f4"))), name="relu")
    out = tf.nn.max_pool(out, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pool")
    flat = tf.reshape(out, [-1, 64], name="flat")
    matrix = tf.constant(random.standard_normal((64, 3)).astype("f4"), name="matrix")
    tf.nn.softmax(tf.matmul(flat, matrix), name="out")


def original(tf, image):
    """Bytes of the graph, and what it computes."""
    with tf.Graph().as_default() as graph:
        build(tf)
        with tf.Session() as session:
            return graph.as_graph_def().SerializeToString(), session.run(
                "out:0", {"image:0": image}
            )


def load(tf, raw):
    """A new graph from bytes."""
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(raw)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


def good_graph(tf):
    """The bytes of the good graph, the same each time."""
    with tf.Graph().as_default() as graph:
        build(tf)
        return graph.as_graph_def().SerializeToString(deterministic=True)


def senseless_graphs():
    """Name -> bytes that are well formed, of graphs that make no sense."""
    shape = field(2, field(2, number(1, 2)))
    half = field(8, number(1, 1) + shape + field(4, b"\0\0\0\0"))
    vast = field(8, number(1, 1) + field(2, field(2, number(1, 1 << 60))) + field(5, b"\0\0\0\0"))
    minus = field(8, number(1, 1) + field(2, field(2, number(1, -5 & (1 << 64) - 1))))
    kind = {"dtype": number(6, 1)}
    one = node("one", "Const", value=half_value(), **kind)
    return {
        "an unknown op": node("x", "NoSuchOp"),
        "an input that is not there": node("x", "Relu", "ghost", T=number(6, 1)),
        "a second output of an op with one": one + node("x", "Relu", "one:7", T=number(6, 1)),
        "a cycle": node("x", "Relu", "y", T=number(6, 1)) + node("y", "Relu", "x", T=number(6, 1)),
        "a name that is there twice": one + one,
        "a constant with too few bytes": node("x", "Const", value=half, **kind),
        "a constant of 2^60 numbers": node("x", "Const", value=vast, **kind),
        "a constant of -5 numbers": node("x", "Const", value=minus, **kind),
        "a type that does not exist": node("x", "Const", value=half, dtype=number(6, 9999)),
        "an attribute that is missing": node("x", "Const", dtype=number(6, 1)),
        "too many inputs": one + node("x", "Relu", "one", "one", T=number(6, 1)),
    }


def half_value():
    """The attribute value of a float constant with two elements."""
    shape = field(2, field(2, number(1, 2)))
    return field(8, number(1, 1) + shape + field(4, b"\0" * 8))


def node(name, op, *inputs, **attributes):
    """One node of a GraphDef, as it stands in the bytes of the graph."""
    raw = field(1, name.encode()) + field(2, op.encode())
    raw += b"".join(field(3, each.encode()) for each in inputs)
    for key, value in attributes.items():
        raw += field(5, field(1, key.encode()) + field(2, value))
    return field(1, raw)


def field(tag, raw):
    """A field of bytes in the wire format."""
    return varint(tag << 3 | 2) + varint(len(raw)) + raw


def number(tag, value):
    """A field with a number in the wire format."""
    return varint(tag << 3) + varint(value)


def varint(value):
    """A number in groups of seven bits."""
    raw = bytearray()
    while value > 127:
        raw.append(value & 127 | 128)
        value >>= 7
    return bytes([*raw, value])
