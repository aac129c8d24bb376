"""The work folder: one tfbuild at a time in it, and a folder for each run."""

import datetime as dt
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.file_locks import try_lock
from tfbuild.core.layout import RUNS, SCRIPT, WORK, WORK_LOCK
from tfbuild.core.paths import sweep, write_aside
from tfbuild.core.trust import require_own

_SWEPT = 20  # runs before this one: each sweeps
_HEAD = """\
#!/bin/sh
# The exact commands of this run, in their order. What tfbuild does itself between them (writing
# configure's answers, packing, reading back) is not here: `tfbuild build` does all of it.
set -eu
"""


def require_own_work(work: Path) -> None:
    """Raise EnvironmentFailed where the work folder is not the caller's, or a link that came along.

    One that is named may be a link.
    """
    hint = "remove it, or set TFBUILD_WORK_DIR to a folder of your own"
    if work.is_symlink() and not os.environ.get("TFBUILD_WORK_DIR"):
        why = f"it leads to {work.resolve()}, and a checkout can bring such a link along"
        raise EnvironmentFailed(f"{work} is a link", why=why, hint=hint)
    require_own(work, (place.path(work) for place in WORK), hint=hint)


def new_run(work: Path) -> Path:
    """A fresh folder for a run, named after the time."""
    stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    runs = RUNS.path(work)
    folder = runs / f"{stamp}-{secrets.token_hex(2)}"
    folder.mkdir(parents=True)
    for earlier in sorted(runs.iterdir())[-_SWEPT:]:
        sweep(earlier)
    write_aside(folder / SCRIPT, _HEAD)
    (folder / SCRIPT).chmod(0o755)
    return folder


@contextmanager
def alone(work: Path) -> Iterator[None]:
    """Hold the work folder; EnvironmentFailed when another tfbuild does. A killed one does not."""
    work.mkdir(parents=True, exist_ok=True)
    with try_lock(WORK_LOCK.path(work)) as is_ours:
        if not is_ours:
            raise EnvironmentFailed(
                f"another tfbuild is at work in {work}",
                hint="wait for it to end, or set TFBUILD_WORK_DIR to another folder",
            )
        yield
