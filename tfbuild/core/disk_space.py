"""Room on disks: says early, and in numbers, when there is too little."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import DiskFull, RoomMissing
from tfbuild.core.paths import nearest_there

FLOOR_MB = 300  # below this a running build is stopped while it still can be in order


def free_mb(folder: Path) -> int:
    """Megabytes that this user may still write where folder is, or will be."""
    state = os.statvfs(nearest_there(folder))
    return state.f_bavail * state.f_frsize // 1_000_000


def require_room(folder: Path, need_mb: int, what: str) -> None:
    """Raise DiskFull, with both numbers, unless need_mb are free where folder is."""
    free = free_mb(folder)
    if free < need_mb:
        raise RoomMissing(
            f"{what} needs {need_mb} MB, and {free} MB are free at {folder}",
            hint=f"free {need_mb - free} MB there (`tfbuild cache prune` helps), "
            "or set TFBUILD_CACHE_DIR to a folder on a larger disk",
        )


@contextmanager
def telling_need(need_mb: int, folder: Path) -> Iterator[None]:
    """Let a full disk inside, wherever it is met, end in a DiskFull that says what is needed."""
    try:
        yield
    except DiskFull as error:
        if not isinstance(error, RoomMissing):
            error.message += f"; a build needs about {need_mb} MB, {free_mb(folder)} MB are free"
        raise
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise RoomMissing(
            f"the disk is full; a build needs about {need_mb} MB, {free_mb(folder)} MB are free",
            why=f"writing {error.filename or 'a file'}: {error.strerror}",
            hint="free some room (`tfbuild cache prune`), then run the same command again; "
            "finished work is kept",
        ) from error
