"""Pipelines of files of features, of choices between datasets, and of datasets within functions."""

import gzip
from pathlib import Path

import numpy as np

_ROWS = 'id,name,x,y\n1,"a,b",0.5,3\n2,,1.5,4\n3,c,,5\n4,d,2.5,\n5,e,1e3,7\n'


def _ds(tf):
    return tf.data.Dataset


def _files(folder):
    (Path(folder) / "a.csv").write_text(_ROWS)
    (Path(folder) / "b.csv").write_text("id,name,x,y\n6,f,0,3000000000\n")
    return str(Path(folder) / "*.csv")


def _csv(**options):
    def pipeline(tf, folder):
        pattern = _files(folder)
        given = {"num_epochs": 1, "shuffle": False, **options}
        if "column_defaults" in given:
            given["column_defaults"] = given["column_defaults"](tf)
        return tf.data.experimental.make_csv_dataset(pattern, 2, **given)

    return pipeline


def _packed(tf, folder):
    path = Path(folder) / "c.csv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n1\tx\n2.5\ty\n"))
    return tf.data.experimental.make_csv_dataset(
        str(path), 1, shuffle=False, num_epochs=1, compression_type="GZIP", field_delim="\t"
    )


def _examples(tf, folder, **options):
    path = str(Path(folder) / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(5):
            example = tf.train.Example()
            example.features.feature["n"].int64_list.value.append(number)
            example.features.feature["w"].bytes_list.value.extend([b"x"] * number)
            writer.write(example.SerializeToString())
    features = {"n": tf.FixedLenFeature([], tf.int64), "w": tf.FixedLenSequenceFeature(
        [], tf.string, allow_missing=True)}  # fmt: skip
    given = {"num_epochs": 1, "shuffle": False, **options}
    return tf.data.experimental.make_batched_features_dataset(path, 2, features, **given)


def _sums(tf):
    return lambda x: _ds(tf).range(x).reduce(np.int64(0), lambda a, b: a + b)


def _two(tf):
    return [_ds(tf).range(3), _ds(tf).range(10, 15)]


def _chosen(tf, choices, **options):
    choices = _ds(tf).from_tensor_slices(np.array(choices, "i8"))
    return tf.data.experimental.choose_from_datasets(_two(tf), choices, **options)


def _sampled(tf, *weights, **options):
    return tf.data.experimental.sample_from_datasets(_two(tf), *weights, seed=2, **options)


def _reducer(tf):
    return tf.data.experimental.Reducer(
        lambda key: (key, np.int64(0)), lambda state, x: (state[0], state[1] + x),
        lambda key, total: {"key": key, "total": total},
    )  # fmt: skip


PIPELINES = {
    "csv files": _csv(),
    "csv files, a label": _csv(label_name="y"),
    "csv files, no such label": _csv(label_name="z"),
    "csv files, some columns": _csv(select_columns=["x", "id"]),
    "csv files, some places": _csv(select_columns=[0, 3], label_name="y"),
    "csv files, twice": _csv(select_columns=[0, 0]),
    "csv files, no header": _csv(
        header=False, column_names=["p", "q", "r", "s"],
        column_defaults=lambda tf: [[""], [""], [""], [""]]),
    "csv files, neither": _csv(header=False),
    "csv files, same names": _csv(column_names=["a", "b", "c", "a"]),
    "csv files, types": _csv(column_defaults=lambda tf: [tf.int64, tf.string, [1.0], [9]]),
    "csv files, must be there": _csv(
        column_defaults=lambda tf: [tf.int64, [""], tf.float32, [9]], ignore_errors=True),
    "csv files, missing": _csv(na_value="c", num_rows_for_inference=2),
    "csv files, shuffled": _csv(shuffle=True, shuffle_seed=3, shuffle_buffer_size=4),
    "csv files, rounds": _csv(num_epochs=2),
    "csv files, packed": _packed,
    "csv files, none": lambda tf, folder: tf.data.experimental.make_csv_dataset(
        str(Path(folder) / "none*"), 2),
    "features": _examples,
    "features, a label": lambda tf, folder: _examples(tf, folder, label_key="n"),
    "features, whole batches": lambda tf, folder: _examples(tf, folder, drop_final_batch=True),
    "features, shuffled": lambda tf, folder: _examples(tf, folder, shuffle=True, shuffle_seed=5),
    "features, no such label": lambda tf, folder: _examples(tf, folder, label_key="z"),
    "parsed": lambda tf, folder: _ds(tf).from_tensors(
        [tf.train.Example().SerializeToString()] * 2).apply(
            tf.data.experimental.parse_example_dataset(
                {"a": tf.FixedLenFeature([], tf.int64, 7)})),
    "reduced in a function": lambda tf, folder: _ds(tf).range(5).map(_sums(tf)),
    "reduced windows": lambda tf, folder: _ds(tf).range(7).window(3).map(
        lambda rows: rows.reduce(np.int64(0), lambda a, b: a + b)),
    "by key": lambda tf, folder: _ds(tf).range(10).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 3, _reducer(tf))),
    "chosen": lambda tf, folder: _chosen(tf, [0, 1, 1, 0, 0, 0, 1, 1]),
    "chosen, to the first end": lambda tf, folder: _chosen(
        tf, [0, 1, 0, 0, 0, 1], stop_on_empty_dataset=True),
    "chosen, no such one": lambda tf, folder: _chosen(tf, [0, 2, 1]),
    "chosen, no number": lambda tf, folder: tf.data.experimental.choose_from_datasets(
        _two(tf), _ds(tf).from_tensors(1.0)),
    "sampled": lambda tf, folder: _sampled(tf),
    "sampled, by weights": lambda tf, folder: _sampled(tf, [0.2, 0.8]),
    "sampled, one of none": lambda tf, folder: _sampled(tf, [0.0, 1.0]),
    "sampled, by a dataset": lambda tf, folder: _sampled(
        tf, _ds(tf).from_tensors([0.5, 0.5]).repeat()),
    "sampled, other weights": lambda tf, folder: _sampled(tf, [0.5]),
    "buckets to their boundaries": lambda tf, folder: _ds(tf).range(1, 9).map(
        lambda x: (tf.fill([x], x), x)).apply(
            tf.data.experimental.bucket_by_sequence_length(
                lambda row, _: tf.size(row), [4, 10], [2, 2, 2], pad_to_bucket_boundary=True)),
    "random": lambda tf, folder: tf.data.experimental.RandomDataset(seed=4).take(3),
    "sparse rows": lambda tf, folder: _ds(tf).range(1, 4).map(
        lambda x: tf.fill([x], x)).apply(
            tf.data.experimental.dense_to_sparse_batch(2, [5])),
}  # fmt: skip
