"""Holds the outputs of one model against those of another build, number by number."""

import math
import struct
from collections.abc import Iterable, Iterator

# Two builds of one network add in other orders, with other instructions: what that leaves is small
# beside the largest number of an output, not beside each.
_OF_LARGEST, _ABSOLUTE = 1e-4, 1e-5
_STEPS = 1  # of quantised numbers, which are bytes
_FORMATS = {
    "float32": "f", "float64": "d", "float16": "e", "int8": "b", "uint8": "B", "int16": "h",
    "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "bool": "B",
}  # fmt: skip


def difference(ours: bytes, theirs: bytes, types: str) -> str:
    """The first difference that matters in words, or an empty string.

    types are those of theirs in their order, each with its bytes: float32:12,int8:4. Raises
    ValueError for types that are not of that form.
    """
    if len(ours) != len(theirs):
        return f"{len(ours)} bytes of outputs, LiteRT has {len(theirs)}"
    for where, one, other, is_close in _pairs(ours, theirs, types):
        if not is_close:
            return f"{where} is {one:g}, LiteRT has {other:g}"
    return ""


def count_numbers(types: str) -> int:
    """How many numbers outputs of these types hold."""
    return sum(size // struct.calcsize(_FORMATS[name]) for name, size in _read(types))


def _pairs(ours: bytes, theirs: bytes, types: str) -> Iterator[tuple[str, float, float, bool]]:
    at = 0
    for output, (name, size) in enumerate(_read(types)):
        mine, other = ours[at : at + size], theirs[at : at + size]
        at += size
        if mine == other:  # nothing to look at, however large
            continue
        code = _FORMATS[name]
        pairs = zip(_numbers(mine, code), _numbers(other, code), strict=True)
        if name.startswith("float"):
            slack = max(_ABSOLUTE, _OF_LARGEST * _largest(_numbers(other, code)))
            yield from (
                (f"number {n} of output {output}", a, b, _is_close(a, b, slack))
                for n, (a, b) in enumerate(pairs)
            )
        else:
            slack = _STEPS if size and struct.calcsize(code) == 1 and name != "bool" else 0
            yield from (
                (f"number {n} of output {output}", a, b, abs(a - b) <= slack)
                for n, (a, b) in enumerate(pairs)
            )


def _numbers(raw: bytes, code: str) -> Iterator[float]:
    return (number for (number,) in struct.iter_unpack(f"<{code}", raw))


def _largest(numbers: Iterable[float]) -> float:
    return max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)


def _is_close(one: float, other: float, slack: float) -> bool:
    both = math.isnan(one) and math.isnan(other)
    return both or math.isclose(one, other, rel_tol=0, abs_tol=slack)


def _read(types: str) -> Iterator[tuple[str, int]]:
    for word in filter(None, types.split(",")):
        name, _, size = word.partition(":")
        if name not in _FORMATS or not size.isdigit():
            raise ValueError(f"'{word}' is no type of numbers")
        yield name, int(size)
