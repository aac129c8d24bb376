"""How old a version is: the month in which its series began."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tfbuild.core.versions import known_version
from tfbuild.facts.rows import SeriesRow

_Months = tuple[tuple[tuple[int, ...], str], ...]  # releases of series and when they began


def began(series: Sequence[SeriesRow], axis: str, version: str) -> str:
    """Year and month of the first release of its series; empty where nothing is known.

    What is newer than every series in the list is at least as young as the newest of them.
    """
    return _began(_by_release(tuple(series), axis), version)


@lru_cache(maxsize=512)  # it is asked for every axis of every try
def months_younger(
    series: tuple[SeriesRow, ...], axis: str, values: tuple[str, ...], release: tuple[str, str]
) -> Mapping[str, int]:
    """Value -> by how many months its series began after that of a release (axis, version).

    0 where it is not younger, or where that is not known.
    """
    its = _months(began(series, *release))
    known = _by_release(series, axis)
    own = {value: _months(_began(known, value)) for value in values}
    return {value: max(0, month - its) if its else 0 for value, month in own.items()}


def _began(known: _Months, version: str) -> str:
    wanted = known_version(version)
    if wanted is None:
        return ""
    for numbers, month in known:
        if wanted.release[: len(numbers)] == numbers:
            return month
    return next((month for numbers, month in known if numbers < wanted.release), "")


def _months(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * 12 + int(number) if month else 0


@lru_cache(maxsize=64)
def _by_release(series: tuple[SeriesRow, ...], axis: str) -> _Months:
    """The series of an axis as numbers, newest first, with their months."""
    rows = [(known_version(row.series), row.began) for row in series if row.axis == axis]
    return tuple(
        sorted(((version.release, month) for version, month in rows if version), reverse=True)
    )
