"""Bazel's disk cache around a build: held while it is used, and looked after when it is not."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.errors import CommandFailed
from tfbuild.core.file_locks import share_lock
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.layout import BAZEL_DISK, BAZEL_DISK_LOCK, DISK_SCRIPT
from tfbuild.core.paths import copy_aside
from tfbuild.core.records import Command, Toolchain
from tfbuild.core.safe_files import parse_json

_SCRIPT = Path(__file__).with_name("disk_script.py")
_CHECKED_BYTES = 64 << 20  # of the blobs are read again after each build, in a tenth of a second
_ALL = -1
_NO_LIMIT_MB = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskCacheState:
    """What is in the cache after a build, and what was done about it."""

    bytes: int = 0
    entries: int = 0
    new_results: int = 0  # results of actions that this build has added
    damaged: int = 0
    removed: int = 0
    freed: int = 0
    is_busy: bool = False  # another build uses it: nothing was removed


def disk_flags(limit_mb: int) -> tuple[str, ...]:
    """What a call of Bazel needs beside the plan's own flag: a limit of nothing turns it off."""
    return () if limit_mb else ("--disk_cache=",)


@contextmanager
def use_disk_cache(toolchain: Toolchain) -> Iterator[None]:
    """Keep others from removing results while Bazel may read them.

    In a container its volume is held already.
    """
    if toolchain.image:
        yield
        return
    with share_lock(BAZEL_DISK_LOCK.path(toolchain.cache)):
        yield


def forget_results(env: Environment) -> None:
    """Remove the result of every action, as after a lie; nothing that is compiled is lost."""
    tend_disk_cache(env, _NO_LIMIT_MB, since=0.0, forgets=True)


def tend_disk_cache(
    env: Environment,
    limit_mb: int,
    *,
    since: float,
    has_met_damage: bool = False,
    forgets: bool = False,
) -> DiskCacheState:
    """Remove what is damaged and what is too much, the longest unused first; the state after it.

    A part of it is read again each time, all of it where Bazel has met damage. since is when the
    build began; forgets removes all results, as after a lie. What it cannot do is a
    warning, and fails no build.
    """
    chain, reporter = env.toolchain, env.tools.reporter
    options = {
        "folder": str(BAZEL_DISK.path(chain.cache)),
        "lock": str(BAZEL_DISK_LOCK.path(chain.cache)),
        "limit": limit_mb * 1_000_000,
        "since": since,
        "check_bytes": _ALL if has_met_damage else _CHECKED_BYTES,
        "forgets": int(forgets),
        "seed": random.randrange(1 << 30),  # noqa: S311  (any other part than the last time)
    }
    try:
        script = copy_aside(_SCRIPT, DISK_SCRIPT.path(chain.work))
        asked = (literal(f"{name}={value}") for name, value in options.items())
        words = (chain.python or "python3", "-I", "-S", literal(str(script)), *asked)
        said = env.run(Command(argv=words, purpose="look after the disk cache", quiet=True))
        state = DiskCacheState(**parse_json(said.stdout.strip().splitlines()[-1]))
    except (CommandFailed, OSError, ValueError, TypeError, IndexError) as error:
        reporter.warn(
            f"the disk cache could not be looked after: {error}", code="disk-cache-not-tended"
        )
        return DiskCacheState()
    if state.damaged:
        reporter.warn(
            f"removed {counted(state.damaged, 'damaged result')} from the disk cache",
            code="disk-cache-damaged",
        )
    if state.removed:
        reporter.note(
            f"{state.freed / 1e6:.0f} MB of the disk cache, unused for longest, were removed: "
            f"its limit is {limit_mb} MB"
        )
    return state
