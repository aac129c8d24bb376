"""What a session gives and takes for a ragged tensor: arrays; and what is alike in both."""

from __future__ import annotations

from typing import Any

import numpy as np


class NestedRows:
    """What ragged tensors of a graph and their values share: rows of values that may be rows."""

    _values: Any
    _row_splits: Any

    @property
    def values(self) -> Any:
        """The rows, one behind the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where each row begins, and behind them the number of values."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The values of the innermost ragged dimension."""
        inner = self._values
        return inner.flat_values if isinstance(inner, NestedRows) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged dimensions, the outermost first."""
        inner = self._values
        below = inner.nested_row_splits if isinstance(inner, NestedRows) else ()
        return (self._row_splits, *below)

    @property
    def ragged_rank(self) -> int:
        """How many ragged dimensions there are."""
        return len(self.nested_row_splits)


class RaggedTensorValue(NestedRows):
    """Row i has values[row_splits[i]:row_splits[i + 1]]; values may be ragged themselves.

    Raises TypeError for splits that are no vector of int32 or int64, and for values that are no
    array, ValueError where the splits of both are of two types.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        is_vector = isinstance(row_splits, np.ndarray) and row_splits.ndim == 1
        if not is_vector or row_splits.dtype not in (np.int32, np.int64):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if isinstance(values, RaggedTensorValue):
            if values.row_splits.dtype != row_splits.dtype:
                raise ValueError("row_splits and values.row_splits must have the same dtype")
        elif not isinstance(values, (np.ndarray, np.generic)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        self._values = values
        self._row_splits = row_splits

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes, None where rows have lengths of their own."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """Return the rows as nested lists."""
        inner = self._values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        splits = self._row_splits.tolist()
        return [rows[begin:end] for begin, end in zip(splits, splits[1:])]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
