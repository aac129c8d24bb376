"""How old a version is: the month in which its series began."""

from collections.abc import Sequence
from functools import lru_cache

from tfbuild.core.versions import known_version
from tfbuild.facts.rows import SeriesRow


def began(series: Sequence[SeriesRow], axis: str, version: str) -> str:
    """Year and month of the first release of its series; empty where nothing is known.

    What is newer than every series in the list is at least as young as the newest of them.
    """
    wanted = known_version(version)
    if wanted is None:
        return ""
    known = _by_release(tuple(series), axis)
    for numbers, month in known:
        if wanted.release[: len(numbers)] == numbers:
            return month
    return next((month for numbers, month in known if numbers < wanted.release), "")


@lru_cache(maxsize=4096)  # it is asked for each value of an axis
def months_younger(
    series: tuple[SeriesRow, ...], one: tuple[str, str], other: tuple[str, str]
) -> int:
    """By how many months the series of one axis and version began after that of the other.

    0 where it is not younger, or where that is not known.
    """
    months = [_months(began(series, *version)) for version in (one, other)]
    return max(0, months[0] - months[1]) if all(months) else 0


def _months(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * 12 + int(number) if month else 0


@lru_cache(maxsize=64)
def _by_release(
    series: tuple[SeriesRow, ...], axis: str
) -> tuple[tuple[tuple[int, ...], str], ...]:
    """The series of an axis as numbers, newest first, with their months."""
    rows = [(known_version(row.series), row.began) for row in series if row.axis == axis]
    return tuple(
        sorted(((version.release, month) for version, month in rows if version), reverse=True)
    )
