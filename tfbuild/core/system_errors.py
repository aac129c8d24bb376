"""What the system refuses, as errors that say how to mend it; and what nobody foresaw."""

import errno
import os
import traceback
from pathlib import Path

from tfbuild.core.disk_space import refusal
from tfbuild.core.errors import BadRequest, DiskFull, EnvironmentFailed, TfbuildError
from tfbuild.core.layout import CRASH
from tfbuild.core.paths import cache_folder, work_folder, write_aside


def foreseen(error: Exception) -> TfbuildError:
    """The error as one that can be told: what the system refused, or a bug of ours.

    The traceback of a bug goes to a file in the work folder, if that can be written.
    """
    if isinstance(error, OSError) and (known := mendable(error)):
        return known
    report = TfbuildError(
        f"tfbuild itself failed: {type(error).__name__}: {error}",
        hint="this is a bug; please report it with the file below",
    )
    from tfbuild.core.run_folder import make_work

    try:
        text = "".join(traceback.format_exception(error))
        make_work(work_folder())
        report.log = str(write_aside(CRASH.path(work_folder()), text))
    except (OSError, TfbuildError):
        report.hint = "this is a bug; please report it with the output of tfbuild --debug"
    return report


def mendable(error: OSError) -> TfbuildError | None:
    """A full disk, a limit on files, missing rights or an impossible path; None for any other."""
    if error.errno == errno.ENOENT and _is_folder_gone():
        return BadRequest(
            "the current folder is not there any more", hint="change to a folder that is there"
        )
    place = error.filename or cache_folder()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(
            f"no room is left on the disk, at {place}",
            hint="free some room (`tfbuild cache prune`) and run the same command again",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return EnvironmentFailed(
            f"{place} cannot be written or read", why=error.strerror or "",
            hint="mend its rights, or set TFBUILD_CACHE_DIR, TFBUILD_WORK_DIR and XDG_STATE_HOME",
        )  # fmt: skip
    if error.errno == errno.EFBIG:
        return refusal(error, Path(place).parent)
    return _impossible(error.errno, Path(place), error.strerror or "")


def _impossible(number: int | None, place: Path, said: str) -> BadRequest | None:
    """What is wrong with a path that is none, or leads to something of another type."""
    if number == errno.ENOTDIR or (number == errno.EEXIST and not place.is_dir()):
        return BadRequest(
            f"{place} cannot be a folder",
            why="it is a file or a link to nowhere, or lies below one",
            hint="name another folder",
        )  # fmt: skip
    if number == errno.EISDIR or (number == errno.EINVAL and _is_no_file(place)):
        return BadRequest(
            f"{place} cannot be a file", why="a folder, a pipe or a device is in its place",
            hint="remove what is there, or name another place",
        )  # fmt: skip
    if number in {errno.ENAMETOOLONG, errno.ELOOP}:
        return BadRequest(
            f"{str(place)[:200]} is no path that can be followed", why=said,
            hint="name a shorter path, or one without links that lead in a circle",
        )  # fmt: skip
    return None


def _is_no_file(place: Path) -> bool:
    return os.path.lexists(place) and not place.is_file()


def _is_folder_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False
