"""One file by URL: resumed where it stopped, checked by its hash, moved in place.

Wheels do not come this way: pip fetches them, so that its configuration is obeyed.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from tfbuild.core.errors import DiskFull, FetchFailed, WrongHash
from tfbuild.core.masking import mask_address
from tfbuild.core.parts import hold_file, part_file
from tfbuild.core.paths import file_digest
from tfbuild.core.reporter import Reporter
from tfbuild.fetch.http import HttpFailed, Web

_CHUNK = 1 << 18
_LARGEST = 16 << 30  # bytes: no file that is fetched comes near
_ATTEMPTS = 4


def fetch_text(url: str) -> str:
    """The text behind url, up to 64 kB; FetchFailed when it cannot be had."""
    with Web().open(url) as body:
        return body.read(65536).decode("utf-8", "replace")


def fetch_file(url: str, target: Path, sha256: str, reporter: Reporter) -> Path:
    """The file behind url as target, there only when it is whole and its hash is right.

    What a broken connection or a killed run leaves behind is gone on with. Raises FetchFailed,
    and DiskFull with the room that is missing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with _part(target, sha256) as part:
        return _fetch(url, part, target, sha256, reporter)


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _part(target: Path, sha256: str) -> Iterator[Path]:
    """Where a download grows: what was left of one, or a new file where another process has that.

    What lies there and is no file of the caller's own, such as a link, is not touched.
    """
    part = target.with_name(f".{target.name}.{sha256[:12]}.download")
    with hold_file(part) as is_ours:
        if is_ours:
            try:
                yield part
            finally:
                if part.is_file() and not _size(part):
                    part.unlink()
            return
    with part_file(target.parent) as part:
        yield part


def _fetch(url: str, part: Path, target: Path, sha256: str, reporter: Reporter) -> Path:
    web, failure = Web(), None
    for attempt in range(_ATTEMPTS):
        time.sleep(0.0 if attempt == 0 else 0.3 * 2**attempt)
        try:
            if _append(web, url, part, reporter):
                return _accept(url, part, target, sha256)
        except HttpFailed as error:
            # With something in hand, a server that is gone may well come back.
            if not error.is_passing and (error.where != "connection" or _size(part) == 0):
                raise
            failure = error
        except OSError as error:
            raise _disk_refuses(part, error) from error
    raise failure or HttpFailed(
        url, "the connection broke off again and again", code="transfer-broken", where="transfer"
    )


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _append(web: Web, url: str, part: Path, reporter: Reporter) -> bool:
    """Read on from the end of part; True once the whole body is there."""
    offset = _size(part)
    try:
        with web.open(url, {"Range": f"bytes={offset}-"} if offset else {}) as body:
            if body.status != 206:  # the server knows no ranges
                offset = 0
            if offset + body.length > _LARGEST:
                raise _too_large(url)
            with part.open("ab" if offset else "wb") as stream:
                _copy(body, stream, offset, offset + body.length, reporter)
            if _size(part) > _LARGEST:
                part.unlink()
                raise _too_large(url)
            return not body.length or _size(part) >= offset + body.length
    except HttpFailed as error:
        if error.status != 416:  # the part is whole already
            raise
        return True


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _copy(body: _Readable, stream: BinaryIO, done: int, total: int, reporter: Reporter) -> None:
    """What comes, up to a little more than any file has."""
    while done <= _LARGEST and (chunk := body.read(_CHUNK)):
        try:
            stream.write(chunk)
        except OSError as error:
            raise _no_room(error, total - done) from error
        done += len(chunk)
        reporter.progress(f"{done // 1_000_000} of {total // 1_000_000} MB", done, total)


def _too_large(url: str) -> HttpFailed:
    return HttpFailed(
        url, f"it is larger than {_LARGEST >> 20} MB", code="download-too-large", where="address"
    )


def _no_room(error: OSError, missing: int) -> Exception:
    if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
        return error
    return DiskFull(
        "the disk is full in the middle of a download",
        code="disk-full-fetching",
        why=f"{max(missing, 0) // 1_000_000 + 1} MB are still missing",
        hint="free that much (`tfbuild cache prune` helps), then run the same command again",
    )


def _disk_refuses(part: Path, error: OSError) -> Exception:
    found = _no_room(error, 0)
    if isinstance(found, DiskFull):
        return found
    return FetchFailed(
        f"cannot write {part}",
        code="download-not-written",
        why=error.strerror or str(error),
        hint="check who owns that folder and its permissions",
    )


def _accept(url: str, part: Path, target: Path, sha256: str) -> Path:
    found = file_digest(part)
    if found != sha256:
        part.unlink()
        raise WrongHash(
            f"{target.name} has the wrong hash",
            code="hash-mismatch",
            why=f"from {mask_address(url)}\nexpected sha256 {sha256}\nreceived sha256 {found}",
            hint="it was thrown away; try again, and if it stays so, do not trust that server",
        )
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(target)
    return target
