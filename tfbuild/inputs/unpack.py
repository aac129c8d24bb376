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
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

from tfbuild.core.errors import FetchFailed
from tfbuild.core.parts import part_folder

MOST_BYTES = 8 << 30
MOST_MEMBERS = 500_000
_LONGEST_NAME, _DEEPEST = 255, 100
_LONGEST_READ = 16 << 20  # at once; what asks for more is a header that was made to fill memory
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, ValueError,
    RuntimeError, NotImplementedError, OverflowError, UnicodeError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Member:
    name: PurePosixPath
    kind: Literal["file", "link", "same"]  # same: a further name of an earlier file
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
            # None: what decompressors raise. EINVAL: a zip file names a place before its beginning.
            if error.errno not in {None, errno.EINVAL}:
                raise
            raise _refused(archive, error) from error
        tree.rename(target)
    return target


# --- inside ------------------------------------------------------------------------------------


def _refused(archive: Path, error: Exception) -> FetchFailed:
    return FetchFailed(
        f"{archive.name} cannot be unpacked",
        why=str(error) or type(error).__name__,
        hint="see whether it is whole, and a .tar.gz, .tar.xz, .tar.bz2, .tar or .zip",
    )


def _unpack(archive: Path, folder: Path, most_bytes: int, most_members: int) -> Path:
    folder.mkdir()
    links: list[_Member] = []
    total = 0
    for number, member in enumerate(_members(archive, most_bytes)):
        _check_name(member.name)
        total += member.size
        if total > most_bytes or number >= most_members:
            raise ValueError(f"it holds more than {most_bytes >> 20} MB or {most_members} files")
        if member.kind == "link":
            links.append(member)
        else:
            _write(member, folder)
    _make_links(folder, links)
    tree = _tree_in(folder)
    _check_links(folder, tree, links)
    return tree


def _make_links(folder: Path, links: list[_Member]) -> None:
    """The links, after all folders that they lie in, of which none may be a link itself."""
    names = {link.name for link in links}
    for link in links:
        if through := names & set(link.name.parents):
            raise ValueError(f"'{link.name}' lies behind the link '{through.pop()}'")
        (folder / link.name).parent.mkdir(parents=True, exist_ok=True)
    for link in links:
        place = folder / link.name
        _remove(place)
        place.symlink_to(link.target)


def _tree_in(folder: Path) -> Path:
    """The one folder in it, if that is all; else the folder itself."""
    top = list(folder.iterdir())
    return top[0] if len(top) == 1 and top[0].is_dir() and not top[0].is_symlink() else folder


def _check_name(name: PurePosixPath) -> None:
    parts = name.parts
    if name.is_absolute() or ".." in parts or not parts or "\\" in str(name) or "\0" in str(name):
        raise ValueError(f"'{name}' leads out of the folder")
    if len(parts) > _DEEPEST or max(len(os.fsencode(part)) for part in parts) > _LONGEST_NAME:
        raise ValueError(f"the name '{str(name)[:60]}...' is too long")


def _write(member: _Member, folder: Path) -> None:
    """A file, or a further name of one; no link is there yet that could lead elsewhere."""
    place = folder / member.name
    place.parent.mkdir(parents=True, exist_ok=True)
    _remove(place)
    if member.kind == "same":
        other = PurePosixPath(member.target)
        _check_name(other)
        if not (folder / other).is_file():
            raise ValueError(f"'{member.name}' is a name of '{other}', which is not there before")
        shutil.copy2(folder / other, place)
        return
    assert member.content is not None
    with place.open("xb") as stream:
        shutil.copyfileobj(member.content, stream, 1 << 20)
        written = stream.tell()
    if written != member.size:
        raise ValueError(f"'{member.name}' is cut short")
    place.chmod(0o755 if member.executable else 0o644)
    moment = min(max(member.time, 0.0), time.time())
    os.utime(place, (moment, moment))


def _remove(place: Path) -> None:
    """What an earlier member of the same name has left, as tar itself does."""
    if place.is_dir() and not place.is_symlink():
        raise ValueError(f"'{place.name}' is a folder and a file")
    place.unlink(missing_ok=True)


def _check_links(folder: Path, tree: Path, links: list[_Member]) -> None:
    """Whether each leads to somewhere in the tree, by whatever other links."""
    root = os.path.realpath(tree)
    for link in links:
        end = Path(os.path.realpath(folder / link.name))
        if PurePosixPath(link.target).is_absolute() or not end.is_relative_to(root):
            raise ValueError(f"the link '{link.name}' leads out, to '{link.target}'")


def _members(archive: Path, most_bytes: int) -> Iterator[_Member]:
    with archive.open("rb") as stream:
        begin = stream.read(262)
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _of_zip(archive)
    else:
        yield from _of_tar(archive, begin, most_bytes)


def _of_zip(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            name = PurePosixPath(info.filename)
            if info.is_dir():
                continue
            if stat.S_ISLNK(mode):
                if info.file_size > 4096:
                    raise ValueError(f"the link '{name}' is too long")
                yield _Member(name, "link", target=os.fsdecode(opened.read(info)))
            elif stat.S_IFMT(mode) in {0, stat.S_IFREG}:
                moment = time.mktime((*info.date_time, 0, 0, -1))
                with opened.open(info) as content:
                    yield _Member(
                        name, "file", info.file_size, bool(mode & 0o100), moment, "", content
                    )
            else:
                raise ValueError(f"'{name}' is neither a file nor a link")


def _of_tar(archive: Path, begin: bytes, most_bytes: int) -> Iterator[_Member]:
    with ExitStack() as stack:
        plain = stack.enter_context(_decompressed(archive, begin))
        limited: Any = _Limited(plain, most_bytes + (1 << 28))
        opened = stack.enter_context(tarfile.open(fileobj=limited, mode="r:"))
        for member in opened:
            name = PurePosixPath(member.name)
            if member.isdir():
                if name.parts:
                    _check_name(name)
            elif member.issym():
                yield _Member(name, "link", target=member.linkname)
            elif member.islnk():
                yield _Member(name, "same", target=member.linkname)
            elif member.isreg() and not member.issparse():
                yield _Member(
                    name, "file", member.size, bool(member.mode & 0o100), float(member.mtime), "",
                    opened.extractfile(member),
                )  # fmt: skip
            else:
                raise ValueError(f"'{name}' is neither a file, a folder nor a link")
            opened.members.clear()  # type: ignore[attr-defined]  # else it keeps them all
        while limited.read(1 << 20):  # the checksum stands at the end
            pass


def _decompressed(archive: Path, begin: bytes) -> Any:  # noqa: ANN401  (an open file)
    if begin.startswith(b"\x1f\x8b"):
        return gzip.open(archive, "rb")
    if begin.startswith(b"\xfd7zXZ\0"):
        return lzma.open(archive, "rb")
    if begin.startswith(b"BZh"):
        return bz2.open(archive, "rb")
    if begin.startswith(b"\x28\xb5\x2f\xfd"):
        try:
            return importlib.import_module("compression.zstd").open(archive, "rb")
        except ImportError as error:
            raise ValueError("this Python reads no .zst: pack it as .tar.xz") from error
    return archive.open("rb")


class _Limited:
    """A stream that reads no more at once, and no further, than an honest archive needs."""

    def __init__(self, stream: Any, most: int) -> None:  # noqa: ANN401
        self._stream, self._most = stream, most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _LONGEST_READ or self._stream.tell() > self._most:
            raise ValueError("a header in it, or all of it, is too large")
        return bytes(self._stream.read(size))

    def tell(self) -> int:
        return int(self._stream.tell())

    def seek(self, place: int, whence: int = 0) -> int:
        if whence == 0 and place > self._most:
            raise ValueError("it is too large")
        return int(self._stream.seek(place, whence))
