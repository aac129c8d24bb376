"""What a program fetches: any nesting of lists, tuples and dicts around elements of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfbuild_runtime.framework.composite import CompositeTensor
from tfbuild_runtime.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue

# Rebuilds a result from the flat list of fetched values.
Rebuild = Callable[[list[Any]], Any]
_NESTS = (list, tuple, Mapping, IndexedSlices, SparseTensor, CompositeTensor)


class Fetches:
    """The distinct tensors and operations of a nested fetch, and how its result is put together."""

    def __init__(self, graph: Any, fetches: Any) -> None:
        self._graph = graph
        self.tensors: list[Tensor] = []
        self.targets: list[Operation] = []
        self._places: dict[Tensor, int] = {}
        # Where a result is one element or a plain list of them, the index of the tensor at each
        # place, -1 for an operation; None for everything else, which `rebuild` puts together.
        self.places: int | list[int] | None = None
        try:
            self.rebuild = self._read(fetches)
        except RecursionError:
            raise ValueError(
                "The fetches are nested too deeply for Python's limit of calls in each other; "
                "fetch a flat list, or raise the limit by sys.setrecursionlimit"
            ) from None
        if type(fetches) is list and not any(isinstance(f, _NESTS) for f in fetches):
            self.places = [self._place_of(item) for item in fetches]
        elif not isinstance(fetches, _NESTS):
            self.places = self._place_of(fetches)

    def _place_of(self, fetch: Any) -> int:
        return self._places.get(self._graph.as_graph_element(fetch), -1)

    def _read(self, fetches: Any) -> Rebuild:
        if fetches is None:
            raise TypeError("Fetch argument None has invalid type <class 'NoneType'>")
        if isinstance(fetches, (list, tuple)):
            return self._read_sequence(fetches)
        if isinstance(fetches, Mapping):
            return self._read_mapping(fetches)
        if isinstance(fetches, IndexedSlices):
            return self._read_slices(fetches)
        if isinstance(fetches, SparseTensor):
            read = self._read_sequence(list(fetches.parts()))
            return lambda values: SparseTensorValue(*read(values))
        if isinstance(fetches, CompositeTensor):
            parts, whole = self._read_sequence(list(fetches.parts())), fetches
            return lambda values: whole.value_of(parts(values))
        return self._read_element(fetches)

    def _read_sequence(self, fetches: Any) -> Rebuild:
        parts = [self._read(item) for item in fetches]
        kind = type(fetches)
        if hasattr(kind, "_fields"):  # a named tuple takes its fields one by one
            return lambda values: kind(*[part(values) for part in parts])
        if kind is list:
            return lambda values: [part(values) for part in parts]
        return lambda values: kind([part(values) for part in parts])

    def _read_mapping(self, fetches: Any) -> Rebuild:
        parts = {key: self._read(item) for key, item in fetches.items()}
        kind = type(fetches)
        return lambda values: kind((key, part(values)) for key, part in parts.items())

    def _read_slices(self, slices: IndexedSlices) -> Rebuild:
        read = self._read_sequence(list(slices.parts()))
        return lambda values: IndexedSlicesValue(*[*read(values), None][:3])

    def _read_element(self, fetch: Any) -> Rebuild:
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a string or "
                f"Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            reason = error.args[0] if error.args else error
            raise ValueError(
                f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({reason})"
            ) from None
        if isinstance(element, Operation):
            self.targets.append(element)
            return lambda _: None
        place = self._places.setdefault(element, len(self.tensors))
        if place == len(self.tensors):
            self.tensors.append(element)
        return lambda values: values[place]
