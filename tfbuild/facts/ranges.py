"""Ranges over the values of one axis: `>=5,<11`, `2.7 | >=3.5,<3.9`, `any`, `none`, plain words."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from packaging.version import Version

from tfbuild.core.counts import counted
from tfbuild.core.versions import by_version, known_version, parse_version, select_versions

_MOST_RUNS = 4  # in a sentence
NONE = "none"  # the value of an axis that a build does without


def select(spec: str, values: Sequence[str], *, words: bool = False) -> frozenset[str]:
    """The values that spec allows; on an axis of words, those that it names.

    `any` is every value but none. BadRequest when spec is neither a version nor a range.
    """
    found: set[str] = set()
    texts = tuple(values)
    known: Mapping[Version, Sequence[str]] = {}
    for part in (part.strip() for part in spec.split("|")):
        if part == "any":
            found.update(value for value in values if value != NONE)
        elif part == NONE or words:
            found.update(value for value in values if value == part)
        elif part.startswith("==") and "*" not in part and "," not in part:
            known = known or by_version(texts)  # lists of releases are long: they are looked up
            found.update(known.get(parse_version(part[2:].strip()), ()))
        else:
            found.update(_inside(part, texts))
    return frozenset(found)


def asked(spec: str, values: Sequence[str], *, words: bool = False) -> frozenset[str]:
    """What a constraint means: as `select`, but a version that is there means just itself.

    A version more exact than the rows (3.11.7) means its row (3.11).
    """
    if spec in values:
        return frozenset((spec,))
    found = select(spec, values, words=words)
    version = "" if words else exact(spec)
    if found or not version:
        return found
    return frozenset(value for value in values if version.startswith(f"{value}."))


def exact(spec: str) -> str:
    """The one version that spec means, or an empty string where it is a range."""
    text = spec.removeprefix("==").strip()
    return text if text[:1].isdigit() and not any(sign in text for sign in "*,|<>=!~ ") else ""


def newest_values_first(values: Sequence[str]) -> list[str]:
    """The values, newest first; words keep their order, none comes last."""
    return list(_newest_first(tuple(values)))


@lru_cache(maxsize=1024)
def _newest_first(values: tuple[str, ...]) -> tuple[str, ...]:
    words = [value for value in values if value != NONE and known_version(value) is None]
    versions = [value for value in values if known_version(value) is not None]
    newest = sorted(versions, key=parse_version, reverse=True)
    return (*newest, *words, *([NONE] if NONE in values else []))


def is_prerelease(value: str) -> bool:
    """Whether value is a version that is not final: 2.22.0rc0."""
    version = known_version(value)
    return version is not None and version.is_prerelease


def span(values: Sequence[str], known: Sequence[str] = ()) -> str:
    """Versions in words: `9.0, 9.1`, `3.6 to 3.9`; known says what would lie between them."""
    ordered = list(reversed(newest_values_first(values)))
    everything = list(reversed(newest_values_first(known))) if known else ordered
    runs: list[list[str]] = []
    wanted = set(values)
    for place, value in enumerate(everything):
        if value in wanted:
            if place and runs and everything[place - 1] == runs[-1][-1]:
                runs[-1].append(value)
            else:
                runs.append([value])
    if len(runs) > _MOST_RUNS:
        return f"{counted(len(values), 'release')} from {ordered[0]} to {ordered[-1]}"
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(r) for r in runs)


@lru_cache(maxsize=4096)
def _inside(spec: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values that are versions in the range."""
    known = by_version(values)
    inside = select_versions(spec, known) if known else ()
    return tuple(value for version in inside for value in known[version])
