"""What the system refuses, as errors that say how to mend it."""

import errno

from tfbuild.errors import DiskFull, EnvironmentFailed, TfbuildError
from tfbuild.paths import cache_folder


def mendable(error: OSError) -> TfbuildError | None:
    """A full disk or missing rights as an error with its remedy; None for any other mishap."""
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
    return None
