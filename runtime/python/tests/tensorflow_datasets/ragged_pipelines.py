"""Input pipelines of ragged tensors, as those of pipelines.py."""

import numpy as np


def _ds(tf):
    return tf.data.Dataset


def _rows(tf, dtype="int64"):
    return tf.ragged.constant([[1, 2], [], [3], [4, 5, 6]], row_splits_dtype=getattr(tf, dtype))


def _nested(tf):
    return tf.ragged.constant([[[1, 2], []], [], [[3]], [[4], [5], [6, 7]]])


def _pairs(tf):
    """Rows of pairs: a ragged dimension before one that is not."""
    return tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)


def _words(tf):
    return tf.ragged.constant([["a", "bc"], [], ["d"]])


def _slices(tf, rows):
    return _ds(tf).from_tensor_slices(rows)


def _lengths(tf):
    """Vectors of 0, 1, 2, 0 and 1 numbers."""
    return _ds(tf).range(5).map(lambda n: tf.range(n % 3))


def _matrices(tf):
    """Matrices of 0 to 2 rows, each of two numbers."""
    return _ds(tf).range(3).map(lambda n: tf.reshape(tf.range(2 * n), [-1, 2]))


def _example(tf, words):
    features = {
        "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
        "lengths": tf.train.Feature(int64_list=tf.train.Int64List(value=[len(words), 0])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def _parsed(tf, batch):
    kind = tf.io.RaggedFeature
    asked = {
        "words": kind(tf.string),
        "cut": kind(tf.string, value_key="words", partitions=[kind.RowLengths("lengths")]),
        "more": tf.VarLenFeature(tf.int64),
    }
    examples = [_example(tf, words) for words in ([b"a"], [], [b"b", b"c"], [b"d"])]
    dataset = _ds(tf).from_tensor_slices(examples)
    if batch:
        return dataset.batch(batch).map(lambda x: tf.parse_example(x, asked))
    return dataset.map(lambda x: tf.parse_single_example(x, asked))


def _generated(tf, values, **spec):
    def generate():
        yield from values

    return _ds(tf).from_generator(generate, output_signature=tf.RaggedTensorSpec(**spec))


def _value(tf, rows, dtype="int32"):
    return tf.ragged.constant_value(rows, dtype=dtype)


PIPELINES = {
    "ragged_tensors": lambda tf, _: _ds(tf).from_tensors((_rows(tf), 3)),
    "ragged_tensors_of_a_value": lambda tf, _: _ds(tf).from_tensors(_value(tf, [[1], []])),
    "ragged_tensors_batch": lambda tf, _: _ds(tf).from_tensors(_nested(tf)).repeat(3).batch(2),
    "ragged_slices": lambda tf, _: _slices(tf, _rows(tf)),
    "ragged_slices_of_a_value": lambda tf, _: _slices(tf, _value(tf, [[1, 2], []])),
    "ragged_slices_of_words": lambda tf, _: _slices(tf, _words(tf)),
    "ragged_slices_of_pairs": lambda tf, _: _slices(tf, _pairs(tf)),
    "ragged_slices_of_rows": lambda tf, _: _slices(tf, _nested(tf)),
    "ragged_slices_beside": lambda tf, _: _slices(tf, {"r": _rows(tf), "d": np.arange(4)}),
    "ragged_slices_of_other_lengths": lambda tf, _: _slices(tf, (_rows(tf), np.arange(3))),
    "ragged_batch": lambda tf, _: _slices(tf, _rows(tf)).batch(3),
    "ragged_batch_of_int32": lambda tf, _: _slices(tf, _rows(tf, "int32")).batch(3),
    "ragged_batch_whole": lambda tf, _: _slices(tf, _rows(tf)).batch(3, drop_remainder=True),
    "ragged_batch_twice": lambda tf, _: _slices(tf, _rows(tf)).batch(2).batch(2),
    "ragged_batch_of_pairs": lambda tf, _: _slices(tf, _pairs(tf)).batch(2),
    "ragged_batch_of_rows": lambda tf, _: _slices(tf, _nested(tf)).batch(2),
    "ragged_batch_of_rows_twice": lambda tf, _: _slices(tf, _nested(tf)).batch(2).batch(2),
    "ragged_batch_after_map": lambda tf, _: _slices(tf, _rows(tf)).map(lambda x: x + 1).batch(2),
    "ragged_padded_batch": lambda tf, _: _slices(tf, _nested(tf)).padded_batch(2),
    "ragged_unbatch": lambda tf, _: _ds(tf).from_tensors(_nested(tf)).unbatch(),
    "ragged_unbatch_after_batch": lambda tf, _: _slices(tf, _rows(tf)).batch(3).unbatch(),
    "ragged_unbatch_beside": lambda tf, _: _ds(tf).from_tensors(
        (_rows(tf), np.arange(4))
    ).apply(tf.data.experimental.unbatch()),
    "ragged_map": lambda tf, _: _slices(tf, _nested(tf)).map(
        lambda x: (x.to_tensor(), x.values, x.row_lengths())
    ),
    "ragged_map_to_ragged": lambda tf, _: _slices(tf, _nested(tf)).batch(2).map(
        lambda x: (x.with_flat_values(x.flat_values * 2), x.values)
    ),
    "ragged_map_parallel": lambda tf, _: _slices(tf, _rows(tf)).batch(2).map(
        lambda x: x.with_values(x.values + 1), num_parallel_calls=2
    ),
    "ragged_map_and_batch": lambda tf, _: _ds(tf).range(4).apply(
        tf.data.experimental.map_and_batch(lambda n: tf.ragged.range([n, 1]), 3)
    ),
    "ragged_made_in_map": lambda tf, _: _ds(tf).range(3).map(lambda n: tf.ragged.range([n, 2])),
    "ragged_made_and_batched": lambda tf, _: _ds(tf).range(5).map(
        lambda n: tf.ragged.range([n % 3, 2])
    ).batch(2),
    "ragged_to_sparse": lambda tf, _: _slices(tf, _rows(tf)).batch(3).map(
        lambda x: x.to_sparse()
    ),
    "ragged_from_sparse": lambda tf, _: _slices(tf, _rows(tf).to_sparse()).batch(3).map(
        tf.RaggedTensor.from_sparse
    ),
    "ragged_filter": lambda tf, _: _slices(tf, _nested(tf)).filter(lambda x: x.nrows() > 0),
    "ragged_take_while": lambda tf, _: _slices(tf, _nested(tf)).apply(
        tf.data.experimental.take_while(lambda x: x.nrows() > 0)
    ),
    "ragged_flat_map": lambda tf, _: _slices(tf, _rows(tf)).batch(2).flat_map(
        lambda x: _slices(tf, x)
    ),
    "ragged_interleave": lambda tf, _: _slices(tf, _rows(tf)).batch(2).interleave(
        lambda x: _ds(tf).from_tensors(x).repeat(2), cycle_length=2
    ),
    "ragged_zip": lambda tf, _: _ds(tf).zip((_slices(tf, _nested(tf)), _ds(tf).range(3))),
    "ragged_concatenate": lambda tf, _: _ds(tf).from_tensors(_rows(tf)).concatenate(
        _ds(tf).from_tensors(tf.ragged.constant([[7, 8]]))
    ),
    "ragged_shuffle": lambda tf, _: _slices(tf, _nested(tf)).shuffle(4, seed=3),
    "ragged_repeat": lambda tf, _: _slices(tf, _nested(tf)).repeat(2).skip(1).take(4),
    "ragged_shard": lambda tf, _: _slices(tf, _nested(tf)).shard(2, 1).prefetch(1),
    "ragged_cache": lambda tf, _: _slices(tf, _nested(tf)).cache().repeat(2),
    "ragged_window": lambda tf, _: _slices(tf, _nested(tf)).window(2).flat_map(
        lambda window: window.batch(2)
    ),
    "ragged_scan": lambda tf, _: _slices(tf, _nested(tf)).apply(
        tf.data.experimental.scan(np.int64(0), lambda n, x: (n + x.nrows(), x))
    ),
    "ragged_groups": lambda tf, _: _slices(tf, _nested(tf)).apply(
        tf.data.experimental.group_by_window(
            lambda x: tf.cast(x.nrows() > 0, tf.int64), lambda _, group: group.batch(3), 3
        )
    ),
    "ragged_reduce": lambda tf, _: _ds(tf).from_tensors(
        _slices(tf, _nested(tf)).reduce(np.int64(0), lambda n, x: n + x.nrows())
    ),
    "ragged_single_element": lambda tf, _: _ds(tf).from_tensors(
        tf.data.experimental.get_single_element(_ds(tf).from_tensors(_nested(tf)))
    ),
    "ragged_of_lengths": lambda tf, _: _lengths(tf).ragged_batch(2),
    "ragged_of_lengths_of_int32": lambda tf, _: _lengths(tf).ragged_batch(
        3, row_splits_dtype=tf.int32
    ),
    "ragged_of_lengths_whole": lambda tf, _: _lengths(tf).apply(
        tf.data.experimental.dense_to_ragged_batch(2, drop_remainder=True)
    ),
    "ragged_of_matrices": lambda tf, _: _matrices(tf).ragged_batch(2),
    "ragged_of_squares": lambda tf, _: _ds(tf).range(3).map(
        lambda n: tf.fill(tf.stack([n, n]), n)
    ).ragged_batch(3),
    "ragged_of_scalars": lambda tf, _: _ds(tf).range(3).ragged_batch(2),
    "ragged_of_pairs": lambda tf, _: _ds(tf).zip((_lengths(tf), _ds(tf).range(5))).ragged_batch(3),
    "ragged_of_ragged": lambda tf, _: _slices(tf, _nested(tf)).ragged_batch(3),
    "ragged_examples": lambda tf, _: _parsed(tf, 0),
    "ragged_examples_and_batch": lambda tf, _: _parsed(tf, 0).batch(3),
    "ragged_examples_of_batches": lambda tf, _: _parsed(tf, 3),
    "ragged_generator": lambda tf, _: _generated(
        tf, [_value(tf, [[1, 2], []]), _value(tf, [[3]])], shape=[None, None], dtype=tf.int32
    ),
    "ragged_generator_batch": lambda tf, _: _generated(
        tf, [_value(tf, [[1, 2], []]), _value(tf, [[3]])], shape=[None, None], dtype=tf.int32
    ).batch(2),
}  # fmt: skip
