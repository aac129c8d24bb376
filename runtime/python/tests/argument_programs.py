"""Arguments by position and by name, with what TensorFlow answered.

    python argument_programs.py tensorflow.compat.v1 > argument_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys

import numpy as np
import programs
from programs import run

PROGRAMS = {}
X = np.array([[1.0, -2.0, 0.5], [0.0, 3.5, -2.5]], np.float32)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4) + 1
LABELS, GUESSES, WEIGHTS = [0, 1, 2, 1], [0, 2, 2, 1], [1.0, 2.0, 3.0, 4.0]
ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


@program
def angles(tf):
    y, x = tf.constant(X), tf.constant(X[::-1] + 0.25)
    return run(tf, [tf.atan2(y, x), tf.atan2(y=y, x=x), tf.math.atan2(x=x, y=y)])


@program
def confusion(tf):
    return run(tf, [
        tf.confusion_matrix(LABELS, GUESSES, 4, tf.float32, "c", WEIGHTS),
        tf.math.confusion_matrix(LABELS, GUESSES, 4, tf.int64),
        tf.confusion_matrix(labels=LABELS, predictions=GUESSES, weights=WEIGHTS),
        tf.confusion_matrix(LABELS, GUESSES, dtype=tf.float64, weights=WEIGHTS),
    ])  # fmt: skip


@program
def places_of_extremes(tf):
    found = [
        tf.arg_max(X, 1, tf.int32),
        tf.arg_min(X, 0),
        tf.arg_max(input=X, dimension=0),
        tf.arg_min(X, 1, tf.int64, "n"),
        tf.argmax(X, dimension=1, output_type=tf.int32),
    ]
    return [[tensor.dtype.name for tensor in found], *run(tf, found)]


@program
def diagonals(tf):
    found = []
    for align in ALIGNMENTS:
        for k in (0, 1, -1, (0, 1), (-1, 1), (-2, 3)):
            part = tf.matrix_diag_part(CUBE, "part", k, 9.0, align)
            found += [part, tf.matrix_set_diag(CUBE, part * 2, "set", k, align),
                      tf.matrix_diag(part, k=k, align=align, padding_value=7.0),
                      tf.linalg.diag(part, "diag", k, 3, 4, 5.0, align),
                      tf.linalg.set_diag(CUBE, part, k=k, align=align)]  # fmt: skip
    return [[programs.shape(tensor) for tensor in found], *run(tf, found)]


@program
def gradients_of_diagonals(tf):
    x, rows = tf.constant(CUBE), tf.constant(CUBE[:, :2])
    part = tf.matrix_diag_part(x, k=(-1, 1))
    whole = tf.matrix_diag(rows, k=(0, 1), padding_value=3.0)
    changed = tf.matrix_set_diag(x, rows[:, :, :3], k=(0, 1))
    return run(tf, [*tf.gradients(part * part, x), *tf.gradients(whole * whole, rows),
                    *tf.gradients(changed * changed, [x, rows])])  # fmt: skip


@program
def diagonals_of_unknown_shapes(tf):
    x = tf.placeholder(tf.float32)
    found = [tf.matrix_diag_part(x, k=(-1, 1)), tf.matrix_diag(x, k=(0, 2)),
             tf.matrix_set_diag(x, x[:, :2, :3], k=(0, 1))]  # fmt: skip
    return run(tf, found, {x: CUBE})


@program
def evenly_apart(tf):
    low, high = tf.constant([0.0, 1.0]), tf.constant([[1.0, 3.0], [5.0, 2.0]])
    return run(tf, [tf.linspace(0.0, 1.0, 5), tf.linspace(low, low + 2, 3, "n", 1),
                    tf.linspace(low, high, 3), tf.linspace(low, high, 3, axis=-1),
                    tf.lin_space(low, high, num=3, axis=1), tf.linspace(low, high, 1, axis=-2),
                    tf.linspace(start=2.0, stop=3.0, num=1)])  # fmt: skip


@program
def slices_by_coordinates(tf):
    where, what = [[1], [3], [7]], [10.0, 20.0, 30.0]
    x = tf.constant(np.arange(8, dtype=np.float32))
    few = [where[:2], what[:2]]
    return run(tf, [tf.scatter_nd(where, what, [6], "IGNORE"), tf.scatter_nd(*few, [6], name="n"),
                    tf.scatter_nd(indices=where, updates=what, shape=[8]),
                    tf.tensor_scatter_sub(x, where, what, "", "n"),
                    tf.tensor_scatter_update(x, where, what, "n"),
                    tf.tensor_scatter_add(tensor=x, indices=where, updates=what)])  # fmt: skip


@program
def words(tf):
    source = ["a bc,d", "e"]
    found = [
        tf.string_split(source, " ,", True, None, "SparseTensor", "n"),
        tf.string_split(source, delimiter=","),
        tf.string_split(source=source, sep="b"),
    ]
    return [[part.indices, [word.decode() for word in part.values]] for part in run(tf, found)]


@program
def the_largest(tf):
    found = [tf.nn.top_k(X, 2, True, tf.int64, "n"), tf.math.top_k(X, index_type=tf.int16),
             tf.nn.top_k(input=X, k=1, sorted=False)]  # fmt: skip
    return [[top.indices.dtype.name for top in found], *(list(top) for top in run(tf, found))]


@program
def rows_of_segments(tf):
    data, ids = tf.constant(CUBE[0]), ([0, 2, 0, 1], [0, 0, 2, 2])
    found, slopes = [], []
    for function in (tf.sparse_segment_sum, tf.sparse_segment_mean, tf.sparse.segment_sqrt_n):
        for count in (None, 4):
            for sparse in (False, True):
                found.append(function(data, *ids, "n", count, sparse))
                (slope,) = tf.gradients(found[-1] ** 2, data)
                slopes.append(isinstance(slope, tf.IndexedSlices))
                found.append(tf.convert_to_tensor(slope))
    return [slopes, *run(tf, found)]


@program
def the_first_that_is_true(tf):
    x = tf.placeholder(tf.float32, [])
    ways = [(x < 1, lambda: tf.constant(1)), (x < 2, lambda: tf.constant(2))]
    first, only, last = (tf.case(ways, lambda: tf.constant(3)),
                         tf.case(ways, lambda: tf.constant(3), True), tf.case(ways))  # fmt: skip
    with tf.Session() as session:

        def said(fetch, value):
            try:
                return int(session.run(fetch, {x: value}))
            except tf.errors.InvalidArgumentError:
                return "InvalidArgumentError"

        return [said(fetch, value) for value in (0.5, 1.5, 2.5) for fetch in (first, only, last)]


@program
def cross_entropies_by_position(tf):
    labels = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32)
    nn = tf.nn
    return run(tf, [
        nn.sigmoid_cross_entropy_with_logits(labels, X, "n"),
        nn.softmax_cross_entropy_with_logits(labels, X),
        nn.softmax_cross_entropy_with_logits(labels, X, 0, "n"),
        nn.sparse_softmax_cross_entropy_with_logits([1, 0], X),
        nn.sparse_softmax_cross_entropy_with_logits(logits=X, labels=[2, 1], name="n"),
    ])  # fmt: skip


@program
def sizes_and_products(tf):
    x = tf.constant(X)
    ints = tf.constant([[1, 2], [3, 4]], tf.int8)
    found = [
        tf.size(x, None, None),
        tf.shape(x, out_type=None),
        tf.size(x, out_type=tf.int64),
        tf.matmul(ints, ints * 10, output_type=tf.int32),
        tf.linalg.matvec(x, [1.0, 2.0, 3.0], False, False, True, False, "n"),
        tf.matmul(x, x, False, True, name="n"),
        tf.searchsorted([1, 2, 3], [2], "right"),
        tf.nn.max_pool2d(CUBE[..., None], 2, 1, "VALID"),
        tf.nn.max_pool2d(input=CUBE[..., None], ksize=2, strides=2, padding="SAME"),
    ]
    return [[tensor.dtype.name for tensor in found], *run(tf, found)]


@program
def blanks(tf):
    logits = np.random.RandomState(5).randn(6, 2, 4).astype(np.float32)
    found = []
    for blank in (None, 0, -2, 3):
        (words,), score = tf.nn.ctc_greedy_decoder(logits, [6, 4], True, blank)
        found += [words.indices, words.values, score]
    return run(tf, found)


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
