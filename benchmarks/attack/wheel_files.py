"""Damaged wheels: bytes, the form of the zip file, and what is in it, packed well again."""

import io
import os
import random
import struct
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.mutations import NASTY, damaged
from benchmarks.attack.trial import Call

_MODES = (0o100644, 0o100755, 0o120777, 0o040755, 0o020666, 0o106777, 0o010644, 0)
_NAMES = (
    "../up.py", "/abs.py", "a\\b.py", "sitecustomize.py", "x.pth", "tiny_thing/\x00.py", "a//b",
    "d/", "./c.py", "é.so", "con", "tiny_thing/__init__.py", "lib.so", "x" * 4000, "",
)  # fmt: skip
_LINES = (
    "Requires-Dist: evil @ https://example.com/x.whl", "Name: other", "Version: 9", "Tag: py3", ":",
    "Requires-Python: >>3", "Metadata-Version: 99", "License-File: ../../x", "\x00", " x",
    "Requires-Dist: ;;", "Requires-Dist: a[b", "Provides-Extra: \u202e", "Dynamic: Name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WheelFiles:
    """Makes damaged wheels out of good ones, with the lock of one of them beside it."""

    samples: tuple[tuple[str, bytes], ...]
    command: str
    lock: bytes = b""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A damaged wheel in the folder."""
        name, good = chance.choice(self.samples)
        raw = chance.choice((_bytes, _ends, _numbers, _entries, _entries, _entries))(good, chance)
        if chance.random() < 0.03:
            name = chance.choice(
                (f"{name}.zip", "a.whl", "-".join(["a"] * 9) + ".whl", "é-1-py3-none-any.whl")
            )
        (folder / name).write_bytes(raw)
        if self.lock:
            (folder / name.replace(".whl", ".lock.yaml")).write_bytes(self.lock)
        more = ("--json",) if self.command == "audit" and chance.random() < 0.5 else ()
        return Call(words=(self.command, name, *more))


def _bytes(good: bytes, chance: random.Random) -> bytes:
    return damaged(good, chance)


def _ends(good: bytes, chance: random.Random) -> bytes:
    """Cut off, put behind something, or doubled."""
    cut = good[: chance.randrange(len(good))]
    return chance.choice((cut, b"#!/bin/sh\n" * 50 + good, good + good, good + cut, good[1:], b""))


def _numbers(good: bytes, chance: random.Random) -> bytes:
    """Another number in a header of the zip file."""
    data = bytearray(good)
    mark = chance.choice((b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"))
    places = [at for at in range(len(data) - 46) if data[at : at + 4] == mark]
    if places:
        at = chance.choice(places) + 4 + 2 * chance.randrange(21)
        number = chance.choice((0, 1, 0xFFFF, 0x7FFF, 8, 99, chance.randrange(65536)))
        struct.pack_into("<H", data, min(at, len(data) - 2), number)
    return bytes(data)


def _entries(good: bytes, chance: random.Random) -> bytes:
    """Entries changed, added, doubled or left out, in a whole zip file."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    for _ in range(chance.randint(1, 3)):
        _change_entries(entries, chance)
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as archive:
        warnings.simplefilter("ignore")  # it warns of names that are there already
        for info, raw in entries:
            archive.writestr(info, raw)
    return made.getvalue()


def _change_entries(entries: list[tuple[zipfile.ZipInfo, bytes]], chance: random.Random) -> None:
    if not entries:
        return
    at = chance.randrange(len(entries))
    info, raw = entries[at]
    match chance.randrange(8):
        case 0:
            del entries[at]
        case 1:
            entries.append((info, raw))
        case 2:
            entries.append((_named(chance.choice(_NAMES), chance), damaged(raw[:2000], chance)))
        case 3:
            entries[at] = (_named(info.filename, chance), raw)
        case 4 if info.filename.endswith(("METADATA", "WHEEL", "RECORD", "entry_points.txt")):
            entries[at] = (info, _lines(raw, chance))
        case 5 if raw[:4] == b"\x7fELF":
            entries[at] = (info, _elf(raw, chance))
        case 6:
            entries.append((_named("zeros.bin", chance), bytes(chance.choice((10, 3_000_000)))))
        case _:
            entries[at] = (info, damaged(raw, chance))


def _named(name: str, chance: random.Random) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = chance.choice(_MODES) << 16
    info.compress_type = chance.choice(
        (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2)
    )
    return info


def _lines(raw: bytes, chance: random.Random) -> bytes:
    """Another line, a line twice, a line less, or odd words in one."""
    lines = raw.decode("utf-8", "replace").splitlines()
    at = chance.randrange(len(lines) + 1)
    match chance.randrange(4):
        case 0:
            lines.insert(at, chance.choice(_LINES))
        case 1 if at < len(lines):
            lines.insert(at, lines[at])
        case 2 if at < len(lines):
            lines[at] = lines[at].partition(":")[0] + ": " + chance.choice(NASTY)
        case _:
            del lines[at : at + 1]
    return os.linesep.join(lines).encode("utf-8", "replace")


def _elf(raw: bytes, chance: random.Random) -> bytes:
    """Another number in the headers of an ELF file, or anywhere in it."""
    data = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        tables = int.from_bytes(data[40:48], "little") if len(data) > 48 else 0
        low, high = chance.choice(((16, 64), (64, 600), (tables, len(data)), (0, len(data))))
        at = chance.randrange(min(low, len(data) - 8), max(low, min(high, len(data) - 8)) + 1)
        at = min(at, len(data) - 8)
        size = chance.choice((1, 2, 4, 8))
        number = chance.choice((0, 1, 0xFF, (1 << 8 * size) - 1, (1 << 8 * size - 1) - 1))
        data[at : at + size] = (number & (1 << 8 * size) - 1).to_bytes(size, "little")
    return bytes(data)
