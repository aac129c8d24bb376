"""Room on disks: says early, and in numbers, when there is too little."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import DiskFull, EnvironmentFailed, RoomMissing, TfbuildError
from tfbuild.core.paths import nearest_there

FLOOR_MB = 300  # below this a running build is stopped while it still can be in order


def free_mb(folder: Path) -> int:
    """Megabytes that this user may still write where folder is, or will be."""
    state = os.statvfs(nearest_there(folder))
    return state.f_bavail * state.f_frsize // 1_000_000


def fullest(*folders: Path) -> Path:
    """Of some folders the one where the least is free."""
    return min(folders, key=free_mb)


def require_room(folder: Path, need_mb: int, what: str) -> None:
    """Raise DiskFull, with both numbers, unless need_mb are free where folder is."""
    free = free_mb(folder)
    if free < need_mb:
        raise RoomMissing(
            f"{what} needs {need_mb} MB, and {free} MB are free at {folder}",
            hint=f"free {need_mb - free} MB there (`tfbuild cache prune` helps), "
            "or set TFBUILD_CACHE_DIR to a folder on a larger disk",
        )


def refusal(error: OSError, place: Path) -> TfbuildError | None:
    """What a write at place that was refused means, by the disk or by a limit; None for others."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(
            f"the disk of {place} took no more: {_free_words(place)}",
            why=f"writing {error.filename or 'a file'}: {error.strerror}",
            hint="free some room there, then run the same command again; finished work is kept",
        )
    if error.errno == errno.EFBIG:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        largest = f" than {limit} bytes" if limit != resource.RLIM_INFINITY else ""
        return EnvironmentFailed(
            f"a file below {place} may not be larger{largest}",
            code="file-size-limit",
            why=f"writing {error.filename or 'a file'}: {error.strerror}",
            hint="raise the limit (`ulimit -f unlimited`), then run the same command again",
        )
    return None


def _free_words(place: Path) -> str:
    """What is free at a place that refuses to take more; much may be, and be out of reach."""
    free = free_mb(place)
    if free < FLOOR_MB:
        return f"{free} MB are free there"
    if not os.statvfs(nearest_there(place)).f_favail:
        return f"{free} MB are free there, and no inode for another file (`df -i`)"
    return f"{free} MB are free there, so a quota or a limit of a container holds"


@contextmanager
def explaining_need(need_mb: int, *folders: Path) -> Iterator[None]:
    """Let a full disk inside, wherever it is met, end in a DiskFull that says what is needed.

    folders are those that are written to: where nothing says which disk it is, the fullest is.
    """
    try:
        yield
    except DiskFull as error:
        if not isinstance(error, RoomMissing):
            at = fullest(*folders)
            if free_mb(at) < need_mb:
                free = f"{free_mb(at)} MB are free at {at}"
                error.message += f"; a build needs about {need_mb} MB, {free}"
        raise
    except OSError as error:
        known = refusal(error, Path(error.filename) if error.filename else fullest(*folders))
        if known is None:
            raise
        if isinstance(known, DiskFull) and free_mb(fullest(*folders)) < need_mb:
            known.message += f", and a build needs about {need_mb} MB"
            known.hint += " (`tfbuild cache prune` frees that of the cache)"
        raise known from error
