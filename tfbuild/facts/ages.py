"""How old a version is: the month in which its series began."""

from functools import lru_cache

from tfbuild.core.versions import known_version
from tfbuild.facts.rules import Facts


def began(facts: Facts, axis: str, version: str) -> str:
    """Year and month of the first release of its series; empty where nothing is known.

    What is newer than every series in the list is at least as young as the newest of them.
    """
    wanted = known_version(version)
    series = _by_release(facts, axis)
    if wanted is None or not series:
        return ""
    for numbers, month in series:
        if wanted.release[: len(numbers)] == numbers:
            return month
    return next((month for numbers, month in series if numbers < wanted.release), "")


@lru_cache(maxsize=64)
def _by_release(facts: Facts, axis: str) -> tuple[tuple[tuple[int, ...], str], ...]:
    """The series of an axis as numbers, newest first, with their months."""
    rows = [(known_version(row.series), row.began) for row in facts.series if row.axis == axis]
    return tuple(
        sorted(((version.release, month) for version, month in rows if version), reverse=True)
    )
