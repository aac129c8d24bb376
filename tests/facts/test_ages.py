"""The month in which the series of a version began."""

import pytest

from tfbuild.facts.ages import began, months_younger
from tfbuild.facts.rows import SeriesRow
from tfbuild.facts.tables import Tables


def a_series(axis: str, series: str, month: str) -> SeriesRow:
    return SeriesRow(axis=axis, series=series, began=month, source=("a list",),
                     checked="2026-11-22", evidence="documented")  # fmt: skip


SERIES = (
    a_series("gcc", "13", "2023-04"), a_series("gcc", "4.9", "2014-04"),
    a_series("cuda", "11.2", "2020-12"), a_series("cuda", "11.10", "2022-01"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("axis", "version", "month"),
    [
        ("gcc", "13.2", "2023-04"),
        ("gcc", "4.9.4", "2014-04"),
        ("cuda", "11.2.152", "2020-12"),
        ("cuda", "11.10", "2022-01"),
        ("gcc", "14.1", "2023-04"),  # at least as young as the newest that is known
        ("gcc", "4.8", ""),
        ("clang", "16", ""),
        ("gcc", "none", ""),
    ],
)
def test_a_version_is_as_old_as_its_series(axis: str, version: str, month: str) -> None:
    assert began(SERIES, axis, version) == month


def test_months_between_two_series() -> None:
    values = ("13.2", "4.9.4", "none")
    found = months_younger(SERIES, "gcc", values, ("cuda", "11.2"))
    assert found == {"13.2": 28, "4.9.4": 0, "none": 0}
    unknown = months_younger(SERIES, "gcc", values, ("clang", "16"))
    assert set(unknown.values()) == {0}


def test_later_series_of_the_project_began_later(tables: Tables) -> None:
    for axis in ("gcc", "clang", "cuda", "python", "glibc", "bazel"):
        months = [row.began for row in tables.series() if row.axis == axis]
        assert months == sorted(months, reverse=True), axis
