"""Durations in words."""

import pytest

from tfbuild.core.durations import about, between, clock


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.42, "0.4 s"), (9.97, "10 s"), (12.4, "12 s"), (59.6, "1:00 min"), (187, "3:07 min"),
        (3599.7, "1:00:00 h"), (3723, "1:02:03 h"),
    ],
)  # fmt: skip
def test_what_was_measured(seconds: float, text: str) -> None:
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "5 s"), (33, "35 s"), (61, "1 min"), (5399, "90 min"), (16_920, "4:40 h")],
)
def test_what_is_expected_is_no_finer_than_it_is_known(seconds: float, text: str) -> None:
    assert about(seconds) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (721, 1140, "12 to 19 min"), (40, 130, "40 s to 2 min"), (718, 722, "12 min"),
        (5400, 36_000, "1:30 to 10:00 h"),
    ],
)  # fmt: skip
def test_a_range_names_its_unit_once(low: float, high: float, text: str) -> None:
    assert between(low, high) == text
