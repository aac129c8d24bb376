"""A fact as a choice, a conflict or a warning rests on it: one sentence and its source."""

from dataclasses import dataclass
from typing import Literal

FactKind = Literal[
    "requirement", "usual", "rule", "packages", "tested", "coverage", "wheel", "proven", "absent",
    "implied", "request", "machine",
]  # fmt: skip
# Facts of today, whose sentences say themselves where they come from.
OF_TODAY: frozenset[FactKind] = frozenset({"request", "machine"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One sentence that a choice or a conflict rests on."""

    id: str  # by which choices and conflicts name it
    # requirement, usual: what a version needs, and what it is known with; rule: of rules.yaml;
    # packages: a system's own; tested: a row of tested builds; coverage: of what there are such
    # rows; wheel: a published wheel; proven: built here; absent: never released; implied: follows
    # from a choice; request: it was asked for; machine: it is there
    kind: FactKind
    text: str  # the sentence
    source: str  # documents that say it, joined by semicolons
    checked: str  # the day on which its source was last read: 2026-11-20
    evidence: str  # proven, documented, metadata, measured or derived
    fix: str = ""  # what to do about it; empty: nothing is known
    short: str = ""  # the sentence where there is little room; empty: as it is
