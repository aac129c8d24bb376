"""Input pipelines of sparse tensors, as those of pipelines.py."""

import numpy as np


def _ds(tf):
    return tf.data.Dataset


def _matrix(tf):
    """Rows {_, 5, 6}, nothing, {7, _, _} and {_, _, 8}."""
    return tf.SparseTensor([[0, 1], [0, 2], [2, 0], [3, 2]], [5.0, 6.0, 7.0, 8.0], [4, 3])


def _slices(tf):
    return _ds(tf).from_tensor_slices(_matrix(tf))


def _of_length(tf):
    """Vectors of 1, 2, 3, ... places, of which the last one holds a number."""
    return lambda n: tf.SparseTensor([[n]], tf.expand_dims(n, 0), tf.expand_dims(n + 1, 0))


def _example(tf, words, number):
    features = {
        "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "places": tf.train.Feature(int64_list=tf.train.Int64List(value=range(len(words), 0, -1))),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def _examples(tf):
    return [_example(tf, words, i) for i, words in enumerate([[b"a"], [], [b"b", b"c"], [b"d"]])]


def _features(tf):
    return {
        "words": tf.VarLenFeature(tf.string),
        "number": tf.FixedLenFeature([], tf.int64),
        "placed": tf.SparseFeature("places", "words", tf.string, 4),
    }


def _parsed(tf, batch):
    dataset = _ds(tf).from_tensor_slices(_examples(tf))
    if batch:
        return dataset.batch(batch).map(lambda x: tf.parse_example(x, _features(tf)))
    return dataset.map(lambda x: tf.parse_single_example(x, _features(tf)))


PIPELINES = {
    "sparse_tensors": lambda tf, _: _ds(tf).from_tensors((_matrix(tf), 3)),
    "sparse_slices": lambda tf, _: _slices(tf),
    "sparse_slices_of_a_value": lambda tf, _: _ds(tf).from_tensor_slices(
        tf.SparseTensorValue(np.array([[0, 0], [1, 1]]), np.array([1, 2]), np.array([2, 2]))
    ),
    "sparse_slices_beside": lambda tf, _: _ds(tf).from_tensor_slices(
        {"s": _matrix(tf), "d": np.arange(4)}
    ),
    "sparse_slices_of_other_lengths": lambda tf, _: _ds(tf).from_tensor_slices(
        (_matrix(tf), np.arange(3))
    ),
    "sparse_batch": lambda tf, _: _slices(tf).batch(3),
    "sparse_batch_whole": lambda tf, _: _slices(tf).batch(3, drop_remainder=True),
    "sparse_batch_twice": lambda tf, _: _slices(tf).batch(2).batch(2),
    "sparse_batch_of_lengths": lambda tf, _: _ds(tf).range(4).map(_of_length(tf)).batch(3),
    "sparse_padded_batch": lambda tf, _: _slices(tf).padded_batch(2, [3]),
    "sparse_unbatch": lambda tf, _: _slices(tf).batch(3).unbatch(),
    "sparse_unbatch_beside": lambda tf, _: _ds(tf).from_tensors(
        (_matrix(tf), np.arange(4))
    ).apply(tf.data.experimental.unbatch()),
    "sparse_unbatch_of_lengths": lambda tf, _: _ds(tf).range(4).map(_of_length(tf)).batch(
        3
    ).unbatch(),
    "sparse_map": lambda tf, _: _slices(tf).map(
        lambda s: (tf.sparse_tensor_to_dense(s), tf.SparseTensor(s.indices, s.values * 2,
                                                                 s.dense_shape))
    ),
    "sparse_map_parallel": lambda tf, _: _slices(tf).map(
        tf.sparse_tensor_to_dense, num_parallel_calls=2
    ),
    "sparse_flat_map": lambda tf, _: _slices(tf).flat_map(
        lambda s: _ds(tf).from_tensors(s).repeat(2)
    ),
    "sparse_interleave": lambda tf, _: _ds(tf).range(2).interleave(
        lambda i: _slices(tf), cycle_length=2
    ),
    "sparse_filter": lambda tf, _: _slices(tf).filter(lambda s: tf.size(s.values) > 0),
    "sparse_zip": lambda tf, _: _ds(tf).zip((_slices(tf), _ds(tf).range(9))),
    "sparse_concatenate": lambda tf, _: _slices(tf).concatenate(_slices(tf).take(1)),
    "sparse_shuffle": lambda tf, _: _slices(tf).shuffle(3, seed=4).repeat(2),
    "sparse_cache": lambda tf, _: _slices(tf).cache().repeat(2),
    "sparse_prefetch": lambda tf, _: _slices(tf).prefetch(2),
    "sparse_window": lambda tf, _: _slices(tf).window(2).flat_map(lambda w: w.batch(2)),
    "sparse_map_and_batch": lambda tf, _: _ds(tf).range(4).apply(
        tf.data.experimental.map_and_batch(_of_length(tf), 3)
    ),
    "sparse_scan": lambda tf, _: _slices(tf).apply(
        tf.data.experimental.scan(0.0, lambda total, s: (total + tf.reduce_sum(s.values),) * 2)
    ),
    "sparse_parsed_each": lambda tf, _: _parsed(tf, 0),
    "sparse_parsed_each_batched": lambda tf, _: _parsed(tf, 0).batch(3),
    "sparse_parsed_batch": lambda tf, _: _parsed(tf, 3),
    "sparse_through_rows": lambda tf, _: _ds(tf).from_tensors(
        tf.deserialize_many_sparse(tf.serialize_many_sparse(_matrix(tf)), tf.float32, rank=1)
    ),
}  # fmt: skip
