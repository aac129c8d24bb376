"""What the system refuses, as errors that say how to fix it; and what nobody foresaw."""

import errno
import os
import traceback
from pathlib import Path

from tfbuild.core.disk_space import fullest, refusal
from tfbuild.core.errors import (
    BadRequest,
    DiskFull,
    EnvironmentFailed,
    OutOfMemory,
    TfbuildError,
)
from tfbuild.core.layout import CRASH
from tfbuild.core.paths import cache_folder, work_folder, write_aside

_NO_THREAD = "can't start new thread"


def foreseen(error: Exception) -> TfbuildError:
    """The error as one that can be shown: what the system refused, or a bug of ours.

    The traceback of a bug goes to a file in the work folder, if that can be written.
    """
    if isinstance(error, OSError) and (known := system_refusal(error)):
        return known
    if isinstance(error, MemoryError):
        return OutOfMemory("tfbuild found no memory", hint="end other programs, or raise its limit")
    if type(error) is RuntimeError and str(error) == _NO_THREAD:  # Python has no class for it
        return _nothing_started(str(error))
    report = TfbuildError(
        f"tfbuild itself failed: {type(error).__name__}: {error}",
        code="internal-error",
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


def system_refusal(error: OSError) -> TfbuildError | None:
    """What the system lacks or refuses: room, files, processes, rights, a path; else None."""
    if error.errno == errno.ENOENT and _is_folder_gone():
        return BadRequest(
            "the current folder is not there any more",
            code="current-folder-gone",
            hint="change to a folder that is there",
        )
    if lack := _lacking(error.errno, error.strerror or ""):
        return lack
    place = error.filename or fullest(cache_folder(), work_folder())
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(
            f"no room is left on the disk, at {place}",
            hint="free some room (`tfbuild cache prune`) and run the same command again",
        )
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return EnvironmentFailed(
            f"{place} cannot be written or read",
            code="permission-denied",
            why=error.strerror or "",
            hint="correct its permissions, or set TFBUILD_CACHE_DIR, TFBUILD_WORK_DIR and "
            "XDG_STATE_HOME",
        )
    if error.errno == errno.EFBIG:
        return refusal(error, Path(place).parent)
    return _impossible(error.errno, Path(place), error.strerror or "")


def _lacking(number: int | None, why: str) -> TfbuildError | None:
    """What the system has no more of, whatever the place."""
    if number in {errno.EMFILE, errno.ENFILE}:
        return EnvironmentFailed(
            "no further file can be opened",
            code="too-many-open-files",
            why=why,
            hint="raise the limit (`ulimit -n 1024`), or end what has many files open",
        )
    if number == errno.EAGAIN:
        return _nothing_started(why)
    if number == errno.ENOMEM:
        return OutOfMemory(
            "the system has no memory for this",
            why=why,
            hint="end other programs, or raise the limit of this one",
        )
    return None


def _nothing_started(why: str) -> EnvironmentFailed:
    return EnvironmentFailed(
        "no further process or thread can be started",
        code="too-many-processes",
        why=why,
        hint="raise the limit (`ulimit -u`, or that of the container), or end other programs",
    )


def _impossible(number: int | None, place: Path, said: str) -> BadRequest | None:
    """What is wrong with a path that is none, or leads to something of another type."""
    if number == errno.ENOTDIR or (number == errno.EEXIST and not place.is_dir()):
        return BadRequest(
            f"{place} cannot be a folder",
            code="not-a-folder",
            why="it is a file or a link to nowhere, or lies below one",
            hint="name another folder",
        )
    if number == errno.EISDIR or (number == errno.EINVAL and _is_no_file(place)):
        return BadRequest(
            f"{place} cannot be a file",
            code="not-a-file",
            why="a folder, a pipe or a device is in its place",
            hint="remove what is there, or name another place",
        )
    if number in {errno.ENAMETOOLONG, errno.ELOOP}:
        return BadRequest(
            f"{str(place)[:200]} is no path that can be followed",
            code="path-cannot-be-followed",
            why=said,
            hint="name a shorter path, or one without links that lead in a circle",
        )
    return None


def _is_no_file(place: Path) -> bool:
    return os.path.lexists(place) and not place.is_file()


def _is_folder_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False
