"""Versions and ranges: parse, compare, contain; and the nearest word to a mistyped one."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from tfbuild.core.errors import BadRequest


@cache
def parse_version(text: str) -> Version:
    """The version; BadRequest when text is none."""
    try:
        return Version(text)
    except InvalidVersion as error:
        raise BadRequest(
            f"'{text}' is not a version", hint="write it with digits and dots, such as 3.11"
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
        return SpecifierSet(words)
    except InvalidSpecifier as error:
        raise BadRequest(
            f"'{text}' is neither a version nor a range",
            hint='write a version (3.11) or a range ("cuda>=12.2,<13")',
        ) from error


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
    """The version, or None where text is a word."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


@cache
def _kept_range(spec: str) -> SpecifierSet:
    return parse_range(spec)


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
    """A remedy: the nearest known word, or all of them."""
    options = list(known)
    found = nearest(word, options)
    return f"did you mean '{found}'?" if found else f"known are: {', '.join(options)}"
