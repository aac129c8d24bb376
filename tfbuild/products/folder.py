"""The files of a product's folder: what they are, and their text, read within limits."""

import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from tfbuild.core.any_tree import walk
from tfbuild.core.linear_patterns import LinearPattern, linear_pattern
from tfbuild.core.safe_files import read_bytes

LARGEST = 8 << 30  # bytes of a library
_LARGEST_TEXT = 8_000_000
_PROBED = 65536
ElfKind = Literal["", "object", "program", "shared"]
_KINDS: dict[int, ElfKind] = {1: "object", 2: "program", 3: "shared"}


def files_below(folder: Path) -> Iterator[str]:
    """Files and links, by their places in the folder, in order; a folder itself is none."""
    found = []
    for at, names, files in walk(folder):
        links = [name for name in names if Path(at, name).is_symlink()]
        found += [Path(at, name).relative_to(folder).as_posix() for name in (*files, *links)]
    return iter(sorted(found))


def elf_kind(path: Path) -> ElfKind:
    """What an ELF file is, by its first bytes; empty for a link and for no ELF file.

    A program that can lie anywhere counts as shared, as in the file itself.
    """
    begin = begin_of(path, 18)
    if not begin.startswith(b"\x7fELF"):
        return ""
    if len(begin) < 18:
        return "shared"  # as one of no known kind: whoever reads it whole says that it is broken
    order = ">" if begin[5] == 2 else "<"
    return _KINDS.get(struct.unpack_from(f"{order}H", begin, 16)[0], "shared")


def elf_files(folder: Path) -> tuple[str, ...]:
    """The libraries and programs in machine code, whatever their names."""
    return tuple(n for n in files_below(folder) if elf_kind(folder / n) in {"program", "shared"})


def begin_of(path: Path, count: int) -> bytes:
    """The first bytes of a file; none of a link and of what is no file."""
    if path.is_symlink() or not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(count)


def text_in(path: Path) -> str | None:
    """The text of a file, strange bytes kept as they are; None for a link and for other files."""
    if path.is_symlink() or b"\0" in begin_of(path, _PROBED):
        return None
    try:
        raw = read_bytes(path, _LARGEST_TEXT)
    except ValueError:
        return None
    return None if b"\0" in raw else raw.decode(errors="surrogateescape")


def write_text(path: Path, text: str) -> None:
    """Write what `text_in` gave, changed; who may execute it stays."""
    path.write_bytes(text.encode(errors="surrogateescape"))


def pattern_of(globs: Iterable[str]) -> LinearPattern:
    """An expression for places: * stays in one folder, ** does not, a folder has all below it."""
    ways = "|".join(_way(glob.strip("/")) for glob in globs if glob.strip("/"))
    return linear_pattern(rf"(?s)^(?:{ways})(?:/.*)?$" if ways else r"^\b$")


# --- inside ------------------------------------------------------------------------------------


def _way(glob: str) -> str:
    """The expression for one pattern."""
    pieces = re.findall(r"\*\*/|\*\*|.", glob, re.DOTALL)
    ways = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(ways.get(piece) or re.escape(piece) for piece in pieces)
