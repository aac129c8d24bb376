"""The frozen records of why a build did what it did: what changed, and what that cost."""

from dataclasses import dataclass
from typing import Literal

ChangeKind = Literal["source", "option", "environment", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is not as it was at the last build of the same targets."""

    kind: ChangeKind  # what has changed
    name: str  # a path in the source tree, @NAME//PATH in a repository, a flag, a variable, a tool
    how: str  # changed, added, removed, or from what to what


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOfRebuild:
    """Actions that ran for one reason or one target; seconds add up what ran side by side."""

    name: str  # the reason, or the label of the target
    actions: int  # how many ran for it
    seconds: float = 0.0  # of them together; 0: Bazel does not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """What changed since the last build of the same targets, and which actions that cost.

    All empty where nothing was built: what is remembered costs nothing.
    """

    since: str = ""  # the run that built these targets last; empty: none did
    has_failed: bool = False  # whether that run failed: what it left undone is in the costs, too
    changes: tuple[Change, ...] = ()  # all that is not as it was then
    actions: int = 0  # how many ran
    seconds: float = 0.0  # of all those actions together
    # why they ran, in Bazel's own words, the costliest first
    reasons: tuple[CostOfRebuild, ...] = ()
    targets: tuple[CostOfRebuild, ...] = ()  # those whose actions took most, the costliest first


NO_REBUILD = Rebuild()
