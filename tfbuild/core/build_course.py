"""The frozen records of how a build went: what its actions took, how far the estimate was off."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KindUse:
    """All actions of one kind that ran; memory_mb is the highest peak, 0 where none was seen."""

    kind: str
    actions: int
    seconds: float
    longest: float
    memory_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionUse:
    """One action that took long."""

    name: str
    kind: str
    seconds: float
    memory_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeStatement:
    """What was said to be left at some time, and what was; all in seconds."""

    at: float
    low: float
    high: float
    actual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildCourse:
    """How Bazel's part went; all empty where nothing of it was seen."""

    jobs: int = 0
    kinds: tuple[KindUse, ...] = ()
    longest: tuple[ActionUse, ...] = ()
    critical_path: tuple[ActionUse, ...] = ()
    cached_share: float = 0.0  # of the actions that do work, 0 to 1
    estimates: tuple[TimeStatement, ...] = ()
    pauses: int = 0  # of actions, for want of memory
    narrowed_from: int = 0  # jobs, where the build had to go on with fewer
    server_mb: int = 0
    least_free_mb: int = 0
    sampling_share: float = 0.0  # of one processor, that looking on took


NO_COURSE = BuildCourse()
