"""Versions and ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.failing import fails
from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import (
    check_range,
    contains,
    did_you_mean,
    is_same_version,
    known_version,
    minor,
    newest_first,
    parse_range,
)


@pytest.mark.parametrize(
    ("spec", "version", "expected"),
    [
        ("3.11", "3.11", True),
        ("3.11", "3.11.7", True),
        ("3.1", "3.11", False),
        (">=12.2,<13", "12.9", True),
        (">=12.2,<13", "13.0", False),
        ("==4.2.3", "4.2.3", True),
    ],
)
def test_contains(spec: str, version: str, expected: bool) -> None:
    assert contains(spec, version) is expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("three", "not-a-range"),
        ("3.11.x.y", "not-a-version"),
        (">=", "not-a-range"),
        ("=>3", "not-a-range"),
    ],
)
def test_nonsense_is_refused_with_an_example(text: str, code: str) -> None:
    with fails(code, f"'{text}'", "3.11"):
        parse_range(text)


@pytest.mark.parametrize(
    "text", [">=3.9,<3.8", ">3.9,<3.9", ">=3.9,<3.9", "==3.9,==3.8", "==3.9,!=3.9", "==3.9.*,<3.9"]
)
def test_a_range_without_a_version_is_called_empty(text: str) -> None:
    with fails("range-empty", text) as caught:
        check_range(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    ["3.9", ">=3.9,<3.9.1", ">3.9,<3.10", "<=3.9,>=3.9", "!=3.9", ">=3.8,!=3.8.*,<3.10", "<0.1",
     "~=3.9", ">=2.22.0rc0,<2.22.0rc2", "===3.9"],
)  # fmt: skip
def test_a_narrow_range_is_not_empty(text: str) -> None:
    check_range(text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([">=", ">", "<=", "<", "==", "!=", "~="]),
            st.integers(1, 4),
            st.integers(0, 4),
            st.sampled_from(["", ".*"]),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_a_range_is_empty_only_where_no_version_lies_in_it(
    parts: list[tuple[str, int, int, str]],
) -> None:
    stars = {"==", "!="}
    text = ",".join(f"{s}{a}.{b}{star if s in stars else ''}" for s, a, b, star in parts)
    grid = [f"{a}.{b}.{c}" for a in range(7) for b in range(7) for c in range(2)]
    inside = any(contains(text, version) for version in grid)
    try:
        check_range(text)
    except BadRequest:
        assert not inside
    else:
        assert inside


@given(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)))
def test_a_bare_version_means_itself_and_its_patches(parts: tuple[int, int, int]) -> None:
    version = ".".join(map(str, parts))
    assert contains(minor(version), version)
    assert contains(version, version)
    assert not contains(f"{parts[0] + 1}", version)


@pytest.mark.parametrize("text", ["9" * 5000, "3." + "9" * 5000, ">=3.9,<" + "9" * 5000])
def test_numbers_beyond_all_measure_are_no_versions(text: str) -> None:
    with fails("version-too-long", text[:30]) as caught:
        check_range(text)
    assert len(caught.value.message) < 100
    assert known_version(text) is None


def test_newest_first() -> None:
    assert newest_first(["3.9", "3.10", "3.11"]) == ["3.11", "3.10", "3.9"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2.21.0-rc0", "2.21.0rc0", True),
        ("1.0", "1.0.0", True),
        ("1.0", "1.0.1", False),
        ("1.0", "1.0+local", False),
        ("a word", "a word", True),
        ("a word", "1.0", False),
    ],
)
def test_a_version_may_be_written_in_two_ways(one: str, other: str, same: bool) -> None:
    assert is_same_version(one, other) is same


def test_did_you_mean() -> None:
    assert did_you_mean("pyhton", ["python", "numpy"]) == "did you mean 'python'?"
    assert did_you_mean("zzz", ["python", "numpy"]) == "known are: python, numpy"


def test_of_many_known_values_the_nearest_are_named() -> None:
    releases = [f"2.{number}" for number in range(30)]
    assert did_you_mean("99", releases) == (
        "known are: 2.29, 2.28, 2.27, 2.26, 2.25, 2.24, 2.23, 2.22 and 22 more"
    )
    assert did_you_mean("==0.1", releases).startswith("known are: 2.0, 2.1, 2.2, ")
    assert did_you_mean("2.13.5.6.7", releases).startswith("known are: 2.13, 2.14, 2.12, ")


def test_of_many_known_words_the_most_alike_are_named() -> None:
    words = [*(f"other{number}" for number in range(9)), "python"]
    assert did_you_mean("p-t-n", words).startswith("known are: python, ")
    assert did_you_mean("p-t-n", words).endswith(" and 2 more")
