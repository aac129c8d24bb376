"""A fact as a choice, a conflict or a warning rests on it: one sentence and its source."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One sentence that a choice or a conflict rests on."""

    id: str
    text: str
    source: str
    checked: str
    evidence: str
    fix: str = ""
