"""What it takes to import a graph and to prepare a step grows as the graph does."""

import resource
import time
from pathlib import Path

import pytest
import tfbuild_runtime.compat.v1 as tf

pytestmark = pytest.mark.slow
_SMALL, _TIMES = 4_000, 5
_MOST = 12  # of linear ones 5 are expected, of quadratic ones 25
_MOST_BYTES = 1700  # of a node: a million in 2 GB, with the file and the program


def _node(graph_def, op, name, inputs=(), **types):
    node = graph_def.node.add(name=name, op=op, input=inputs)
    for attr, value in types.items():
        node.attr[attr].CopyFrom(value)


def _value(kind, value):
    return tf.AttrValue(**{kind: value})


_FLOAT, _BOOL = _value("type", 1), _value("type", 10)


def chain(graph_def, count):
    """Each reads the one before."""
    for i in range(count):
        _node(graph_def, "Neg", f"n{i}", [f"n{i - 1}" if i else "x"], T=_FLOAT)
    return f"n{count - 1}"


def loops(graph_def, count):
    """Loops of one iteration beside each other."""
    _node(graph_def, "Placeholder", "stop", dtype=_BOOL)
    ends = []
    for i in range(count // 7):
        frame = _value("s", f"frame{i}".encode())
        _node(graph_def, "Enter", f"e{i}", ["x"], T=_FLOAT, frame_name=frame)
        _node(graph_def, "Enter", f"p{i}", ["stop"], T=_BOOL, frame_name=frame)
        _node(graph_def, "Merge", f"m{i}", [f"e{i}", f"n{i}"], T=_FLOAT)
        _node(graph_def, "LoopCond", f"l{i}", [f"p{i}"])
        _node(graph_def, "Switch", f"s{i}", [f"m{i}", f"l{i}"], T=_FLOAT)
        _node(graph_def, "NextIteration", f"n{i}", [f"s{i}:1"], T=_FLOAT)
        _node(graph_def, "Exit", f"x{i}", [f"s{i}"], T=_FLOAT)
        ends.append(f"^x{i}")
    _node(graph_def, "Identity", "end", ["x", *ends], T=_FLOAT)
    return "end"


def variables(graph_def, count):
    """Assignments of which each goes on with the last one's reference, as sets that grow."""
    shape = _value("shape", tf.TensorShape([]).as_proto())
    _node(graph_def, "VariableV2", "v", dtype=_FLOAT, shape=shape)
    for i in range(count):
        before = f"a{i - 1}" if i else "v"
        _node(graph_def, "AssignAdd", f"a{i}", [before, "x"], T=_FLOAT)
    _node(graph_def, "Assign", "first", ["v", "x"], T=_FLOAT)
    graph_def.node[2].input.append("^first")
    return f"a{count - 1}"


def _file(shape, count):
    """The bytes of a GraphDef, and the name of its last node."""
    graph_def = tf.GraphDef()
    _node(
        graph_def,
        "Placeholder",
        "x",
        dtype=_FLOAT,
        shape=_value("shape", tf.TensorShape([]).as_proto()),
    )
    end = shape(graph_def, count)
    return graph_def.SerializeToString(), end


def _seconds(shape, count):
    """Of import, first and second step; the least of three."""
    data, end = _file(shape, count)
    taken = []
    for _ in range(3):
        with tf.Graph().as_default() as graph:
            feeds = {"x:0": 1.0, "stop:0": False} if shape is loops else {"x:0": 1.0}
            begin = time.process_time()
            tf.import_graph_def(data, name="")
            with tf.Session(graph=graph) as session:
                session.run(f"{end}:0", feeds)
                session.run(f"{end}:0", feeds)
            taken.append(time.process_time() - begin)
    return min(taken)


@pytest.mark.parametrize("shape", [chain, loops, variables])
def test_time_grows_as_the_graph_does(shape):
    small, large = _seconds(shape, _SMALL), _seconds(shape, _TIMES * _SMALL)
    assert large < _MOST * small


def _seconds_of_asking(count):
    """Who reads each value of a chain; the least of three."""
    data, _ = _file(chain, count)
    taken = []
    for _ in range(3):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(data, name="")
            begin = time.process_time()
            read = sum(len(op.outputs[0].consumers()) for op in graph.get_operations())
            taken.append(time.process_time() - begin)
            assert read == count
    return min(taken)


def test_asking_who_reads_what_grows_as_the_graph_does():
    assert _seconds_of_asking(_TIMES * _SMALL) < _MOST * _seconds_of_asking(_SMALL)


def print_memory(file, end):
    """Import the file and run it; print what of memory that took at most, in bytes."""
    data = Path(file).read_bytes()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tf.import_graph_def(data, name="")
    with tf.Session() as session:
        session.run(f"{end}:0", {"x:0": 1.0})
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)


@pytest.mark.parametrize("shape", [chain, variables])
def test_a_node_takes_little_memory(shape, python, tmp_path):
    def taken(count):
        data, end = _file(shape, count)
        tmp_path.joinpath("graph.pb").write_bytes(data)
        return int(python(
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import test_growth; test_growth.print_memory(*sys.argv[2:])\n",
            str(Path(__file__).parent), str(tmp_path / "graph.pb"), end,
        ))  # fmt: skip

    small, large = 20_000, 120_000
    assert taken(large) - taken(small) < _MOST_BYTES * (large - small)
