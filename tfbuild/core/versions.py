"""Versions and ranges: parse, compare, contain; and the nearest word to a mistyped one."""

import difflib
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from tfbuild.core.errors import BadRequest

_MOST_NAMED = 8  # known values in one sentence
LONGEST_VERSION = 100  # letters; a version becomes part of the names of files
_TOO_LONG = re.compile("[0-9]{25}")  # a number that no release has, and Python may not read


@cache
def parse_version(text: str) -> Version:
    """The version; BadRequest when text is none."""
    try:
        return Version(_sane(text))
    except InvalidVersion as error:
        raise BadRequest(
            f"'{text}' is not a version",
            code="not-a-version",
            hint="write it with digits and dots, such as 3.11",
        ) from error


def parse_range(text: str) -> SpecifierSet:
    """The range that text means: `>=12.2,<13`, or a bare version and all its patch releases.

    Raises BadRequest when text is neither.
    """
    words = text.strip()
    if words[:1].isdigit():
        parse_version(words.removesuffix(".*"))
        has_patches = words.replace(".", "").isdigit()  # 2.22.0rc0 is that one and no other
        words = f"=={words}.*" if has_patches else f"=={words}"
    try:
        return SpecifierSet(_sane(words))
    except InvalidSpecifier as error:
        raise BadRequest(
            f"'{text}' is neither a version nor a range",
            code="not-a-range",
            hint='write a version (3.11) or a range ("cuda>=12.2,<13")',
        ) from error


def check_range(text: str) -> None:
    """Raise BadRequest when text is neither a version nor a range, or a range that is empty."""
    if _is_empty(parse_range(text)):
        raise BadRequest(
            f"'{text}' is an empty range",
            code="range-empty",
            why="no version lies within all of its limits",
            hint='write the lower limit below the upper one, such as ">=3.9,<3.12"',
        )


def select_versions(spec: str, versions: Iterable[Version]) -> Iterator[Version]:
    """Those of the versions that lie in the range; BadRequest when spec is none."""
    return _kept_range(spec).filter(versions, prereleases=True)


@lru_cache(maxsize=64)
def by_version(texts: tuple[str, ...]) -> Mapping[Version, Sequence[str]]:
    """Each version and the texts that write it: 3.7 and 3.7.0 are one; words are left out."""
    found: dict[Version, list[str]] = defaultdict(list)
    for text in texts:
        if (version := known_version(text)) is not None:
            found[version].append(text)
    return found


@cache
def known_version(text: str) -> Version | None:
    """The version, or None where text is a word, or longer than any version."""
    try:
        is_long = len(text) > LONGEST_VERSION or _TOO_LONG.search(text)
        return None if is_long else Version(text)
    except InvalidVersion:
        return None


def _sane(text: str) -> str:
    """The text; BadRequest where it holds a number beyond all measure."""
    if _TOO_LONG.search(text):
        raise BadRequest(
            f"'{text[:30]}...' is neither a version nor a range",
            code="version-too-long",
            why="a number in it has 25 digits or more",
            hint="write it with digits and dots, such as 3.11",
        )
    return text


def _is_empty(found: SpecifierSet) -> bool:
    """Whether no version can lie in the range: none of its limits, and none just beside one."""
    known = (known_version(one.version.removesuffix(".*")) for one in found)
    limits = {limit for limit in known if limit is not None}
    if any(limit.is_prerelease for limit in limits):
        return False  # what lies beside one of these has no plain form
    beside = {Version(f"{limit.base_version}.0.0.0.1") for limit in limits}
    after = {_next(one.version) for one in found if one.version.endswith(".*")}
    return not any(found.contains(version) for version in {Version("0"), *limits, *beside, *after})


def _next(series: str) -> Version:
    """The first version after a series: 3.10 of 3.9.*."""
    *first, last = Version(series.removesuffix(".*")).release
    return Version(".".join(map(str, (*first, last + 1))))


@cache
def _kept_range(spec: str) -> SpecifierSet:
    return parse_range(spec)


def is_same_version(one: str, other: str) -> bool:
    """Whether both texts mean one version, as 2.21.0-rc0 and 2.21.0rc0 do, or are one word."""
    first, second = known_version(one), known_version(other)
    return one == other if first is None or second is None else first == second


def contains(range_text: str, version: str) -> bool:
    """Whether version lies in the range; a shorter version stands for its newest patch release."""
    return parse_range(range_text).contains(parse_version(version), prereleases=True)


def newest_first(versions: Iterable[str]) -> list[str]:
    """The versions, newest first."""
    return sorted(versions, key=parse_version, reverse=True)


def minor(version: str) -> str:
    """The first two numbers: 3.11 of 3.11.7."""
    return ".".join(version.split(".")[:2])


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like word, or an empty string."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A remedy: the nearest known word; else all of them, or of many the eight nearest."""
    options = list(known)
    found = nearest(word, options)
    if found:
        return f"did you mean '{found}'?"
    if len(options) <= _MOST_NAMED:
        return f"known are: {', '.join(options)}"
    named = ", ".join(_nearest_first(word, options)[:_MOST_NAMED])
    return f"known are: {named} and {len(options) - _MOST_NAMED} more"


def nearest_three(word: str, known: Iterable[str]) -> list[str]:
    """The three known words that are most like word, the nearest first."""
    by_word = {option.lower(): option for option in known}
    return [by_word[found] for found in _nearest_first(word.lower(), list(by_word))[:3]]


def _nearest_first(word: str, options: list[str]) -> list[str]:
    """Versions by how many others lie between them and the word; words by their letters."""
    text = word.strip("=<>!~ ")
    if known_version(text) is None or any(known_version(option) is None for option in options):
        return difflib.get_close_matches(word, options, n=len(options), cutoff=0.0)
    ordered = sorted(options, key=parse_version)
    place = bisect_left([parse_version(option) for option in ordered], parse_version(text)) - 0.5
    return sorted(ordered, key=lambda option: abs(ordered.index(option) - place))
