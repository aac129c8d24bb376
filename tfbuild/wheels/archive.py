"""The zip file of a wheel: its entries, and what lies in it that is no entry's.

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

from tfbuild.core.errors import BadRequest
from tfbuild.wheels.wheel_archive import check_growth
from tfbuild.wheels.zip_layout import layout_problems

_ENCRYPTED, _UTF8 = 0x1 | 0x40 | 0x2000, 0x800  # its content; all of it; its headers as well
_FOLDER = 0x10  # among the attributes of DOS
_AGAIN = "build it again, or copy it again: it looks cut off"
_USUAL_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


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
    except ValueError as error:
        raise BadRequest(
            f"{path.name} is not a whole zip file",
            code="wheel-zip-refused",
            why=str(error),
            hint=_AGAIN,
        ) from error
    except (
        zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError
    ) as error:  # fmt: skip
        raise BadRequest(
            f"{path.name} is not a whole zip file",
            code="wheel-not-zip",
            why=str(error),
            hint=_AGAIN,
        ) from error


def read_archive(path: Path) -> Archive:
    """The form of a zip file; BadRequest when it is none."""
    with opened_zip(path) as archive, path.open("rb") as stream:
        found = archive.infolist()
        return Archive(
            entries=tuple(_entry(one) for one in found),
            problems=(*(text for one in found for text in _oddities(one)),
                      *layout_problems(stream, archive)),
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
    if one.external_attr & _FOLDER and not one.is_dir():
        yield f"{one.filename} is a folder by its attributes and a file by its name"
    if not one.orig_filename.isascii() and not one.flag_bits & _UTF8:
        yield f"{one.filename} is a name in letters that it does not say the encoding of"
