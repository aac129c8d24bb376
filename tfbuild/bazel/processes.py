"""What runs below Bazel's server: one group of processes per action, its output and its memory.

The server's children are wrappers (a sandbox, a reaper), below which the compiler runs. Memory is
what is a process's own (anonymous), since that is what the kernel has to find room for.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tfbuild.core.lease import paused, resumed

PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_WRAPPERS = {"linux-sandbox", "process-wrapper"}
_SERVER_WORD = "bazel("  # what a child calls itself until it becomes its program
_PARAMS = "-2.params"


@dataclass(slots=True, kw_only=True)
class RunningAction:
    """One action: the server's child that runs it, and the processes below that."""

    pid: int
    began: int  # in the kernel's ticks: a number may be another's later
    output: str = ""  # the file it makes, below the execution root; empty: not known
    memory_mb: float = 0.0
    peak_mb: float = 0.0
    growth: float = 0.0  # MB per second, between the last two looks
    below: tuple[tuple[int, int], ...] = ()  # number and beginning, without wrappers
    is_paused: bool = False


@dataclass(slots=True, kw_only=True)
class ActionProcesses:
    """Looks at the actions of a server again and again; peaks of those that ended are kept."""

    proc: Path = PROC
    running: dict[int, RunningAction] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)  # output -> MB
    ended: list[RunningAction] = field(default_factory=list)  # until somebody takes them out
    server_mb: float = 0.0
    _looked: float = 0.0

    def look(self, server: int, now: float | None = None) -> tuple[RunningAction, ...]:
        """The actions that run now, the oldest first."""
        now = time.monotonic() if now is None else now
        past, self._looked = now - self._looked, now
        self.server_mb = max(self.server_mb, own_memory_mb(server, self.proc))
        found = dict(_children(server, self.proc))
        for pid in [pid for pid, a in self.running.items() if found.get(pid) != a.began]:
            self.ended.append(self.running.pop(pid))
        for pid, began in found.items():
            action = self.running.setdefault(pid, RunningAction(pid=pid, began=began))
            self._measure(action, past)
        return tuple(sorted(self.running.values(), key=lambda a: (a.began, a.pid)))

    def _measure(self, action: RunningAction, past: float) -> None:
        if not action.output:
            action.output = output_of(words_of_process(action.pid, self.proc))
        everything = [(action.pid, action.began), *_descendants(action.pid, self.proc)]
        memory = sum(own_memory_mb(pid, self.proc) for pid, _ in everything)
        action.growth = max(0.0, memory - action.memory_mb) / past if past > 0 else 0.0
        action.memory_mb = memory
        action.peak_mb = max(action.peak_mb, memory)
        action.below = tuple(one for one in everything if not _is_wrapper(one[0], self.proc))
        if action.output:
            peak = max(action.peak_mb, self.peaks.get(action.output, 0.0))
            self.peaks[action.output] = peak


def pause(action: RunningAction, proc: Path = PROC) -> None:
    """Stop an action's programs where they are; they go on when tfbuild ends, however it ends."""
    action.is_paused = True
    for pid, began in action.below:
        paused(pid)
        _send(pid, began, signal.SIGSTOP, proc)


def go_on(action: RunningAction, proc: Path = PROC) -> None:
    """Let an action that was paused go on."""
    action.is_paused = False
    for pid, began in action.below:
        _send(pid, began, signal.SIGCONT, proc)
        resumed(pid)


def output_of(words: Sequence[str]) -> str:
    """The file that a compiler's or linker's command line makes, or an empty string."""
    for word, following in pairwise(words):
        if word == "-o" and following.startswith("bazel-out/"):
            return following
    for word in words:
        if word.startswith("@bazel-out/") and word.endswith(_PARAMS):
            return word[1:].removesuffix(_PARAMS)
    return ""


def words_of_process(pid: int, proc: Path = PROC) -> tuple[str, ...]:
    """The words of a process; none before it has become what the server started it for."""
    try:
        raw = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ()
    words = tuple(raw.decode("utf-8", "replace").split("\0"))
    return () if words[0].startswith(_SERVER_WORD) else words


def own_memory_mb(pid: int, proc: Path = PROC) -> float:
    """Memory of a process that is its own, in MB; 0 where it is gone."""
    try:
        _, resident, shared, *_ = (proc / str(pid) / "statm").read_text().split()
    except (OSError, ValueError):
        return 0.0
    return (int(resident) - int(shared)) * _PAGE / 1e6


def find_server(like: int, proc: Path = PROC) -> int:
    """The Bazel server in the control groups of another process, as in its container; or 0."""
    groups = _text(proc / str(like) / "cgroup")
    for name in os.listdir(proc) if groups else ():  # noqa: PTH208
        if not name.isdigit() or _text(proc / name / "cgroup") != groups:
            continue
        if _text(proc / name / "cmdline").startswith(_SERVER_WORD):
            return int(name)
    return 0


# --- inside ------------------------------------------------------------------------------------


def _descendants(pid: int, proc: Path) -> Iterator[tuple[int, int]]:
    for child in _children(pid, proc):
        yield child
        yield from _descendants(child[0], proc)


def _children(pid: int, proc: Path) -> Iterator[tuple[int, int]]:
    """Number and beginning of each child; any thread may have started it."""
    try:
        threads = os.listdir(proc / str(pid) / "task")  # noqa: PTH208  (a path each is slow)
    except OSError:
        return
    for thread in threads:
        for word in _text(proc / str(pid) / "task" / thread / "children").split():
            if began := _began(int(word), proc):
                yield int(word), began


def _began(pid: int, proc: Path) -> int:
    """When a process began, in ticks since the start of the machine; 0 where it is gone."""
    fields = _text(proc / str(pid) / "stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 else 0


def _is_wrapper(pid: int, proc: Path) -> bool:
    return _text(proc / str(pid) / "comm").strip() in _WRAPPERS


def _send(pid: int, began: int, number: signal.Signals, proc: Path) -> None:
    if _began(pid, proc) == began:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
