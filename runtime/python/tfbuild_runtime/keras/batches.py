"""Examples in batches: of arrays, of generators, of datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Arrays for a model's inputs and outputs, and weights of the examples."""

    inputs: list[Any]
    wanted: list[Any]
    weights: Any

    @property
    def size(self) -> int:
        """How many examples it has."""
        return len(self.inputs[0])


class Batches:
    """Arrays, cut into batches, in another order in each epoch."""

    def __init__(self, inputs: Any, wanted: Any, weights: Any, size: int | None) -> None:
        self._inputs, self._wanted = _arrays(inputs), _arrays(wanted)
        self._weights = None if weights is None else np.asarray(weights, "float32")
        self._listed = isinstance(inputs, list)
        counts = {len(one) for one in (*self._inputs, *self._wanted)}
        if len(counts) > 1:
            raise ValueError("All input arrays (x) and target arrays (y) should have the same "
                             f"number of samples, not {sorted(counts)}")  # fmt: skip
        self.count = counts.pop() if counts else 0
        self._size = size or max(1, self.count)

    def example(self) -> Any:
        """Return the inputs, as their shapes and types are those of every batch."""
        return self._inputs if self._listed else self._inputs[0]

    def split(self, share: float) -> tuple[Batches, Any]:
        """Return the first examples, and the last ones of that share to validate with."""
        at = int(self.count * (1.0 - share))
        front, back = self._of(slice(at)), self._of(slice(at, None))
        first = Batches(front.inputs, front.wanted, front.weights, self._size)
        first._listed = self._listed
        return first, (back.inputs, back.wanted)

    def epoch(self, shuffle: bool) -> Iterator[Batch]:
        """Yield all batches."""
        order = np.arange(self.count)
        if shuffle:
            np.random.shuffle(order)
        for begin in range(0, self.count, self._size):
            chosen = slice(begin, begin + self._size)
            yield self._of(order[chosen] if shuffle else chosen)

    def _of(self, chosen: Any) -> Batch:
        weights = None if self._weights is None else self._weights[chosen]
        return Batch([x[chosen] for x in self._inputs], [y[chosen] for y in self._wanted], weights)


class _Drawn(Batches):
    """Batches that somebody else makes, one after the other."""

    def __init__(self, source: Any, steps: int | None) -> None:
        self._source, self._steps = source, steps
        self._iterator = iter(source) if not hasattr(source, "__getitem__") else None
        self._ahead: list[Batch] = []

    def example(self) -> Any:
        """Return the inputs of the first batch."""
        if not self._ahead:
            self._ahead.append(next(self._all()))
        inputs = self._ahead[0].inputs
        return inputs if len(inputs) > 1 else inputs[0]

    def split(self, share: float) -> tuple[Batches, Any]:
        """Raise ValueError: what is drawn has no last examples."""
        raise ValueError("validation_split is for arrays")

    def epoch(self, shuffle: bool) -> Iterator[Batch]:
        """Yield as many batches as an epoch has."""
        del shuffle
        steps = self._steps
        if steps is None and hasattr(self._source, "__len__"):
            steps = len(self._source)
        done = 0
        while self._ahead and (steps is None or done < steps):
            yield self._ahead.pop(0)
            done += 1
        for batch in self._all() if steps is None or done < steps else ():
            yield batch
            done += 1
            if steps is not None and done >= steps:
                return

    def _all(self) -> Iterator[Batch]:
        if self._iterator is None:
            return (_drawn(self._source[i]) for i in range(len(self._source)))
        return (_drawn(one) for one in self._iterator)


def _drawn(one: Any) -> Batch:
    parts = one if isinstance(one, tuple) else (one,)
    wanted = parts[1] if len(parts) > 1 else None
    return Batch(_arrays(parts[0]), _arrays(wanted), parts[2] if len(parts) > 2 else None)


def batches_of(x: Any, y: Any, weights: Any, class_weight: Any, size: int | None,
               steps: int | None) -> Batches:  # fmt: skip
    """Return the batches of arrays, or of what makes batches; raises ValueError without any."""
    if x is None:
        raise ValueError("there is nothing to train on: x is None")
    if hasattr(x, "make_one_shot_iterator"):
        return _Drawn(of_dataset(x), steps)
    if hasattr(x, "__next__") or (hasattr(x, "__getitem__") and hasattr(x, "on_epoch_end")):
        return _Drawn(x, steps)
    if class_weight:
        classes = np.asarray(y)
        classes = classes.argmax(-1) if classes.ndim > 1 and classes.shape[-1] > 1 else classes
        by_class = np.array([class_weight[int(one)] for one in classes.ravel()], "float32")
        weights = by_class if weights is None else by_class * np.asarray(weights)
    return Batches(x, y, weights, size)


def of_dataset(dataset: Any) -> Iterator[Any]:
    """Yield what a dataset holds, as arrays."""
    from tfbuild_runtime.framework import errors
    from tfbuild_runtime.keras.values import get_session

    following = dataset.make_one_shot_iterator().get_next()
    session = get_session()
    while True:
        try:
            yield session.run(following)
        except errors.OutOfRangeError:  # noqa: PERF203
            return


def _arrays(given: Any) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, dict):
        return [np.asarray(given[key]) for key in given]
    return [np.asarray(one) for one in (given if isinstance(given, (list, tuple)) else [given])]
