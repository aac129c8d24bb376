"""Unpacks an archive of source code so that nothing in it reaches out of its folder.

Files come first, then links, so that nothing is ever written through a link; what every link leads
to is looked at last. All of it lies in a half-made folder until it is whole.
"""

import bz2
import errno
import gzip
import importlib
import lzma
import os
import shutil
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

from tfbuild.core.errors import FetchFailed
from tfbuild.core.parts import part_folder
from tfbuild.inputs.links import LONGEST_TARGET, Links
from tfbuild.inputs.tar_stream import TarStream, TooLarge
from tfbuild.inputs.xz import XzStream
from tfbuild.wheels.wheel_archive import FilesOverlap, RareMethod, check_places, open_entry

MOST_BYTES = 8 << 30
MOST_MEMBERS = 500_000
_WHOLE = "see whether it is whole, and a .tar.gz, .tar.xz, .tar.bz2, .tar or .zip"
_LONGEST_NAME, _LONGEST_PATH, _DEEPEST = 255, 1000, 100
_ON_DISK = 4096  # bytes that the smallest file takes, and that all are multiples of
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, ValueError,
    RuntimeError, NotImplementedError, OverflowError, UnicodeError,
)  # fmt: skip
# None: what decompressors raise. EINVAL: a zip file names a place before its beginning. The others:
# a member lies in a folder that is a file, or its name is one that this disk does not take.
_DAMAGE_OF_FILES = {
    None, errno.EINVAL, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EILSEQ,
}  # fmt: skip


class _LeadsOut(ValueError):
    """An archive holds a name, a link or a special file that reaches out of its folder."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: PurePosixPath
    kind: Literal["file", "folder", "link", "same"]  # same: a further name of an earlier file
    size: int = 0
    executable: bool = False
    time: float = 0.0
    target: str = ""
    content: IO[bytes] | None = None


def unpack_source(
    archive: Path, target: Path, *, most_bytes: int = MOST_BYTES, most_members: int = MOST_MEMBERS
) -> Path:
    """The content of a tar or zip archive as the folder target, which must not be there.

    The one folder at its top, if it is all that there is, becomes target itself. Files keep their
    times, and who may execute them. Raises FetchFailed for what is no such archive, is larger than
    that, or tries to write or to lead elsewhere.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with part_folder(target.parent) as aside:
        try:
            tree = _unpack(archive, aside / "all", most_bytes, most_members)
        except _DAMAGE as error:
            raise _refused(archive, error) from error
        except OSError as error:
            if error.errno not in _DAMAGE_OF_FILES:
                raise
            raise _refused(archive, error) from error
        tree.rename(target)
    return target


# --- inside ------------------------------------------------------------------------------------


def _refused(archive: Path, error: Exception) -> FetchFailed:
    what, why = f"{archive.name} cannot be unpacked", str(error) or type(error).__name__
    if isinstance(error, TooLarge):
        return FetchFailed(what, code="archive-too-large", why=why, hint=_WHOLE)
    if isinstance(error, _LeadsOut):
        return FetchFailed(what, code="archive-leads-out", why=why, hint=_WHOLE)
    if isinstance(error, FilesOverlap):
        return FetchFailed(what, code="archive-files-overlap", why=why, hint=_WHOLE)
    if isinstance(error, (RareMethod, NotImplementedError)):
        return FetchFailed(what, code="archive-method-unknown", why=why, hint=_WHOLE)
    return FetchFailed(what, code="archive-not-unpackable", why=why, hint=_WHOLE)


@dataclass(slots=True)
class _Room:
    """What may still be written; all that a member takes on a disk counts before it is written."""

    folder: Path
    most_bytes: int
    most_members: int
    bytes: int = 0
    members: int = 0

    def count(self, *sizes: int) -> None:
        """Files or folders of these sizes; ValueError where they are too many or too large."""
        self.members += len(sizes)
        self.bytes += sum(max(1, -(-size // _ON_DISK)) * _ON_DISK for size in sizes)
        if self.bytes > self.most_bytes or self.members > self.most_members:
            raise TooLarge(
                f"it holds more than {self.most_bytes >> 20} MB or {self.most_members} files"
            )

    def place(self, name: PurePosixPath, *size: int) -> Path:
        """Where a member of that size goes; its folders are there, and nothing of its name is."""
        found = self.folder / name
        missing = sum(1 for _ in takewhile(lambda at: not at.is_dir(), found.parents))
        self.count(*size, *([0] * missing))
        found.parent.mkdir(parents=True, exist_ok=True)
        _remove(found)
        return found


def _unpack(archive: Path, folder: Path, most_bytes: int, most_members: int) -> Path:
    folder.mkdir()
    room = _Room(folder, most_bytes, most_members)
    links: dict[str, str] = {}
    for member in _members(archive, most_bytes, most_members):
        if member.kind == "folder" and not member.name.parts:
            continue
        _check_name(member.name)
        if member.kind == "folder":
            room.count(0)
        elif member.kind == "link":
            room.count(0)
            links[str(member.name)] = member.target
        else:
            _write(member, room)
    _make_links(room, links)
    tree = _tree_in(folder)
    _check_links(links, tree.relative_to(folder))
    return tree


def _make_links(room: _Room, links: dict[str, str]) -> None:
    """The links, after all folders that they lie in, of which none may be a link itself."""
    for name in links:
        for at, sign in enumerate(name):
            if sign == "/" and name[:at] in links:
                raise _LeadsOut(f"'{name}' lies behind the link '{name[:at]}'")
    for name, target in links.items():
        if not target:
            raise ValueError(f"the link '{name}' leads to nothing")
        room.place(PurePosixPath(name)).symlink_to(target)


def _tree_in(folder: Path) -> Path:
    """The one folder in it, if that is all; else the folder itself."""
    top = list(folder.iterdir())
    return top[0] if len(top) == 1 and top[0].is_dir() and not top[0].is_symlink() else folder


def _check_name(name: PurePosixPath) -> None:
    parts = name.parts
    if name.is_absolute() or ".." in parts or not parts or "\\" in str(name) or "\0" in str(name):
        raise _LeadsOut(f"'{name}' leads out of the folder")
    longest = max(len(os.fsencode(part)) for part in parts)
    is_long = longest > _LONGEST_NAME or len(os.fsencode(name)) > _LONGEST_PATH
    if is_long or len(parts) > _DEEPEST:
        raise ValueError(f"the name '{str(name)[:60]}...' is too long")


def _write(member: _Member, room: _Room) -> None:
    """A file, or a further name of one; no link is there yet that could lead elsewhere."""
    if member.kind == "same":
        _write_again(member, room)
        return
    assert member.content is not None
    place = room.place(member.name, member.size)
    with place.open("xb") as stream:
        shutil.copyfileobj(member.content, stream, 1 << 20)
        written = stream.tell()
    if written != member.size:
        raise ValueError(f"'{member.name}' is cut short")
    place.chmod(0o755 if member.executable else 0o644)
    moment = min(max(member.time, 0.0), time.time())
    os.utime(place, (moment, moment))


def _write_again(member: _Member, room: _Room) -> None:
    """A copy of an earlier file, as one of two names is edited later without the other."""
    other = PurePosixPath(member.target)
    _check_name(other)
    first = room.folder / other
    if other == member.name or not first.is_file():
        raise ValueError(f"'{member.name}' is a name of '{other}', which is not there before")
    shutil.copy2(first, room.place(member.name, first.stat().st_size))


def _remove(place: Path) -> None:
    """What an earlier member of the same name has left, as tar itself does."""
    if place.is_dir() and not place.is_symlink():
        raise ValueError(f"'{place.name}' is a folder and a file")
    place.unlink(missing_ok=True)


def _check_links(links: dict[str, str], top: Path) -> None:
    """Whether each leads to somewhere in the folder at the top, by whatever other links."""
    places = {name: PurePosixPath(name).relative_to(top).as_posix() for name in links}
    known = Links({places[name]: target for name, target in links.items()})
    for name, place in places.items():
        end = known.end(place)
        if end.is_outside:
            raise _LeadsOut(f"the link '{name}' {end.fault}")


def _members(archive: Path, most_bytes: int, most_members: int) -> Iterator[_Member]:
    with archive.open("rb") as stream:
        begin = stream.read(262)
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _of_zip(archive, most_members)
    else:
        yield from _of_tar(archive, begin, most_bytes)


def _of_zip(archive: Path, most_members: int) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        if len(opened.infolist()) > most_members:
            raise TooLarge(f"it holds more than {most_members} files")
        check_places(opened.infolist(), archive.stat().st_size)
        for info in opened.infolist():
            mode = info.external_attr >> 16
            name = PurePosixPath(info.filename)
            if info.is_dir():
                yield _Member(name, "folder")
            elif stat.S_ISLNK(mode):
                with open_entry(opened, info) as content:
                    target = content.read(LONGEST_TARGET + 1)
                yield _Member(name, "link", target=os.fsdecode(target))
            elif stat.S_IFMT(mode) in {0, stat.S_IFREG}:
                moment = time.mktime((*info.date_time, 0, 0, -1))
                with open_entry(opened, info) as content:
                    yield _Member(
                        name, "file", info.file_size, bool(mode & 0o100), moment, "", content
                    )
            else:
                raise _LeadsOut(f"'{name}' is neither a file nor a link")


def _of_tar(archive: Path, begin: bytes, most_bytes: int) -> Iterator[_Member]:
    with ExitStack() as stack:
        plain = stack.enter_context(_decompressed(archive, begin))
        stream: Any = TarStream(plain, most_bytes)
        opened = stack.enter_context(tarfile.open(fileobj=stream, mode="r:"))
        while (member := opened.next()) is not None:
            stream.is_header = False
            yield _of_tar_member(opened, member)
            opened.members.clear()  # type: ignore[attr-defined]  # else it keeps them all
            stream.is_header = True
        stream.is_header = False
        while stream.read(1 << 20):  # the checksum stands at the end
            pass


def _of_tar_member(opened: tarfile.TarFile, member: tarfile.TarInfo) -> _Member:
    name = PurePosixPath(member.name)
    if member.size < 0:
        raise ValueError(f"'{name}' has a size below zero")
    if member.isdir():
        return _Member(name, "folder")
    if member.issym():
        return _Member(name, "link", target=member.linkname)
    if member.islnk():
        return _Member(name, "same", target=member.linkname)
    if not member.isreg() or member.issparse():
        raise _LeadsOut(f"'{name}' is neither a file, a folder nor a link")
    return _Member(
        name, "file", member.size, bool(member.mode & 0o100), float(member.mtime), "",
        opened.extractfile(member),
    )  # fmt: skip


@contextmanager
def _decompressed(archive: Path, begin: bytes) -> Iterator[Any]:
    """The archive, decompressed as it is read."""
    with archive.open("rb") as raw:
        if begin.startswith(b"\xfd7zXZ\0"):
            yield XzStream(raw)
            return
        with _opened(raw, begin) as plain:
            yield plain


def _opened(raw: IO[bytes], begin: bytes) -> Any:  # noqa: ANN401  (an open file)
    if begin.startswith(b"\x1f\x8b"):
        return gzip.open(raw, "rb")
    if begin.startswith(b"BZh"):
        return bz2.open(raw, "rb")
    if begin.startswith(b"\x28\xb5\x2f\xfd"):
        try:
            return importlib.import_module("compression.zstd").open(raw, "rb")
        except ImportError as error:
            raise ValueError("this Python reads no .zst: pack it as .tar.xz") from error
    return nullcontext(raw)
