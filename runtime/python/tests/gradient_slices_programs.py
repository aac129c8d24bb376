"""Tables that are trained through what keeps gradients as slices, with what TensorFlow answered.

    python gradient_slices_programs.py tensorflow.compat.v1 > gradient_slices_programs.json

The norm of slices, and what optimizers with momentum do with rows that a batch does not name,
differ from those of whole tensors.
"""

import sys

import numpy as np
import programs

PROGRAMS = {}
TABLE = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
BATCHES = ([0, 1, 2], [3, 3, 4], [0, 6, 6], [5, 5, 5])


def behind_a_row(tf, table, ids):
    """Return the rows of a table with a row for padding in front."""
    padded = tf.concat([tf.zeros([1, 3]), table], 0)
    return tf.nn.embedding_lookup(padded, ids + 1)


def in_a_loop(tf, table, ids):
    """Return the sum of the rows, which a loop looks up."""

    def body(k, total):
        return k + 1, total + tf.nn.embedding_lookup(table, tf.gather(ids, [k]))

    return tf.while_loop(lambda k, _: k < 3, body, [0, tf.zeros([1, 3])])[1]


def mapped(tf, table, ids):
    """Return the rows, each looked up in an iteration."""
    return tf.map_fn(lambda i: tf.nn.embedding_lookup(table, i), ids, tf.float32)


def scanned(tf, table, ids):
    """Return sums in which each row counts half of the one behind it."""
    return tf.scan(lambda a, i: 0.5 * a + tf.gather(table, i), ids, tf.zeros([3]))


def put_together(tf, table, ids):
    """Return means of rows with weights."""
    places = tf.constant([[0, 0], [0, 1], [1, 0]], tf.int64)
    sparse = tf.SparseTensor(places, tf.cast(ids, tf.int64), [2, 2])
    weights = tf.SparseTensor(places, tf.constant([0.5, 1.0, 2.0]), [2, 2])
    return tf.nn.embedding_lookup_sparse(table, sparse, weights, combiner="mean")


def beside_columns(tf, table, ids):
    """Return rows of a table with another column."""
    return tf.nn.embedding_lookup(tf.concat([table, tf.ones([8, 1])], 1), ids)


def of_another_type(tf, table, ids):
    """Return rows of a table in another type."""
    return tf.cast(tf.nn.embedding_lookup(tf.cast(table, tf.float64), ids), tf.float32)


def of_a_sum(tf, table, ids):
    """Return rows of a sum and of a difference."""
    moved = table + tf.ones([8, 3]) - tf.stop_gradient(table) * 0.5
    return tf.nn.embedding_lookup(moved, ids)


def looked_up_and_whole(tf, table, ids):
    """Return rows of a loop that uses the whole table, too."""

    def body(k, total):
        row = tf.nn.embedding_lookup(table, tf.gather(ids, [k]))
        return k + 1, total + row + tf.reduce_mean(table)

    return tf.while_loop(lambda k, _: k < 3, body, [0, tf.zeros([1, 3])])[1]


def trained(rows, use_resource):
    """Return a program that trains through rows, clipped by the norm and by momentum."""

    def program(tf):
        found = []
        for clipped in (True, False):
            with tf.Graph().as_default(), tf.variable_scope("v", use_resource=use_resource):
                table = tf.get_variable("table", initializer=tf.constant(TABLE))
                ids = tf.placeholder(tf.int32, [3])
                optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
                loss = tf.reduce_sum(tf.square(rows(tf, table, ids)))
                ((grad, variable),) = optimizer.compute_gradients(loss, [table])
                if clipped:
                    (grad,), _ = tf.clip_by_global_norm([grad], 1.0)
                step = optimizer.apply_gradients([(grad, variable)])
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    for batch in BATCHES:
                        session.run(step, {ids: batch})
                    found.append(session.run(table))
        return found

    return program


for _rows in (
    behind_a_row, in_a_loop, mapped, scanned, put_together, beside_columns, of_another_type,
    of_a_sum, looked_up_and_whole,
):  # fmt: skip
    PROGRAMS[_rows.__name__] = trained(_rows, use_resource=False)
    PROGRAMS[f"{_rows.__name__}_of_a_resource"] = trained(_rows, use_resource=True)


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
