"""Ragged tensors turned, repeated, cut, picked from and multiplied, and the gradients of that.

Each case takes the module and gives what is run, one list of fetches after the other.
"""

_ROWS = [[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]]
_DEEP = [[[1.0, 2.0], []], [], [[3.0], [4.0, 5.0]]]


def _rows(tf):
    return tf.ragged.constant(_ROWS)


def _deep(tf):
    return tf.ragged.constant(_DEEP)


def _pairs(tf):
    return tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [], [[5.0, 6.0]]], ragged_rank=1)


def _words(tf):
    return tf.ragged.constant([["a", "bb"], [], ["", "c", "d"]])


def _matrices(tf):
    """Matrices of [2, 3] and [1, 2], each with sizes of its own."""
    return tf.ragged.constant([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0]]])


def _others(tf):
    """Matrices of [3, 1] and [2, 2], which the ones above are multiplied by."""
    return tf.ragged.constant([[[1.0], [2.0], [3.0]], [[4.0, 5.0], [6.0, 7.0]]])


def _ids(tf):
    return tf.ragged.constant([[1, 0], [], [0], [2, 0, 2]])


def _gradient(tf, function, rows):
    """The gradient of a sum of squares of what a function makes, by the flat values of rows."""
    made = function(rows)
    flat = made.flat_values if hasattr(made, "flat_values") else made
    return tf.convert_to_tensor(tf.gradients(tf.reduce_sum(flat * flat), rows.flat_values)[0])


def _gradients(tf):
    """Of functions of rows, and of rows of rows."""
    rows = {
        "map": lambda x: tf.map_fn(lambda row: row * row, x),
        "map to numbers": lambda x: tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.float32),
        "reverse": lambda x: tf.reverse(x, [0, 1]),
        "tile": lambda x: tf.tile(x, [2, 3]),
        "concat": lambda x: tf.concat([x, x * 2.0], 1),
        "stack": lambda x: tf.stack([x, x * 3.0]),
        "gather": lambda x: tf.gather(x, [3, 3, 0]),
        "pick": lambda x: tf.gather(
            x, tf.ragged.constant([[1, 1], [], [0], [2]], dtype=tf.int64), axis=1, batch_dims=1
        ),
        "mask": lambda x: tf.ragged.boolean_mask(x, x > 2.0),
        "where": lambda x: tf.where(x > 2.0, x, -2.0 * x),
        "sum": lambda x: tf.reduce_sum(x, 1) + tf.reduce_mean(x[2:], None),
        "greatest": lambda x: tf.reduce_max(x, 0),
        "cumsum": lambda x: tf.cumsum(x, 1),
        "split": lambda x: tf.concat(tf.split(x, [1, 3])[::-1], 0),
        "parts": lambda x: x[:, -2:],
    }
    deep = {
        "reverse": lambda x: tf.reverse(x, [2, 0]),
        "tile": lambda x: tf.tile(x, [1, 2, 1]),
        "merged": lambda x: x.merge_dims(1, 2) * x.merge_dims(1, 2),
        "sums": lambda x: tf.reduce_sum(x, 2),
        "expanded": lambda x: tf.squeeze(tf.expand_dims(x, 2), 2),
    }
    return [[*[_gradient(tf, function, _rows(tf)) for function in rows.values()],
             *[_gradient(tf, function, _deep(tf)) for function in deep.values()]]]  # fmt: skip


_SINGLE = {
    "reverse": lambda tf: [
        tf.reverse(_rows(tf), [0]), tf.reverse(_rows(tf), [1]), tf.reverse(_rows(tf), [-1, 0]),
        tf.reverse(_deep(tf), [1]), tf.reverse(_deep(tf), [2, 1]), tf.reverse(_pairs(tf), [2]),
        tf.reverse(_rows(tf), [])],
    "reverse, no axis": lambda tf: tf.reverse(_rows(tf), [2]),
    "reverse, a number": lambda tf: tf.reverse(_rows(tf), 1),
    "tile": lambda tf: [
        tf.tile(_rows(tf), [2, 1]), tf.tile(_rows(tf), [1, 2]), tf.tile(_rows(tf), [2, 3]),
        tf.tile(_deep(tf), [1, 2, 3]), tf.tile(_pairs(tf), [2, 1, 2]),
        tf.tile(_rows(tf), tf.placeholder_with_default([2, 2], [2])),
        tf.tile(_rows(tf), [0, 2]), tf.tile(_rows(tf), [2, 0])],
    "split": lambda tf: [
        *tf.split(_rows(tf), 2), *tf.split(_rows(tf), [1, 0, 3]),
        *tf.split(_pairs(tf), 2, axis=2), *tf.split(_pairs(tf), [1, 2]), *tf.split(_rows(tf), 1)],
    "split, not evenly": lambda tf: list(tf.split(_rows(tf), 3)),
    "split, other sizes": lambda tf: list(tf.split(_rows(tf), [1, 1])),
    "split, ragged": lambda tf: list(tf.split(_rows(tf), 2, axis=1)),
    "split, none": lambda tf: list(tf.split(_rows(tf), 0)),
    "squeeze": lambda tf: [
        tf.squeeze(tf.expand_dims(_rows(tf), 0), 0), tf.squeeze(tf.expand_dims(_rows(tf), 1), [1]),
        tf.squeeze(tf.expand_dims(_rows(tf), 2), -1), tf.squeeze(_rows(tf)[2:3], 0),
        tf.squeeze(tf.ragged.constant([[1], [2]]), 1),
        tf.squeeze(tf.ragged.constant([[[1, 2]]]), [0, 1])],
    "squeeze, of two": lambda tf: tf.squeeze(_rows(tf), 0),
    "squeeze, all": lambda tf: tf.squeeze(_rows(tf)),
    "merge_dims": lambda tf: [
        _deep(tf).merge_dims(0, 1), _deep(tf).merge_dims(1, 2), _deep(tf).merge_dims(0, 2),
        _pairs(tf).merge_dims(1, 2), _pairs(tf).merge_dims(0, 1), _pairs(tf).merge_dims(-1, -1),
        tf.stack([_deep(tf), _deep(tf)]).merge_dims(1, 3)],
    "merge_dims, backwards": lambda tf: _deep(tf).merge_dims(2, 1),
    "dynamic_partition": lambda tf: [
        *tf.dynamic_partition(_rows(tf), [1, 0, 1, 1], 2), *tf.dynamic_partition(
            _rows(tf), tf.ragged.constant([[0, 1], [], [1], [2, 0, 1]]), 3),
        *tf.dynamic_partition(_deep(tf), [0, 0, 0], 2)],
    "stack_dynamic_partitions": lambda tf: [
        tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d", "e"], [3, 0, 2, 2, 3], 5),
        tf.ragged.stack_dynamic_partitions(
            tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1, 0], [1]]), 2),
        tf.ragged.stack_dynamic_partitions(
            tf.ragged.constant([[1, 2], [3]]), tf.constant([0, 2]), 3),
        tf.ragged.stack_dynamic_partitions([[1, 2], [3, 4]], [[1, 0], [0, 0]], 2)],
    "stack_dynamic_partitions, too many": lambda tf: tf.ragged.stack_dynamic_partitions(
        ["a", "b"], [0, 2], 2),
    "gather along an axis": lambda tf: [
        tf.gather(_pairs(tf), [1, 0, 0], axis=2), tf.gather(_deep(tf)[::2], [1, 0, 1], axis=1),
        tf.gather(_rows(tf)[2:], [0], axis=1), tf.gather(_rows(tf)[::3], 1, axis=1),
        tf.gather(_pairs(tf)[::2], tf.ragged.constant([[0], [0, 0]]), axis=1)],
    "gather in rows": lambda tf: [
        tf.gather(_rows(tf), tf.ragged.constant([[1], [], [0, 0], [2]]), axis=1, batch_dims=1),
        tf.gather(_rows(tf)[::3], [[1, 0], [0, 2]], axis=1, batch_dims=1),
        tf.gather(_rows(tf)[::3], [1, 2], axis=1, batch_dims=1),
        tf.gather(tf.constant([[1, 2], [3, 4]]), tf.ragged.constant([[1], [0, 0]]), axis=1,
                  batch_dims=1),
        tf.gather(_deep(tf), tf.ragged.constant([[[1, 1], []], [], [[0], [1]]]), axis=2,
                  batch_dims=2),
        tf.gather(_pairs(tf), tf.ragged.constant([[1], [], [0, 1]]), batch_dims=1, axis=2)],
    "batch_gather": lambda tf: [
        tf.batch_gather(_rows(tf), tf.ragged.constant([[1], [], [0, 0], [2]])),
        tf.batch_gather(tf.constant([[1, 2], [3, 4]]), tf.ragged.constant([[1], [0, 0]])),
        tf.batch_gather(_deep(tf)[::2], tf.ragged.constant([[1], [0, 1]]))],
    "gather_nd": lambda tf: [
        tf.gather_nd(_rows(tf), [[0, 1], [3, 2]]), tf.gather_nd(_rows(tf), [[3], [0]]),
        tf.gather_nd(_deep(tf), [[2, 1, 0]]), tf.gather_nd(_deep(tf), [[2, 1], [0, 1]]),
        tf.gather_nd(_pairs(tf), [[0, 1], [2, 0]]), tf.gather_nd(_rows(tf), [[[0, 0]], [[2, 0]]]),
        tf.gather_nd(_rows(tf), tf.ragged.constant([[[0, 0], [3, 1]], []], ragged_rank=1,
                                                   inner_shape=(2,), dtype=tf.int32))],
    "matmul": lambda tf: [
        tf.matmul(_matrices(tf), _others(tf)),
        tf.matmul(_matrices(tf), _matrices(tf), transpose_b=True),
        tf.matmul(_matrices(tf), _matrices(tf), transpose_a=True),
        tf.matmul(_pairs(tf), tf.reshape(tf.range(12.0), [3, 2, 2])),
        tf.matmul(_pairs(tf), tf.reshape(tf.range(12.0), [3, 2, 2]), transpose_b=True),
        tf.matmul(tf.ragged.constant([[1.0, 2.0]]), [[3.0], [4.0]]),
        tf.matmul(tf.stack([_matrices(tf)]), tf.stack([_others(tf)]))],
    "matmul, uneven": lambda tf: tf.matmul(_deep(tf), _deep(tf)),
    "matmul, two ranks": lambda tf: tf.matmul(_pairs(tf), [[1.0], [2.0]]),
    "matmul, two types": lambda tf: tf.matmul(
        _pairs(tf), tf.ones([3, 2, 2], tf.float64)),
    "matmul, other matrices": lambda tf: tf.matmul(_matrices(tf), _matrices(tf)),
    "reduce_join": lambda tf: [
        tf.strings.reduce_join(_words(tf), 1),
        tf.strings.reduce_join(_words(tf), -1, separator="-"),
        tf.strings.reduce_join(tf.stack([_words(tf), _words(tf)]), 2, separator="+")],
    "add_n": lambda tf: tf.add_n([_rows(tf), _rows(tf), _rows(tf) * 2.0]),
    "cumsum": lambda tf: [
        tf.cumsum(_rows(tf), 1), tf.cumsum(_rows(tf), 1, exclusive=True),
        tf.cumsum(_rows(tf), -1, reverse=True), tf.cumsum(_deep(tf), 2),
        tf.cumsum(_pairs(tf), 2), tf.cumsum(_pairs(tf), 1)],
    "segments": lambda tf: [
        getattr(tf.math, f"unsorted_segment_{kind}")(_rows(tf), _ids(tf), 3)
        for kind in ("sum", "prod", "min", "max", "mean", "sqrt_n")],
    "segments of rows": lambda tf: [
        tf.math.unsorted_segment_sum(_rows(tf), [0, 1, 0, 0], 2),
        tf.math.unsorted_segment_sum(_pairs(tf), [1, 0, 1], 3),
        tf.math.unsorted_segment_sum(_deep(tf), tf.ragged.constant([[0, 1], [], [1, 0]]), 2)],
    "embedding_lookup_sparse": lambda tf: [
        tf.nn.embedding_lookup_sparse(
            tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ids, weights, combiner=combiner)
        for ids, weights in ((tf.ragged.constant([[0, 1], [2], [1, 1, 0, 2]]), None),
                             (tf.ragged.constant([[0, 1], [2]]),
                              tf.ragged.constant([[3.0, 1.0], [2.0]])))
        for combiner in ("sum", "mean")],
    "asserts": lambda tf: [
        tf.group(tf.debugging.assert_equal(_rows(tf), _rows(tf)),
                 tf.debugging.assert_less(_rows(tf), 10.0),
                 tf.debugging.assert_greater(_rows(tf) + 1.0, _rows(tf)),
                 tf.debugging.assert_near(_rows(tf), _rows(tf) + 1e-9))],
    "asserts, not so": lambda tf: tf.debugging.assert_less(_rows(tf), 5.0),
    "asserts, other rows": lambda tf: tf.debugging.assert_equal(_rows(tf), _rows(tf)[::-1]),
}  # fmt: skip


def _listed(make):
    def case(tf):
        made = make(tf)
        return [made if isinstance(made, list) else [made]]

    return case


CASES = {
    **{f"ragged arrays: {name}": _listed(make) for name, make in _SINGLE.items()},
    "ragged arrays: gradients": _gradients,
}
