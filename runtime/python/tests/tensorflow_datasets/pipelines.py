"""Input pipelines, each a function of tf and a folder, for TensorFlow and for the runtime alike."""

import os
import sys
import zlib
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import chosen_pipelines
import ragged_pipelines
import sparse_pipelines


def _ds(tf):
    return tf.data.Dataset


def _write(folder, name, data):
    path = Path(folder) / name
    path.write_bytes(data)
    return str(path)


def _records(tf, folder, name, records, kind=""):
    path = str(Path(folder) / name)
    compression = getattr(tf.python_io.TFRecordCompressionType, kind or "NONE")
    options = tf.python_io.TFRecordOptions(compression)
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return path


def _repeat_each(tf):
    return lambda x: _ds(tf).from_tensors(x).repeat(3)


def _as_text(tf, x):
    return tf.py_func(lambda v: b"%d" % v, [x], tf.string)


def _sparse_lengths(tf):
    return _ds(tf).range(1, 6).map(lambda x: tf.fill([tf.cast(x % 3 + 1, tf.int32)], x))


def _batched(size):
    return lambda window: window.batch(size)


def _captures(tf, y):
    return _ds(tf).range(3).map(lambda x: x + y)


def _fails_at_two(tf):
    def divide(x):
        return 12 // tf.cast(x - 2, tf.int32)

    return _ds(tf).range(5).map(divide)


def _generator(values):
    def generate():
        yield from values

    return generate


def _raising():
    yield 1
    yield 2
    raise ValueError("no more")


_LINES = b"one\ntwo\r\n\nfour"
_CSV = b'a,1,2.5\n"b,""x""",,3\nc,3,\n'

# Name -> what returns a dataset.
PIPELINES = {
    "range": lambda tf, _: _ds(tf).range(5),
    "range_steps": lambda tf, _: _ds(tf).range(10, 0, -3),
    "range_empty": lambda tf, _: _ds(tf).range(5, 2),
    "tensors": lambda tf, _: _ds(tf).from_tensors([1, 2]),
    "tensors_nested": lambda tf, _: _ds(tf).from_tensors((1.5, {"b": "x", "a": [1, 2]})),
    "slices": lambda tf, _: _ds(tf).from_tensor_slices([[1, 2], [3, 4]]),
    "slices_nested": lambda tf, _: _ds(tf).from_tensor_slices(([1, 2, 3], {"a": [4.0, 5.0, 6.0]})),
    "slices_strings": lambda tf, _: _ds(tf).from_tensor_slices(["a", "bc", ""]),
    "slices_array": lambda tf, _: _ds(tf).from_tensor_slices(np.arange(6.0).reshape(3, 2)),
    "slices_scalar": lambda tf, _: _ds(tf).from_tensor_slices(3),
    "slices_uneven": lambda tf, _: _ds(tf).from_tensor_slices(([1, 2], [1, 2, 3])),
    "map": lambda tf, _: _ds(tf).range(5).map(lambda x: x * 2),
    "map_two": lambda tf, _: _ds(tf).range(3).map(lambda x: (x, tf.cast(x, tf.float32) / 2)),
    "map_dict": lambda tf, _: _ds(tf).range(3).map(lambda x: {"z": x, "a": x + 1}),
    "map_of_tuple": lambda tf, _: _ds(tf).from_tensor_slices(([1, 2], [3, 4])).map(
        lambda a, b: a * b
    ),
    "map_of_dict": lambda tf, _: _ds(tf).from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(
        lambda d: d["a"] - d["b"]
    ),
    "map_captures": lambda tf, _: _captures(tf, tf.constant(10, tf.int64)),
    "map_list": lambda tf, _: _ds(tf).range(3).map(lambda x: [x, x]),
    "map_constant": lambda tf, _: _ds(tf).range(2).map(lambda x: 7),
    "map_strings": lambda tf, _: _ds(tf).range(3).map(lambda x: _as_text(tf, x)),
    "map_cond": lambda tf, _: _ds(tf).range(4).map(
        lambda x: tf.cond(x > 1, lambda: x * 10, lambda: x)
    ),
    "map_while": lambda tf, _: _ds(tf).range(4).map(
        lambda x: tf.while_loop(lambda i: i < 10, lambda i: i * 2 + 1, [x])
    ),
    "map_py_func": lambda tf, _: _ds(tf).range(4).map(
        lambda x: tf.py_func(lambda v: v * 3, [x], tf.int64)
    ),
    "map_parallel": lambda tf, _: _ds(tf).range(20).map(lambda x: x * x, num_parallel_calls=4),
    "map_parallel_autotune": lambda tf, _: _ds(tf).range(9).map(
        lambda x: -x, num_parallel_calls=tf.data.experimental.AUTOTUNE
    ),
    "map_parallel_py_func": lambda tf, _: _ds(tf).range(8).map(
        lambda x: tf.py_func(lambda v: v + 1, [x], tf.int64), num_parallel_calls=3
    ),
    "map_error": lambda tf, _: _fails_at_two(tf),
    "map_error_parallel": lambda tf, _: _ds(tf).range(5).map(
        lambda x: 12 // tf.cast(x - 2, tf.int32), num_parallel_calls=2
    ),
    "ignore_errors": lambda tf, _: _fails_at_two(tf).apply(tf.data.experimental.ignore_errors()),
    "map_random": lambda tf, _: _ds(tf).range(4).map(
        lambda x: tf.random_uniform([], 0, 1000, tf.int32, seed=3)
    ),
    "map_random_repeat": lambda tf, _: _ds(tf).range(4).map(
        lambda x: tf.random_uniform([2], seed=7)
    ).repeat(2),
    "batch": lambda tf, _: _ds(tf).range(5).batch(2),
    "batch_drop": lambda tf, _: _ds(tf).range(5).batch(2, drop_remainder=True),
    "batch_large": lambda tf, _: _ds(tf).range(3).batch(10),
    "batch_of_batch": lambda tf, _: _ds(tf).range(8).batch(2).batch(3),
    "batch_strings": lambda tf, _: _ds(tf).from_tensor_slices(["a", "b", "c"]).batch(2),
    "batch_zero": lambda tf, _: _ds(tf).range(5).batch(0),
    "batch_uneven": lambda tf, _: _sparse_lengths(tf).batch(2),
    "batch_nested": lambda tf, _: _ds(tf).from_tensor_slices(
        ([1, 2, 3], {"a": ["x", "y", "z"]})
    ).batch(2),
    "unbatch": lambda tf, _: _ds(tf).range(7).batch(3).apply(tf.data.experimental.unbatch()),
    "unbatch_scalars": lambda tf, _: _ds(tf).range(7).apply(tf.data.experimental.unbatch()),
    "padded_batch": lambda tf, _: _sparse_lengths(tf).padded_batch(2, [None]),
    "padded_batch_fixed": lambda tf, _: _sparse_lengths(tf).padded_batch(2, [4]),
    "padded_batch_small": lambda tf, _: _sparse_lengths(tf).padded_batch(2, [2]),
    "padded_batch_value": lambda tf, _: _sparse_lengths(tf).padded_batch(
        3, [None], padding_values=tf.constant(-1, tf.int64), drop_remainder=True
    ),
    "padded_batch_two": lambda tf, _: _ds(tf).range(1, 4).map(
        lambda x: (tf.fill([tf.cast(x, tf.int32), 2], x), tf.fill([tf.cast(x, tf.int32)], "s"))
    ).padded_batch(3, ([None, 3], [None])),
    "padded_batch_rank": lambda tf, _: _sparse_lengths(tf).padded_batch(2, [None, 2]),
    "shuffle": lambda tf, _: _ds(tf).range(20).shuffle(5, seed=1),
    "shuffle_all": lambda tf, _: _ds(tf).range(12).shuffle(100, seed=42),
    "shuffle_one": lambda tf, _: _ds(tf).range(5).shuffle(1, seed=1),
    "shuffle_zero": lambda tf, _: _ds(tf).range(5).shuffle(0, seed=1),
    "shuffle_fixed_repeat": lambda tf, _: _ds(tf).range(6).shuffle(
        4, seed=5, reshuffle_each_iteration=False
    ).repeat(3),
    "shuffle_repeat": lambda tf, _: _ds(tf).range(6).shuffle(4, seed=5).repeat(3),
    "repeat_shuffle": lambda tf, _: _ds(tf).range(6).repeat(3).shuffle(4, seed=5),
    "shuffle_and_repeat": lambda tf, _: _ds(tf).range(7).apply(
        tf.data.experimental.shuffle_and_repeat(3, 3, seed=9)
    ),
    "shuffle_and_repeat_all": lambda tf, _: _ds(tf).range(4).apply(
        tf.data.experimental.shuffle_and_repeat(100, 2, seed=9)
    ),
    "shuffle_batch_repeat": lambda tf, _: _ds(tf).range(10).shuffle(10, seed=3).batch(4).repeat(2),
    "repeat": lambda tf, _: _ds(tf).range(3).repeat(2),
    "repeat_none": lambda tf, _: _ds(tf).range(3).repeat(0),
    "repeat_for_ever": lambda tf, _: _ds(tf).range(3).repeat(),
    "repeat_for_ever_of_none": lambda tf, _: _ds(tf).range(0).repeat(),
    "take": lambda tf, _: _ds(tf).range(5).take(2),
    "take_more": lambda tf, _: _ds(tf).range(2).take(5),
    "take_all": lambda tf, _: _ds(tf).range(3).take(-1),
    "skip": lambda tf, _: _ds(tf).range(5).skip(3),
    "skip_all": lambda tf, _: _ds(tf).range(5).skip(-1),
    "shard": lambda tf, _: _ds(tf).range(7).shard(3, 1),
    "shard_wrong": lambda tf, _: _ds(tf).range(7).shard(3, 3),
    "concatenate": lambda tf, _: _ds(tf).range(2).concatenate(_ds(tf).range(5, 7)),
    "concatenate_types": lambda tf, _: _ds(tf).range(2).concatenate(_ds(tf).from_tensors("a")),
    "zip": lambda tf, _: _ds(tf).zip((_ds(tf).range(3), _ds(tf).range(10, 14))),
    "zip_nested": lambda tf, _: _ds(tf).zip({"a": _ds(tf).range(2), "b": (
        _ds(tf).range(2), _ds(tf).from_tensor_slices(["x", "y"]))}),
    "zip_list": lambda tf, _: _ds(tf).zip([_ds(tf).range(3)]),
    "enumerate": lambda tf, _: _ds(tf).from_tensor_slices(["a", "b"]).enumerate(5),
    "filter": lambda tf, _: _ds(tf).range(10).filter(lambda x: tf.equal(x % 3, 0)),
    "filter_two": lambda tf, _: _ds(tf).from_tensor_slices(([1, 2, 3], [3, 2, 1])).filter(
        lambda a, b: a < b
    ),
    "filter_none": lambda tf, _: _ds(tf).range(5).filter(lambda x: x > 100),
    "filter_no_bool": lambda tf, _: _ds(tf).range(5).filter(lambda x: x),
    "take_while": lambda tf, _: _ds(tf).range(10).apply(
        tf.data.experimental.take_while(lambda x: x < 4)
    ),
    "flat_map": lambda tf, _: _ds(tf).range(4).flat_map(lambda x: _ds(tf).range(x)),
    "flat_map_slices": lambda tf, _: _ds(tf).from_tensor_slices([[1, 2], [3, 4]]).flat_map(
        lambda row: _ds(tf).from_tensor_slices(row)
    ),
    "flat_map_nested": lambda tf, _: _ds(tf).range(3).flat_map(
        lambda x: _ds(tf).range(2).map(lambda y: x * 10 + y)
    ),
    "interleave": lambda tf, _: _ds(tf).range(4).interleave(_repeat_each(tf), 2, 1),
    "interleave_blocks": lambda tf, _: _ds(tf).range(5).interleave(_repeat_each(tf), 2, 2),
    "interleave_uneven": lambda tf, _: _ds(tf).range(1, 6).interleave(
        lambda x: _ds(tf).from_tensors(x).repeat(x), 3, 2
    ),
    "interleave_wide": lambda tf, _: _ds(tf).range(2).interleave(_repeat_each(tf), 9, 1),
    "interleave_parallel": lambda tf, _: _ds(tf).range(1, 7).interleave(
        lambda x: _ds(tf).from_tensors(x).repeat(x), 3, 2, num_parallel_calls=2
    ),
    "interleave_zero": lambda tf, _: _ds(tf).range(4).interleave(_repeat_each(tf), 0, 1),
    "parallel_interleave": lambda tf, _: _ds(tf).range(5).apply(
        tf.data.experimental.parallel_interleave(_repeat_each(tf), 2, 2)
    ),
    "prefetch": lambda tf, _: _ds(tf).range(5).prefetch(2),
    "prefetch_none": lambda tf, _: _ds(tf).range(5).prefetch(0),
    "prefetch_error": lambda tf, _: _fails_at_two(tf).prefetch(2),
    "prefetch_negative": lambda tf, _: _ds(tf).range(5).prefetch(-3),
    "map_and_batch": lambda tf, _: _ds(tf).range(7).apply(
        tf.data.experimental.map_and_batch(lambda x: x * x, 3, num_parallel_calls=2)
    ),
    "map_and_batch_drop": lambda tf, _: _ds(tf).range(7).apply(
        tf.data.experimental.map_and_batch(lambda x: (x, -x), 3, drop_remainder=True)
    ),
    "cache": lambda tf, _: _ds(tf).range(3).map(
        lambda x: tf.random_uniform([], 0, 1000, tf.int32, seed=3)
    ).cache().repeat(3),
    "cache_file": lambda tf, folder: _ds(tf).range(3).map(lambda x: (x, _as_text(tf, x))).cache(
        str(Path(folder) / "cache")
    ).repeat(2),
    "window_batch": lambda tf, _: _ds(tf).range(7).window(3).flat_map(_batched(3)),
    "window_shift": lambda tf, _: _ds(tf).range(6).window(3, shift=1).flat_map(_batched(3)),
    "window_stride": lambda tf, _: _ds(tf).range(9).window(
        2, shift=3, stride=2, drop_remainder=True
    ).flat_map(_batched(2)),
    "window_two": lambda tf, _: _ds(tf).zip(
        (_ds(tf).range(4), _ds(tf).range(4))
    ).window(2).flat_map(
        lambda a, b: _ds(tf).zip((a, b.map(lambda x: -x)))
    ),
    "window_zero": lambda tf, _: _ds(tf).range(7).window(0).flat_map(lambda w: w),
    "group_by_window": lambda tf, _: _ds(tf).range(10).apply(
        tf.data.experimental.group_by_window(lambda x: x % 3, lambda _, w: w.batch(10), 2)
    ),
    "bucket": lambda tf, _: _sparse_lengths(tf).apply(
        tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 3], [2, 2, 2])
    ),
    "scan": lambda tf, _: _ds(tf).range(5).apply(
        tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s * 10))
    ),
    "counter": lambda tf, _: tf.data.experimental.Counter(3, 2).take(3),
    "generator": lambda tf, _: _ds(tf).from_generator(_generator([1, 2, 3]), tf.int64, []),
    "generator_shapes": lambda tf, _: _ds(tf).from_generator(
        _generator([(1, [1.0, 2.0]), (2, [3.0])]), (tf.int32, tf.float32), ([], [None])
    ),
    "generator_args": lambda tf, _: _ds(tf).from_generator(
        lambda n: iter(range(n)), tf.int32, [], args=(3,)
    ),
    "generator_strings": lambda tf, _: _ds(tf).from_generator(_generator(["a", "é"]), tf.string),
    "generator_repeat": lambda tf, _: _ds(tf).from_generator(
        _generator([1, 2]), tf.int64
    ).repeat(2),
    "generator_raises": lambda tf, _: _ds(tf).from_generator(_raising, tf.int64),
    "generator_wrong_type": lambda tf, _: _ds(tf).from_generator(_generator(["x"]), tf.float32),
    "generator_wrong_shape": lambda tf, _: _ds(tf).from_generator(
        _generator([[1, 2]]), tf.int64, [3]
    ),
    "generator_no_function": lambda tf, _: _ds(tf).from_generator([1, 2], tf.int64),
    "lines": lambda tf, folder: tf.data.TextLineDataset(_write(folder, "lines", _LINES)),
    "lines_zlib": lambda tf, folder: tf.data.TextLineDataset(
        [_write(folder, "zlib", zlib.compress(_LINES))] * 2, "ZLIB"
    ),
    "lines_missing": lambda tf, folder: tf.data.TextLineDataset(str(Path(folder) / "none")),
    "lines_of_dataset": lambda tf, folder: tf.data.TextLineDataset(
        _ds(tf).from_tensors(_write(folder, "lines", _LINES)).repeat(2)
    ),
    "lines_no_compression": lambda tf, folder: tf.data.TextLineDataset(
        _write(folder, "lines", _LINES), "RAR"
    ),
    "fixed": lambda tf, folder: tf.data.FixedLengthRecordDataset(
        _write(folder, "fixed", b"HHaabbccF"), 2, 2, 1
    ),
    "records": lambda tf, folder: tf.data.TFRecordDataset(
        _records(tf, folder, "r", [b"a", b"", b"ccc"])
    ),
    "records_gzip": lambda tf, folder: tf.data.TFRecordDataset(
        _records(tf, folder, "r", [b"a", b"bb"], "GZIP"), "GZIP"
    ),
    "records_two_files": lambda tf, folder: tf.data.TFRecordDataset(
        [_records(tf, folder, "r", [b"a", b"b"]), _records(tf, folder, "s", [b"c"])]
    ),
    "records_parallel": lambda tf, folder: tf.data.TFRecordDataset(
        [_records(tf, folder, "r", [b"a", b"b"]), _records(tf, folder, "s", [b"c"])],
        num_parallel_reads=2,
    ),
    "records_damaged": lambda tf, folder: tf.data.TFRecordDataset(
        _write(folder, "damaged", b"\x01\0\0\0\0\0\0\0abcd")
    ),
    "csv": lambda tf, folder: tf.data.experimental.CsvDataset(
        _write(folder, "csv", _CSV), ["", tf.constant([7]), tf.constant([0.5], tf.float32)]
    ),
    "csv_columns": lambda tf, folder: tf.data.experimental.CsvDataset(
        _write(folder, "csv", b"x,y,z\n1,2,3\n4,5,6\n"), [tf.int64, tf.float32], header=True,
        select_cols=[0, 2]
    ),
    "csv_required": lambda tf, folder: tf.data.experimental.CsvDataset(
        _write(folder, "csv", b"1,\n"), [tf.int32, tf.int32]
    ),
    "list_files": lambda tf, folder: (_write(folder, "b.txt", b""), _write(folder, "a.txt", b""))
    and _ds(tf).list_files(str(Path(folder) / "*.txt"), shuffle=False).map(
        lambda name: tf.py_func(os.path.basename, [name], tf.string)
    ),
    "list_files_none": lambda tf, folder: _ds(tf).list_files(str(Path(folder) / "*.none")),
    "options": lambda tf, _: _ds(tf).range(3).with_options(tf.data.Options()),
    "apply_no_dataset": lambda tf, _: _ds(tf).range(3).apply(lambda d: 5),
    "whole": lambda tf, _: _ds(tf).from_tensor_slices((np.arange(40), np.arange(40) % 3)).shuffle(
        16, seed=2
    ).map(lambda x, y: (tf.cast(x, tf.float32) / 4, tf.one_hot(y, 3)), num_parallel_calls=2).batch(
        8
    ).repeat(2).prefetch(1),
    **sparse_pipelines.PIPELINES,
    **ragged_pipelines.PIPELINES,
    **chosen_pipelines.PIPELINES,
}  # fmt: skip

# As many elements of each are looked at.
LIMIT = 30


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):  # a sparse one is three arrays
        return [_plain(item) for item in value]
    if hasattr(value, "nested_row_splits"):
        return [_plain(part) for part in (value.flat_values, *value.nested_row_splits)]
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind == "S":
        texts = [item.decode("latin1") for item in array.ravel().tolist()]
        return {"dtype": "string", "shape": list(array.shape), "values": texts}
    values = [float(v) if array.dtype.kind == "f" else int(v) for v in array.ravel().tolist()]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}


def _shapes(shapes):
    if isinstance(shapes, dict):
        return {key: _shapes(item) for key, item in shapes.items()}
    if isinstance(shapes, tuple):
        return [_shapes(item) for item in shapes]
    return None if shapes.rank is None else shapes.as_list()


def _next(tf, session, element):
    """Return an element, or that it fails: what follows is read all the same."""
    try:
        return _plain(session.run(element))
    except tf.errors.InvalidArgumentError:
        return "InvalidArgumentError"


def read(tf, name, folder):
    """Return what a pipeline gives: its static shapes, its elements, and how it ended."""
    try:
        dataset = PIPELINES[name](tf, folder)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return {"fails": type(error).__name__}
    answer = {"shapes": _shapes(tf.data.get_output_shapes(dataset)), "elements": []}
    with tf.Session() as session:
        try:
            session.run(iterator.initializer)
            while len(answer["elements"]) < LIMIT:
                answer["elements"].append(_next(tf, session, element))
        except tf.errors.OpError as error:
            answer["ends"] = type(error).__name__
    return answer
