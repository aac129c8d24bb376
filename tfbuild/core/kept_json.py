"""JSON that is kept for a later run: it carries a checksum and the name of what it speaks of.

What cannot be read, was cut short or edited, or speaks of something else, is as if it were not
there: whoever asks makes it anew.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, TypeVar

from tfbuild.core.paths import write_aside
from tfbuild.core.safe_files import parse_json, read_text
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.core.trust import distrust

Record = TypeVar("Record")

LARGEST = 64 * 1024 * 1024  # bytes of one file
_HEAD = '{"sha256": "%s", '


def write_kept(path: Path, subject: str, content: object, *, within: Path | None = None) -> Path:
    """Keep a record or plain values of subject at path, and return it; OSError as it comes.

    Half of it lies in within, as in `write_aside`.
    """
    body = json.dumps({"subject": subject, "content": to_plain(content)})[1:]
    return write_aside(path, _head(body) + body + "\n", within=within)


def read_kept(path: Path, subject: str) -> Any:  # noqa: ANN401  (any JSON value)
    """The values that were kept of subject; None where there are none that can be believed."""
    try:
        text = read_text(path, LARGEST).removesuffix("\n")
        body = text[len(_head("")) :]
        if text != _head(body) + body or distrust(path):
            return None
        document = parse_json("{" + body)
        return document["content"] if document["subject"] == subject else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def read_record(path: Path, subject: str, kind: type[Record]) -> Record | None:
    """The record that was kept of subject; None where there is none that can be believed."""
    plain = read_kept(path, subject)
    try:
        return None if plain is None else from_plain(kind, plain)
    except (ValueError, TypeError, OverflowError):
        return None


def state_of(folder: Path, *more: str) -> str:
    """What changes with every file of the folder: a subject for what is made of them."""
    found = hashlib.sha256(repr((str(folder), *more)).encode())
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        status = entry.stat()
        found.update(f"{entry.name} {status.st_mtime_ns} {status.st_size}\n".encode())
    return found.hexdigest()


def _head(body: str) -> str:
    """The beginning of the file, with the checksum of all that follows."""
    return _HEAD % hashlib.sha256(body.encode()).hexdigest()
