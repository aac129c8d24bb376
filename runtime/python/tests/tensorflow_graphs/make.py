"""Writes graphs.zip beside it: GraphDefs, and in expected.json what TensorFlow computes of them.

Run it with the Python of a TensorFlow 2: each program is one function, which returns its loss. A
program is written twice: `NAME.pb` computes the loss alone, `NAME.train.pb` also trains, with the
gradients that TensorFlow writes. Variables are references unless the name says otherwise.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import tensorflow as tf2

tf = tf2.compat.v1
HERE = Path(__file__).parent
STEPS = 4
X = np.round(np.sin(np.arange(8, dtype=np.float32)).reshape(2, 4), 3)


def _weights(name: str, shape: tuple[int, ...], scale: float = 0.9) -> object:
    numbers = np.cos(np.arange(int(np.prod(shape)), dtype=np.float32)) * scale
    return tf.get_variable(name, initializer=np.round(numbers, 3).reshape(shape))


def loop(x: object) -> object:
    w = _weights("w", (4, 4))
    body = lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w)))  # noqa: E731
    _, h = tf.while_loop(lambda i, _: i < 5, body, [tf.constant(0), x])
    return tf.reduce_sum(h * h)


def branch(x: object) -> object:
    w = _weights("w", (4, 4))
    h = tf.matmul(x, w)
    return tf.cond(
        tf.reduce_sum(x) > 0,
        lambda: tf.reduce_sum(tf.nn.relu(h) * x),
        lambda: tf.reduce_sum(tf.square(h)),
    )


def branch_in_loop(x: object) -> object:
    w = _weights("w", (4, 4))

    def body(i: object, h: object) -> tuple[object, object]:
        even = tf.equal(i % 2, 0)
        h = tf.cond(even, lambda: tf.tanh(tf.matmul(h, w)), lambda: h * 1.5 + x)
        return i + 1, h

    _, h = tf.while_loop(lambda i, _: i < 4, body, [tf.constant(0), x])
    return tf.reduce_mean(h)


def loop_in_branch(x: object) -> object:
    w = _weights("w", (4, 4))

    def several() -> object:
        step = lambda i, h: (i + 1, tf.sigmoid(tf.matmul(h, w)))  # noqa: E731
        return tf.while_loop(lambda i, _: i < 3, step, [tf.constant(0), x])[1]

    return tf.reduce_sum(tf.cond(tf.reduce_sum(x) < 100, several, lambda: x * w[0, 0]))


def loop_in_loop(x: object) -> object:
    w = _weights("w", (4, 4))

    def outer(i: object, h: object) -> tuple[object, object]:
        inner = lambda j, g: (j + 1, tf.tanh(tf.matmul(g, w)) + x)  # noqa: E731
        _, h = tf.while_loop(lambda j, _: j < i, inner, [tf.constant(0), h])
        return i + 1, h * 0.5

    _, h = tf.while_loop(lambda i, _: i < 4, outer, [tf.constant(1), x])
    return tf.reduce_sum(h)


def scan(x: object) -> object:
    w = _weights("w", (4, 4))
    step = lambda h, row: tf.tanh(tf.linalg.matvec(w, h) + row)  # noqa: E731
    rows = tf.scan(step, x, initializer=tf.zeros([4]))
    return tf.reduce_sum(rows * rows)


def growing(x: object) -> object:
    w = _weights("w", (4,))
    _, h = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, h: (i + 1, tf.concat([h, tf.tanh(h * w)], 0)),
        [tf.constant(0), x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 4])],
    )
    return tf.reduce_sum(h)


def switch_case(x: object) -> object:
    w = _weights("w", (4, 4))
    branches = [
        lambda: tf.reduce_sum(tf.matmul(x, w)),
        lambda: tf.reduce_sum(tf.tanh(tf.matmul(x, w))),
        lambda: tf.reduce_sum(tf.matmul(x, w) * x),
    ]
    index = tf.cast(tf.abs(tf.reduce_sum(x)), tf.int32)
    return tf.switch_case(index, branches)


def function(x: object) -> object:
    w = _weights("w", (4, 4))

    @tf2.function
    def layer(h: object, w: object) -> object:
        return tf.tanh(tf.matmul(h, w))

    return tf.reduce_sum(layer(layer(x, w), w) * x)


def function_with_loop(x: object) -> object:
    w = _weights("w", (4, 4))

    @tf2.function
    def network(h: object, w: object) -> object:
        for i in tf.range(3):
            if i < 2:  # noqa: SIM108
                h = tf.tanh(tf.matmul(h, w))
            else:
                h = h * 2.0
        return h

    return tf.reduce_sum(network(x, w))


def effects(x: object) -> object:
    """What changes a variable in a branch, in a loop, in a function."""
    w = _weights("w", (4, 4))

    @tf2.function
    def network(h: object) -> object:
        for i in tf.range(3):
            if i != 1:
                w.assign_add(0.1 * tf.ones([4, 4]) * tf.cast(i + 1, tf.float32))
        return tf.matmul(h, w)

    return tf.reduce_sum(network(x) * x)


BOTH = (loop, branch, branch_in_loop, loop_in_branch, loop_in_loop, scan, growing)
PROGRAMS = [
    *((program, "v1") for program in BOTH),
    *((program, "v2") for program in BOTH),
    (switch_case, "v2"), (function, "v2"), (function_with_loop, "v2"),
]  # fmt: skip


def write(
    archive: zipfile.ZipFile, program: object, style: str, resources: bool
) -> dict[str, object]:
    """Write both files of a program and return what TensorFlow computes of them."""
    (tf.enable_control_flow_v2 if style == "v2" else tf.disable_control_flow_v2)()
    (tf.enable_resource_variables if resources else tf.disable_resource_variables)()
    name = f"{program.__name__}_{style}" + ("_resources" if resources else "")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 4], "x")
        loss = tf.identity(program(x), "loss")
        variables = tf.trainable_variables()
        tf.global_variables_initializer()
        _save(archive, f"{name}.pb", _bytes(graph))
        gradients = tf.gradients(loss, variables)
        train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, name="train")
        _save(archive, f"{name}.train.pb", _bytes(graph))
        session.run("init")
        first = session.run(gradients, {x: X})
        losses = [session.run([loss, train], {x: X})[0] for _ in range(STEPS)]
    ops = sorted({node.op for node in _all_nodes(graph.as_graph_def())})
    return {
        "name": name,
        "variables": [variable.op.name for variable in variables],
        "gradients": [np.asarray(value, np.float64).tolist() for value in first],
        "losses": [float(value) for value in losses],
        "ops": ops,
    }


def write_effects(archive: zipfile.ZipFile) -> dict[str, object]:
    """Write the program with effects and return what it gives from step to step."""
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], "x")
        loss = tf.identity(effects(x), "loss")
        tf.global_variables_initializer()
        _save(archive, "effects.pb", _bytes(graph))
        session.run("init")
        return {"losses": [float(session.run(loss, {x: X})) for _ in range(STEPS)]}


def _all_nodes(graph_def: object) -> list[object]:
    return [*graph_def.node, *(n for f in graph_def.library.function for n in f.node_def)]


def _bytes(graph: object) -> bytes:
    return graph.as_graph_def().SerializeToString(deterministic=True)


def _save(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name)  # of a date that is always the same
    archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)


def main() -> None:
    """Write everything again."""
    tf.disable_eager_execution()
    with zipfile.ZipFile(HERE / "graphs.zip", "w") as archive:
        found = [
            write(archive, program, style, resources)
            for resources in (False, True)
            for program, style in PROGRAMS
        ]
        expected = {
            "tensorflow": tf2.__version__,
            "x": X.tolist(),
            "programs": found,
            "effects": write_effects(archive),
        }
        _save(archive, "expected.json", json.dumps(expected).encode())


if __name__ == "__main__":
    sys.exit(main())
