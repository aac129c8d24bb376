"""The work folder: one tfbuild at a time in it, and a folder for each run."""

import datetime as dt
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.file_locks import try_lock
from tfbuild.core.layout import OWNER, PROJECTS, RUNS, SCRIPT, WORK, WORK_LOCK
from tfbuild.core.parts import is_part, sweep
from tfbuild.core.paths import state_folder, work_folder, write_aside
from tfbuild.core.state_folder import is_marked, make_state, mark_work, require_own_state
from tfbuild.core.trust import require_own

_SWEPT = 20  # runs before this one: each sweeps
_HEAD = """\
#!/bin/sh
# The exact commands of this run, in their order. What tfbuild does itself between them (writing
# configure's answers, packing, reading back) is not here: `tfbuild build` does all of it.
set -eu
"""


_OLD_WORK = ".tfbuild"  # where it lay, in the project, until a checkout could bring one along


def require_own_work(work: Path) -> None:
    """Raise EnvironmentFailed where the work folder is not the caller's, or not made by tfbuild.

    What it remembers is believed: one outside the state folder must be empty, or carry the mark
    that tfbuild has put there.
    """
    require_own_state()
    hint = "remove it, or set TFBUILD_WORK_DIR to a new folder of your own"
    require_own(work, (place.path(work) for place in WORK), hint=hint)
    if not _is_believed(work):
        raise EnvironmentFailed(
            f"{work} was not made by this user's tfbuild here",
            code="work-folder-unmarked",
            why="it is not empty and carries no mark of its own: a checkout, a copy or another "
            "user may have put there what would be believed and run",
            hint=hint,
        )


def make_work(work: Path) -> None:
    """Make a work folder, and mark it; EnvironmentFailed where another's is in its place."""
    make_state()
    require_own_work(work)
    if work.parent == PROJECTS.path(state_folder()):
        work.parent.mkdir(mode=0o700, exist_ok=True)
        work.mkdir(mode=0o700, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    if not OWNER.path(work).is_file():
        mark_work(work, Path.cwd())


def old_work_warning(folder: Path) -> str:
    """What to say of a work folder in a project, as earlier releases had it; or an empty string."""
    old = folder / _OLD_WORK
    if not os.path.lexists(old) or old == work_folder():
        return ""
    return (
        f"{old} is not read: a checkout can bring one along, so what builds remember lies in "
        f"{work_folder()} now. Remove it"
    )


def new_run(work: Path) -> Path:
    """A fresh folder for a run, named after the time."""
    make_work(work)
    stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    runs = RUNS.path(work)
    runs.mkdir(parents=True, exist_ok=True)
    while True:
        folder = runs / f"{stamp}-{secrets.token_hex(2)}"
        with suppress(FileExistsError):  # another run of this second has that number
            folder.mkdir()
            break
    for earlier in sorted(runs.iterdir())[-_SWEPT:]:
        sweep(earlier)
    write_aside(folder / SCRIPT, _HEAD)
    (folder / SCRIPT).chmod(0o755)
    return folder


@contextmanager
def alone(work: Path) -> Iterator[None]:
    """Hold the work folder; EnvironmentFailed when another tfbuild does. A killed one does not."""
    make_work(work)
    with try_lock(WORK_LOCK.path(work)) as is_ours:
        if not is_ours:
            raise EnvironmentFailed(
                f"another tfbuild is at work in {work}",
                code="work-folder-busy",
                hint="wait for it to end, or set TFBUILD_WORK_DIR to another folder",
            )
        yield


# --- inside ------------------------------------------------------------------------------------


def _is_believed(work: Path) -> bool:
    """Whether what a work folder remembers is our own: in the state folder, marked, or nothing."""
    if not work.is_dir() or work.parent == PROJECTS.path(state_folder()):
        return True
    return is_marked(work) or all(is_part(path) for path in work.iterdir())
