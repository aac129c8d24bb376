"""Records to plain data and back, for JSON files: reports, plans and remembered results.

By hand, because the libraries tried are less strict with frozen dataclasses: msgspec drops fields
that it does not know (docs/pages/explanation/decisions.md has its measurements), cattrs makes '3'
of 3, and pydantic takes 0.13 s to import.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def to_plain(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """The record as mappings, lists and plain values, which json can write."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def from_plain(kind: type[Record], data: object, *, name: str = "") -> Record:
    """The record of that kind; ValueError names the first place where data has not its shape.

    A kind may also be a plain value, a tuple or a dictionary with texts as keys. The place begins
    with name, else with the kind's own.
    """
    result: Record = _read(kind, data, name or kind.__name__)
    return result


def _read(hint: Any, data: Any, where: str) -> Any:  # noqa: ANN401  (follows the type hint)
    if is_dataclass(hint):
        return _read_record(hint, data, where)
    origin = get_origin(hint)
    if origin is tuple:
        return _read_tuple(get_args(hint), data, where)
    if origin is dict:
        _expect(isinstance(data, dict), data, where)
        (_, value) = get_args(hint)
        return {name: _read(value, data[name], f"{where}.{name}") for name in data}
    if origin is UnionType:
        return _read_one_of(get_args(hint), data, where)
    if origin is Literal:
        _expect(data in get_args(hint), data, where)
        return data
    accepted = {Path: (str,), float: (int, float)}.get(hint, (hint,))
    # No isinstance: true is no whole number here.
    _expect(type(data) in accepted, data, where)
    return hint(data)


@cache
def _hints_of(kind: Any) -> dict[str, Any]:  # noqa: ANN401
    return get_type_hints(kind)


def _read_record(hint: Any, data: Any, where: str) -> Any:  # noqa: ANN401
    _expect(isinstance(data, dict), data, where)
    hints = _hints_of(hint)
    unknown = set(data) - set(hints)
    _expect(not unknown, sorted(unknown), where)
    try:
        return hint(**{name: _read(hints[name], data[name], f"{where}.{name}") for name in data})
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from error


def _read_tuple(hints: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:  # noqa: ANN401
    _expect(isinstance(data, list), data, where)
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = hints[:1] * len(data)
    _expect(len(hints) == len(data), data, where)
    pairs = zip(hints, data, strict=True)
    return tuple(_read(hint, item, f"{where}[{i}]") for i, (hint, item) in enumerate(pairs))


def _read_one_of(hints: tuple[Any, ...], data: Any, where: str) -> Any:  # noqa: ANN401
    """The record of the first kind whose shape data has: of no two kinds is it the same."""
    for hint in hints:
        try:
            return _read(hint, data, where)
        except ValueError:
            continue
    names = ", ".join(hint.__name__ for hint in hints)
    raise ValueError(f"{where}: it is none of {names}")


def _expect(held: bool, data: object, where: str) -> None:  # noqa: FBT001
    if not held:
        raise ValueError(f"{where}: unexpected {data!r}")
