"""What the system refuses, as errors that say how to mend it."""

import errno
from pathlib import Path

from tfbuild.errors import BadRequest, DiskFull, EnvironmentFailed, TfbuildError
from tfbuild.paths import cache_folder


def mendable(error: OSError) -> TfbuildError | None:
    """A full disk, missing rights or a file in the way as an error; None for any other mishap."""
    place = error.filename or cache_folder()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(
            f"no room is left on the disk, at {place}",
            hint="free some room (`tfbuild cache prune`) and run the same command again",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return EnvironmentFailed(
            f"{place} cannot be written or read", why=error.strerror or "",
            hint="mend its rights, or set TFBUILD_CACHE_DIR and TFBUILD_WORK_DIR",
        )  # fmt: skip
    if error.errno == errno.ENOTDIR or (error.errno == errno.EEXIST and Path(place).is_file()):
        return BadRequest(
            f"{place} cannot be a folder", why="it is a file, or lies below one",
            hint="name another folder",
        )  # fmt: skip
    return None
