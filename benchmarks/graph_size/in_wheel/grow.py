"""Builds, imports and runs one graph, and prints the seconds and megabytes as JSON.

`grow.py MODULE SHAPE NODES`: shapes whose names begin with "frontend" are built by the frontend,
the others imported from the same bytes whichever the module, and run.
"""

import importlib
import json
import os
import resource
import sys
import time

FLOAT, GROUP = 1, 1000  # inputs of one AddN


def varint(number):
    """A number as protobufs have it."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, contents):
    """A field of bytes."""
    return varint(number << 3 | 2) + varint(len(contents)) + contents


def attr(name, value):
    """An attribute of a node."""
    return field(5, field(1, name) + field(2, value))


TYPE = b"\x30" + varint(FLOAT)
DTYPE, T = attr(b"dtype", TYPE), attr(b"T", TYPE)
SCALAR = attr(b"shape", field(7, b""))
ONE = attr(b"value", field(8, b"\x08\x01" + field(2, b"") + field(5, b"\0\0\x80?")))


def node(op, name, inputs=(), attrs=T):
    """A node of a GraphDef."""
    parts = [field(1, name), field(2, op), *(field(3, i) for i in inputs), attrs]
    return field(1, b"".join(parts))


def sums(names):
    """Nodes that add all of these, some at a time; the last is their sum."""
    level = 0
    while len(names) > 1:
        sums_of_level = []
        for first in range(0, len(names), GROUP):
            group = names[first : first + GROUP]
            sums_of_level.append(b"sum%d_%d" % (level, first))
            count = attr(b"N", b"\x18" + varint(len(group)))
            yield node(b"AddN", sums_of_level[-1], group, T + count)
        names, level = sums_of_level, level + 1
    yield node(b"Identity", b"end", names)


def chain(count):
    """Each node reads the one before."""
    names = [b"x"] + [b"n%d" % i for i in range(count)]
    for before, name in zip(names, names[1:]):
        yield node(b"Neg", name, [before])
    yield node(b"Identity", b"end", names[-1:])


def tree(count):
    """Each node reads the one before and one from far away."""
    ops = (b"Add", b"Mul", b"Sub")
    for i in range(count):
        before = b"n%d" % (i - 1) if i else b"x"
        yield node(ops[i % 3], b"n%d" % i, [before, b"n%d" % (i // 2) if i > 2 else b"x"])
    yield node(b"Identity", b"end", [b"n%d" % (count - 1)])


def fan(count):
    """All nodes read one, and one reads all."""
    names = [b"n%d" % i for i in range(count)]
    yield from (node(b"Neg", name, [b"x"]) for name in names)
    yield from sums(names)


def constants(count):
    """Constants, which one node reads."""
    names = [b"n%d" % i for i in range(count)]
    yield from (node(b"Const", name, (), DTYPE + ONE) for name in names)
    yield from sums(names)


def controls(count):
    """Each node waits for the one before and for one from far away."""
    for i in range(count):
        waits = [b"^n%d" % (i - 1), b"^n%d" % (i // 2)] if i > 2 else []
        yield node(b"NoOp", b"n%d" % i, waits, b"")
    yield node(b"Identity", b"end", [b"x", b"^n%d" % (count - 1)])


def placeholders(count):
    """Placeholders, most of which nobody reads."""
    for i in range(count):
        yield node(b"Placeholder", b"n%d" % i, (), DTYPE + SCALAR)
    yield node(b"Identity", b"end", [b"x"])


def variables(count):
    """Variables and what sets them."""
    names = [b"s%d" % i for i in range(count // 2)]
    for i, name in enumerate(names):
        yield node(b"VariableV2", b"n%d" % i, (), DTYPE + SCALAR)
        yield node(b"Assign", name, [b"n%d" % i, b"x"])
    yield node(b"Identity", b"end", [b"x", *(b"^" + name for name in names)])


def functions(count):
    """Functions, each called once."""
    argument, result = (field(1, name) + b"\x18\x01" for name in (b"a", b"r"))
    library = []
    for i in range(count):
        signature = field(1, field(1, b"f%d" % i) + field(2, argument) + field(3, result))
        inner = field(1, b"n") + field(2, b"Neg") + field(3, b"a") + T
        returned = field(4, field(1, b"r") + field(2, b"n:y:0"))
        library.append(field(1, signature + field(3, inner) + returned))
    yield field(2, b"".join(library))
    names = [b"x"] + [b"n%d" % i for i in range(count)]
    for i, before in enumerate(names[:-1]):
        yield node(b"f%d" % i, names[i + 1], [before], b"")
    yield node(b"Identity", b"end", names[-1:])


def frontend_chain(tf, count):
    """One after the other."""
    x = tf.placeholder(tf.float32, [])
    for _ in range(count):
        x = tf.negative(x)


def frontend_names(tf, count):
    """The same name again and again, in scopes of the same name."""
    for _ in range(count // 10):
        with tf.name_scope("scope"):
            for _ in range(10):
                tf.no_op(name="op")


def frontend_taken_names(tf, count):
    """Names that are taken up to some number, then asked for without one."""
    for i in range(1, count // 2):
        tf.no_op(name=f"op_{i}")
    for _ in range(count // 2):
        tf.no_op(name="op")


IMPORTED = {f.__name__: f for f in (chain, tree, fan, constants, controls, placeholders, variables,
                                    functions)}  # fmt: skip
BUILT = {f.__name__: f for f in (frontend_chain, frontend_names, frontend_taken_names)}


def imported(tf, parts):
    """Seconds of what happens to a GraphDef."""
    data = b"".join([node(b"Placeholder", b"x", (), DTYPE + SCALAR), *parts])
    begin = time.perf_counter()
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(data)
    read = time.perf_counter()
    tf.import_graph_def(graph_def, name="")
    added = time.perf_counter()
    graph = tf.get_default_graph()
    session = tf.Session()
    marks = [time.perf_counter()]
    for _ in range(2):
        session.run(graph.get_tensor_by_name("end:0"), {graph.get_tensor_by_name("x:0"): 1.0})
        marks.append(time.perf_counter())
    return {"parse": read - begin, "import": added - read, "first": marks[1] - marks[0],
            "second": marks[2] - marks[1]}  # fmt: skip


def main():
    """Measure one graph."""
    module, shape, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module(module)
    if hasattr(tf, "disable_eager_execution"):
        tf.disable_eager_execution()
    with tf.Graph().as_default():
        if shape in BUILT:
            begin = time.perf_counter()
            BUILT[shape](tf, count)
            found = {"build": time.perf_counter() - begin}
        else:
            found = imported(tf, IMPORTED[shape](count))
        found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        os._exit(0)  # to take a graph down costs the same as its memory, which is measured


if __name__ == "__main__":
    main()
