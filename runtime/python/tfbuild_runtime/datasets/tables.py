"""tf.contrib.learn.datasets.base: tables of numbers out of CSV files."""

from __future__ import annotations

import csv
from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.datasets.mnist import Datasets
from tfbuild_runtime.platform.gfile import GFile


class Dataset(NamedTuple):
    """The features [rows, columns] and the target [rows] of a table."""

    data: Any
    target: Any


def load_csv_with_header(filename: Any, target_dtype: Any, features_dtype: Any,
                         target_column: int = -1) -> Dataset:  # fmt: skip
    """Return the table of a file whose first line begins with the numbers of rows and features.

    Raises ValueError where the lines are not as many, or as long, as it says.
    """
    with GFile(filename) as file:
        lines = csv.reader(file)
        head = next(lines, [])
        if len(head) < 2:
            raise ValueError(f"{filename} has no line with the numbers of its rows and columns")
        rows, columns = int(head[0]), int(head[1])
        table = _table(lines, target_dtype, features_dtype, target_column)
    if table.data.shape != (rows, columns):
        raise ValueError(f"{filename} has {table.data.shape} features, not {(rows, columns)}")
    return table


def load_csv_without_header(filename: Any, target_dtype: Any, features_dtype: Any,
                            target_column: int = -1) -> Dataset:  # fmt: skip
    """Return the table of a file of numbers alone."""
    with GFile(filename) as file:
        return _table(csv.reader(file), target_dtype, features_dtype, target_column)


def _table(lines: Any, target_dtype: Any, features_dtype: Any, target_column: int) -> Dataset:
    rows = [list(line) for line in lines if line]
    target = [line.pop(target_column) for line in rows]
    data = np.array(rows, dtype=features_dtype)
    return Dataset(data.reshape(len(rows), -1), np.array(target, dtype=target_dtype))


__all__ = ["Dataset", "Datasets", "load_csv_with_header", "load_csv_without_header"]
