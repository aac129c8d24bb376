"""Examples in batches: of arrays, of generators, of datasets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.platform import tf_logging

WHOLE = 1 << 62  # a size of batches: all examples in one
_ENDLESS = -1  # the cardinality of a dataset that repeats without end


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

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str] | None,
                 class_weight: Any = None) -> None:  # fmt: skip
        self._inputs, self._outputs = inputs, outputs
        self._class_weight = class_weight

    def batch(self, x: Any, y: Any = None, weights: Any = None) -> Batch:
        """Return what a program gave as arrays; raises ValueError and TypeError.

        What is only predicted with has no outputs: what is wanted of them is left out.
        """
        if self._outputs is None:
            return Batch(_arrays(x, self._inputs), [], [])
        wanted = _arrays(y, self._outputs)
        found = self._each(weights, len(wanted), "sample_weight")
        classes = self._each(self._class_weight or None, len(wanted), "class_weight")
        both = [_weights(*one) for one in zip(wanted, found, classes)]
        return Batch(_arrays(x, self._inputs), wanted, both)

    def _each(self, given: Any, count: int, what: str) -> list[Any]:
        """Return one for each output."""
        names = self._outputs or ()
        if isinstance(given, dict) and (what != "class_weight" or set(given) & set(names)):
            unknown = [key for key in given if key not in names]
            if unknown or not names:
                raise ValueError(f"Unknown entries in {what} dictionary: {unknown}. Only expected "
                                 f"following keys: {list(names)}")  # fmt: skip
            return [given.get(name) for name in names]
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
    if not isinstance(by_class, dict):
        raise TypeError("`class_weight` is a dictionary of classes and weights, not "
                        f"{type(by_class).__name__}")  # fmt: skip
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
    sets_validation_size = False  # whether arrays are validated in batches of its size

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

    @property
    def params(self) -> dict[str, Any]:
        """What callbacks are given of it."""
        size = None if self._steps else self._size
        return {"batch_size": size, "steps": self._steps, "samples": self._steps or self.count}

    def example(self) -> Any:
        """Return the inputs, as their shapes and types are those of every batch."""
        return self._whole.inputs if self._listed else self._whole.inputs[0]

    def split(self, share: float, steps: int | None) -> tuple[Batches, Batches]:
        """Return the first examples, and the last ones of that share to validate with."""
        at = int(self.count * (1.0 - share))
        front, back = self._whole.part(slice(at)), self._whole.part(slice(at, None))
        return (Batches(front, self._size, self._listed, self._steps),
                Batches(back, self._size, self._listed, steps))  # fmt: skip

    def restart(self) -> None:
        """Begin with the first batch again, where there is one."""

    def validate_in(self, size: int) -> None:
        """Test in batches of that size, each as much as any other: TensorFlow's, of generators."""
        self._size, self._steps, self.tests_by_examples = size, None, False

    def epoch(self, shuffle: bool | str) -> Iterator[Batch]:
        """Yield all batches, or all examples in each step; "batch" shuffles whole batches."""
        if self._steps:
            yield from [self._whole] * self._steps
            return
        order = np.arange(self.count)
        if shuffle == "batch":
            whole = self.count // self._size * self._size
            rows = order[:whole].reshape(-1, self._size)
            np.random.shuffle(rows)
            order = np.append(rows.ravel(), order[whole:])
        elif shuffle:
            np.random.shuffle(order)
        for begin in range(0, self.count, self._size):
            chosen = slice(begin, begin + self._size)
            yield self._whole.part(order[chosen] if shuffle else chosen)


class _Drawn(Batches):
    """Batches that a generator makes, one after the other."""

    trains_by_examples, tests_by_examples = True, False
    sets_validation_size = True

    def __init__(self, source: Any, steps: int | None, form: Form) -> None:
        self._source, self._steps, self._form = source, steps, form
        self._ahead: list[Batch] = []

    @property
    def params(self) -> dict[str, Any]:
        """What callbacks are given of it."""
        return {"batch_size": None, "steps": self._steps, "samples": self._steps}

    def example(self) -> Any:
        """Return the inputs of the first batch; raises ValueError where there is none."""
        if not self._ahead:
            first = next(self._all(), None)
            if first is None:
                raise ValueError("there is nothing to train on: the data has no batch")
            self._ahead.append(first)
        inputs = self._ahead[0].inputs
        return inputs if len(inputs) > 1 else inputs[0]

    def split(self, share: float, steps: int | None) -> tuple[Batches, Batches]:
        """Raise ValueError: what is drawn has no last examples."""
        raise ValueError("validation_split is for arrays")

    def validate_in(self, size: int) -> None:
        """Keep the sizes of the batches: their maker chose them."""

    def epoch(self, shuffle: bool | str) -> Iterator[Batch]:
        """Yield as many batches as an epoch has, in the order of their maker."""
        del shuffle
        done = 0
        while self._ahead and (self._steps is None or done < self._steps):
            yield self._ahead.pop(0)
            done += 1
        for batch in self._all() if self._steps is None or done < self._steps else ():
            yield batch
            done += 1
            if self._steps is not None and done >= self._steps:
                return
        self.ran_out = self._ends(self._steps is not None and done < self._steps)

    def _ends(self, early: bool) -> bool:
        """Whether there are no batches for another epoch, now that there are no more."""
        del early
        return True

    def _all(self) -> Iterator[Batch]:
        return (self._taken(one) for one in self._source)

    def _taken(self, one: Any) -> Batch:
        parts = one if isinstance(one, tuple) else (one,)
        if not 1 <= len(parts) <= 3:
            raise ValueError("Output of generator should be a tuple of 1 or 2 or 3 elements: "
                             "(input,) or (input, target) or (input, target, sample_weights), not "
                             f"{len(parts)}")  # fmt: skip
        return self._form.batch(*parts)


class _OfSequence(_Drawn):
    """The batches of a keras.utils.Sequence, in another order each time where they are shuffled."""

    def __init__(self, source: Any, steps: int | None, form: Form) -> None:
        super().__init__(source, steps or len(source), form)
        self._every = list(range(len(source)))
        self._order: list[int] = []
        self._used = False

    def restart(self) -> None:
        """Begin with the first batch again."""
        self._order, self._used = [], False

    def epoch(self, shuffle: bool | str) -> Iterator[Batch]:
        """Yield as many batches as an epoch has; an epoch may end within the sequence."""
        for _ in range(self._steps or 0):
            if not self._order:
                if self._used:
                    self._source.on_epoch_end()
                if shuffle:
                    random.shuffle(self._every)
                self._order, self._used = list(self._every), True
            yield self._taken(self._source[self._order.pop(0)])

    def _all(self) -> Iterator[Batch]:
        return (self._taken(self._source[i]) for i in range(len(self._source)))


class _OfDataset(_Drawn):
    """The batches of a dataset, which begins anew where no number of steps was given."""

    _known_steps: int | None = None
    trains_by_examples = sets_validation_size = False

    def __init__(self, dataset: Any, steps: int | None, form: Form) -> None:
        super().__init__(dataset, steps, form)
        self._made = dataset.make_initializable_iterator()
        self._following = self._made.get_next()
        self._begun = self._used = False

    def count_steps(self, steps_name: str) -> None:
        """Take the steps that the dataset has, where it knows; raises ValueError for no end."""
        from tfbuild_runtime.keras.values import get_session

        found = int(get_session().run(self._source.cardinality()))
        if found == _ENDLESS:
            raise ValueError("When passing an infinitely repeating dataset, you must specify the "
                             f"`{steps_name}` argument.")  # fmt: skip
        self._known_steps = found if found >= 0 else None

    @property
    def params(self) -> dict[str, Any]:
        """What callbacks are given of it."""
        steps = self._steps or self._known_steps
        return {"batch_size": None, "steps": steps, "samples": steps}

    def restart(self) -> None:
        """Begin with the first batch again."""
        if self._used:
            self._begun, self._ahead = False, []

    def epoch(self, shuffle: bool | str) -> Iterator[Batch]:
        """Yield as many batches as an epoch has, in the order of the dataset."""
        self._used = True
        return super().epoch(shuffle)

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


def is_drawn(x: Any) -> bool:
    """Whether that is no array, but makes batches."""
    return is_dataset(x) or _is_sequence(x) or hasattr(x, "__next__")


def is_dataset(x: Any) -> bool:
    """Whether that is a tf.data.Dataset."""
    return hasattr(x, "make_initializable_iterator")


def _is_sequence(x: Any) -> bool:
    return hasattr(x, "__getitem__") and hasattr(x, "on_epoch_end")


def one_by_one(x: Any, workers: int, use_multiprocessing: bool) -> None:
    """Warn where others should make the batches: they are drawn here, as they are needed."""
    if is_drawn(x) and not is_dataset(x) and (use_multiprocessing or workers > 1):
        tf_logging.warning("workers=%s, use_multiprocessing=%s: batches are made one after the "
                           "other, in this process", workers, use_multiprocessing)  # fmt: skip


def batches_of(x: Any, y: Any, weights: Any, form: Form, size: int | None,
               steps: int | None, steps_name: str = "steps") -> Batches:  # fmt: skip
    """Return the batches of arrays, or of what makes batches; raises ValueError without any."""
    if x is None:
        raise ValueError("there is nothing to train on: x is None")
    if not is_drawn(x):
        whole = form.batch(x, y, weights)
        return Batches(whole, size or 32, isinstance(x, (list, tuple, dict)), steps)
    own_size = size if size != WHOLE else None
    for what, given in (("y", y), ("sample_weight", weights), ("batch_size", own_size)):
        if given is not None:
            raise ValueError(f"`{what}` argument is not supported when x makes batches: they "
                             "hold it")  # fmt: skip
    if is_dataset(x):
        found = _OfDataset(x, steps, form)
        if not steps and size != WHOLE:
            found.count_steps(steps_name)
        return found
    if _is_sequence(x):
        return _OfSequence(x, steps, form)
    if steps is None and size != WHOLE:
        raise ValueError(f"Please specify the number of steps via the `{steps_name}` argument.")
    return _Drawn(x, steps, form)


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
