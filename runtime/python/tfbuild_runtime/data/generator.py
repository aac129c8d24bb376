"""Datasets of what a Python generator gives."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbuild_runtime.data import specs, structure
from tfbuild_runtime.data.building import derived
from tfbuild_runtime.data.user_function import plain_function, types_of_captures
from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import host_ops


class _Running:
    """The generators that are being read, each by its number."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._running: dict[int, Any] = {}

    def start(self, iterator: Any) -> int:
        with self._lock:
            number = next(self._numbers)
            self._running[number] = iterator
        return number

    def next(self, number: int) -> Any:
        return next(self._running[number])

    def end(self, number: int) -> None:
        with self._lock:
            iterator = self._running.pop(number, None)
        if hasattr(iterator, "close"):
            iterator.close()


def from_generator(generator: Callable[..., Any], spec: Any, args: Any, name: str | None) -> Any:
    """Return a dataset of elements as spec says; raises TypeError when generator is no function."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    args = tuple(framework.convert_to_tensor(value) for value in args or ())
    leaves = structure.flatten(spec)
    running = _Running()
    state = specs.TensorSpec((), dtypes.int64)

    def start(*tensors: Any) -> list[Any]:
        def begin(*values: Any) -> Any:
            return np.int64(running.start(iter(generator(*values))))

        return [host_ops.py_func(begin, list(tensors) or list(args), dtypes.int64)]

    def read(number: Any) -> list[Any]:
        def one(value: Any) -> list[Any]:
            return _flat_element(running.next(int(value)), spec, leaves)

        parts = [part for leaf in leaves for part in leaf.parts]
        outputs = list(host_ops.py_func(one, [number], [part.dtype for part in parts]))
        for output, part in zip(outputs, parts):
            output.set_shape(part.shape)
        given = iter(outputs)
        return [leaf.encode(leaf.of_parts([next(given) for _ in leaf.parts])) for leaf in leaves]

    def end(number: Any) -> list[Any]:
        def close(value: Any) -> Any:
            running.end(int(value))
            return np.int64(0)

        return [host_ops.py_func(close, [number], dtypes.int64)]

    init = plain_function(start, "generator_init", [])
    following = plain_function(read, "generator_next", [state])
    finish = plain_function(end, "generator_finalize", [state])
    attrs: dict[str, Any] = {}
    for name_of, made in (("init", init), ("next", following), ("finalize", finish)):
        attrs[f"{name_of}_func"] = made.name
        attrs[f"T{name_of}_func_args"] = types_of_captures(made)
    inputs = [init.captures, following.captures, finish.captures]
    return derived("GeneratorDataset", inputs, spec, name, attrs)


def _flat_element(element: Any, spec: Any, leaves: list[Any]) -> list[Any]:
    """Return an element's values as arrays; raises TypeError where they are not as spec says."""
    try:
        flat = structure.flatten_up_to(spec, element)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {structure.types_of(spec)}, but the yielded element was "
            f"{element}."
        ) from None
    arrays = []
    for value, leaf in zip(flat, leaves):
        try:
            parts = [_array(*pair) for pair in zip(leaf.arrays(value), leaf.parts)]
        except (AttributeError, TypeError, ValueError):
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected "
                f"type. The expected type was {leaf.dtype.name}, but the yielded element was "
                f"{value}."
            ) from None
        for array, part in zip(parts, leaf.parts):
            if not part.shape.is_compatible_with(tensor_shape.TensorShape(np.shape(array))):
                raise TypeError(
                    f"`generator` yielded an element of shape {np.shape(array)} where an element "
                    f"of shape {part.shape} was expected."
                )
        arrays += parts
    return arrays


def _array(value: Any, part: Any) -> Any:
    kind = object if part.dtype == dtypes.string else part.dtype.as_numpy_dtype
    return np.asarray(value, dtype=kind)
