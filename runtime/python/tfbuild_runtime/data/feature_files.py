"""Datasets of batches of features, out of files of CSV or of Examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import csv_columns, experimental
from tfbuild_runtime.data.dataset import AUTOTUNE, Dataset
from tfbuild_runtime.data.readers import CsvDataset, TFRecordDataset
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.io import parsing
from tfbuild_runtime.platform import gfile

_COLUMN_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def make_csv_dataset(
    file_pattern: Any, batch_size: Any, column_names: Any = None, column_defaults: Any = None,
    label_name: str | None = None, select_columns: Any = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: Any = None,
    num_parallel_reads: int | None = None, sloppy: bool = False,
    num_rows_for_inference: int | None = 100, compression_type: str | None = None,
    ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    """Return batches of the rows of CSV files: a dictionary of columns, and a label if it is named.

    Names come from the header, types from the first rows, unless they are given. Raises ValueError
    for a pattern that no file fits, for names that are there twice or not at all, and for files
    that disagree.
    """
    files = _files_of(file_pattern)
    layout = csv_columns.Layout(
        field_delim, use_quote_delim, na_value, header, compression_type, encoding
    )
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = csv_columns.column_names(files, layout)
    names = list(column_names)
    if len(names) != len(set(names)):
        raise ValueError("Cannot have duplicate column names.")
    selected = _selected(select_columns, names)
    if column_defaults is None:
        column_defaults = csv_columns.column_defaults(
            files, layout, len(names), selected, num_rows_for_inference
        )
    defaults = [_default(value) for value in column_defaults]
    names = [names[place] for place in selected]
    if label_name is not None and label_name not in names:
        raise ValueError("`label_name` provided must be one of the columns.")

    def rows(path: Any) -> Dataset:
        made = CsvDataset(
            path, defaults, compression_type, None, header, field_delim, use_quote_delim,
            na_value, None if select_columns is None else selected,
        )  # fmt: skip
        return made.apply(experimental.ignore_errors()) if ignore_errors else made

    def features(*columns: Any) -> Any:
        found = dict(zip(names, columns))
        return found if label_name is None else (found, found.pop(label_name))

    dataset = _read(files, rows, num_parallel_reads, sloppy, shuffle, shuffle_seed)
    dataset = _rounds(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(features)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _selected(select_columns: Any, names: list[str]) -> list[int]:
    """Return the places of columns that are given by name or place; ValueError for others."""
    if select_columns is None:
        return list(range(len(names)))
    places = []
    for column in select_columns:
        if isinstance(column, str) and column not in names:
            raise ValueError(f"Value '{column}' for `select_columns` is not among the columns "
                             f"{names}")  # fmt: skip
        places.append(names.index(column) if isinstance(column, str) else column)
    if len(set(places)) != len(places):
        raise ValueError("`select_columns` contains duplicate columns.")
    if places and not 0 <= min(places) <= max(places) < len(names):
        raise ValueError(f"`select_columns` has columns beyond the {len(names)} that there are")
    return sorted(places)


def _default(value: Any) -> Any:
    """Return a default as CsvDataset takes it: without elements where the field must be there."""
    is_type = isinstance(value, (dtypes.DType, type))
    if is_type and dtypes.as_dtype(value) in _COLUMN_TYPES:
        return framework.constant([], dtypes.as_dtype(value))
    if framework.is_tensor_like(value):
        return value
    return framework.constant(value if isinstance(value, (list, tuple)) else [value])


def make_batched_features_dataset(
    file_pattern: Any, batch_size: Any, features: Any, reader: Any = None,
    label_key: str | None = None, reader_args: Any = None, num_epochs: int | None = None,
    shuffle: bool = True, shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None,
    prefetch_buffer_size: Any = None, reader_num_threads: int | None = None,
    parser_num_threads: int | None = None, sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:  # fmt: skip
    """Return batches of features that are parsed out of files of Examples, and a label if named.

    reader makes a dataset of strings of a file's name. Raises ValueError for a pattern that no file
    fits, and for a label that is no feature.
    """
    make = TFRecordDataset if reader is None else reader
    if label_key is not None and label_key not in features:
        raise ValueError(f"The `label_key` provided ({label_key!r}) must be one of the `features` "
                         f"keys: {list(features)}.")  # fmt: skip
    dataset = _read(
        _files_of(file_pattern), lambda path: make(path, *(reader_args or ())),
        reader_num_threads, sloppy_ordering, shuffle, shuffle_seed,
    )  # fmt: skip
    if isinstance(dataset.output_types, tuple):  # keys and records
        dataset = dataset.map(lambda _, value: value)
    dataset = _rounds(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> experimental.Transformation:
    """Return what parses batches of serialized Examples; ValueError without features."""
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    return lambda dataset: dataset.map(
        lambda serialized: parsing.parse_example(serialized, features),
        num_parallel_calls, deterministic,
    )  # fmt: skip


def _files_of(file_pattern: Any) -> list[str]:
    """Return the names that patterns fit, sorted; ValueError for none."""
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    if not patterns:
        raise ValueError("Argument `file_pattern` should not be empty.")
    found = [name for pattern in patterns for name in gfile.glob(pattern)]
    if not found:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return sorted(found)


def _read(
    files: list[str], make: Callable[[Any], Dataset], readers: int | None, sloppy: bool,
    shuffle: bool, seed: int | None,
) -> Dataset:  # fmt: skip
    names = Dataset.from_tensor_slices(files)
    if shuffle:
        names = names.shuffle(len(files), seed)
    return names.apply(experimental.parallel_interleave(make, readers or 1, sloppy=sloppy))


def _rounds(
    dataset: Dataset, num_epochs: int | None, shuffle: bool, buffer_size: int, seed: int | None
) -> Dataset:
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)
