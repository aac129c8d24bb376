"""The zip file of a wheel byte by byte: its entries, and what lies in it that is no entry's.

Programs that read zip files differ in what they make of a contradictory one: what one of them
has checked is not what another installs. So nothing may be in it but its entries and directory.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tfbuild.core.errors import BadRequest
from tfbuild.wheels.wheel_archive import check_growth

_LOCAL = struct.Struct("<4s2xHH4xLLLHH")
_CENTRAL = struct.Struct("<4s24xHHH12x")
_END = struct.Struct("<4s16xH")
_ENCRYPTED, _STREAMED = 0x1, 0x8
_USUAL_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_OTHER_NAME = b"up"  # an extra field with another spelling of the name, which some readers prefer


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry as the directory describes it; its name as it is written, NUL and all."""

    name: str
    mode: int  # type and permissions of Unix; 0 where none are given
    size: int
    is_folder: bool
    is_readable: bool  # neither encrypted nor compressed in a way that installers do not know


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The entries of a zip file, and what is wrong with its form."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]

    @property
    def is_readable(self) -> bool:
        """Whether every entry can be read."""
        return all(entry.is_readable for entry in self.entries)


@contextmanager
def opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip file; BadRequest when it is none, and when what is read of it inside is broken."""
    try:
        if not path.is_file():
            raise ValueError("it is not a regular file")
        with zipfile.ZipFile(path) as archive:
            check_growth(archive.infolist(), path.stat().st_size)
            yield archive
    except (
        zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError
    ) as error:  # fmt: skip
        raise BadRequest(
            f"{path.name} is not a whole zip file",
            why=str(error),
            hint="build it again, or copy it again: it looks cut off",
        ) from error


def read_archive(path: Path) -> Archive:
    """The form of a zip file, its content unread; BadRequest when it is none."""
    with opened_zip(path) as archive, path.open("rb") as stream:
        found = archive.infolist()
        return Archive(
            entries=tuple(_entry(one) for one in found),
            problems=(*(text for one in found for text in _oddities(one)),
                      *_layout(stream, archive)),
        )  # fmt: skip


# --- inside ------------------------------------------------------------------------------------


def _entry(one: zipfile.ZipInfo) -> Entry:
    return Entry(
        name=one.orig_filename,
        mode=one.external_attr >> 16,
        size=one.file_size,
        is_folder=one.is_dir(),
        is_readable=not _is_encrypted(one) and one.compress_type in _USUAL_METHODS,
    )


def _is_encrypted(one: zipfile.ZipInfo) -> bool:
    return bool(one.flag_bits & _ENCRYPTED)


def _oddities(one: zipfile.ZipInfo) -> Iterator[str]:
    if _is_encrypted(one):
        yield f"{one.filename} is encrypted"
    if one.compress_type not in _USUAL_METHODS:
        yield f"{one.filename} is compressed by method {one.compress_type}, not stored or deflated"
    if one.is_dir() and one.file_size:
        yield f"{one.filename} is a folder with content"
    if _OTHER_NAME in _extra_kinds(one.extra):
        yield f"{one.filename} has a second name"


def _extra_kinds(extra: bytes) -> set[bytes]:
    kinds, at = set(), 0
    while at + 4 <= len(extra):
        kinds.add(extra[at : at + 2])
        at += 4 + int.from_bytes(extra[at + 2 : at + 4], "little")
    return kinds


def _layout(stream: BinaryIO, archive: zipfile.ZipFile) -> Iterator[str]:
    """Entries, directory and end must follow one another without a gap."""
    position = 0
    for one in sorted(archive.infolist(), key=lambda one: one.header_offset):
        yield from _gap(position, one.header_offset, one.filename)
        position, is_same = _local(stream, one)
        if not is_same:
            yield f"{one.filename} is described in two ways"
    yield from _gap(position, archive.start_dir, "the directory")
    stream.seek(archive.start_dir)
    yield from _after(stream.read())


def _gap(position: int, begin: int, name: str) -> Iterator[str]:
    if begin > position:
        yield f"{begin - position} bytes before {name} belong to nothing"
    elif begin < position:
        yield f"{name} overlaps what is before it"


def _local(stream: BinaryIO, one: zipfile.ZipInfo) -> tuple[int, bool]:
    """Where an entry ends, and whether its own header says what the directory says of it."""
    stream.seek(one.header_offset)
    _, flags, method, crc, packed, size, name_length, extra_length = _LOCAL.unpack(
        stream.read(_LOCAL.size)
    )
    name, extra = stream.read(name_length), stream.read(extra_length)
    is_same = method == one.compress_type and flags == one.flag_bits
    is_same &= name == one.orig_filename.encode("utf-8" if flags & 0x800 else "cp437")
    end = stream.tell() + one.compress_size
    if flags & _STREAMED:
        stream.seek(end)
        return end + _descriptor_size(stream.read(24), one), is_same
    is_large = b"\x01\x00" in _extra_kinds(extra)  # then the sizes stand there
    is_same &= is_large or (packed, size) == (one.compress_size, one.file_size)
    return end, is_same and crc == one.CRC


def _descriptor_size(raw: bytes, one: zipfile.ZipInfo) -> int:
    """The length of checksum and sizes that follow the content where it was not known before."""
    for mark in (b"PK\x07\x08", b""):
        for form in ("<LQQ", "<LLL"):
            sizes = (one.compress_size, one.file_size)
            numbers = sizes if "Q" in form else tuple(n & 0xFFFFFFFF for n in sizes)
            text = mark + struct.pack(form, one.CRC, *numbers)
            if raw.startswith(text):
                return len(text)
    return 0


def _after(raw: bytes) -> Iterator[str]:
    """The directory, and what marks its end; a large file has two more marks."""
    position = 0
    while raw[position : position + 4] == b"PK\x01\x02":
        _, *lengths = _CENTRAL.unpack_from(raw, position)
        position += _CENTRAL.size + sum(lengths)
    if raw[position : position + 4] == b"PK\x06\x06":
        position += 12 + int.from_bytes(raw[position + 4 : position + 12], "little")
    if raw[position : position + 4] == b"PK\x06\x07":
        position += 20
    mark, comment = _END.unpack_from(raw, position)
    left = len(raw) - position - _END.size
    if mark != b"PK\x05\x06":
        yield "bytes between the directory and its end belong to nothing"
    elif left:
        yield f"{left} bytes follow its end" + (", as a comment" if comment == left else "")
