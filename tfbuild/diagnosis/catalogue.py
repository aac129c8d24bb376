"""The pitfalls of matrices/pitfalls/ as patterns that can be searched for, each with its words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeVar

from tfbuild.core.errors import BadRecipe
from tfbuild.core.linear_patterns import LinearPattern, linear_pattern
from tfbuild.core.versions import did_you_mean
from tfbuild.diagnosis.literals import required_literals
from tfbuild.facts.build_rows import PitfallRow
from tfbuild.facts.installed import open_tables

Word = TypeVar("Word", bound=str)

# Best first: a cause; one that is named only in general; what may be harmless; mere messengers.
PitfallKind = Literal["cause", "general", "vague", "weak", "messenger"]
KINDS: tuple[PitfallKind, ...] = ("cause", "general", "vague", "weak", "messenger")
# What a build that fails so ends with, beside `build`; a full disk and no memory stop everything.
FailureKind = Literal["", "memory", "disk", "configure", "fetch"]
_FAILURES: tuple[FailureKind, ...] = ("", "memory", "disk", "configure", "fetch")
_SAME_NAME = re.compile(r"_[a-z]$")  # a name stands once in a pattern: path, path_b, path_c


@dataclass(frozen=True, slots=True, kw_only=True)
class Pitfall:
    """A row of the catalogue with its patterns compiled."""

    row: PitfallRow
    kind: PitfallKind
    failure: FailureKind
    any_pattern: LinearPattern  # of all of them: most lines that hold a word are none of this
    patterns: tuple[LinearPattern, ...]
    unless: tuple[LinearPattern, ...]
    words: tuple[str, ...]  # one of them is in each line that it matches
    place: int  # in the catalogue: of two that explain a line equally well, the first counts

    def match(self, line: str) -> dict[str, str] | None:
        """The named parts of a line that this explains; None for any other line."""
        raw = line.encode(errors="replace")
        if not self.any_pattern.search(raw) or any(one.search(raw) for one in self.unless):
            return None
        for pattern in self.patterns:
            if found := pattern.search(raw):
                groups = found.groupdict()
                return {_SAME_NAME.sub("", n): text.decode() for n, text in groups.items() if text}
        return None


@cache
def read_catalogue() -> tuple[Pitfall, ...]:
    """The pitfalls that tfbuild knows; BadRecipe points at the first wrong entry."""
    return compile_catalogue(open_tables().pitfalls())


def compile_catalogue(rows: Iterable[PitfallRow]) -> tuple[Pitfall, ...]:
    """The rows as pitfalls; BadRecipe for a pattern that cannot be searched for."""
    found: dict[str, Pitfall] = {}
    for row in rows:
        if row.id in found:
            raise BadRecipe(
                f"the pitfall '{row.id}' is there twice",
                code="pitfall-twice",
                hint="give one another id",
            )
        found[row.id] = _compile(row, len(found))
    return tuple(found.values())


def _compile(row: PitfallRow, place: int) -> Pitfall:
    try:
        patterns = tuple(linear_pattern(pattern) for pattern in row.patterns)
        any_pattern = linear_pattern("|".join(f"(?:{pattern})" for pattern in row.patterns))
        unless = tuple(linear_pattern(pattern) for pattern in row.unless)
        words = tuple(word for pattern in row.patterns for word in required_literals(pattern))
    except ValueError as error:
        raise BadRecipe(
            f"the pitfall '{row.id}' has a pattern that cannot be searched for",
            code="pitfall-pattern-wrong",
            why=str(error),
            hint="write an expression of RE2 for one line, with a word in it that every match has",
        ) from error
    return Pitfall(
        row=row,
        kind=_one_of(KINDS, row.kind, row.id),
        failure=_one_of(_FAILURES, row.failure, row.id),
        any_pattern=any_pattern,
        patterns=patterns,
        unless=unless,
        words=tuple(dict.fromkeys(words)),
        place=place,
    )


def _one_of(known: tuple[Word, ...], word: str, where: str) -> Word:
    for one in known:
        if one == word:
            return one
    raise BadRecipe(
        f"the pitfall '{where}' has an unknown kind '{word}'",
        code="pitfall-kind-unknown",
        hint=did_you_mean(word, known),
    )
