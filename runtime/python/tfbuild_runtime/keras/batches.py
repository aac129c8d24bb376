"""Examples in batches: of arrays, of generators, of datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Arrays for a model's inputs and outputs, and for each output weights of the examples."""

    inputs: list[Any]
    wanted: list[Any]
    weights: list[Any]

    @property
    def size(self) -> int:
        """How many examples it has."""
        return len(self.inputs[0])

    def part(self, chosen: Any) -> Batch:
        """Return the chosen examples."""
        return Batch(*([None if one is None else one[chosen] for one in every] for every in self))


class Form:
    """What inputs and outputs are called, and how much examples of each class count."""

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str],
                 class_weight: Any = None) -> None:  # fmt: skip
        self._inputs, self._outputs = inputs, outputs
        self._class_weight = class_weight

    def batch(self, x: Any, y: Any = None, weights: Any = None) -> Batch:
        """Return what a program gave as arrays; raises ValueError and TypeError."""
        wanted = _arrays(y, self._outputs)
        found = self._each(weights, len(wanted), "sample_weight")
        classes = self._each(self._class_weight or None, len(wanted), "class_weight")
        both = [_weights(*one) for one in zip(wanted, found, classes)]
        return Batch(_arrays(x, self._inputs), wanted, both)

    def _each(self, given: Any, count: int, what: str) -> list[Any]:
        """Return one for each output."""
        by_class = what == "class_weight" and isinstance(given, dict)
        if isinstance(given, dict) and not (by_class and not set(given) & set(self._outputs)):
            return [given.get(name) for name in self._outputs]
        if given is None or count == 1:
            listed = isinstance(given, (list, tuple)) and len(given) == 1
            return [given[0] if listed and np.ndim(given[0]) else given] * count
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"The model has multiple outputs, so `{what}` should be either a list "
                            f"or a dict, not {type(given).__name__}")  # fmt: skip
        if len(given) != count:
            raise ValueError(f"`{what}` has {len(given)} entries for {count} outputs")
        return list(given)


def _weights(wanted: Any, given: Any, by_class: Any) -> Any:
    """Return how much each example counts, or None; raises ValueError for an unknown class."""
    weights = None if given is None else np.asarray(given, "float32")
    if weights is not None and weights.shape != wanted.shape[: weights.ndim]:
        raise ValueError(f"sample_weight of shape {weights.shape} is not for targets of shape "
                         f"{wanted.shape}")  # fmt: skip
    if not by_class:
        return weights
    if wanted.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    several = wanted.ndim > 1 and wanted.shape[-1] > 1
    classes = wanted.argmax(-1) if several else wanted.ravel()
    lost = {int(one) for one in classes} - set(by_class)
    if lost:
        raise ValueError("`class_weight` must contain all classes in the data. It lacks "
                         f"{sorted(lost)}")  # fmt: skip
    found = np.array([by_class[int(one)] for one in classes], "float32")
    return found if weights is None else found * weights


class Batches:
    """Arrays, cut into batches, in another order in each epoch.

    The loss of an epoch is a mean over examples. Where a number of steps was given, each of them
    takes all examples, and it is a mean over the steps.
    """

    trains_by_examples: bool
    tests_by_examples: bool
    ran_out = False  # whether there are no batches for another epoch

    def __init__(self, whole: Batch, size: int | None, listed: bool,
                 steps: int | None = None) -> None:  # fmt: skip
        self._whole, self._listed, self._steps = whole, listed, steps
        self.trains_by_examples = self.tests_by_examples = not steps
        counts = {len(one) for one in (*whole.inputs, *whole.wanted)}
        if len(counts) > 1:
            raise ValueError("All input arrays (x) and target arrays (y) should have the same "
                             f"number of samples, not {sorted(counts)}")  # fmt: skip
        self.count = counts.pop() if counts else 0
        self._size = size or max(1, self.count)

    def example(self) -> Any:
        """Return the inputs, as their shapes and types are those of every batch."""
        return self._whole.inputs if self._listed else self._whole.inputs[0]

    def split(self, share: float) -> tuple[Batches, Batches]:
        """Return the first examples, and the last ones of that share to validate with."""
        at = int(self.count * (1.0 - share))
        front, back = self._whole.part(slice(at)), self._whole.part(slice(at, None))
        return (Batches(front, self._size, self._listed, self._steps),
                Batches(back, self._size, self._listed, self._steps))  # fmt: skip

    def epoch(self, shuffle: bool) -> Iterator[Batch]:
        """Yield all batches."""
        if self._steps:
            yield from [self._whole] * self._steps
            return
        order = np.arange(self.count)
        if shuffle:
            np.random.shuffle(order)
        for begin in range(0, self.count, self._size):
            chosen = slice(begin, begin + self._size)
            yield self._whole.part(order[chosen] if shuffle else chosen)


class _Drawn(Batches):
    """Batches that a generator or a sequence makes, one after the other."""

    trains_by_examples, tests_by_examples = True, False

    def __init__(self, source: Any, steps: int | None, form: Form) -> None:
        self._source, self._steps, self._form = source, steps, form
        self._iterator = iter(source) if hasattr(source, "__next__") else None
        self._ahead: list[Batch] = []

    def example(self) -> Any:
        """Return the inputs of the first batch; raises ValueError where there is none."""
        if not self._ahead:
            first = next(self._all(), None)
            if first is None:
                raise ValueError("there is nothing to train on: the data has no batch")
            self._ahead.append(first)
        inputs = self._ahead[0].inputs
        return inputs if len(inputs) > 1 else inputs[0]

    def split(self, share: float) -> tuple[Batches, Batches]:
        """Raise ValueError: what is drawn has no last examples."""
        raise ValueError("validation_split is for arrays")

    def epoch(self, shuffle: bool) -> Iterator[Batch]:
        """Yield as many batches as an epoch has."""
        del shuffle  # their order is that of the source
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
        self.ran_out = self._ends(steps is not None and done < steps)

    def _ends(self, early: bool) -> bool:
        """Whether there are no batches for another epoch, now that there are no more."""
        return early or self._iterator is not None

    def _all(self) -> Iterator[Batch]:
        if self._iterator is None:
            return (self._taken(self._source[i]) for i in range(len(self._source)))
        return (self._taken(one) for one in self._iterator)

    def _taken(self, one: Any) -> Batch:
        return self._form.batch(*(one if isinstance(one, tuple) else (one,)))


class _OfDataset(_Drawn):
    """The batches of a dataset, which begins anew where no number of steps was given."""

    trains_by_examples = False

    def __init__(self, dataset: Any, steps: int | None, form: Form) -> None:
        super().__init__(dataset, steps, form)
        self._made = dataset.make_initializable_iterator()
        self._following = self._made.get_next()
        self._begun = False

    def _ends(self, early: bool) -> bool:
        return early

    def _all(self) -> Iterator[Batch]:
        from tfbuild_runtime.framework import errors
        from tfbuild_runtime.keras.values import get_session

        session = get_session()
        if not self._begun:
            session.run(self._made.initializer)
            self._begun = True
        while True:
            try:
                found = session.run(self._following)
            except errors.OutOfRangeError:
                self._begun = self._steps is not None
                return
            yield self._taken(found)


def batches_of(x: Any, y: Any, weights: Any, form: Form, size: int | None,
               steps: int | None) -> Batches:  # fmt: skip
    """Return the batches of arrays, or of what makes batches; raises ValueError without any."""
    if x is None:
        raise ValueError("there is nothing to train on: x is None")
    is_dataset = hasattr(x, "make_initializable_iterator")
    is_sequence = hasattr(x, "__getitem__") and hasattr(x, "on_epoch_end")
    if is_dataset or is_sequence or hasattr(x, "__next__"):
        for what, given in (("y", y), ("sample_weight", weights)):
            if given is not None:
                raise ValueError(f"`{what}` argument is not supported when x makes batches: they "
                                 "hold it")  # fmt: skip
        return (_OfDataset if is_dataset else _Drawn)(x, steps, form)
    whole = form.batch(x, y, weights)
    return Batches(whole, size, isinstance(x, (list, tuple, dict)), steps)


def _arrays(given: Any, names: Sequence[str]) -> list[Any]:
    """Return the arrays of a list, or of a dictionary in the order of names; raises ValueError.

    A list of numbers is one array.
    """
    if given is None:
        return []
    if isinstance(given, dict):
        if not names:
            raise NotImplementedError("a model that defines call takes a list of arrays, not a "
                                      "dictionary")  # fmt: skip
        for name in names:
            if name not in given:
                raise ValueError(f'No data provided for "{name}". Need data for each key in: '
                                 f"{list(names)}")  # fmt: skip
        return [np.asarray(given[name]) for name in names]
    listed = isinstance(given, (list, tuple)) and all(np.ndim(one) for one in given)
    return [np.asarray(one) for one in (given if listed else [given])]
