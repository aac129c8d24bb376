"""Programs whose data a loop nests, each for a process of its own: `depth.py CASE DEPTH`.

Prints what comes out, or the class of the OpError.
"""

import sys
import threading

import tfbuild_runtime.compat.v1 as tf

raw = tf.raw_ops
ONE = {"output_types": [tf.int64], "output_shapes": [[]]}


def nested(wrap, first, depth):
    """What `depth` applications make of a variant, in a loop of the graph."""
    shapes = [tf.TensorShape([]), tf.TensorShape([])]
    _, value = tf.while_loop(
        lambda i, _: i < depth, lambda i, held: (i + 1, wrap(held)), [tf.constant(0), first],
        shape_invariants=shapes, back_prop=False,
    )  # fmt: skip
    return value


def empty_list():
    return raw.EmptyTensorList(
        element_shape=tf.constant(-1), max_num_elements=-1, element_dtype=tf.variant
    )


def in_list(held):
    return raw.TensorListPushBack(input_handle=empty_list(), tensor=held)


def in_optional(held):
    return raw.OptionalFromValue(components=[held])


def taken(held):
    return raw.TakeDataset(input_dataset=held, count=tf.constant(3, tf.int64), **ONE)


def range_dataset():
    ends = [tf.constant(number, tf.int64) for number in (0, 5, 1)]
    return raw.RangeDataset(start=ends[0], stop=ends[1], step=ends[2], **ONE)


def first_of(dataset):
    one = raw.TakeDataset(input_dataset=dataset, count=tf.constant(1, tf.int64), **ONE)
    return raw.DatasetToSingleElement(dataset=one, **ONE)[0]


def ahead(dataset):
    return raw.PrefetchDataset(input_dataset=dataset, buffer_size=tf.constant(2, tf.int64), **ONE)


def has_value(optional):
    return raw.OptionalHasValue(optional=optional)


def optionals(depth):
    return nested(in_optional, raw.OptionalNone(), depth)


def mixed(depth):
    """A dataset in an optional in a list in an optional, and so on."""
    return nested(lambda held: in_optional(in_list(held)), taken(range_dataset()), depth)


def sum_of_two(depth):
    return raw.AddN(inputs=[optionals(depth), raw.ZerosLike(x=optionals(depth))])


CASES = {
    "lists": lambda n: raw.TensorListLength(input_handle=nested(in_list, empty_list(), n)),
    "optionals": lambda n: has_value(optionals(n)),
    "mixed": lambda n: has_value(mixed(n)),
    "zeros": lambda n: has_value(raw.ZerosLike(x=optionals(n))),
    "sum": lambda n: has_value(sum_of_two(n)),
    "datasets": lambda n: tf.size(nested(taken, range_dataset(), n)),
    "read": lambda n: first_of(nested(taken, range_dataset(), n)),
    "read ahead": lambda n: first_of(ahead(nested(taken, range_dataset(), n))),
}


def show(case, depth):
    fetched = CASES[case](depth)
    with tf.Session() as session:
        try:
            sys.stdout.write(f"{session.run(fetched)}\n")
        except tf.errors.OpError as error:
            sys.stdout.write(f"{type(error).__name__}: {error.message}\n")


if __name__ == "__main__":
    name, count, where = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if where:  # on a thread with a stack of that many KiB
        threading.stack_size(int(where[0]) << 10)
        with tf.Graph().as_default() as graph:
            pass

        def work():
            with graph.as_default():
                show(name, count)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        show(name, count)
