"""What a program fetches: any nesting of lists, tuples and dicts around elements of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfbuild_runtime.framework import nesting
from tfbuild_runtime.framework.composite import CompositeTensor
from tfbuild_runtime.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor, SparseTensorValue

# What makes a result of those of its parts.
_Make = Callable[[list[Any]], Any]
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
        # The leaves of the result and what is made of them, parts first: the place of a tensor (-1
        # for an operation) and None, or a number of parts and what makes a whole of them.
        self._order = [
            (self._place(part), None) if count is None else (count, _maker_of(part))
            for part, count in nesting.walk(fetches, _parts_of)
        ]
        if type(fetches) is list and not any(isinstance(f, _NESTS) for f in fetches):
            self.places = [self._place_of(item) for item in fetches]
        elif not isinstance(fetches, _NESTS):
            self.places = self._place_of(fetches)

    def _place_of(self, fetch: Any) -> int:
        return self._places.get(self._graph.as_graph_element(fetch), -1)

    def rebuild(self, values: list[Any]) -> Any:
        """Return the result of the fetched values, which are in the order of `tensors`."""
        made: list[Any] = []
        for number, make in self._order:
            if make is None:
                made.append(None if number < 0 else values[number])
            else:
                first = len(made) - number
                made[first:] = [make(made[first:])]
        return made[0]

    def _place(self, fetch: Any) -> int:
        if fetch is None:
            raise TypeError("Fetch argument None has invalid type <class 'NoneType'>")
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
            return -1
        place = self._places.setdefault(element, len(self.tensors))
        if place == len(self.tensors):
            self.tensors.append(element)
        return place


def _parts_of(fetches: Any) -> list[Any] | None:
    if isinstance(fetches, (list, tuple)):
        return list(fetches)
    if isinstance(fetches, Mapping):
        return list(fetches.values())
    if isinstance(fetches, (IndexedSlices, SparseTensor, CompositeTensor)):
        return list(fetches.parts())
    return None


def _maker_of(fetches: Any) -> _Make:
    kind = type(fetches)
    if isinstance(fetches, Mapping):
        keys = list(fetches)
        return lambda items: kind(zip(keys, items))
    if isinstance(fetches, IndexedSlices):
        return lambda items: IndexedSlicesValue(*[*items, None][:3])
    if isinstance(fetches, SparseTensor):
        return lambda items: SparseTensorValue(*items)
    if isinstance(fetches, CompositeTensor):
        return fetches.value_of
    if hasattr(kind, "_fields"):  # a named tuple takes its fields one by one
        return lambda items: kind(*items)
    return kind  # of a list or tuple
