"""Holds the outputs of one model against those of another build, number by number."""

import math
import struct
from collections.abc import Iterator

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5  # two builds of one kernel, with other instructions
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
    for number, (one, other, is_close) in enumerate(_pairs(ours, theirs, types)):
        if not is_close:
            return f"number {number} is {one:g}, LiteRT has {other:g}"
    return ""


def count_numbers(types: str) -> int:
    """How many numbers outputs of these types hold."""
    return sum(size // struct.calcsize(_FORMATS[name]) for name, size in _read(types))


def _pairs(ours: bytes, theirs: bytes, types: str) -> Iterator[tuple[float, float, bool]]:
    at = 0
    for name, size in _read(types):
        code = _FORMATS[name]
        step = struct.calcsize(code)
        slack = _STEPS if step == 1 and name != "bool" else 0
        layout = f"<{size // step}{code}"
        pairs = zip(
            struct.unpack_from(layout, ours, at),
            struct.unpack_from(layout, theirs, at),
            strict=True,
        )
        for one, other in pairs:
            yield one, other, _is_close(one, other) if name[0] == "f" else abs(one - other) <= slack
        at += size


def _is_close(one: float, other: float) -> bool:
    both = math.isnan(one) and math.isnan(other)
    return both or math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _read(types: str) -> Iterator[tuple[str, int]]:
    for word in filter(None, types.split(",")):
        name, _, size = word.partition(":")
        if name not in _FORMATS or not size.isdigit():
            raise ValueError(f"'{word}' is no type of numbers")
        yield name, int(size)
