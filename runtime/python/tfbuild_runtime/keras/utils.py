"""What programs do to arrays before a model sees them."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """Return classes as rows with a one each."""
    classes = np.asarray(y, dtype=int)
    shape = classes.shape[:-1] if classes.ndim > 1 and classes.shape[-1] == 1 else classes.shape
    flat = classes.ravel()
    count = num_classes or (int(flat.max()) + 1 if flat.size else 0)
    rows = np.zeros((len(flat), count), dtype=dtype)
    rows[np.arange(len(flat)), flat] = 1
    return rows.reshape(*shape, count)


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Return x with vectors along the axis of length 1."""
    lengths = np.atleast_1d(np.linalg.norm(x, order, axis))
    lengths[lengths == 0] = 1
    return x / np.expand_dims(lengths, axis)


def pad_sequences(sequences: Any, maxlen: int | None = None, dtype: Any = "int32",
                  padding: str = "pre", truncating: str = "pre",
                  value: Any = 0.0) -> Any:  # fmt: skip
    """Return sequences as rows of one length, cut and filled at the front or the end ('post')."""
    for what, side in (("Padding", padding), ("Truncating", truncating)):
        if side not in ("pre", "post"):
            raise ValueError(f'{what} type "{side}" not understood')
    lists = [list(sequence) for sequence in sequences]
    length = max((len(one) for one in lists), default=0) if maxlen is None else maxlen
    inner = next((np.shape(one)[1:] for one in lists if one), ())
    rows = np.full((len(lists), length, *inner), value, dtype=dtype)
    for row, one in zip(rows, lists):
        kept = one[-length:] if truncating == "pre" else one[:length]
        if kept and length:
            row[slice(-len(kept), None) if padding == "pre" else slice(len(kept))] = kept
    return rows


class Progbar:
    """Counts steps; it draws nothing."""

    def __init__(self, target: Any, width: int = 30, verbose: int = 1, interval: float = 0.05,
                 stateful_metrics: Any = None, unit_name: str = "step") -> None:  # fmt: skip
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics, self.unit_name = set(stateful_metrics or ()), unit_name
        self.current = 0

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Take note of a step."""
        del values, finalize  # what would be drawn
        self.current = current

    def add(self, n: int, values: Any = None) -> None:
        """Take note of some more steps."""
        self.update(self.current + n, values)
