"""Archives that are small and ask for much: room on the disk, time, memory, places outside.

They are unpacked as `tfbuild audit` and `--source` do it, and what then lies there is looked at.
"""

import io
import os
import random
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.mutations import damaged
from benchmarks.attack.trial import Call
from tfbuild.core.errors import TfbuildError
from tfbuild.inputs.unpack import unpack_source

_MOST_BYTES, _MOST_MEMBERS = 16 << 20, 4000
_OVER = 2  # times as much as was allowed is a fault: folders are larger on some disks
_ENDS = ("a", "..", "../..", "/etc", "d/../a", "l0", "l1", "../../victim", "x/" * 90 + "a", ".")

Entry = tuple[str, bytes, bytes, str]  # its name, kind and content, and what a link leads to


@dataclass(frozen=True, slots=True)
class Archives:
    """Makes such archives; the word of the call is the name of one."""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """An archive in the folder."""
        raw = chance.choice(SHAPES)(chance)
        if chance.random() < 0.3:
            raw = damaged(raw, chance)
        (folder / "archive").write_bytes(raw)
        return Call(words=("archive",))


def archives(_stock: Path) -> Archives:
    """The maker."""
    return Archives()


def unpack() -> None:
    """What stands for the command line here: ends with 1 where more came out than may."""
    tree = Path("unpacked").absolute() / "tree"
    try:
        unpack_source(Path(sys.argv[1]), tree, most_bytes=_MOST_BYTES, most_members=_MOST_MEMBERS)
    except TfbuildError as error:
        sys.stderr.write(f"{error.message}\n")
    used, count = _used(tree.parent)
    if used > _OVER * _MOST_BYTES or count > _OVER * _MOST_MEMBERS:
        sys.exit(f"{count} files and folders take {used >> 20} MB")
    for path in tree.rglob("*"):
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(tree):
            sys.exit(f"{path.name} leads out")


# --- what is made ------------------------------------------------------------------------------


def _copies(chance: random.Random) -> bytes:
    """Further names of a large file, each of which may be a copy."""
    size = chance.randrange(1 << 16, 4 << 20)
    count = chance.randrange(1, (128 << 20) // size)
    first: Entry = ("p/a", tarfile.REGTYPE, bytes(size), "")
    return _tar([first, *((f"p/b{n}", tarfile.LNKTYPE, b"", "p/a") for n in range(count))])


def _rows(chance: random.Random) -> bytes:
    """Links to a row of links, of which each may be followed for each."""
    length, count = chance.randrange(1, 900), chance.randrange(1, 3000)
    row: list[Entry] = [(f"p/r{n}", tarfile.SYMTYPE, b"", f"r{n + 1}") for n in range(length)]
    many: list[Entry] = [(f"p/l{n}", tarfile.SYMTYPE, b"", "r0") for n in range(count)]
    return _tar([("p/a", tarfile.REGTYPE, b"", ""), *row, *many])


def _links(chance: random.Random) -> bytes:
    """A few links to one another and to places outside."""
    entries: list[Entry] = [("p/a", tarfile.REGTYPE, b"a", ""), ("p/d/a", tarfile.REGTYPE, b"", "")]
    for n in range(chance.randrange(1, 6)):
        name = chance.choice((f"p/l{n}", f"p/d/l{n}", "p/l0/x"))
        kind = chance.choice((tarfile.SYMTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE))
        entries.append((name, kind, b"", chance.choice(_ENDS)))
    return _tar(entries)


def _folders(chance: random.Random) -> bytes:
    """Files in folders of their own, each of which takes room."""
    depth, letters = chance.randrange(1, 120), chance.randrange(1, 60)
    return _tar(
        (f"p/{n}/" + "/".join("d" * letters for _ in range(depth)), tarfile.REGTYPE, b"", "")
        for n in range(chance.randrange(1, 600))
    )


def _headers(chance: random.Random) -> bytes:
    """Headers whose content is long, and made of what is hard to read."""
    text = chance.choice((b"9", b"3 ", b"5 a=\n", b"0\n", b"9 path=a\n", b"19 GNU.sparse.map=0,"))
    content = text * (chance.randrange(1, 1 << 20) // len(text))
    kind = chance.choice((b"x", b"g", b"X", b"L", b"K", b"S"))
    return _tar([("p/a", kind, content, "")] * chance.randrange(1, 8))


def _zip(chance: random.Random) -> bytes:
    """Entries that say another size, or are packed in a rare way."""
    made = io.BytesIO()
    method = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    size = chance.randrange(1 << 20, 40 << 20)
    info = zipfile.ZipInfo(chance.choice(("p/a", "p/l")))
    info.compress_type, info.external_attr = method, chance.choice((0, 0o120777 << 16))
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("p/b", b"b")
        archive.writestr(info, bytes(size))
    said = chance.choice((3, 1000, size)).to_bytes(4, "little")
    return made.getvalue().replace(size.to_bytes(4, "little"), said)


SHAPES: tuple[Callable[[random.Random], bytes], ...] = (
    _copies, _rows, _links, _folders, _headers, _zip,
)  # fmt: skip


def _tar(entries: Iterable[Entry]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as archive:
        for name, kind, content, target in entries:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, target, len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def _used(folder: Path) -> tuple[int, int]:
    """The bytes that all below a folder take on the disk, and how many there are."""
    used = count = 0
    for place, names, files in os.walk(folder):
        for name in (*names, *files):
            used += Path(place, name).lstat().st_blocks * 512
            count += 1
    return used, count
