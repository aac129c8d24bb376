"""Follows one call of Bazel: feeds estimate and governor, says what is left, remembers it all."""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfbuild.bazel.estimate import Estimator, TimeLeft
from tfbuild.bazel.events import progress
from tfbuild.bazel.governor import Governor
from tfbuild.bazel.history import History, LearnedAction
from tfbuild.bazel.profile import Profile, ProfiledAction, read_profile
from tfbuild.core.build_course import ActionUse, BuildCourse, KindUse, TimeStatement
from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.errors import OutOfMemory
from tfbuild.core.masking import mask
from tfbuild.core.safe_files import parse_json

_RUNNING = re.compile(r"(?:^\s{4}|\]\s+)(?:\[[A-Z][a-z]{4}\] )?([A-Z][a-z][^;]*?); (\d+)s")
_LOOK_SECONDS = 0.5
_STATED = (0.1, 0.25, 0.5, 0.75)  # shares of the time of which the report names the estimate
_LONGEST = 8
_LONG_POLE_SECONDS = 20.0
_HIT_SHARE = 0.2  # what took less than that of its usual time has not run, whatever is said
_WORKS = 0.05  # seconds: what takes less is Bazel's own file writing


@dataclass(slots=True, kw_only=True)
class _Action:
    """One action that ended."""

    output: str
    kind: str
    label: str
    name: str


@dataclass(slots=True, kw_only=True)
class Follower:
    """Fed by the watch of one call; times are those of the monotonic clock."""

    estimator: Estimator
    governor: Governor
    history: History
    profile: Path
    clock: Callable[[], float] = time.monotonic
    began: float = -1.0
    _actions: dict[str, _Action] = field(default_factory=dict)
    _said: list[tuple[float, TimeLeft]] = field(default_factory=list)
    _looked: float = 0.0
    _cost: float = 0.0

    def __post_init__(self) -> None:
        self.began = self.clock()

    def line(self, line: str) -> None:
        """Take one line of the display."""
        now = self.clock()
        if found := progress(line):
            self.estimator.count(now, found[0], found[1])
        if match := _RUNNING.search(line):
            self.estimator.runs(match[1].strip(), float(match[2]))

    def event(self, line: bytes) -> None:
        """Take one event; those of actions that ended count."""
        if b'"actionCompleted"' not in line[:400]:
            return
        began = time.thread_time()
        if action := read_action(line):
            self._actions.setdefault(action.output, action)
            now = self.clock()
            self.estimator.ends(now, action.output, action.kind, action.name)
        self._cost += time.thread_time() - began

    def tick(self) -> None:
        """Look at memory, and at the time that is left; raises MemoryTight."""
        began = time.thread_time()
        self.governor.tick()
        now = self.clock()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            if left := self.estimator.left(now):
                self._said.append((now, left))
        self._cost += time.thread_time() - began

    def words(self) -> str:
        """What is left, the share out of caches, memory, and what holds the build up."""
        estimator, now = self.estimator, self.clock()
        left = self._said[-1][1] if self._said else None
        parts = [str(left)] if left and left.says_something else []
        if not parts and estimator.may_grow(now):
            parts = [f"at least {counted(estimator.total, 'action')}"] if estimator.total else []
        if share := self._cached_share():
            parts.append(f"{share:.0%} from caches")
        if memory := self.governor.last:
            used = memory.total_mb - memory.free_mb
            parts.append(f"{used / 1024:.1f} of {memory.total_mb / 1024:.1f} GB memory")
        name, seconds = estimator.longest()
        if seconds >= _LONG_POLE_SECONDS:
            parts.append(f"waiting {clock(seconds)} for {name}")
        return ", ".join(parts)

    def kills(self) -> int:
        """How many programs the kernel has ended for memory since the call began."""
        return self.governor.kills_since()

    def with_figures(self, error: OutOfMemory) -> OutOfMemory:
        """The error with what was measured: the limit, what was free, what took most."""
        state, processes = self.governor.last, self.governor.processes
        figures = []
        if state:
            figures.append(
                f"{self.governor.least_free_mb} MB were free at least of {state.limit} "
                f"({state.total_mb} MB)"
            )
        top = sorted(processes.peaks.items(), key=lambda pair: -pair[1])[:3]
        figures += [f"{output.rpartition('/')[2]} took {peak:.0f} MB" for output, peak in top]
        figures.append(f"with {counted(self.estimator.jobs, 'job')}")
        why = "\n".join(part for part in (", ".join(figures), error.why) if part)
        error.why = mask(why)
        return error

    def close(self) -> None:
        """Let go of what is paused."""
        self.governor.close()

    def finish(self, *, is_whole: bool) -> BuildCourse:
        """How it went; remembered for the next build, whose estimates need builds that were whole.

        The memory and the time of single actions are worth knowing of any build.
        """
        ended = self.clock()
        profile = read_profile(self.profile)
        took = self._times(profile)
        learned = self._learned(took)
        seconds = ended - self.estimator.began if self.estimator.began >= 0 else 0.0
        work = sum(action.seconds for action in learned)
        if learned or is_whole:
            self.history.learn(
                learned,
                seconds=seconds,
                jobs=self.estimator.jobs,
                total=self.estimator.total if is_whole else 0,
                settled=self.estimator.settled,
                speed=work / seconds if is_whole and work > 5 and seconds > 1 else 0.0,
            )
        return self._course(profile, took, ended)

    # --- inside ----------------------------------------------------------------------------------

    def _times(self, profile: Profile) -> dict[str, ProfiledAction]:
        """Output -> the action as profiled; by its name where the profile has no outputs."""
        by_output = {action.output: action for action in profile.actions if action.output}
        by_name = {action.name: action for action in profile.actions}
        found = {}
        for output, action in self._actions.items():
            profiled = by_output.get(output) or by_name.get(action.name)
            if profiled:
                found[output] = profiled
        return found

    def _learned(self, took: dict[str, ProfiledAction]) -> list[LearnedAction]:
        """What ran, its time as work: a build in which all is slower has not more of it."""
        usual = self.estimator.expects.seconds
        ran = {
            output: action.seconds
            for output, action in took.items()
            if not action.is_hit and action.seconds > _HIT_SHARE * usual.get(output, 0.0)
        }
        pace = 1.0
        known = [
            (usual[o], seconds) for o, seconds in ran.items() if usual.get(o, 0.0) > 4 * _WORKS
        ]
        if len(known) >= 5:
            pace = sum(now for _, now in known) / sum(before for before, _ in known)
        peaks = self.governor.processes.peaks
        return [
            LearnedAction(
                output=output,
                kind=self._actions[output].kind,
                seconds=seconds / pace,
                memory_mb=peaks.get(output, 0.0),
            )
            for output, seconds in ran.items()
        ]

    def _cached_share(self) -> float:
        """The share of cache hits among the results seen so far, as far as Bazel has said."""
        results = self.estimator.hits + self.estimator.ran
        return self.estimator.hits / results if results >= 10 else 0.0

    def _course(
        self, profile: Profile, took: dict[str, ProfiledAction], ended: float
    ) -> BuildCourse:
        worked = [a for a in took.values() if a.seconds > _WORKS or a.is_hit]
        uses = [self._use(o, a) for o, a in took.items() if not a.is_hit and a.seconds > _WORKS]
        return BuildCourse(
            jobs=self.estimator.jobs,
            kinds=_by_kind(uses),
            longest=tuple(sorted(uses, key=lambda use: -use.seconds)[:_LONGEST]),
            critical_path=tuple(
                ActionUse(name=a.name, kind="", seconds=round(a.seconds, 3), memory_mb=0)
                for a in profile.critical_path
            ),
            cached_share=round(sum(a.is_hit for a in worked) / len(worked), 4) if worked else 0.0,
            estimates=_statements(self._said, self.began, ended),
            pauses=self.governor.pauses,
            server_mb=round(self.governor.processes.server_mb),
            least_free_mb=self.governor.least_free_mb,
            sampling_share=round(self._cost / max(ended - self.began, 0.1), 5),
        )

    def _use(self, output: str, action: ProfiledAction) -> ActionUse:
        known = self._actions[output]
        return ActionUse(
            name=action.name,
            kind=known.kind,
            seconds=round(action.seconds, 3),
            memory_mb=round(self.governor.processes.peaks.get(output, 0.0)),
        )


def read_action(line: bytes) -> _Action | None:
    """The action of an event that reports its end; None for any other, and for what is broken."""
    try:
        event = parse_json(line)
        ended, action = event["id"]["actionCompleted"], event["action"]
        words = [str(word) for word in action.get("commandLine", ())]
        output = str(ended.get("primaryOutput", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not output:
        return None
    name = ""
    if "-c" in words[:-1]:
        name = f"Compiling {words[words.index('-c') + 1]}"
    elif output.startswith("bazel-out/"):
        name = f"Linking {'/'.join(output.split('/')[3:])}"
    kind = str(action.get("type", ""))
    return _Action(output=output, kind=kind, label=str(ended.get("label", "")), name=name)


def with_narrowing(course: BuildCourse, jobs: int) -> BuildCourse:
    """The course of a build that began with so many jobs and had to go on with fewer."""
    return replace(course, narrowed_from=jobs)


def _by_kind(uses: Sequence[ActionUse]) -> tuple[KindUse, ...]:
    groups = defaultdict(list)
    for use in uses:
        groups[use.kind].append(use)
    kinds = [
        KindUse(
            kind=kind,
            actions=len(group),
            seconds=round(sum(use.seconds for use in group), 2),
            longest=max(use.seconds for use in group),
            memory_mb=max(use.memory_mb for use in group),
        )
        for kind, group in groups.items()
    ]
    return tuple(sorted(kinds, key=lambda use: -use.seconds))


def _statements(
    said: Sequence[tuple[float, TimeLeft]], began: float, ended: float
) -> tuple[TimeStatement, ...]:
    """The ranges that were stated at some shares of the time, beside what was left then."""
    found = []
    for share in _STATED if said else ():
        wanted = began + share * (ended - began)
        at, left = min(said, key=lambda pair: abs(pair[0] - wanted))
        found.append(
            TimeStatement(
                at=round(at - began, 1),
                low=round(left.low, 1),
                high=round(left.high, 1),
                actual=round(ended - at, 1),
            )
        )
    return tuple(dict.fromkeys(found))
