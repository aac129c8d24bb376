"""Unsigned integers of 16, 32 and 64 bits: beyond the sign and around their end, as in NumPy."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

TYPES = [np.uint16, np.uint32, np.uint64]


def values(kind):
    """Numbers on both sides of where the sign of the signed type would be."""
    top = np.iinfo(kind).max
    return np.array([[3, top, top // 2 + 2, 0], [1, top - 1, top // 2, 7]], kind)


def run(tensor):
    with tf.Session() as session:
        return session.run(tensor)


BINARY = {
    "add": (tf.add, np.add),
    "subtract": (tf.subtract, np.subtract),
    "multiply": (tf.multiply, np.multiply),
    "floordiv": (tf.floordiv, np.floor_divide),
    "floormod": (tf.floormod, np.mod),
    "div": (tf.div, np.floor_divide),
    "truncatediv": (tf.truncatediv, np.floor_divide),
    "maximum": (tf.maximum, np.maximum),
    "minimum": (tf.minimum, np.minimum),
    "less": (tf.less, np.less),
    "less_equal": (tf.less_equal, np.less_equal),
    "greater": (tf.greater, np.greater),
    "greater_equal": (tf.greater_equal, np.greater_equal),
    "equal": (tf.equal, np.equal),
    "not_equal": (tf.not_equal, np.not_equal),
    "bitwise_and": (tf.bitwise.bitwise_and, np.bitwise_and),
    "bitwise_or": (tf.bitwise.bitwise_or, np.bitwise_or),
    "bitwise_xor": (tf.bitwise.bitwise_xor, np.bitwise_xor),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, kind):
    ours, numpys = BINARY[name]
    x = values(kind)
    y = np.where(x[::-1] == 0, 5, x[::-1]).astype(kind)  # none divides by zero
    with np.errstate(over="ignore"):
        expected = numpys(x, y)
    found = run(ours(x, tf.placeholder_with_default(y, [2, 4])))
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


UNARY = {
    "square": (tf.square, np.square),
    "invert": (tf.bitwise.invert, np.invert),
    "relu": (tf.nn.relu, lambda x: x),
    "relu6": (tf.nn.relu6, lambda x: np.minimum(x, 6)),
    "ones_like": (tf.ones_like, np.ones_like),
    "sum": (lambda x: tf.reduce_sum(x, 1), lambda x: np.sum(x, 1, dtype=x.dtype)),
    "prod": (lambda x: tf.reduce_prod(x, 1), lambda x: np.prod(x, 1, dtype=x.dtype)),
    "max": (lambda x: tf.reduce_max(x, 0), lambda x: x.max(0)),
    "min": (tf.reduce_min, lambda x: x.min()),
    "cumsum": (lambda x: tf.cumsum(x, 1), lambda x: np.cumsum(x, 1, dtype=x.dtype)),
    "cumprod": (lambda x: tf.cumprod(x, 1), lambda x: np.cumprod(x, 1, dtype=x.dtype)),
    "argmax": (lambda x: tf.argmax(x, 1), lambda x: x.argmax(1)),
    "argmin": (lambda x: tf.argmin(x, 0), lambda x: x.argmin(0)),
    "add_n": (lambda x: tf.add_n([x, x, x]), lambda x: x + x + x),
    "where": (tf.where, np.argwhere),
    "top_k": (lambda x: tf.nn.top_k(x, 2).values, lambda x: -np.sort(-x.astype(object), 1)[:, :2]),
    "transpose": (tf.transpose, np.transpose),
    "concat": (lambda x: tf.concat([x, x], 0), lambda x: np.concatenate([x, x], 0)),
    "gather": (lambda x: tf.gather(x, [1, 0, 1]), lambda x: x[[1, 0, 1]]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2]]), lambda x: np.pad(x, [[1, 0], [0, 2]])),
    "slice": (lambda x: x[:, 1:3], lambda x: x[:, 1:3]),
    "select": (lambda x: tf.where(x > 5, x, x + 1), lambda x: np.where(x > 5, x, x + 1)),
    "unique": (lambda x: tf.unique(x[0])[0], lambda x: x[0]),
    "segments": (
        lambda x: tf.segment_max(x, [0, 0]),
        lambda x: x.max(0, keepdims=True),
    ),
    "unsorted_sum": (
        lambda x: tf.unsorted_segment_sum(x, [1, 1], 2),
        lambda x: np.stack([np.zeros_like(x[0]), x[0] + x[1]]),
    ),
    "population_count": (
        tf.raw_ops.PopulationCount,
        lambda x: [[bin(value).count("1") for value in row] for row in x.tolist()],
    ),
    "to_text": (tf.as_string, lambda x: [[b"%d" % value for value in row] for row in x.tolist()]),
    "to_double": (lambda x: tf.cast(x, tf.float64), lambda x: x.astype(np.float64)),
    "to_int64": (lambda x: tf.cast(x, tf.int64), lambda x: x.astype(np.int64)),
    "to_uint8": (lambda x: tf.cast(x, tf.uint8), lambda x: x.astype(np.uint8)),
    "to_bool": (lambda x: tf.cast(x, tf.bool), lambda x: x.astype(bool)),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name, kind):
    ours, numpys = UNARY[name]
    x = values(kind)
    make = (lambda t: ours(x=t)) if ours is tf.raw_ops.PopulationCount else ours
    with np.errstate(over="ignore"):
        expected = np.asarray(numpys(x))
    assert run(make(tf.placeholder_with_default(x, [2, 4]))).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", TYPES)
def test_constants_feeds_and_graphs_keep_every_value(kind):
    x = values(kind)
    with tf.Graph().as_default() as graph:
        tf.constant(x, name="whole")
        tf.constant(x[0, 1], name="one")
        tf.placeholder(kind, [2, 4], name="fed")
    message = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default():
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(message)
        names = ["whole:0", "one:0", "fed:0"]
        whole, one, fed = tf.import_graph_def(graph_def, return_elements=names, name="")
        with tf.Session() as session:
            results = session.run([whole, one, fed], {fed: x})
    assert [r.dtype for r in results] == [np.dtype(kind)] * 3
    assert [r.tolist() for r in results] == [x.tolist(), int(x[0, 1]), x.tolist()]
    proto = tf.make_tensor_proto(x[0, 1])
    assert tf.make_ndarray(proto) == x[0, 1]


@pytest.mark.parametrize("kind", TYPES)
def test_variables_change_in_place(kind):
    x = values(kind)
    for resource in (False, True):
        with tf.Graph().as_default():
            variable = tf.Variable(x, use_resource=resource)
            added = tf.assign_add(variable, x)
            scattered = tf.scatter_sub(variable, [1], x[:1])
            with tf.Session() as session:
                session.run(variable.initializer)
                session.run(added)
                assert session.run(variable).tolist() == (x + x).tolist()
                session.run(scattered)
                found = session.run(variable)
        with np.errstate(over="ignore"):
            assert found.tolist() == [(x + x)[0].tolist(), ((x + x)[1] - x[0]).tolist()]


def test_texts_are_read_up_to_the_largest():
    read = tf.string_to_number(["18446744073709551615", "+7"], tf.uint64)
    assert run(read).tolist() == [2**64 - 1, 7]
    for text in ("-1", "18446744073709551616", "1.5", "", "+"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(tf.string_to_number(text, tf.uint64))


def test_dtypes_have_numpys_limits():
    for kind in TYPES:
        dtype = tf.as_dtype(kind)
        assert (dtype.min, dtype.max, dtype.size) == (0, np.iinfo(kind).max, kind().itemsize)
        assert dtype.is_integer and dtype.is_unsigned
    assert (tf.uint32.as_datatype_enum, tf.uint64.as_datatype_enum) == (22, 23)
