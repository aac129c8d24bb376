"""What the resolver answers: versions with facts, conflicts, alternatives, warnings."""

from dataclasses import dataclass
from typing import Literal

from tfbuild.core.records import Evidence, Pairs, PinKind
from tfbuild.facts.cases import Case
from tfbuild.facts.fact import Fact

Status = Literal["ok", "doubtful", "conflict", "unknown"]
# tested: a published or proven row covers all of it; likely: within every known limit, and near
# such a row; doubtful: no limit forbids it, and its makers or anybody else hardly tried it.
Confidence = Literal["tested", "likely", "doubtful", ""]
WarningKind = Literal[
    "meaningless", "doubt", "read", "open", "untested", "uncovered", "advisory", "unlisted",
    "unknown", "stale", "cut",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """One constraint on the values that it allows; axis is gpu#2 for the second of several GPUs."""

    axis: str
    spec: str
    origin: str
    values: frozenset[str]
    kind: PinKind = "request"
    words: str = ""  # the spec as a person wrote it, where that says more: RTX 3090

    @property
    def term(self) -> tuple[str, frozenset[str]]:
        """Axis and values, as the solver takes them."""
        return self.axis, self.values

    @property
    def text(self) -> str:
        """The constraint in words: `python=3.11 (command line)`."""
        axis = self.axis.partition("#")[0]
        if self.words:
            return f"{axis}={self.words} ({self.spec.removeprefix('==')}, {self.origin})"
        sign = "" if self.spec[:1] in "<>=!~" else "="
        return f"{axis}{sign}{self.spec} ({self.origin})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedVersion:
    """The value of one axis: how well it is known, the facts behind it, what else would do."""

    axis: str  # its name in matrices/axes.yaml
    value: str  # a version, or a word
    # how well it is known beside the other choices: proven by tfbuild, documented by a maintainer,
    # metadata of an index or image, measured, derived from other facts, or untested
    evidence: Evidence
    because: tuple[str, ...]  # ids of the facts behind it
    others: tuple[str, ...] = ()  # values that may take its place with all else as it is
    against: Pairs = ()  # next newer and next older value that cannot be -> id of the fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The smallest set of constraints and facts that cannot hold together."""

    axes: tuple[str, ...]  # those that collide
    message: str  # all of it in one sentence
    constraints: tuple[str, ...]  # what was asked for and collides, each with who asked
    facts: tuple[Fact, ...]  # why it cannot be


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The nearest combination that works: what to change, and all versions then."""

    change: Pairs
    versions: Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionWarning:
    """Something that does not forbid the combination, and that one should know."""

    # doubt: beyond what anybody tried; read, open, meaningless: how the words of a person were
    # taken; untested: outside the tables of tested builds; uncovered: of that, no table has
    # anything; advisory: a fact that speaks against it and does not forbid it; unlisted: judged
    # without a row of its own; unknown: no fact covers it; stale: facts that were read long ago;
    # cut: the search for conflicts and ways out ended before its end
    kind: WarningKind
    axes: tuple[str, ...]  # those that it is about
    message: str  # all of it in one sentence
    facts: tuple[Fact, ...]  # those that it rests on; may be none

    @property
    def code(self) -> str:
        """The code of its kind, as `tfbuild explain` has it."""
        return f"versions-{self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A known case, how far it is from the question, and the axes on which they differ."""

    case: Case
    distance: int
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer to one question."""

    status: Status
    confidence: Confidence = ""  # of the versions; empty where there are none
    constraints: tuple[str, ...] = ()  # each as it was understood, with its origin
    choices: tuple[ResolvedVersion, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[ResolutionWarning, ...] = ()
    facts: tuple[Fact, ...] = ()  # all that the choices name
    cases: tuple[Neighbour, ...] = ()  # what is known to have happened nearby

    @property
    def is_possible(self) -> bool:
        """Whether there are versions, however well they are known."""
        return self.status in {"ok", "doubtful"}

    @property
    def trouble(self) -> str:
        """The first conflict in words, else the first warning, else an empty string."""
        for conflict in self.conflicts:
            return conflict.message
        return next((warning.message for warning in self.warnings), "")

    def value(self, axis: str) -> str:
        """The chosen value; an empty string where nothing was chosen."""
        return next((c.value for c in self.choices if c.axis == axis), "")
