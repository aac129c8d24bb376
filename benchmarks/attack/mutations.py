"""Seeded damage: to bytes, to texts, and to documents of lists and mappings."""

import copy
import random
from collections.abc import Iterator
from typing import Any

NASTY = (
    "", " ", "\t", "0", "-1", "1e999", "9" * 400, "none", "any", "null", "true", "nan", "-0",
    "0x10", "1_000", "3.11", ">=3", "==", "<1,>2", "~=3", "1.0.post1", "1!2", "3.11.", "a" * 5000,
    "é" * 40, "\u202e\u0000".strip("\0"), "\x1b[31mred\x1b[0m", "{{ 7 * 7 }}", "${{ secrets.X }}",
    "$(id)", "`id`", "; id", "'", '"', "\\", "%s%n", "a\nb", "a\rb", "<script>",
    "[bold]", "[/]", "*", "?",
    "..", ".", "-", "--", "@file", "sm_", "sm_999", "RTX", "cp311", "1.2.3.4.5.6.7.8",
    "\u0663", "\ufeff",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1 << 62, 1.5, -1e300, "", [], {}, [[]], [None], {"": ""},
    "2026-02-31", "9999-99-99", "0" * 64, "sha256:", "/", "~", "http://", "http://[", "file:///",
    *NASTY,
)  # fmt: skip
_BITES = (b"", b"\0", b"\xff\xfe", b"\xc3(", b"\xed\xa0\x80", b"{" * 90, b"[" * 90, b"- " * 90,
          b"&a [*a,*a]", b"!!python/object:os.system", b"\\ud800", b"9" * 5000, b": ", b"\n---\n",
          b"\t", b"'", b'"', b"]", b"}", b"#", b"NaN", b"Infinity", b"<<: *a", b"=")  # fmt: skip


def damaged(raw: bytes, chance: random.Random) -> bytes:
    """The bytes with one to four changes: bits, runs, pieces of elsewhere, an early end."""
    data = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data) + 1)
        length = chance.choice((1, 2, 4, 8, 64, 512))
        match chance.randrange(8):
            case 0 if place < len(data):
                data[place] ^= 1 << chance.randrange(8)
            case 1 if place < len(data):
                data[place] = chance.choice((0, 1, 0x20, 0x7F, 0x80, 0xFF))
            case 2:
                del data[place : place + length]
            case 3:
                data[place:place] = chance.randbytes(length)
            case 4:
                data[place:place] = data[place : place + length] * chance.choice((1, 2, 50))
            case 5:
                other = chance.randrange(len(data) + 1)
                data[place:place] = data[other : other + length]
            case 6:
                data[place:place] = chance.choice(_BITES)
            case _ if chance.random() < 0.3:
                del data[place:]
            case _:
                data[place : place + length] = chance.randbytes(length)
    return bytes(data)


def changed(document: object, chance: random.Random) -> Any:  # noqa: ANN401  (any JSON value)
    """A copy of a document, well formed, in which one to three values, keys or items differ."""
    made = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        places = list(_places(made))
        if places:
            _change(*chance.choice(places), chance)
    return made


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or positions."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield value, key
            yield from _places(below)
    elif isinstance(value, list):
        for position, below in enumerate(value):
            yield value, position
            yield from _places(below)


def _change(container: Any, key: Any, chance: random.Random) -> None:  # noqa: ANN401
    old = container[key]
    match chance.randrange(7):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[chance.choice(NASTY)] = container.pop(key)
        case 2 if isinstance(container, list):
            container.extend([old] * chance.choice((1, 3, 200)))
        case 3 if isinstance(old, str) and old:
            container[key] = damaged(old.encode(), chance).decode("utf-8", "replace")
        case 4:
            container[key] = [old] if chance.random() < 0.5 else {"a": old}
        case 5 if isinstance(old, (int, float)) and not isinstance(old, bool):
            container[key] = chance.choice((-old, old * 1_000_000, old + 0.5, str(old)))
        case _:
            container[key] = copy.deepcopy(chance.choice(VALUES))
