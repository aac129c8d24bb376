"""The frozen records of how a build went: what its actions took, how far the estimate was off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KindUse:
    """All actions of one kind that ran; memory_mb is the highest peak, 0 where none was seen."""

    kind: str  # as Bazel calls it: CppCompile
    actions: int  # how many ran
    seconds: float  # of all of them together
    longest: float  # seconds of the one that took most
    memory_mb: int  # the highest peak of one, in MB; 0: none was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionUse:
    """One action that took long."""

    name: str  # what it makes: Compiling FILE
    kind: str  # as Bazel calls it: CppCompile; empty on the critical path
    seconds: float  # how long it took
    memory_mb: int  # its peak, in MB; 0: none was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeStatement:
    """What was said to be left at some time, and what was; all in seconds."""

    at: float  # seconds after the beginning
    low: float  # the least that was said to be left
    high: float  # the most that was said to be left
    actual: float  # what was left then, as it turned out


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildCourse:
    """How Bazel's part went; all empty where nothing of it was seen."""

    jobs: int = 0  # actions that could run at once
    kinds: tuple[KindUse, ...] = ()  # those that took most time first
    longest: tuple[ActionUse, ...] = ()  # the single actions that took most time
    # the longest chain of actions that waited for each other
    critical_path: tuple[ActionUse, ...] = ()
    cached_share: float = 0.0  # of the actions that do work, the share that was cached, 0 to 1
    estimates: tuple[TimeStatement, ...] = ()  # what was said of the time left, against what it was
    pauses: int = 0  # how often an action was paused for want of memory
    narrowed_from: int = 0  # jobs at first, where it had to go on with fewer; 0: it had not
    server_mb: int = 0  # what Bazel's own server took at most, in MB
    least_free_mb: int = 0  # the least memory that was free, in MB; 0: nobody looked
    sampling_share: float = 0.0  # of one processor, what watching the build took, 0 to 1


NO_COURSE = BuildCourse()
