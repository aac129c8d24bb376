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


@program
def flags(tf):
    values = tf.app.flags.FlagValues()
    define = tf.app.flags
    define.DEFINE_float("rate", 0.5, "a rate", 0.0, 1.0, values)
    define.DEFINE_integer("count", 3, "a count", 1, None, values, False)
    define.DEFINE_string("word", "a", "a word", values, False)
    define.DEFINE_bool("sure", False, "whether", values, None, False)
    define.DEFINE_enum("kind", "x", ["x", "y"], "a kind", values, None, False)
    define.DEFINE_list("parts", ["p"], "parts", values)
    rest = values(["program", "--rate=0.25", "--sure", "--kind=y", "--parts=a,b", "more"])
    try:
        values(["program", "--rate=2.0"])
        said = "taken"
    except tf.app.flags.IllegalFlagValueError:
        said = "IllegalFlagValueError"
    return [rest[1:], values.count, values.word, values.sure, values.kind, values.parts, said]


@program
def datasets(tf):
    data = tf.data.Dataset.range(6)

    def pair(x):
        return tf.data.Dataset.from_tensors(x).repeat(2)

    found = []
    for made in (data.interleave(pair, 2, None), data.map(lambda x: x * 2, None, None, None, False),
                 data.map(lambda x: x + 1, num_parallel_calls=2, synchronous=None, name="n"),
                 data.shuffle(1, None, None), data.shuffle(1, None, True)):  # fmt: skip
        values = tf.data.make_one_shot_iterator(made.batch(12)).get_next()
        found.append(values)
    options = tf.data.Options()
    options.experimental_deterministic = False
    merged = tf.data.Options().merge(options=options)
    return [*run(tf, found), merged.experimental_deterministic]


@program
def graphs(tf):
    graph = tf.Graph()
    with graph.as_default(), graph.device(device_name_or_function="/cpu:0"):
        x = tf.convert_to_tensor([1, 2], None, "x", None, tf.float64)
    kept = graph.as_graph_def(None, True)
    inner = tf.import_graph_def(kept, None, ["x:0"], "in", None, None)
    ragged = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2, None, True, "n")
    with tf.variable_op_scope([inner[0]], "scope", "default", tf.ones_initializer(), None):
        one = tf.get_variable("v", [2])
    return [x.dtype.name, x.op.device.lower(), "_output_shapes" in kept.node[0].attr,
            graph.is_feedable(tensor=x), graph.is_fetchable(tensor_or_op=x),
            [programs.shape(ragged)], one.name, *run(tf, [inner[0], one, ragged.to_tensor()]),
            tf.nest.is_nested(seq=[1])]  # fmt: skip


@program
def functions_with_own_gradients(tf):
    @tf.custom_gradient()
    def cubed(x):
        return x**3, lambda by: by * 7.0

    x = tf.constant(2.0)
    found = tf.linalg.LinearOperatorIdentity(2).add_to_tensor(mat=tf.constant(X[:, :2]))
    return run(tf, [cubed(x), *tf.gradients(cubed(x), x), found])


@program
def the_regularised_leader(tf):
    v = tf.Variable([1.0, -2.0])
    step = tf.train.FtrlOptimizer(0.5, -0.5, 0.1, 0.01, 0.02, False, "F", None, None, 0.0, None)
    change = step.minimize(tf.reduce_sum(v * v))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(change)
        return session.run(v)


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
