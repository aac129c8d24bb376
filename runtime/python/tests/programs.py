"""Small TensorFlow 1 programs whose values real TensorFlow has computed: see test_programs.py.

    python programs.py tensorflow.compat.v1 > programs.json

Each function takes the module and returns what it computes, as numbers, lists and strings.
"""

import importlib
import json
import sys

import numpy as np

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def run(tf, fetches, feeds=None):
    """Return the fetches of a new session in which the variables are initialised."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def shape(tensor):
    """Return what is known of a shape."""
    return None if tensor.shape.ndims is None else tensor.shape.as_list()


def looked_up(tf):
    """Return a loss that looks a row up twice, and its gradient by the table."""
    table = tf.get_variable("table", initializer=np.ones((4, 2), np.float32))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 0, 2]) ** 2)
    return tf.gradients(loss, [table])


def dense(tf, values):
    """Return the values as tensors."""
    return [tf.convert_to_tensor(value) for value in values]


# ---- gradients that are slices ------------------------------------------------------------------


@program
def global_norm_of_slices(tf):
    found = looked_up(tf)
    clipped, norm = tf.clip_by_global_norm(found, 1.0)
    return run(tf, [norm, tf.global_norm(found), *dense(tf, clipped)])


@program
def clipped_slices(tf):
    (found,) = looked_up(tf)
    return run(tf, dense(tf, [tf.clip_by_norm(found, 1.0), tf.clip_by_value(found, -0.5, 0.5)]))


@program
def fetched_slices(tf):
    (found,) = looked_up(tf)
    values, indices, whole = run(tf, found)
    return [type(found).__name__, values, indices, whole, found.dtype.name, shape(found)]


@program
def slices_of_two_lookups(tf):
    table = tf.get_variable("table", initializer=np.ones((4, 2), np.float32))
    once = tf.nn.embedding_lookup(table, [1, 3])
    (both,) = tf.gradients(tf.reduce_sum(once) + tf.reduce_sum(tf.gather(table, [0])), [table])
    (mixed,) = tf.gradients(tf.reduce_sum(once) + tf.reduce_sum(table), [table])
    is_slices = [isinstance(found, tf.IndexedSlices) for found in (both, mixed)]
    return [is_slices, *run(tf, [tf.convert_to_tensor(both), tf.global_norm([both]), mixed])]


def classifier(tf, optimizer, steps=5):
    """Return losses and norms of a clipped classifier over a table of words."""
    random = np.random.RandomState(0)
    table = tf.get_variable("table", initializer=random.randn(20, 4).astype(np.float32))
    weights = tf.get_variable("weights", initializer=random.randn(4, 3).astype(np.float32))
    ids, labels = random.randint(0, 20, (8, 5)), random.randint(0, 3, 8)
    logits = tf.matmul(tf.reduce_mean(tf.nn.embedding_lookup(table, ids), 1), weights)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    pairs = optimizer.compute_gradients(loss)
    clipped, norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 0.1)
    step = optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run([loss, norm, step])[:2] for _ in range(steps)]


def rows(tf, optimizer):
    """Return a table after steps that look different rows up."""
    table = tf.get_variable("table", initializer=np.ones((4, 2), np.float32))
    ids = tf.placeholder(tf.int32, [None])
    step = optimizer.minimize(tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in ([0, 1], [2], [2, 2, 0]):
            session.run(step, {ids: number})
        return session.run(table)[:, 0]


OPTIMIZERS = {
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(0.5),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1),
    "adam": lambda tf: tf.train.AdamOptimizer(0.1),
    "centered": lambda tf: tf.train.RMSPropOptimizer(0.1, centered=True, momentum=0.3),
    "descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}
for _name, _make in OPTIMIZERS.items():
    PROGRAMS[f"rows_{_name}"] = lambda tf, make=_make: rows(tf, make(tf))
    PROGRAMS[f"clipped_{_name}"] = lambda tf, make=_make: classifier(tf, make(tf))


# ---- values at borders --------------------------------------------------------------------------


@program
def relu6_at_its_corners(tf):
    x = tf.constant([-1.0, 0.0, 3.0, 6.0, 7.0, np.nan])
    y = tf.nn.relu6(x)
    return [y.op.type, *run(tf, [y, tf.gradients(y, x)[0]])]


@program
def sign_has_a_gradient(tf):
    x = tf.constant([1.0, -2.0, 0.0])
    return run(tf, tf.gradients(tf.sign(x), x))


@program
def softmax_of_infinities(tf):
    inf = float("inf")
    x = tf.placeholder(tf.float32, [None, 2])
    rows = [[1, inf], [inf, 1], [inf, inf], [-inf, 1], [-inf, -inf], [1, np.nan]]
    return run(tf, [tf.nn.softmax(x), tf.nn.log_softmax(x)], {x: rows})


@program
def activations(tf):
    x = tf.constant([-2.0, -0.5, 0.0, 0.5, 3.0])
    made = [tf.nn.leaky_relu(x), tf.nn.elu(x), tf.nn.softsign(x)]
    slopes = [tf.gradients(y, x)[0] for y in made]
    curves = [tf.gradients(slope * slope, x)[0] for slope in slopes[:2]]  # TensorFlow has no more
    whole = tf.nn.leaky_relu(tf.constant([1, -2]))
    return [[y.op.type for y in made], *run(tf, [*made, *slopes, *curves, whole])]


@program
def gradients_by_integers(tf):
    x, number = tf.constant(1.0), tf.constant(1)
    fed = tf.placeholder(tf.int32)
    found = [
        tf.gradients(number, [x]), tf.gradients(x * 2, [fed, number]),
        tf.gradients(tf.cast(fed, tf.float32) * x, [fed]),
    ]  # fmt: skip
    return [[gradient is None for gradient in gradients] for gradients in found]


# ---- what is accepted ---------------------------------------------------------------------------


@program
def labels_of_other_types_and_ranks(tf):
    entropy = tf.nn.softmax_cross_entropy_with_logits
    return run(tf, [
        entropy(labels=[[0, 1]], logits=[[1.0, 2.0]]),
        entropy(labels=tf.constant([[0, 1]]), logits=tf.constant([[1.0, 2.0]])),
        entropy(labels=[[[0.0, 1.0]]], logits=[[1.0, 2.0]]),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[[1.0, 2.0]]]),
    ])  # fmt: skip


@program
def mirrored_borders(tf):
    x = tf.constant([[1.0, 2.0, 3.0]])
    made = [tf.pad(x, [[0, 0], [2, 1]], mode) for mode in ("REFLECT", "symmetric")]
    weights = tf.constant([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    slopes = [tf.gradients(y * weights, x)[0] for y in made]
    (twice,) = tf.gradients(tf.gradients(made[1] ** 2, x)[0] * [[1.0, 2.0, 3.0]], x)
    return run(tf, [*made, *slopes, twice])


@program
def tables_in_parts(tf):
    first, second = tf.constant([[0.0, 0], [2, 2], [4, 4]]), tf.constant([[1.0, 1], [3, 3]])
    look_up = tf.nn.embedding_lookup
    return run(tf, [
        look_up([first, second], [0, 1, 4, 3]),
        look_up([first, second], [[0, 1], [4, 3]], partition_strategy="div"),
        look_up(tf.constant([[3.0, 4.0], [0.3, 0.4]]), [0, 1, 1], max_norm=1.0),
        look_up([first, second], [0, 1, 4], max_norm=1.0),
    ])  # fmt: skip


@program
def gradients_of_tables_in_parts(tf):
    parts = [tf.get_variable(f"part{n}", initializer=np.ones((3 - n, 2))) for n in range(2)]
    weights = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    found = tf.gradients(
        tf.reduce_sum(tf.nn.embedding_lookup(parts, [0, 1, 4, 3, 1]) * weights), parts
    )
    return [[type(x).__name__ for x in found], *run(tf, dense(tf, found))]


@program
def changed_slices(tf):
    vector, matrix = tf.Variable([1.0, 2, 3]), tf.Variable(np.zeros((2, 3), np.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one = session.run(vector[0:1].assign([9.0]))
        two = session.run(matrix[1, :2].assign([5.0, 6.0]))
        return [one, two, *session.run([vector, matrix])]


@program
def scattered_rows(tf):
    variable = tf.Variable(np.arange(8.0).reshape(4, 2).astype(np.float32))
    updates = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    results = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name in ("update", "add", "sub", "mul", "div", "min", "max"):
            change = getattr(tf, f"scatter_{name}")(variable, [1, 3, 1], updates)
            results.append(session.run(change))
        results.append(session.run(tf.scatter_nd_update(variable, [[0, 1], [2, 0]], [10.0, 11.0])))
        results.append(session.run(tf.scatter_nd_add(variable, [[0], [0]], updates[:2])))
        results.append(session.run(tf.scatter_nd_sub(variable, [[0], [0]], updates[:2])))
    return results


@program
def slices_within_a_branch(tf):
    table = tf.get_variable("table", initializer=np.ones((4, 2), np.float32))
    taken = tf.placeholder(tf.bool, [])
    rows = tf.cond(
        taken, lambda: tf.nn.embedding_lookup(table, [1, 1, 2]), lambda: tf.zeros([3, 2])
    )
    (found,) = tf.gradients(tf.reduce_sum(rows * rows), [table])
    wanted = [tf.global_norm([found]), tf.convert_to_tensor(found)]
    return [
        isinstance(found, tf.IndexedSlices),
        *(run(tf, wanted, {taken: b}) for b in (True, False)),
    ]


@program
def pooled_lines_and_volumes(tf):
    line = tf.constant(np.arange(6.0).reshape(1, 6, 1))
    volume = tf.constant(np.random.RandomState(0).randn(2, 4, 5, 4, 3).astype(np.float32))
    nn = tf.nn
    made = [
        nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"),
        nn.avg_pool3d(volume, [1, 3, 3, 3, 1], [1, 2, 1, 2, 1], "SAME"),
        nn.max_pool3d(volume, [1, 3, 2, 1, 1], [1, 1, 2, 2, 1], "VALID"),
    ]
    slopes = [tf.gradients(y * y, volume)[0] for y in made]
    lines = [nn.max_pool1d(line, 2, 2, "VALID"), nn.avg_pool1d(line, 3, 2, "SAME")]
    channels = nn.max_pool(volume[:, 0, :, :, :2], [1, 1, 1, 2], [1, 1, 1, 2], "VALID")
    sizes = [shape(tensor) for tensor in (*made, *lines, channels)]
    return [sizes, *run(tf, [*lines, channels, *made, *slopes])]


@program
def convolved_volumes(tf):
    random = np.random.RandomState(0)
    x, filters = tf.constant(random.randn(2, 4, 5, 4, 2)), tf.constant(random.randn(2, 3, 2, 2, 3))
    made = [
        tf.nn.conv3d(x, filters, [1, 1, 2, 1, 1], "SAME"),
        tf.nn.conv3d(x, filters, [1, 2, 1, 1, 1], "VALID"),
        tf.nn.conv3d(x, filters, [1, 2, 2, 2, 1], "SAME"),
    ]
    found = [slope for y in made for slope in tf.gradients(y * y, [x, filters])]
    return [[shape(y) for y in made], *run(tf, [*made, *found])]


@program
def convolutions_without_filters(tf):
    x = np.ones([1, 3, 3, 2], np.float32)
    made = [
        tf.nn.conv2d(x, np.ones([2, 2, 2, 0], np.float32), [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_backprop_filter(x, [2, 2, 2, 0], np.ones([1, 3, 3, 0], np.float32),
                                     [1, 1, 1, 1], "SAME"),
    ]  # fmt: skip
    return [list(value.shape) for value in run(tf, made)]


@program
def values_known_without_running(tf):
    x = tf.placeholder(tf.float32, [None, 7])
    tensors = (tf.fill([2], 3), tf.range(3), tf.stack([1, 2]), tf.equal(1, 1), tf.shape(x)[0])
    return [plain(tf.get_static_value(tensor)) for tensor in tensors]


@program
def gather_along_a_fed_axis(tf):
    table, axis = tf.constant(np.arange(6.0).reshape(2, 3)), tf.placeholder(tf.int32, [])
    rows = tf.gather(table, [1, 0, 1], axis=axis)
    (found,) = tf.gradients(rows * rows, table)
    return [run(tf, tf.convert_to_tensor(found), {axis: number}) for number in (0, 1)]


@program
def gather_of_unknown_rank(tf):
    table, indices = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    rows = [tf.gather(table, indices, axis=1), tf.gather(table, indices)]
    found = dense(tf, [tf.gradients(row * row, table)[0] for row in rows])
    return run(tf, found, {table: np.arange(6.0).reshape(2, 3), indices: [1, 0, 1]})


@program
def gather_in_batches(tf):
    table = tf.constant(np.arange(12.0).reshape(2, 3, 2))
    rows = [
        tf.gather(table, [[1, 0], [2, 2]], batch_dims=1),
        tf.gather(table, [[1, 0], [1, 1]], axis=2, batch_dims=1),
    ]
    return run(tf, [*rows, *dense(tf, [tf.gradients(row * row, table)[0] for row in rows])])


@program
def order(tf):
    x = tf.constant([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]])
    largest, places = tf.nn.top_k(x, 2)
    sums = [tf.cumsum(x, 1), tf.cumsum(x, 1, exclusive=True, reverse=True), tf.cumprod(x, 0)]
    slopes = [tf.gradients(y * y, x)[0] for y in (largest, *sums, tf.reverse(x, [1]) * x)]
    different = tf.unique([7, 3, 7, 7, 9])
    return run(tf, [largest, places, *sums, *slopes, *different])


@program
def placement(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    parts = tf.dynamic_partition(x, [1, 0, 1], 2)
    together = tf.dynamic_stitch([[0, 2], [1]], [parts[1], parts[0]])
    taken = tf.gather_nd(x, [[2, 1], [0, 0], [2, 1]])
    put = tf.scatter_nd([[1], [1], [3]], x, [4, 2])
    slopes = [tf.gradients(y * y, x)[0] for y in (parts[1], together, taken, put)]
    sizes = tf.shape_n([x, taken])
    return run(tf, [*parts, together, taken, put, *dense(tf, slopes), *sizes])


@program
def names_of_losses(tf):
    losses = tf.losses
    made = [
        losses.softmax_cross_entropy([[0, 1]], [[1.0, 2.0]]),
        losses.mean_squared_error([1.0], [2.0]),
        losses.sparse_softmax_cross_entropy([0], [[1.0, 2.0]], weights=0.5, scope="own"),
        losses.hinge_loss([1.0], [0.5]),
        losses.absolute_difference([1.0], [0.5], reduction="weighted_sum"),
    ]
    return [[loss.name for loss in made], *run(tf, made)]


@program
def scopes(tf):
    with tf.variable_scope("bare", auxiliary_name_scope=False) as bare:
        first = tf.constant(1).name
    with tf.variable_scope("full") as full:
        pass
    with tf.variable_scope(full) as again:
        second = tf.constant(1).name
    scopes = (bare, full, again)
    return [first, second, [scope.original_name_scope for scope in scopes]]


@program
def colocated_gradients(tf):
    weights, x = tf.Variable([[1.0]]), tf.constant([[2.0]])
    product = tf.matmul(x, weights, name="product")
    (found,) = tf.gradients(product, [weights], colocate_gradients_with_ops=True)
    return [group.decode() for group in found.op.colocation_groups()]


# ---- shapes -------------------------------------------------------------------------------------


def shapes(name, *functions):
    """Register a program that returns the shapes of what functions make of x, of shape [?, 7]."""

    def shapes_of_x(tf):
        x = tf.placeholder(tf.float32, [None, 7])
        return [shape(function(tf, x)) for function in functions]

    PROGRAMS[f"shapes_{name}"] = shapes_of_x


shapes(
    "filled",
    lambda tf, x: tf.zeros([tf.shape(x)[0], 5]),
    lambda tf, x: tf.fill([tf.shape(x)[0], 5], 1.0),
    lambda tf, x: tf.random_normal([tf.shape(x)[0], 5]),
    lambda tf, x: tf.zeros([tf.shape(x)[1] * 2, 3]),
    lambda tf, x: tf.range(tf.shape(x)[1]),
    lambda tf, x: tf.one_hot(tf.placeholder(tf.int32, [None]), tf.constant(3) + 1),
    lambda tf, x: tf.zeros(tf.fill([2], 3)),
    lambda tf, x: tf.zeros(tf.unstack(tf.shape(x))),
)
shapes(
    "reshaped",
    lambda tf, x: tf.reshape(x, [tf.shape(x)[0], 7, 1]),
    lambda tf, x: tf.reshape(x, tf.stack([tf.shape(x)[0], 7, 1])),
    lambda tf, x: tf.reshape(x, tf.concat([tf.shape(x)[:1], [7, 1]], 0)),
    lambda tf, x: tf.tile(tf.ones([1, 7]), [tf.shape(x)[0], 1]),
    lambda tf, x: tf.pad(x, [[0, tf.shape(x)[0]], [1, 1]]),
)
shapes(
    "sliced",
    lambda tf, x: tf.slice(x, [0, 1], [tf.shape(x)[0], 2]),
    lambda tf, x: x[: tf.shape(x)[0], 1:3],
    lambda tf, x: x[tf.shape(x)[0] :, 1],
    lambda tf, x: x[tf.shape(x)[0] - 1],
    lambda tf, x: tf.split(x, [3, -1], 1)[1],
    lambda tf, x: tf.reduce_sum(tf.placeholder(tf.float32)),
)
shapes(
    "chosen",
    lambda tf, x: tf.where_v2(tf.placeholder(tf.bool), tf.ones([2, 3]), tf.zeros([2, 3])),
    lambda tf, x: tf.cond(tf.placeholder(tf.bool), lambda: x * 2, lambda: x),
    lambda tf, x: tf.cond(tf.placeholder(tf.bool), lambda: x, lambda: x[:3]),
    lambda tf, x: tf.nn.dropout(x, tf.placeholder(tf.float32)),
)
shapes(
    "transposed_convolution",
    lambda tf, x: tf.nn.conv2d_transpose(
        tf.zeros([tf.shape(x)[0], 1, 1, 3]), tf.zeros([2, 2, 4, 3]),
        tf.stack([tf.shape(x)[0], 2, 2, 4]), [1, 2, 2, 1], "VALID",
    ),
)  # fmt: skip


def plain(value):
    """Return value as JSON can hold it."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value


def results(module, chosen, reset=lambda tf: tf.reset_default_graph()):
    """Return what each of the chosen programs computes with a module, reset before each."""
    tf = importlib.import_module(module)
    tf.disable_v2_behavior()
    found = {}
    for name, function in chosen.items():
        reset(tf)
        found[name] = plain(function(tf))
    return found


def write(found):
    """Print results as a file of them is written: a line each."""
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    write(results(sys.argv[1], PROGRAMS))
