"""Functions made of others, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python composed_programs.py tensorflow.compat.v1 > composed_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys

import numpy as np
import programs
from library_programs import run

PROGRAMS = {}
X = np.array([[1.0, -2.0, 0.5], [0.0, 3.5, -2.5]], np.float32)


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


@program
def numbers(tf):
    x = tf.constant(X)
    found = [
        tf.rint(x), tf.math.rint(x), tf.clip_by_average_norm(x, 0.1),
        tf.math.multiply_no_nan(tf.constant([np.inf, 2.0]), [0.0, 3.0]),
        tf.math.reciprocal_no_nan(x), tf.math.divide_no_nan(x, x),
        tf.math.polyval([tf.constant(2.0), tf.constant(1.0), tf.constant(3.0)], x),
        tf.math.mod(x, 2.0), tf.realdiv(x, 3.0), tf.math.softmax(x), tf.math.log_softmax(x),
        tf.math.softplus(x), tf.math.softsign(x), tf.math.zero_fraction(x),
        tf.math.real(tf.to_complex64(x) * 2), tf.cast(tf.to_bfloat16(x), tf.float32),
    ]  # fmt: skip
    return run(tf, found)


@program
def statistics(tf):
    x = tf.constant(X)
    count, total, squares, shift = tf.nn.sufficient_statistics(x, [0], shift=tf.constant(1.0))
    mean, variance = tf.nn.normalize_moments(count, total, squares, shift)
    return run(tf, [
        tf.math.reduce_std(x), tf.math.reduce_std(x, 1), tf.math.reduce_variance(x, 0, True),
        tf.math.reduce_euclidean_norm(x, 1), count, total, squares, mean, variance,
        tf.nn.crelu(x), tf.linalg.matvec(x, [1.0, 2.0, 3.0]), tf.linalg.matrix_transpose(x),
        tf.linalg.global_norm([x, x]),
        tf.losses.mean_pairwise_squared_error(x, x * x),
        tf.losses.mean_pairwise_squared_error(x, x * x, weights=[[1.0], [0.0]]),
    ])  # fmt: skip


@program
def shapes(tf):
    x = tf.constant(X)
    return [
        run(tf, [tf.repeat(x, 2), tf.repeat(x, [1, 3], 0), tf.repeat(x, [2, 0, 1], axis=1),
                 tf.broadcast_dynamic_shape([2, 1, 3], [4, 1])]),
        tf.broadcast_static_shape(tf.TensorShape([2, 1, 3]), tf.TensorShape([4, 1])).as_list(),
        [tf.dimension_value(tf.Dimension(3)), tf.compat.dimension_value(x.shape[1])],
        run(tf, [tf.switch_case(tf.constant(i), [lambda: x * 1, lambda: x * 2, lambda: x * 3])[0, 0]
                 for i in (0, 1, 2, 7)]),
        run(tf, tf.switch_case(tf.constant(5), {0: lambda: x, 1: lambda: -x},
                               default=lambda: x + 1)),
    ]  # fmt: skip


@program
def first_values(tf):
    v = tf.get_variable("v", [3, 2], initializer=tf.orthogonal_initializer(seed=3))
    w = tf.get_variable("w", [2, 3], initializer=tf.initializers.orthogonal(gain=2.0, seed=3))
    u = tf.get_variable("u", [40, 30], initializer=tf.uniform_unit_scaling_initializer(seed=1))
    with tf.Session() as session:
        session.run(tf.initialize_variables([v, w, u]))
        a, b, c = session.run([v, w, u])
    return [np.round(a.T @ a, 4), np.round(b @ b.T, 4), bool(abs(c).max() <= np.sqrt(3 / 40)),
            bool(abs(c).max() > 0.9 * np.sqrt(3 / 40))]  # fmt: skip


@program
def scopes(tf):
    with tf.op_scope([], None, "named") as scope:
        name = tf.constant(1.0, name="c").op.name
    with tf.variable_op_scope([], None, "vars"):
        variable = tf.get_variable("v", []).op.name
    with tf.control_dependencies([tf.constant(1)]), tf.init_scope():
        free = tf.constant(2.0) + 1
    refused = []
    for value in (tf.constant([1]), np.zeros(2), "text", 3):
        try:
            tf.assert_proper_iterable(value)
        except TypeError:  # noqa: PERF203
            refused.append(True)
    tf.assert_proper_iterable([1])
    return [scope, name, variable, len(free.op.control_inputs), refused,
            tf.no_regularizer(None) is None]  # fmt: skip


@program
def losses_of_any_type(tf):
    found = []
    for kind in ("float16", "float32", "float64"):
        labels, x = tf.constant(np.eye(2, 3), kind), tf.constant(np.ones((2, 3)) / 4, kind)
        losses = [
            tf.losses.absolute_difference(labels, x), tf.losses.mean_squared_error(labels, x),
            tf.losses.huber_loss(labels, x), tf.losses.hinge_loss(labels, x),
            tf.losses.cosine_distance(labels, x, 1), tf.losses.sigmoid_cross_entropy(labels, x),
            tf.losses.softmax_cross_entropy(labels, x),
        ]  # fmt: skip
        found.append([loss.dtype.name for loss in losses])
        found.append([round(float(value), 2) for value in run(tf, losses)])
    return found


@program
def parts_of_variables(tf):
    found = []
    for behind_handle in (False, True):
        v = tf.Variable(np.zeros(4, np.float32), use_resource=behind_handle)
        with tf.Session() as session:
            session.run(v.initializer)
            changes = [v[1:3].assign(np.ones(2)), v[0].assign(2), tf.scatter_update(v, [3], [5]),
                       tf.scatter_nd_add(v, [[2]], np.ones(1)), v[:1].assign([0.5])]  # fmt: skip
            found += [session.run(change).tolist() for change in changes]
    return found


@program
def gradients_of_what_is_not_chosen(tf):
    x = tf.constant([-1.0, 0.0, 4.0])
    functions = (tf.sqrt, tf.math.rsqrt, tf.math.reciprocal)
    chosen = [tf.where(x > 0, f(x), tf.zeros_like(x)) for f in functions]
    return run(tf, [tf.gradients(y, x)[0] for y in chosen])


@program
def wide_values(tf):
    x = np.arange(4) + 1e-12j
    kinds = [tf.fft(x).dtype.name, tf.ifft2d(np.ones((2, 2), np.complex64)).dtype.name]
    hists = [tf.histogram_fixed_width([1, 2, 3, 9], [0, 5], nbins=5),
             tf.histogram_fixed_width([1.0, 2.5, -3.0], [0.0, 5.0], nbins=4)]  # fmt: skip
    return [kinds, float(run(tf, tf.math.imag(tf.fft(x)[0])) * 1e12), run(tf, hists)]


@program
def orders(tf):
    rows = [np.array([3, np.iinfo(kind).min, 0, np.iinfo(kind).max, -1], kind)
            for kind in ("int8", "int16", "int32", "int64")]  # fmt: skip
    rows += [np.array([3, 255, 0, 7], np.uint8), np.array([1.5, -np.inf, 0.0], np.float32)]
    found = [[tf.sort(row), tf.argsort(row), tf.sort(row, direction="DESCENDING"),
              tf.sort(tf.stack([row, row[::-1]]), 0)] for row in rows]  # fmt: skip
    return [run(tf, part) for part in found]


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
