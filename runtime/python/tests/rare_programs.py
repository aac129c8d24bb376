"""Names that few programs use, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python rare_programs.py tensorflow.compat.v1 > rare_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys

import numpy as np
import programs
from library_programs import run

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def waves(*shape):
    """Return numbers between -1 and 1 that differ from each other."""
    return np.sin(np.arange(np.prod(shape), dtype=np.float32) * 0.7).reshape(shape)


# ---- loops that a program drives ----------------------------------------------------------------


def driven(tf, emit, batch):
    """Run a cell over three examples of 4, 2 and 0 steps by hand."""
    words = tf.placeholder(tf.float32, [4, batch, 2])
    lengths = tf.constant([4, 2, 0])
    array = tf.TensorArray(tf.float32, 4).unstack(words)
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)

    def loop(time, output, state, total):
        finished = time >= lengths
        given = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([3, 2]), lambda: array.read(time))
        given.set_shape([3, 2])
        if output is None:
            return finished, given, cell.zero_state(3, tf.float32), emit(tf, None), tf.constant(0.0)
        return finished, given, state, emit(tf, output), total + tf.reduce_sum(output)

    arrays, state, total = tf.nn.raw_rnn(cell, loop)
    names = [variable.name for variable in tf.trainable_variables()]
    kernel, bias = tf.trainable_variables()
    set_kernel = kernel.assign(waves(*kernel.shape.as_list()))
    flat = arrays if isinstance(arrays, tuple) else (arrays,)
    stacked = [one.stack() for one in flat]
    slope = tf.gradients(tf.reduce_sum(stacked[0] ** 2), bias)[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(set_kernel)
        found = session.run([stacked, state, total, slope], {words: waves(4, 3, 2)})
    return [names, [one.shape.as_list()[1:] for one in stacked], *found]


@program
def a_loop_that_emits_outputs(tf):
    return driven(tf, lambda tf, output: output, 3)


@program
def a_loop_that_emits_something_else(tf):
    def emit(tf, output):
        if output is None:
            return tf.zeros([3]), tf.zeros([], tf.int32)
        return 2 * output, tf.cast(tf.argmax(output, 1), tf.int32)

    return driven(tf, emit, None)


# ---- variables ----------------------------------------------------------------------------------


@program
def creators_of_variables(tf):
    calls = []

    def doubles(next_creator, **given):
        calls.append(["doubles", given["name"], given["trainable"]])
        value = given["initial_value"]
        given["initial_value"] = (lambda: 2 * value()) if callable(value) else 2 * value
        return next_creator(**given)

    def freezes(next_creator, **given):
        calls.append(["freezes", given["name"]])
        given["trainable"] = False
        return next_creator(**given)

    before = tf.Variable(1.0, name="before")
    with tf.variable_creator_scope(doubles):
        one = tf.Variable(3.0, name="one")
        with tf.variable_creator_scope(freezes):
            two = tf.get_variable("two", [2], initializer=tf.ones_initializer())
    after = tf.Variable(1.0, name="after")
    found = run(tf, [before, one, two, after])
    return [calls, found, [variable.op.name for variable in tf.trainable_variables()]]


# ---- layers -------------------------------------------------------------------------------------


def layered(tf, inputs, make, kind):
    """Return names and shapes of a layer's variables, its output and the slopes of it.

    Of convolutions in float64, where the order of sums does not show; pools have none.
    """
    x = tf.placeholder(kind, [None, *inputs.shape[1:]])
    output = make(x)
    variables = tf.trainable_variables()
    sets = [v.assign(waves(*v.shape.as_list()) + 0.1) for v in variables]
    slopes = tf.gradients(tf.reduce_sum(output**2), [x, *variables])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(sets)
        found = session.run([output, slopes], {x: inputs})
    return [[[v.name, v.shape.as_list()] for v in variables], output.shape.as_list(), *found]


LAYERS = {
    "separable_rows": (
        (2, 9, 3),
        lambda tf, x: tf.layers.separable_conv1d(x, 4, 3, strides=2, padding="same",
                                                 depth_multiplier=2, activation=tf.nn.relu),
    ),
    "separable_rows_apart": (
        (2, 9, 3), lambda tf, x: tf.layers.separable_conv1d(x, 2, 3, dilation_rate=2, name="s"),
    ),
    "volumes": (
        (2, 4, 5, 6, 2), lambda tf, x: tf.layers.conv3d(x, 3, [2, 3, 2], padding="same",
                                                        activation=tf.tanh),
    ),
    "volumes_in_steps": (
        (1, 5, 6, 7, 2), lambda tf, x: tf.layers.conv3d(x, 2, 3, strides=(1, 2, 2), name="c"),
    ),
    "larger_volumes": (
        (1, 2, 3, 2, 2), lambda tf, x: tf.layers.conv3d_transpose(x, 3, 3, strides=2,
                                                                  padding="same"),
    ),
    "much_larger_volumes": (
        (1, 2, 3, 2, 2), lambda tf, x: tf.layers.conv3d_transpose(x, 2, [3, 2, 3], (2, 1, 2)),
    ),
    "largest_of_volumes": (
        (2, 4, 5, 6, 2), lambda tf, x: tf.layers.max_pooling3d(x, 2, 2, padding="same"),
    ),
    "means_of_volumes": (
        (2, 4, 5, 6, 2), lambda tf, x: tf.layers.average_pooling3d(x, (2, 2, 3), (2, 1, 2)),
    ),
}  # fmt: skip
for _name, (_shape, _make) in LAYERS.items():
    PROGRAMS[_name] = lambda tf, name=_name, shape=_shape, make=_make: layered(
        tf, waves(*shape), lambda x: make(tf, x), "float32" if "_of_" in name else "float64"
    )


# ---- batch renormalisation ----------------------------------------------------------------------


def renormalised(tf, training, **how):
    """Return what three steps of training give, with names and values of all variables."""
    x = tf.placeholder(tf.float32, [None, 4, 3])
    switch = tf.placeholder(tf.bool, []) if training is None else training
    output = tf.layers.batch_normalization(x, training=switch, renorm=True, **how)
    variables = tf.global_variables()
    slope = tf.gradients(tf.reduce_sum(output**2 * waves(5, 4, 3)), x)[0]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    seen = [[[v.name, v.shape.as_list(), v.trainable] for v in variables], len(updates)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(3):
            feeds = {x: waves(5, 4, 3) * (step + 1) + step}
            if training is None:
                feeds[switch] = step != 1
            seen.append(session.run([output, slope], feeds))
            session.run(updates, feeds)
            seen.append(session.run(variables))
    return seen


@program
def renormalisation(tf):
    return renormalised(tf, True, renorm_momentum=0.8)


@program
def renormalisation_within_limits(tf):
    limits = {"rmax": 1.2, "rmin": 0.9, "dmax": 0.3}
    return renormalised(tf, None, renorm_clipping=limits, momentum=0.9, scale=False, axis=1)


# ---- tables and matrices ------------------------------------------------------------------------


@program
def rows_of_ids_that_may_be_missing(tf):
    table = tf.get_variable("table", initializer=waves(6, 2))
    parts = [tf.get_variable(f"part{i}", initializer=waves(3, 2) + i) for i in range(2)]
    where = [[0, 0], [0, 1], [2, 0], [2, 1], [3, 2]]
    ids = tf.SparseTensor(where, tf.constant([1, -1, 4, 2, -3], tf.int64), [5, 3])
    weights = tf.SparseTensor(where, [2.0, 1.0, 0.5, -1.0, 1.0], [5, 3])
    look = tf.nn.safe_embedding_lookup_sparse
    made = [look(table, ids, given, combiner=combiner, default_id=default)
            for given in (None, weights) for combiner in ("mean", "sqrtn", "sum")
            for default in (None, 3)]  # fmt: skip
    deep = tf.SparseTensor([[0, 0, 1], [1, 1, 0]], tf.constant([5, 2], tf.int64), [2, 2, 2])
    made += [look(parts, ids), look(table, deep), look(table, ids, max_norm=0.5)]
    slope = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(made[6] ** 2), table)[0])
    return [[one.shape.as_list()[-1] for one in made], *run(tf, [*made, slope])]


@program
def exponentials_of_matrices(tf):
    small = tf.constant(waves(2, 3, 3).astype(np.float64) / 50)
    large = tf.constant(waves(3, 3).astype(np.float64) * 30)
    single = tf.constant(waves(2, 2, 2) * np.array([0.1, 4.0], np.float32)[:, None, None])
    made = [tf.linalg.expm(one) for one in (small, large, single)]
    slopes = [tf.gradients(tf.reduce_sum(made[0] ** 2), small), tf.gradients(made[2], single)]
    shapes = [one.shape.as_list() for one in made]
    return [shapes, *run(tf, [made, slopes])]


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
