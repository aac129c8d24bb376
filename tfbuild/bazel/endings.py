"""What the end of a call of Bazel means: an error with its root cause and the remedy."""

import os
import re
from pathlib import Path

from tfbuild.bazel.events import EventFile, Failure
from tfbuild.core.counts import counted
from tfbuild.core.disk_space import FLOOR_MB, free_mb
from tfbuild.core.errors import (
    BuildFailed,
    DiskFull,
    Interrupted,
    OutOfMemory,
    RoomMissing,
    TfbuildError,
)
from tfbuild.core.interfaces import Environment
from tfbuild.core.records import Completed
from tfbuild.diagnosis.findings import Finding, first_cause

INTERRUPTED, HEAP_FULL, SERVER_DIED = 8, 33, 37
_HEAP_WORDS = "OutOfMemoryError"
# Of compilers, assemblers, linkers and nvcc's parts, as they say it when they are refused or ended.
_MEMORY_WORDS = re.compile(
    r"Killed signal terminated program|out of memory|Cannot allocate memory"
    r"|virtual memory exhausted|std::bad_alloc|memory exhausted"
    r"|\bKilled\b.*(cicc|ptxas|nvcc|cc1plus)"
    r"|(nvcc|ptxas|cicc|cudafe\+\+)\S* died due to signal 9|LLVM ERROR: out of memory"
)


def ending_error(
    completed: Completed, events: EventFile, env: Environment, *, kills: int = 0
) -> TfbuildError:
    """The error that a failed call of Bazel means, the root cause first.

    kills is how many programs the kernel has ended for memory meanwhile.
    """
    text = "\n".join(completed.last_lines)
    if completed.code in {INTERRUPTED, -2, -15}:
        return Interrupted(
            "Bazel was interrupted", hint="run the same command again; finished work is kept"
        )
    failure = events.failures[0] if events.failures else None
    message = failure.message if failure and failure.message else text
    cause = first_cause(message, "bazel") or first_cause(text, "bazel")
    if (cause and cause.failure == "disk") or _is_short_of_disk(events, env):
        return _no_disk(env)
    if short := _short_of_memory(completed, failure, text, kills):
        return short
    if cause and cause.failure == "memory":
        return _no_memory(failure, cause.cause)
    if failure:
        return _compile_error(failure, cause)
    said = [*events.aborted[:3], *_errors(completed)][:12]
    return BuildFailed(
        f"Bazel ended with code {completed.code}",
        code="bazel-failed",
        why="\n".join([*([cause.cause] if cause else []), *said]),
        hint=cause.fix if cause else "the whole output is in the log",
    )


def _is_short_of_disk(events: EventFile, env: Environment) -> bool:
    """A failed action without a word may have found no room for its own message."""
    silent = not events.failures or not events.failures[0].message
    return silent and min(free_mb(p) for p in _places(env)) < FLOOR_MB


def _places(env: Environment) -> tuple[Path, ...]:
    return env.toolchain.cache, env.toolchain.work, Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108


def _no_disk(env: Environment) -> DiskFull:
    place = min(_places(env), key=free_mb)
    return RoomMissing(
        f"the disk filled up during the build: {free_mb(place)} MB are free at {place}",
        code="disk-full-building",
        why=f"a build needs at least {FLOOR_MB} MB free while it runs",
        hint="free some room (`tfbuild cache prune`), then run the same command again; "
        "finished work is kept",
    )


def _is_killed(failure: Failure) -> bool:
    return failure.exit_code in {137, -9} or bool(_MEMORY_WORDS.search(failure.message))


def _short_of_memory(
    completed: Completed, failure: Failure | None, text: str, kills: int
) -> OutOfMemory | None:
    """What was ended, or refused, for want of memory; None where memory is not the cause."""
    if (failure and _is_killed(failure)) or "failed: (Killed)" in text:
        return _no_memory(failure)
    if completed.code == HEAP_FULL or (completed.code == SERVER_DIED and _HEAP_WORDS in text):
        return _no_heap()
    if kills and (completed.code == SERVER_DIED or (failure and not failure.message)):
        return _no_memory(
            failure, f"the kernel ended {counted(kills, 'program')} for want of memory"
        )
    return None


def _no_heap() -> OutOfMemory:
    return OutOfMemory(
        "Bazel's server needs more memory than its Java may take",
        code="bazel-heap-full",
        why="it ended with an OutOfMemoryError",
        hint="give the machine or the container more memory, or build fewer targets at once",
    )


def _no_memory(failure: Failure | None, known: str = "it was killed by signal 9") -> OutOfMemory:
    what = f"{failure.kind} of {failure.label}" if failure else "a compiler or Bazel's server"
    return OutOfMemory(
        f"{what} was stopped for want of memory",
        code="out-of-memory",
        why=failure.message[-500:] if failure and failure.message else known,
        hint="run again with fewer jobs, for example --jobs=1; finished work is kept",
    )


def _compile_error(failure: Failure, cause: Finding | None) -> BuildFailed:
    """What the compiler says, and of a known pitfall why and the way out."""
    lines = failure.message.splitlines()
    at = next((i for i, line in enumerate(lines) if "error" in line.lower()), 0)
    said = lines[max(0, at - 2) : at + 18] or [f"it ended with code {failure.exit_code}"]
    known = cause if cause and cause.kind == "cause" else None
    return BuildFailed(
        f"{failure.kind or 'an action'} failed for {failure.label}",
        code="action-failed",
        why="\n".join([*([known.cause] if known else []), *said]),
        hint=known.fix
        if known
        else "fix the source and run the same command again; what was compiled is kept",
    )


def _errors(completed: Completed) -> list[str]:
    said = [line for line in completed.last_lines if line.startswith(("ERROR", "FATAL", "Error"))]
    return said or list(completed.last_lines[-8:])
