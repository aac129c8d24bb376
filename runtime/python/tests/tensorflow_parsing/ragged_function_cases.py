"""Loops, branches and ordinary functions of ragged tensors, by the names of TensorFlow 1.

Each case takes the module and gives what is run, one list of fetches after the other.
"""


def _rows(tf):
    return tf.ragged.constant([[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]])


def _nested(tf):
    return tf.ragged.constant([[[1, 2], []], [], [[3]]])


def _floats(tf):
    return tf.cast(_nested(tf), tf.float32)


def _pairs(tf):
    return tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], []], ragged_rank=1)


def _words(tf):
    return tf.ragged.constant([["a", "bb"], [""]])


def _one(tf):
    return tf.ragged.constant([[7.0]])


def _sparse(tf):
    return tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [3, 2])


def _column(tf):
    return tf.constant([[10.0], [20.0], [30.0], [40.0]])


def _spec(tf, shape, rank=None, dtype="int32"):
    return tf.RaggedTensorSpec(shape, getattr(tf, dtype), rank)


def _loop(tf, start, body, *shapes):
    """What two rounds make of a value, whose shape is given where there are shapes."""
    invariants = [tf.TensorShape([]), *shapes] if shapes else None
    made = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, body(x)), [0, start], invariants)
    return list(made)


def _map(tf, function, elems, spec=None):
    return tf.map_fn(function, elems, fn_output_signature=spec)


def _reduced(kind, make, *axes):
    def case(tf):
        reduce = getattr(tf, f"reduce_{kind}")
        kept = [reduce(make(tf), axis=axis, keepdims=True) for axis in axes]
        return [[reduce(make(tf), axis=axis) for axis in axes], kept]

    return case


# Name -> what makes one fetch, or a list of them.
_SINGLE = {
    "cond": lambda tf: tf.cond(tf.constant(True), lambda: _rows(tf), lambda: _one(tf)),
    "cond, a pair": lambda tf: list(tf.cond(
        tf.constant(False), lambda: (_rows(tf), 1.0), lambda: (_one(tf), 2.0))),
    "cond, sparse": lambda tf: tf.cond(
        tf.constant(True), lambda: _sparse(tf), lambda: _sparse(tf)),
    "cond, two ranks": lambda tf: tf.cond(
        tf.constant(True), lambda: _rows(tf), lambda: tf.constant([1.0])),
    "case": lambda tf: tf.case(
        [(tf.constant(False), lambda: _rows(tf))], default=lambda: _one(tf)),
    "while": lambda tf: _loop(tf, _rows(tf), lambda x: x * 2.0),
    "while, sparse": lambda tf: _loop(
        tf, _sparse(tf), lambda x: tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape)),
    "while, more rows": lambda tf: _loop(
        tf, _rows(tf), lambda x: tf.concat([x, x], 0), tf.TensorShape([None, None])),
    "while, longer rows": lambda tf: _loop(
        tf, _rows(tf), lambda x: tf.concat([x, x], 1), _spec(tf, [None, None], 1, "float32")),
    "while, another shape": lambda tf: _loop(tf, _rows(tf), lambda x: tf.concat([x, x], 0)),
    "while, alone": lambda tf: tf.while_loop(
        lambda x: tf.reduce_sum(x) < 100.0, lambda x: x * 2.0, [_rows(tf)]),
    "map_fn": lambda tf: _map(tf, tf.reduce_sum, _rows(tf), tf.float32),
    "map_fn, rows": lambda tf: _map(tf, lambda x: x * 2.0, _rows(tf)),
    "map_fn, rows of rows": lambda tf: _map(tf, lambda x: x + 1, _nested(tf)),
    "map_fn, reduced rows": lambda tf: _map(
        tf, lambda x: tf.reduce_sum(x, 1), _nested(tf), _spec(tf, [None], 0)),
    "map_fn, made rows": lambda tf: _map(
        tf, tf.range, tf.constant([2, 0, 3]), _spec(tf, [None], 0)),
    "map_fn, made rows of rows": lambda tf: _map(
        tf, lambda n: tf.ragged.range([n, 1]), tf.constant([2, 0, 3]), _spec(tf, [2, None])),
    "map_fn, a pair": lambda tf: list(tf.map_fn(
        lambda x: (tf.size(x[0]), x[1]), (_rows(tf), tf.range(4)), dtype=(tf.int32, tf.int32))),
    "map_fn, sparse": lambda tf: _map(
        tf, lambda x: tf.reduce_sum(x.values), _sparse(tf), tf.float32),
    "one by one": lambda tf: [
        tf.abs(-_rows(tf)), tf.cast(_rows(tf), tf.int32), tf.nn.relu(_rows(tf) - 2.0),
        tf.identity(_rows(tf)), tf.zeros_like(_rows(tf)), tf.ones_like(_rows(tf), tf.int32),
        tf.clip_by_value(_rows(tf), 2.0, 4.0), tf.nn.dropout(_rows(tf), keep_prob=1.0)],
    "two by two": lambda tf: [
        tf.add(_rows(tf), 1.0), tf.maximum(_rows(tf), _rows(tf) * 2.0 - 3.0),
        tf.equal(_rows(tf), 2.0), tf.logical_and(_rows(tf) > 1.0, _rows(tf) < 4.0)],
    "stretched": lambda tf: [
        tf.add(_rows(tf), _column(tf)), tf.add(_column(tf), _rows(tf)),
        _rows(tf) + tf.constant([[10.0]]), tf.multiply(_rows(tf), [2.0]),
        _nested(tf) + tf.constant([[[10]], [[20]], [[30]]]), tf.add(_pairs(tf), [10.0, 20.0])],
    "strings": lambda tf: [
        tf.strings.upper(_words(tf)), tf.strings.length(_words(tf)), tf.as_string(_nested(tf)),
        tf.string_join([_words(tf), "x", _words(tf)], "-"),
        tf.strings.regex_replace(_words(tf), "b", "x"),
        tf.strings.to_hash_bucket_fast(_words(tf), 10)],
    "one_hot": lambda tf: tf.one_hot(tf.ragged.constant([[0, 1], [2]]), 3),
    "sizes": lambda tf: [
        tf.rank(_nested(tf)), tf.size(_nested(tf)), tf.size(_rows(tf), out_type=tf.int64)],
    "expand_dims": lambda tf: [tf.expand_dims(_rows(tf), axis) for axis in (0, 1, 2, -1, -2)],
    "expand_dims, no axis": lambda tf: tf.expand_dims(_rows(tf), 5),
    "gather": lambda tf: [
        tf.gather(_rows(tf), index) for index in ([3, 0], 3, [[3, 0], [1, 2]])],
    "gather, ragged": lambda tf: [
        tf.gather(params, tf.ragged.constant([[0, 2], [], [1]]))
        for params in (tf.constant([10, 20, 30]), _rows(tf))],
    "embedding_lookup": lambda tf: tf.nn.embedding_lookup(
        tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.ragged.constant([[0, 1], [1]])),
    "where": lambda tf: [
        tf.where(_rows(tf) > 2.0, _rows(tf), -_rows(tf)), tf.where(_rows(tf) > 2.0),
        tf.where(_nested(tf) > 1)],
    "boolean_mask": lambda tf: [
        tf.ragged.boolean_mask(_rows(tf), _rows(tf) > 2.0),
        tf.ragged.boolean_mask(_rows(tf), [True, False, True, False]),
        tf.ragged.boolean_mask(_nested(tf), _nested(tf) > 1),
        tf.ragged.boolean_mask(_nested(tf), tf.ragged.constant([[True, False], [], [True]])),
        tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])],
    "concat": lambda tf: [
        tf.concat([_rows(tf), _one(tf)], 0), tf.concat([_rows(tf), _rows(tf) * 2.0], 1),
        tf.concat([_nested(tf), _nested(tf)], -1), tf.concat([_nested(tf), _nested(tf)], 1),
        tf.concat([_rows(tf), _column(tf)], 1), tf.concat([_column(tf), _rows(tf)], 0),
        tf.concat([_rows(tf)], 0)],
    "concat, other rows": lambda tf: tf.concat([_rows(tf), _one(tf)], 1),
    "concat, other ranks": lambda tf: tf.concat([_rows(tf), tf.constant([1.0])], 0),
    "stack": lambda tf: [
        tf.stack([_rows(tf), _one(tf)]), tf.stack([_rows(tf), _rows(tf) * 2.0], axis=1),
        tf.stack([_rows(tf), _rows(tf) * 2.0], axis=2),
        tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])])],
}  # fmt: skip

CASES = {
    **{f"ragged: {name}": lambda tf, make=make: [[made] if not isinstance(made, list) else made
                                                 for made in [make(tf)]]
       for name, make in _SINGLE.items()},
    **{f"ragged: reduce_{kind}, {name}": _reduced(kind, make, *axes)
       for kind in ("sum", "prod", "max", "min", "mean")
       for name, make, axes in (("rows", _rows, (None, 0, 1, -1, [0, 1])),
                                ("rows of rows", _floats, (0, 1, 2, [1, 2])),
                                ("pairs", _pairs, (1, 2)))},
    **{f"ragged: reduce_{kind}": _reduced(kind, lambda tf: _rows(tf) > 2.0, None, 0, 1)
       for kind in ("any", "all")},
    "ragged: reduce, no axis": _reduced("sum", _rows, 2),
    "ragged: reduce_variance": lambda tf: [
        [tf.math.reduce_variance(_pairs(tf), axis) for axis in (None, 1, 2)],
        [tf.math.reduce_std(_pairs(tf), axis) for axis in (1, 2)]],
}  # fmt: skip
