"""Losses and metrics of an epoch: of its batches, each as much as it counts."""

from __future__ import annotations

from typing import Any


class Means:
    """Losses and metrics of batches, as means over examples, over batches or by weights."""

    def __init__(self, measures: list[Any], by_examples: bool) -> None:
        self._names = [measure.name for measure in measures]
        self._by_examples = by_examples
        self._sums: list[Any] = [0.0] * len(measures)
        self._totals = [0.0] * len(measures)

    def add(self, found: list[Any], counts: list[Any], size: int) -> list[Any]:
        """Count a batch in; return its loss, and the metrics of all batches up to it."""
        for i, (value, count) in enumerate(zip(found, counts)):
            share = (size if self._by_examples else 1) if i == 0 else float(count)
            self._sums[i] = self._sums[i] + value * share
            self._totals[i] += share
        return [found[0], *list(self.logs().values())[1:]]

    @property
    def is_empty(self) -> bool:
        """Whether there was no batch."""
        return not any(self._totals)

    def logs(self) -> dict[str, Any]:
        """Return the means by their names."""
        every = zip(self._names, self._sums, self._totals)
        return {name: value / (total or 1.0) for name, value, total in every}


def is_due(epoch: int, freq: Any) -> bool:
    """Whether the epoch, counted from 1, is validated; raises ValueError for an odd frequency."""
    if isinstance(freq, int) and freq > 0:
        return epoch % freq == 0
    if not isinstance(freq, (list, tuple, set)):
        raise ValueError(f"`validation_freq` is a positive number or a list of epochs, not {freq}")
    return epoch in freq
