"""What TensorFlow's own tests had found wrong here, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python own_tests_programs.py tensorflow.compat.v1 > FILE.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys
import threading
import warnings

import numpy as np
import programs
from library_programs import run, texts

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def sizes(*tensors):
    """Return what is known of shapes; None for an unknown rank."""
    shapes = [tensor.get_shape() for tensor in tensors]
    return [None if shape.ndims is None else shape.as_list() for shape in shapes]


# ---- values -------------------------------------------------------------------------------------


@program
def joined_strings(tf):
    words = [[["000", "001"], ["010", "011"]], [["100", "101"], ["110", "111"]]]
    axes = ([], [0], [0, 1], [1, 0], [0, 2], [2, 0], [-2, 0], [0, 1, 2], [2, 1, 0])
    found = [tf.reduce_join(words, axis, separator="+") for axis in axes]
    unknown = tf.placeholder_with_default(words, None)
    return [
        texts(value) for value in run(tf, [*found, tf.reduce_join(words), tf.reduce_join(unknown)])
    ]


@program
def norms(tf):
    found = []
    for x in ([[3, 4], [-1, 7]], [[3.0, -4.0], [-1.0, 7.5]], [[3, 4j], [-1, 2 - 7j]]):
        for axis in (None, 0, 1, []):
            value = tf.math.reduce_euclidean_norm(tf.constant(x), axis)
            found += [tf.real(value), tf.imag(value)] if value.dtype.is_complex else [value]
    return run(tf, found)


@program
def parts_up_to_a_size(tf):
    x = tf.reshape(tf.range(24), [2, 3, 4])
    rows, columns = x.shape[1], x.shape[2]
    parts = [x[:, :rows], x[..., :columns], x[:, 0 : rows - 1], x[0, rows - 1, : columns - 2]]
    return run(tf, [*parts, x[..., columns - 3 : columns : rows - 1]])


@program
def a_queue_of_scalars(tf):
    queue = tf.FIFOQueue(10, tf.int32, shapes=())
    pair = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[(), [2]])
    with tf.Session() as session:
        session.run(queue.enqueue_many([[1, 2, 3, 4]]))
        session.run(pair.enqueue_many([[1, 2], [[0.5, 1.0], [2.0, 3.0]]]))
        return [session.run(queue.dequeue()), session.run(queue.dequeue_many(0)),
                session.run(queue.dequeue_many(2)), session.run(pair.dequeue_many(2))]  # fmt: skip


@program
def seeds_in_functions_of_datasets(tf):
    def draw(_):
        return tf.random_uniform((), seed=11)

    numbers = tf.data.Dataset.range(2).map(draw).repeat(2)
    nested = tf.data.Dataset.range(2).flat_map(lambda _: tf.data.Dataset.range(2).map(draw))
    found = []
    with tf.Session() as session:
        for dataset in (numbers, nested, numbers.prefetch(1)):
            iterators = [tf.data.make_initializable_iterator(dataset) for _ in range(2)]
            elements = [iterator.get_next() for iterator in iterators]
            for _ in range(2):  # reading it again draws the same numbers
                for iterator in iterators:
                    session.run(iterator.initializer)
                found += [session.run(elements) for _ in range(4)]
    return found


@program
def functions_of_sparse_tensors(tf):
    x = tf.SparseTensor([[0, 1], [2, 0]], [-4.0, 9.0], [3, 5])
    found = [tf.abs(x), tf.negative(x), tf.sign(x), tf.square(x), tf.sqrt(tf.abs(x)), tf.tanh(x),
             tf.erf(x), tf.cast(x, tf.int32)]  # fmt: skip
    sizes = [tf.shape(x), tf.shape(x, out_type=tf.int64), tf.size(x), tf.rank(x)]
    values, sizes = run(tf, [[one.values for one in found], sizes])
    return [values, sizes, found[-1].dtype.name, run(tf, [one.indices for one in found])]


@program
def devices_without_a_slash(tf):
    found = []
    for name in ("cpu:0", "/cpu:0", "CPU:0", "job:worker/task:2", "device:GPU:1", "gpu:0"):
        with tf.device(name):
            found.append(tf.no_op().device)
    return found


@program
def variables_that_functions_of_datasets_change(tf):
    counter = tf.get_variable("counter", (), tf.int32, tf.zeros_initializer(), use_resource=True)

    def count(x):
        return tf.cast(counter.assign_add(2), tf.int64) * 100 + x

    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3).map(count))
    element = iterator.get_next()
    with tf.Session() as session:
        session.run([counter.initializer])
        session.run(iterator.initializer)
        return [*(session.run(element) for _ in range(3)), session.run(counter)]


@program
def pools_of_lines_and_volumes(tf):
    line = tf.reshape(tf.sin(tf.range(24.0)), [2, 6, 2])
    volume = tf.reshape(tf.cos(tf.range(64.0)), [1, 4, 4, 2, 2])
    found = [
        tf.nn.pool(line, [3], kind, padding, strides=steps)
        for kind in ("MAX", "AVG")
        for padding in ("SAME", "VALID")
        for steps in (None, [2])
    ]
    found += [tf.nn.pool(volume, [2, 2, 1], kind, "VALID", strides=[2, 1, 1])
              for kind in ("MAX", "AVG")]  # fmt: skip
    return run(tf, [*found, tf.gradients(found[1], line)[0], tf.gradients(found[-1], volume)[0]])


@program
def cells_with_states_of_another_type(tf):
    class Counting(tf.nn.rnn_cell.RNNCell):
        output_size = 1
        state_size = tf.TensorShape([])

        def zero_state(self, batch_size, dtype):
            return tf.zeros([], tf.int32)

        def call(self, inputs, state):
            return inputs * 2, state + 1

    inputs = tf.constant([[[1.0], [2.0], [3.0], [4.0]]])
    outputs, state = tf.nn.dynamic_rnn(Counting(), inputs, [4], dtype=tf.float32)
    return run(tf, [outputs, state])


@program
def matrices_of_unknown_size(tf):
    tall = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, -1.0]])
    rhs = np.array([[1.0], [2.0], [3.0]])
    found = []
    for matrix, right in ((tall, rhs), (tall.T, rhs[:2])):
        for shape in (None, [None, None]):
            unknown = tf.placeholder_with_default(matrix, shape)
            found += [tf.linalg.lstsq(unknown, right), tf.linalg.lstsq(unknown, right, 0.5)]
    square = tf.constant(tall[:2])
    q, r = tf.linalg.qr(square, full_matrices=True)
    return run(tf, [*found, tf.gradients([q * [[1.0, 2.0], [3.0, 4.0]], r], square)[0]])


@program
def sequences_along_any_axes(tf):
    x = tf.reshape(tf.range(48), [2, 4, 3, 2])
    found = [
        tf.reverse_sequence(x, [3, 2], seq_axis=1, batch_axis=0),
        tf.reverse_sequence(x, [1, 2, 2, 0], seq_axis=0, batch_axis=1),
        tf.reverse_sequence(x, [3, 0, 4], seq_axis=1, batch_axis=2),
        tf.reverse_sequence(x, tf.constant([2, 1], tf.int64), seq_axis=3, batch_axis=0),
    ]
    refused = []
    for lengths, seq, batch in (([1] * 3, 1, 0), ([1] * 2, 4, 0), ([1] * 2, 1, 4)):
        try:
            tf.reverse_sequence(x, lengths, seq_axis=seq, batch_axis=batch)
        except ValueError:  # noqa: PERF203
            refused.append([seq, batch])
    return [*run(tf, found), refused, sizes(*found)]


@program
def counts_of_classes(tf):
    labels, predictions = [[1], [2], [1], [0]], [1, 0, 1, 2]
    weights = [1, 2**25, 3, 1]
    found = [tf.confusion_matrix(labels, predictions), tf.confusion_matrix(labels, predictions, 4),
             tf.confusion_matrix(labels, predictions, weights=weights, dtype=tf.int64)]  # fmt: skip
    refused = []
    for wrong in ([0, 1, -1, 0], [0, 1, 3, 0]):
        for given in ((wrong, predictions), (predictions, wrong)):
            try:
                run(tf, tf.confusion_matrix(*given, num_classes=3))
            except tf.errors.InvalidArgumentError:  # noqa: PERF203
                refused.append(given)
    pairs = [tf.constant(rows) for rows in ([[0, 1], [2, 2]], [[0, 2], [2, 1]], [[1, 2], [3, 1]])]
    value, update = tf.metrics.mean_iou(pairs[0], pairs[1], 3, pairs[2])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        matrix = session.run(update)
        return [*session.run(found), len(refused), matrix, session.run(value)]


@program
def pseudo_inverses(tf):
    tall = np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 1.0]])
    full = np.array([[[3.0, 1.0, 0.0], [0.0, 2.0, 1.0]], [[1.0, 1.0, 1.0], [2.0, 0.0, 0.1]]])
    unknown = tf.placeholder_with_default(full.astype(np.float32), None)
    found = [tf.linalg.pinv(tall), tf.linalg.pinv(full), tf.linalg.pinv(unknown),
             tf.linalg.pinv(full, rcond=[0.3, 0.9])]  # fmt: skip
    return [*(np.round(value, 5) for value in run(tf, found)), sizes(*found)]


@program
def stacked_sparse_tensors(tf):
    tensors = [tf.SparseTensor([[0, i]], [float(i)], [2, 3]) for i in range(2)]
    parts = [tf.serialize_sparse(tensor, out_type=tf.variant) for tensor in tensors]
    read = tf.raw_ops.DeserializeSparse
    stacked = [tf.stack(parts), tf.stack(parts[::-1])]
    wholes = [read(serialized_sparse=rows, dtype=tf.float32) for rows in stacked]
    return run(tf, [tf.sparse.to_dense(tf.SparseTensor(*whole)) for whole in wholes])


# ---- what is known while a graph is built -------------------------------------------------------


@program
def shapes_that_are_known_in_part(tf):
    x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    one, pixels = tf.zeros([1, 1]), tf.placeholder(tf.int32, [1, 2, 3, 4])
    found = [
        tf.tile(one, [n, 7]), tf.reshape(x, [n, 37]), tf.transpose(x), tf.transpose(x, [0]),
        tf.transpose(x, tf.placeholder(tf.int32, [2])), tf.transpose(x, [1, 0]),
        tf.signal.frame(tf.placeholder(tf.int32, [1, 1]), 2, 1, pad_end=True),
        tf.signal.frame(tf.placeholder(tf.int32, [1, 1]), 2, 1),
        tf.signal.frame(pixels, 2, 1, axis=1), tf.signal.frame(pixels, 2, 1, True, axis=1),
    ]  # fmt: skip
    return sizes(*found)


@program
def shapes_of_sparse_tensors(tf):
    fed = tf.placeholder_with_default(tf.constant([2, 2], tf.int64), [2])
    ids = tf.SparseTensor([[0, 0], [0, 1]], [1, 3], fed)
    values = tf.SparseTensor([[0, 0], [0, 1]], [0.4, 0.7], fed)
    x = tf.SparseTensor([[0, 0, 0]], [1.0], [2, 3, 4])
    part = tf.concat([tf.constant([2], tf.int64), tf.placeholder(tf.int64, [1])], 0)
    y = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])
    found = [
        tf.sparse_merge(ids, values, 5), tf.sparse.transpose(x, [2, 0, 1]),
        tf.sparse.reshape(x, part), tf.sparse.reshape(x, [-1, 6]),
        tf.sparse.concat(-1, [y, y]), tf.sparse.concat(0, [y, y, y]),
    ]  # fmt: skip
    refused = []
    for shape in ([-1, 7], [-1, -1], [5, 5]):
        try:
            tf.sparse.reshape(x, shape)
        except ValueError:  # noqa: PERF203
            refused.append(shape)
    return [sizes(*found), refused]


@program
def what_does_not_fit(tf):
    x, column = tf.zeros([2, 3]), tf.zeros([3, 1])
    calls = (
        lambda: tf.losses.compute_weighted_loss(column, tf.ones([3, 4])),
        lambda: tf.losses.compute_weighted_loss(column, tf.ones([3])),
        lambda: tf.losses.compute_weighted_loss(column, tf.ones([1, 1])),
        lambda: tf.metrics.mean(column, weights=tf.ones([3, 4])),
        lambda: tf.clip_by_value(x, 0.0, tf.ones([4, 2, 3])),
        lambda: tf.clip_by_value(x, 0.0, tf.ones([3])),
        lambda: tf.clip_by_norm(column, tf.ones([2, 3, 1])),
        lambda: tf.accumulate_n([x, column]),
        lambda: tf.accumulate_n([x, x], shape=[2, 4]),
        lambda: tf.accumulate_n([x, tf.zeros([2, 3], tf.int32)]),
        lambda: tf.accumulate_n([x], tensor_dtype=tf.int32),
        lambda: tf.random_normal_initializer(dtype=tf.int32),
        lambda: tf.truncated_normal_initializer(dtype=tf.string),
    )
    found = []
    for call in calls:
        try:
            call()
        except (TypeError, ValueError) as error:  # noqa: PERF203
            found.append(type(error).__name__)
        else:
            found.append("taken")
    return found


@program
def shapes_as_tensors(tf):
    large = tf.convert_to_tensor(tf.TensorShape([2**31, 2]))
    small = tf.convert_to_tensor(tf.TensorShape([2**31 - 1, 2]))
    try:
        refused = tf.convert_to_tensor(tf.TensorShape([2**31, 2]), tf.int32) is None
    except ValueError:
        refused = True
    return [large.dtype.name, small.dtype.name, refused, *run(tf, [large, small])]


# ---- scopes and collections ---------------------------------------------------------------------


@program
def scopes_of_threads(tf):
    graph, found = tf.get_default_graph(), []
    graph.switch_to_thread_local()

    def build(name):
        with graph.as_default():
            found.append(tf.get_variable_scope().name)
            with tf.variable_scope("foo"):
                try:
                    found.append(tf.get_variable("v", []).name)
                except ValueError:
                    found.append("exists")
                found.append([tf.constant(1.0, name=name).op.name, tf.no_op().device])

    with tf.variable_scope("main"), tf.device("/cpu:0"):
        for name in ("a", "b"):
            thread = threading.Thread(target=build, args=(name,))
            thread.start()
            thread.join()
        found.append(tf.get_variable_scope().name)
    return found


@program
def getters_and_makers(tf):
    got = []

    def keep(getter, name, **arguments):
        got.append([name, bool(arguments["reuse"])])
        return tf.identity(getter(name, **arguments), name="got")

    with tf.variable_scope("scope", custom_getter=keep) as scope:
        first = tf.get_variable("v", [1]).name
    with tf.variable_scope(scope, reuse=True):
        again = tf.get_variable("v", [1]).name
    root = tf.get_variable_scope()
    with tf.name_scope("around"), tf.variable_scope(root), tf.name_scope("within") as names:
        pass
    made = tf.get_variable("made", initializer=lambda: [2.0])
    word = tf.get_variable("word", [], tf.string)
    for wrong in ({"custom_getter": 3}, {"auxiliary_name_scope": "x"}):
        try:
            with tf.variable_scope("wrong", **wrong):
                tf.get_variable("w", [])
        except (TypeError, ValueError) as error:  # noqa: PERF203
            got.append(type(error).__name__)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([made, word])
    return [got, first, again, names, values[0], texts(values[1])]


@program
def variables_of_a_programs_own(tf):
    variable = tf.get_local_variable("w", [2], collections=["foo"], trainable=True)
    local, foo = tf.local_variables(), tf.get_collection("foo")
    return [variable in local, variable in foo, len(tf.global_variables()),
            len(tf.trainable_variables())]  # fmt: skip


@program
def variables_in_slices(tf):
    given = tf.create_partitioned_variables([4, 3], [1, 3], tf.reshape(tf.range(12), [4, 3]))
    made = tf.create_partitioned_variables([5], [2], tf.ones_initializer(), name="made")
    with tf.variable_scope("around"):
        inner = tf.create_partitioned_variables([2, 2], [2, 1], tf.zeros_initializer())
    again = tf.create_partitioned_variables(
        [5], [2], tf.ones_initializer(), name="made", reuse=True
    )
    refused = 0
    for shape, slicing in (([4], [1, 1]), ([], []), ([4, 4], [2, 2])):
        try:
            tf.create_partitioned_variables(shape, slicing, tf.ones_initializer())
        except ValueError:  # noqa: PERF203
            refused += 1
    specs = [one._save_slice_info.spec for one in [*given, *made]]
    names = [one.name for one in [*given, *made, *inner]]
    return [names, specs, again == made, refused, *run(tf, [*given, *made])]


@program
def what_waits_for_nothing(tf):
    parts = tf.get_variable("x", [2], partitioner=tf.fixed_size_partitioner(2))
    with tf.control_dependencies([tf.constant(1.0)]):
        whole = parts.as_tensor()
        slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), (4, 2))
        clipped, _ = tf.clip_by_global_norm([slices], 1.0)
    name = tf.placeholder(tf.string, [])
    tf.lookup.TextFileInitializer(
        name, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER)  # fmt: skip
    waits = [len(op.control_inputs) for op in (whole.op, whole.op.inputs[0].op)]
    return [waits, clipped[0].dense_shape == (4, 2),
            len(tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS))]  # fmt: skip


@program
def warnings_of_functions_of_datasets(tf):
    def drawn(x):
        return tf.random_shuffle([x, x + 1])

    def seeded(x):
        tf.set_random_seed(3)
        return drawn(x)

    def warns(function, part):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tf.data.Dataset.range(2).map(function)
        return sum(part in str(one.message) for one in caught)

    with tf.Graph().as_default() as graph:
        graph.seed = 10
        draws = "Explicitly set the seed in the function if this is not the intended behavior"
        return [warns(drawn, draws), warns(seeded, draws),
                warns(lambda x: x * x, draws)]  # fmt: skip


@program
def options_of_datasets(tf):
    options = tf.data.Options()
    options.experimental_optimization.map_fusion = True
    dataset = tf.data.Dataset.range(2)
    return [dataset.options() == tf.data.Options(), dataset.options() != options,
            dataset.with_options(options).with_options(options).options() == options]  # fmt: skip


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
