"""Nestings of lists, tuples and the like, of any depth: they are gone through without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

PartsOf = Callable[[Any], "Sequence[Any] | None"]


class _End:
    """What stands behind the parts of a value that are still to come."""

    __slots__ = ("count", "value")

    def __init__(self, value: Any, count: int) -> None:
        self.value = value
        self.count = count


def walk(value: Any, parts_of: PartsOf) -> Iterator[tuple[Any, int | None]]:
    """Yield each leaf with None and, behind its parts, each value that has some with their number.

    parts_of gives the parts of a value, None for a leaf. Raises ValueError where one holds itself.
    """
    inside: set[int] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if type(value) is _End:
            inside.remove(id(value.value))
            yield value.value, value.count
            continue
        parts = parts_of(value)
        if parts is None:
            yield value, None
            continue
        if id(value) in inside:
            raise ValueError("a structure cannot hold itself")
        inside.add(id(value))
        waiting.append(_End(value, len(parts)))
        waiting.extend(reversed(parts))


def leaves(value: Any, parts_of: PartsOf) -> Iterator[Any]:
    """Yield the leaves of a nesting in their order; see walk."""
    return (leaf for leaf, count in walk(value, parts_of) if count is None)


def rebuild(
    value: Any,
    parts_of: PartsOf,
    leaf: Callable[[Any], Any],
    whole: Callable[[Any, list[Any]], Any],
) -> Any:
    """Return the nesting with leaf(x) for each leaf and whole(x, parts) for what has parts."""
    made: list[Any] = []
    for part, count in walk(value, parts_of):
        if count is None:
            made.append(leaf(part))
        else:
            first = len(made) - count
            made[first:] = [whole(part, made[first:])]
    return made[0]


def text_of(value: Any) -> str:
    """Return value as an error shows it, also where it is nested too deeply for that."""
    try:
        return repr(value)
    except RecursionError:
        return f"a {type(value).__name__} of many in each other"
