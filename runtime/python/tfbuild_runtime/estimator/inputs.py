"""Input functions that feed arrays: tf.estimator.inputs.numpy_input_fn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbuild_runtime.estimator.estimator import INPUT_HOOKS
from tfbuild_runtime.framework import errors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.train.basic_hooks import FeedFnHook


def numpy_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1,
                   shuffle: bool | None = None, queue_capacity: int = 1000,
                   num_threads: int = 1) -> Callable[[], Any]:  # fmt: skip
    """Return an input function that gives batches of arrays, some times over all or for ever.

    Raises ValueError without a choice whether to shuffle, or for arrays of different lengths.
    """
    if not isinstance(shuffle, bool):
        raise ValueError("shuffle must be provided and explicitly set as boolean")
    del queue_capacity, num_threads
    features = x if isinstance(x, dict) else {"": x}
    arrays = [
        *features.values(),
        *([] if y is None else y.values() if isinstance(y, dict) else [y]),
    ]
    if len({len(array) for array in arrays}) != 1:
        raise ValueError("Length of tensors in x and y is mismatched.")

    def input_fn() -> Any:
        places = [_placeholder(np.asarray(array)) for array in arrays]
        batches = _batches(len(arrays[0]), batch_size, num_epochs, shuffle)

        def feed() -> dict[Any, Any]:
            chosen = next(batches, None)
            if chosen is None:
                raise errors.OutOfRangeError(None, None, "the arrays have ended")
            return {p: np.asarray(array)[chosen] for p, array in zip(places, arrays)}

        framework.add_to_collection(INPUT_HOOKS, FeedFnHook(feed))
        named = dict(zip(features, places))
        given = named if isinstance(x, dict) else named[""]
        if y is None:
            return given
        rest = places[len(features) :]
        return given, dict(zip(y, rest)) if isinstance(y, dict) else rest[0]

    return input_fn


def _placeholder(array: Any) -> Any:
    return creation_ops.placeholder(array.dtype, [None, *array.shape[1:]])


def _batches(count: int, size: int, epochs: int | None, shuffle: bool) -> Iterator[Any]:
    """Yield the numbers of the examples of each batch; only the last may be smaller."""
    random, left = np.random.RandomState(), np.zeros([0], np.int64)
    epoch = 0
    while epochs is None or epoch < epochs:
        order = random.permutation(count) if shuffle else np.arange(count)
        left = np.concatenate([left, order])
        while len(left) >= size:
            yield left[:size]
            left = left[size:]
        epoch += 1
    if len(left):
        yield left


def pandas_input_fn(x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1,
                    shuffle: bool | None = None, queue_capacity: int = 1000, num_threads: int = 1,
                    target_column: str = "target") -> Callable[[], Any]:  # fmt: skip
    """Return an input function that gives batches of the columns of a DataFrame, by their names.

    y is a Series, or a DataFrame, which is given by its columns. Raises ValueError without a choice
    whether to shuffle, for a feature called as the target, and for other rows than x has.
    """
    if target_column in x:
        raise ValueError(f"Cannot use name {target_column} for target column: DataFrame already "
                         "has a column with that name.")  # fmt: skip
    labels = y
    if y is not None:
        if not np.array_equal(x.index, y.index):
            raise ValueError("Index for x and y are mismatched.")
        is_frame = hasattr(y, "columns")
        labels = {name: y[name].to_numpy() for name in y.columns} if is_frame else y.to_numpy()
    features = {name: x[name].to_numpy() for name in x.columns}
    return numpy_input_fn(features, labels, batch_size, num_epochs, shuffle, queue_capacity,
                          num_threads)  # fmt: skip
