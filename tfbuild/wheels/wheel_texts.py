"""The texts in which a wheel describes itself: how large they may be, and their lines `Key: value`.

Their readers take many times the memory of a text, and a small wheel can hold a large one.
"""

from collections.abc import Iterable
from email.message import Message
from email.parser import BytesParser
from zipfile import ZipFile, ZipInfo

from tfbuild.core.errors import BadRequest
from tfbuild.wheels.wheel_archive import read_entry

LARGEST_DESCRIPTION = 2_000_000  # METADATA; the largest of well-known wheels have 0.3 MB
LARGEST_WHEEL_FILE = 100_000  # WHEEL, which has some ten lines
LARGEST_RECORD = 10_000_000  # that of TensorFlow has 4 MB
# All lists of entry points, or all lists of paths, of a wheel together; the largest, those of
# OpenStack's clients, have less than 0.1 MB.
LARGEST_LISTS = 300_000
LARGEST_SBOM = 8_000_000  # an SBOM


def read_headers(raw: bytes) -> Message:
    """The lines `Key: value` of a METADATA or WHEEL file; what stands below them is not read."""
    return BytesParser().parsebytes(raw, headersonly=True)


def read_limited(archive: ZipFile, name: str, most: int) -> bytes:
    """The content of a file that has no more bytes than that; BadRequest where it has.

    Raises KeyError where it is not there.
    """
    entry = archive.getinfo(name)
    if entry.file_size > most:
        raise BadRequest(
            f"{name} is too large to be read",
            code="wheel-text-too-large",
            why=f"it has {_megabytes(entry.file_size)}, {_megabytes(most)} at most",
            hint="look into the wheel; it is no honest one, or its tool wrote it wrongly",
        )
    return read_entry(archive, entry)


def within(entries: Iterable[ZipInfo], most: int) -> set[str]:
    """The names of those files that have no more bytes than that together, from the first on."""
    found = set()
    for entry in entries:
        most -= entry.file_size
        if most >= 0:
            found.add(entry.filename)
    return found


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
