"""Opens a wheel as the zip archive that it is, within limits: no bomb, no riddle, no surprise."""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tfbuild.core.counts import counted

# The largest wheels that are published hold 30,000 files, and grow to five times their size.
MOST_TIMES = 100  # what the files have together, by the size of the archive
_FREE_BYTES = 10_000_000  # which a small archive may hold in any case
MOST_FILES = 200_000  # and folders that they lie in
DEEPEST = 100  # folders of a file, one in another; the deepest of real ones lies in 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_RIDDLES = 0x1 | 0x20 | 0x40  # encrypted, a patch of other data, strongly encrypted
_LOCAL_HEADER = 30  # bytes before the name
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError)


class FilesOverlap(ValueError):
    """Files of an archive lie on top of one another."""


class RareMethod(ValueError):
    """A file of an archive is compressed or encrypted as no wheel's files are."""


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive of a wheel, checked before anything in it is read.

    Raises ValueError where it is damaged, also while it is read, and where it would grow beyond
    any honest wheel; OSError where the file cannot be read.
    """
    if not path.is_file():
        raise ValueError("it is not a regular file")
    try:
        with zipfile.ZipFile(path) as archive:
            check_entries(archive.infolist(), path.stat().st_size)
            yield archive
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def open_entry(archive: zipfile.ZipFile, entry: str | zipfile.ZipInfo) -> IO[bytes]:
    """An entry as a stream, which gives no more than is asked of it.

    Raises KeyError where there is none, and NotImplementedError where it is packed in a rare way:
    of such a one Python unpacks all at once, however little is asked for.
    """
    info = archive.getinfo(entry) if isinstance(entry, str) else entry
    if info.compress_type not in _METHODS:
        raise NotImplementedError(f"{info.filename} is packed as no wheel's files are")
    return archive.open(info)


def read_entry(archive: zipfile.ZipFile, entry: str | zipfile.ZipInfo) -> bytes:
    """The content of an entry, which is as long as the directory says; raises as `open_entry` does.

    `ZipFile.read` unpacks 2 GB of one that says it has a thousand bytes.
    """
    info = archive.getinfo(entry) if isinstance(entry, str) else entry
    with open_entry(archive, info) as stream:
        return stream.read(info.file_size + 1)


def check_growth(entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    """Raise ValueError for a file without a name, and for what no honest archive of that size has.

    That is more files, larger or deeper ones, or so many that they must lie on top of one another:
    reading them all would take longer and longer with the size.
    """
    if not all(entry.filename for entry in entries):
        raise ValueError("it holds a file without a name")
    if deep := next((e for e in entries if e.filename.count("/") > DEEPEST), None):
        raise ValueError(f"{deep.filename[:40]}... lies in more than {DEEPEST} folders")
    if sum(entry.compress_size for entry in entries) > size:
        raise FilesOverlap("its files lie on top of one another")
    if len(entries) > MOST_FILES:
        raise ValueError(f"it holds {counted(len(entries), 'file')}, and {MOST_FILES} are the most")
    _check_folders(entries)
    total = sum(entry.file_size for entry in entries)
    if total > max(MOST_TIMES * size, _FREE_BYTES):
        raise ValueError(
            f"it would grow from {size / 1e6:.1f} MB to {total / 1e6:.0f} MB, "
            f"more than {MOST_TIMES} times its size"
        )


def _check_folders(entries: Sequence[zipfile.ZipInfo]) -> None:
    """Raise ValueError for more folders than files may be: each takes room on the disk."""
    known = {""}
    for entry in entries:
        folder = entry.filename.rpartition("/")[0]
        while folder not in known:
            known.add(folder)
            folder = folder.rpartition("/")[0]
        if len(known) > MOST_FILES:
            raise ValueError(f"its files lie in more than {MOST_FILES} folders")


def check_entries(entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    """Raise ValueError for entries that no honest archive of that size has."""
    check_growth(entries, size)
    check_places(entries, size)


def check_places(entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    """Raise ValueError for entries that lie on top of one another, or are packed in a rare way.

    Of other methods Python's reader asks for memory as their content says.
    """
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise FilesOverlap(f"{entry.filename} lies on top of another file")
        end = entry.header_offset + _LOCAL_HEADER + len(entry.orig_filename) + entry.compress_size
        if entry.compress_type not in _METHODS or entry.flag_bits & _RIDDLES:
            raise RareMethod(f"{entry.filename} is packed as no wheel's files are")
    if end > size:
        raise ValueError("it ends in the middle of a file")
