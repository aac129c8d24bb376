"""The same scripts here and in a real TensorFlow: same graphs, same numbers."""

import json

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

pytestmark = pytest.mark.tensorflow

PRELUDE = """
import json, sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
"""
REPORT = "\nprint('RESULT ' + json.dumps(result))\n"


def here(script):
    """Run a script with this package as tf; return what it leaves in `result`."""
    names = {"tf": tf, "np": np, "json": json}
    exec(script, names)
    return json.loads(json.dumps(names["result"]))


def there(script, tensorflow, data=b""):
    """Run the same script with TensorFlow."""
    lines = tensorflow(PRELUDE + script + REPORT, data=data).decode().splitlines()
    return json.loads(next(line for line in lines if line.startswith("RESULT "))[7:])


RANDOM = """
def draw(seed):
    with tf.Graph().as_default(), tf.Session() as session:
        if seed is not None:
            tf.set_random_seed(seed)
        fetches = [
            tf.random_uniform([7], seed=1), tf.random_uniform([2, 3], -2.0, 5.0, seed=8),
            tf.random_normal([5, 3], 1.0, 2.0, seed=2), tf.truncated_normal([9], seed=3),
            tf.random_uniform([6], 2, 90, tf.int32, seed=4),
            tf.random_uniform([4], dtype=tf.float64, seed=5),
            tf.random_normal([4], dtype=tf.float64, seed=6),
            tf.random_uniform([300], seed=7),
        ]
        if seed is not None:
            fetches += [tf.random_normal([3]), tf.random_uniform([3]), tf.truncated_normal([3]),
                        tf.glorot_uniform_initializer()([4, 5]),
                        tf.variance_scaling_initializer(2.0)([3, 3, 2, 2])]
        return [np.ravel(v).tolist() for _ in range(2) for v in session.run(fetches)]


result = [draw(None), draw(11), draw(0)]
"""


def test_random_numbers_are_tensorflows(tensorflow):
    mine, theirs = here(RANDOM), there(RANDOM, tensorflow)
    assert [len(one) for one in mine] == [len(other) for other in theirs]
    for one, other in zip(mine, theirs):
        for a, b in zip(one, other):
            # The same draws; the logarithms and sines made of them may differ in the last bits.
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=3e-6)


TRAINING = """
def dense(x, units, name, activation=None):
    with tf.variable_scope(name):
        w = tf.get_variable("kernel", [x.shape.as_list()[-1], units])
        b = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        y = tf.nn.bias_add(tf.matmul(x, w), b)
        return y if activation is None else activation(y)


def network(x):
    image = tf.reshape(x, [-1, 6, 6, 1])
    f = tf.get_variable("filters", [3, 3, 1, 4], initializer=tf.random_normal_initializer(0.0, 0.3))
    maps = tf.nn.relu(tf.nn.conv2d(image, f, [1, 1, 1, 1], "SAME"))
    maps = tf.nn.max_pool(maps, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    maps = tf.nn.avg_pool(maps, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    flat = tf.reshape(maps, [-1, 2 * 2 * 4])
    return dense(dense(flat, 8, "hidden", tf.tanh), 3, "head")


def build():
    tf.set_random_seed(42)
    x = tf.placeholder(tf.float32, [None, 36], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    logits = network(x)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    loss = tf.add(tf.reduce_mean(each), 1e-3 * tf.nn.l2_loss(tf.trainable_variables()[0]),
                  name="loss")
    return x, y, loss


OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.2),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.003, centered=False),
}


def train(name):
    random = np.random.default_rng(7)
    pixels = random.standard_normal((40, 36)).astype(np.float32)
    classes = (pixels[:, :12].sum(1) > 0).astype(np.int32) + (pixels[:, 12] > 0)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, loss = build()
        step = tf.train.get_or_create_global_step()
        update = OPTIMIZERS[name]().minimize(loss, global_step=step)
        session.run(tf.global_variables_initializer())
        feed = {x: pixels, y: classes}
        losses = [float(session.run([loss, update], feed)[0]) for _ in range(25)]
        names = [v.name for v in tf.global_variables()]
        return {"losses": losses, "names": names, "step": int(session.run(step))}


result = {name: train(name) for name in OPTIMIZERS}
"""


def test_training_gives_tensorflows_losses_and_names(tensorflow):
    mine, theirs = here(TRAINING), there(TRAINING, tensorflow)
    for name, expected in theirs.items():
        assert mine[name]["names"] == expected["names"]
        assert mine[name]["step"] == expected["step"] == 25
        np.testing.assert_allclose(mine[name]["losses"], expected["losses"], rtol=3e-4)
        assert mine[name]["losses"][-1] < mine[name]["losses"][0]


IMPORTED = """
with tf.Graph().as_default(), tf.Session() as session:
    graph_def = tf.GraphDef.FromString(sys.stdin.buffer.read())
    init, update, loss = tf.import_graph_def(
        graph_def, return_elements=["init", "Momentum", "loss:0"], name="")
    random = np.random.default_rng(7)
    pixels = random.standard_normal((40, 36)).astype(np.float32)
    classes = (pixels[:, :12].sum(1) > 0).astype(np.int32) + (pixels[:, 12] > 0)
    session.run(init)
    feed = {"x:0": pixels, "y:0": classes}
    result = [float(session.run([loss, update], feed)[0]) for _ in range(10)]
"""


def test_an_exported_training_graph_trains_in_tensorflow(tensorflow):
    names = {"tf": tf, "np": np}
    exec(TRAINING.rpartition("result =")[0], names)
    with tf.Graph().as_default() as graph:
        _, _, loss = names["build"]()
        names["OPTIMIZERS"]["momentum"]().minimize(loss)
        tf.global_variables_initializer()
        data = graph.as_graph_def().SerializeToString()
    mine = names["train"]("momentum")["losses"][:10]
    np.testing.assert_allclose(there(IMPORTED, tensorflow, data), mine, rtol=1e-4)


GRAPHS = """
def p(shape=(None, 3), kind="float32"):
    return tf.placeholder(kind, shape, name="x")


CASES = {
    "add": lambda: tf.add(p(), 3.0),
    "operators": lambda: (p() + 1.0) * 2.0 / p() - 3.0,
    "sum": lambda: tf.reduce_sum(p()),
    "mean": lambda: tf.reduce_mean(p(), axis=1, keepdims=True),
    "sum_of_unknown_rank": lambda: tf.reduce_sum(p(None)),
    "getitem": lambda: (p()[1:, 0], p()[..., None, ::2], p()[-1]),
    "zeros": lambda: (tf.zeros([3, 4]), tf.ones([300, 400]), tf.zeros(tf.shape(p()))),
    "like": lambda: (tf.ones_like(p()), tf.zeros_like(p((2, 3))), tf.zeros_like(p())),
    "uniform": lambda: (tf.random_uniform([3, 4], 1.0, 2.0, seed=3), tf.random_uniform([2])),
    "normal": lambda: (tf.random_normal([3], seed=3), tf.truncated_normal([3], seed=3)),
    "seeds": lambda: (tf.set_random_seed(5), tf.random_uniform([2]), tf.random_normal([3]),
                      tf.random_normal([3], seed=9), tf.truncated_normal([2])),
    "initializers": lambda: (tf.glorot_uniform_initializer()([3, 4]),
                             tf.variance_scaling_initializer(2.0)([3, 3, 2, 5])),
    "stack": lambda: (tf.stack([p((2,)), p((2,))], axis=1), tf.unstack(p((2, 3)), axis=1)),
    "concat": lambda: (tf.concat([p((2,)), p((2,))], 0), tf.split(p(), 3, axis=1)),
    "pad": lambda: (tf.pad(p(), [[1, 1], [0, 2]]), tf.pad(p(), [[1, 1], [0, 2]],
                                                          constant_values=2.0)),
    "transpose": lambda: (tf.transpose(p()), tf.transpose(p(), [1, 0]), tf.transpose(p(None))),
    "where": lambda: tf.where(p() > 1, p(), p()),
    "dropout": lambda: (tf.nn.dropout(p(), rate=0.3, seed=4), tf.nn.dropout(p(), keep_prob=0.7)),
    "softmax": lambda: (tf.nn.softmax(p((2, 3, 4))), tf.nn.log_softmax(p())),
    "sigmoid_cross_entropy": lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=p(),
                                                                             logits=p()),
    "moments": lambda: tf.nn.moments(p(), [0]),
    "batch_normalization": lambda: tf.nn.batch_normalization(
        p(), p((3,)), p((3,)), p((3,)), p((3,)), 1e-3),
    "l2_normalize": lambda: tf.nn.l2_normalize(p(), 1),
    "clip": lambda: tf.clip_by_value(p(), 0.0, 1.0),
    "range": lambda: (tf.range(5), tf.range(1.0, 5.0), tf.range(2, 9, 3)),
    "gather": lambda: (tf.gather(p(), [0, 2], axis=1), tf.one_hot([1, 2], 3)),
    "order": lambda: (tf.group(p().op, p().op), tf.tuple([p(), p()])),
    "matmul": lambda: (tf.matmul(p(), p(), transpose_b=True),
                       tf.matmul(p((2, 3, 4)), p((2, 4, 5)))),
    "argmax": lambda: (tf.argmax(p(), 1), tf.cast(p(), tf.int32)),
    "shape": lambda: (tf.shape(p()), tf.size(p()), tf.rank(p()), tf.shape(p((2, 3)))),
    "division": lambda: (tf.truediv(tf.constant([1, 2]), 3), tf.div(tf.constant([1, 2]), 3)),
    "conv2d": lambda: tf.nn.conv2d(p((1, 8, 8, 3)), p((3, 3, 3, 4)), 1, "SAME"),
    "conv2d_explicit": lambda: tf.nn.conv2d(
        p((1, 8, 8, 3)), filters=p((3, 3, 3, 4)), strides=[2, 1],
        padding=[[0, 0], [1, 1], [2, 1], [0, 0]]),
    "pool": lambda: (tf.nn.max_pool(p((1, 8, 8, 3)), 2, 2, "VALID"),
                     tf.nn.avg_pool(p((1, 8, 8, 3)), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")),
    "conv2d_transpose": lambda: tf.nn.conv2d_transpose(
        p((1, 8, 8, 4)), p((3, 3, 3, 4)), [1, 16, 16, 3], 2),
    "variables": lambda: (tf.get_variable("w", [3, 4]), tf.Variable(tf.zeros([3]), name="v"),
                          tf.Variable(1.0)),
}


def nodes(case):
    with tf.Graph().as_default() as graph:
        CASES[case]()
        return [[n.name, n.op, list(n.input)] for n in graph.as_graph_def().node]


result = {case: nodes(case) for case in CASES}
"""


def test_wrappers_make_tensorflows_nodes(tensorflow):
    """Names, ops and inputs, node by node, so that seeds and saved names agree."""
    mine, theirs = here(GRAPHS), there(GRAPHS, tensorflow)
    for case, nodes in theirs.items():
        assert mine[case] == nodes, case
