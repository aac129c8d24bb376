"""Keeps a running build within memory: pauses the newest actions before the kernel ends any.

Bazel has no way to run fewer jobs while it builds. A compiler that is stopped where it is keeps
its memory and asks for no more; it goes on when an older one has ended. Where one action alone is
too much beside those that wait, the build is stopped in order, to go on with fewer jobs.
"""

import statistics
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tfbuild.bazel.memory import MemoryState, memory_state
from tfbuild.bazel.processes import ActionProcesses, RunningAction, go_on, pause
from tfbuild.core.errors import OutOfMemory
from tfbuild.core.reporter import Reporter

_CALM_SECONDS, _TENSE_SECONDS = 1.0, 0.2
# A look is followed by at least so many times its own cost without one; where memory may be full
# within seconds, a share of 5 % is cheaper than a compiler that the kernel ends.
_CALM_SHARE, _TENSE_SHARE = 100.0, 20.0
_AHEAD_SECONDS = 1.5  # how far growth is taken to go on
_CALM_MB = 800.0  # per action: what the fastest compilers grow by in two seconds
_ENOUGH, _JUDGED = 3, 30  # of the actions that ended last, to judge the others by
_STALLED = 25.0  # of the last ten seconds, in percent, spent waiting for memory by all


class MemoryTight(OutOfMemory):
    """One action needs the memory that paused ones hold: the build must go on with fewer jobs."""

    code = "memory-held-by-others"


@dataclass(slots=True, kw_only=True)
class Governor:
    """Looks at memory and at the actions of a server as often as it must; close it at the end."""

    server: Callable[[], int]  # its number, 0 where there is none to be seen
    reporter: Reporter
    expected_mb: Callable[[str], float] = lambda _: 0.0  # an output's peak in earlier builds
    guess_mb: float = 0.0  # for an output of which nothing is known
    state: Callable[[int], MemoryState] = memory_state
    processes: ActionProcesses = field(default_factory=ActionProcesses)
    pauses: int = 0
    least_free_mb: int = 0
    first: MemoryState | None = None
    last: MemoryState | None = None
    _peaks: dict[str, deque[float]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=_JUDGED))
    )
    _next: float = 0.0

    def tick(self, now: float | None = None) -> None:
        """Look, if it is time; raises MemoryTight where pausing does not help any more."""
        now = time.monotonic() if now is None else now
        if now < self._next:
            return
        began = time.thread_time()
        server = self.server()
        if server:
            self._look(server, now)
        cost = time.thread_time() - began
        if self._is_calm():
            self._next = now + max(_CALM_SECONDS, _CALM_SHARE * cost)
        else:
            self._next = now + max(_TENSE_SECONDS, _TENSE_SHARE * cost)

    def kills_since(self) -> int:
        """How many programs the kernel has ended for memory since the first look."""
        if self.first is None:
            return 0
        return max(0, self.state(self.server()).kills - self.first.kills)

    def close(self) -> None:
        """Let everything that is paused go on."""
        for action in self.processes.running.values():
            if action.is_paused:
                go_on(action, self.processes.proc)

    def _look(self, server: int, now: float) -> None:
        actions = self.processes.look(server, now)
        while self.processes.ended:
            action = self.processes.ended.pop()
            self._peaks[_ending(action.output)].append(action.peak_mb)
        state = self.last = self.state(server)
        self.first = self.first or state
        self.least_free_mb = min(self.least_free_mb or state.free_mb, state.free_mb)
        decided = decide_pauses(state, actions, self._expected)
        for action in decided.paused:
            self._pause(action, state)
        for action in decided.resumed:
            go_on(action, self.processes.proc)
        if decided.is_tight:
            self.close()
            raise MemoryTight(
                "one action needs the memory that others hold",
                why=f"{state.free_mb} MB are free of {state.limit}",
                hint="run again with fewer jobs, for example --jobs=1; finished work is kept",
            )

    def _is_calm(self) -> bool:
        """Whether nothing that runs can fill the memory within seconds."""
        if self.last is None:
            return True
        running = sum(not action.is_paused for action in self.processes.running.values())
        return self.last.free_mb > self.last.reserve_mb + _CALM_MB * max(2, running)

    def _expected(self, output: str) -> float:
        """The peak of an output in earlier builds, else what most of this build's took so far."""
        if known := self.expected_mb(output):
            return known
        ended = self._peaks[_ending(output)]
        if len(ended) >= _ENOUGH:
            return statistics.fmean(ended) + statistics.pstdev(ended)
        return self.guess_mb

    def _pause(self, action: RunningAction, state: MemoryState) -> None:
        if not self.pauses:
            self.reporter.warn(
                f"memory is short ({state.free_mb} MB free of {state.limit}): the newest actions "
                "wait until others have ended",
                code="memory-short",
            )
        self.pauses += 1
        pause(action, self.processes.proc)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """What one look decides."""

    paused: tuple[RunningAction, ...] = ()
    resumed: tuple[RunningAction, ...] = ()
    is_tight: bool = False


def decide_pauses(
    state: MemoryState, actions: Sequence[RunningAction], expected_mb: Callable[[str], float]
) -> Pauses:
    """Which actions wait and which go on; actions are the oldest first, and the oldest never waits.

    An action is taken to grow to what it took in earlier builds, and as it has grown just now.
    """
    ours = [action for action in actions if action.output]  # not workers, nor the server's helpers
    running = [action for action in ours if not action.is_paused]
    waiting = [action for action in ours if action.is_paused]
    spare = state.free_mb - state.reserve_mb - sum(_to_come(a, expected_mb) for a in running)
    if (spare < 0 or state.stall > _STALLED) and len(running) > 1:
        chosen: list[RunningAction] = []
        while len(running) > 1 and (spare < 0 or not chosen):
            chosen.append(running.pop())
            spare += _to_come(chosen[-1], expected_mb)
        return Pauses(paused=tuple(chosen))
    if waiting and not running:
        return Pauses(resumed=(waiting[0],))
    if waiting and state.stall <= _STALLED and spare > _to_come(waiting[0], expected_mb):
        return Pauses(resumed=(waiting[0],))
    held = sum(action.memory_mb for action in waiting)
    # The last one that runs is about to meet the limit, and what the others hold would save it.
    is_tight = state.free_mb < state.reserve_mb // 2 and spare < 0 < held
    return Pauses(is_tight=bool(running) and is_tight)


def _ending(output: str) -> str:
    """What distinguishes objects from libraries: .pic.o, .so."""
    return output.rpartition("/")[2].partition(".")[2]


def _to_come(action: RunningAction, expected_mb: Callable[[str], float]) -> float:
    """How much more memory an action is about to take, in MB."""
    known = expected_mb(action.output)
    if action.is_paused and not known:
        known = 1.5 * action.memory_mb  # it was in the midst of growing
    growing = 0.0 if action.is_paused else action.growth * _AHEAD_SECONDS
    return max(known - action.memory_mb, growing, 0.0)
