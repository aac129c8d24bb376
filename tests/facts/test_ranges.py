"""Ranges over the values of one axis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.failing import fails
from tfbuild.facts.ranges import asked, exact, is_prerelease, newest_values_first, select, span

BAZELS = ("7.7.1", "6.5.0", "5.0.0", "3.7.2", "0.26.1", "none")
PYTHONS = ("3.13", "3.11", "3.10", "3.9", "2.7")


@pytest.mark.parametrize(
    ("spec", "values", "expected"),
    [
        (">=5,<7", BAZELS, {"6.5.0", "5.0.0"}),
        ("3.7", BAZELS, {"3.7.2"}),
        ("3", BAZELS, {"3.7.2"}),
        ("==5", BAZELS, {"5.0.0"}),
        ("!=5.0.0,>=3.7.2,<7", BAZELS, {"6.5.0", "3.7.2"}),
        ("any", BAZELS, set(BAZELS) - {"none"}),
        ("none", BAZELS, {"none"}),
        ("none | >=7", BAZELS, {"7.7.1", "none"}),
        ("2.7 | >=3.9,<3.11", PYTHONS, {"2.7", "3.9", "3.10"}),
        ("3.1", PYTHONS, set()),
        (">=99", BAZELS, set()),
    ],
)
def test_select(spec: str, values: tuple[str, ...], expected: set[str]) -> None:
    assert select(spec, values) == expected


def test_words_are_compared_as_they_are() -> None:
    systems = ("ubuntu 22.04", "ubuntu 20.04", "debian 12")
    assert select("debian 12 | ubuntu 20.04", systems, words=True) == {"debian 12", "ubuntu 20.04"}
    assert select("ubuntu", systems, words=True) == frozenset()
    assert select("any", systems, words=True) == set(systems)


def test_a_release_candidate_counts_where_the_range_has_it() -> None:
    assert select(">=2.21,<2.23", ("2.22.0rc0", "2.21.0")) == {"2.22.0rc0", "2.21.0"}
    assert is_prerelease("2.22.0rc0")
    assert not is_prerelease("2.22.0")
    assert not is_prerelease("ubuntu 22.04")


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("three", "not-a-range"),
        (">=", "not-a-range"),
        ("3.11.x.y", "not-a-version"),
        ("=>3", "not-a-range"),
        ("3.10 | three", "not-a-range"),
    ],
)
def test_nonsense_is_refused_with_an_example(spec: str, code: str) -> None:
    with fails(code, f"'{spec.rpartition(' ')[2]}'", "3.11"):
        select(spec, PYTHONS)


def test_a_constraint_for_a_value_that_is_there_means_just_itself() -> None:
    drivers = ("460.32.03", "460.32", "460")
    assert select("460", drivers) == set(drivers)
    assert asked("460", drivers) == {"460"}
    assert asked("460.32", drivers) == {"460.32"}


def test_a_constraint_more_exact_than_the_rows_means_its_row() -> None:
    assert asked("3.11.7", PYTHONS) == {"3.11"}
    assert asked("3.1.7", PYTHONS) == frozenset()
    assert asked("17.0.6", ("18", "17", "16")) == {"17"}
    assert asked("==3.11.7", PYTHONS) == {"3.11"}
    assert asked("==3.12.7", PYTHONS) == frozenset()


def test_a_constraint_less_exact_than_the_rows_means_all_of_them() -> None:
    assert asked("1.19", ("1.20.0", "1.19.5", "1.19.0")) == {"1.19.5", "1.19.0"}
    assert asked("none", BAZELS) == {"none"}
    assert asked("debian 13.1", ("debian 13",), words=True) == frozenset()


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        ("3.11", "3.11"),
        ("==3.11.7", "3.11.7"),
        ("== 3.11", "3.11"),
        ("3.11.*", ""),
        (">=3.11", ""),
        ("3.10 | 3.11", ""),
        ("none", ""),
        ("any", ""),
    ],
)
def test_exact(spec: str, version: str) -> None:
    assert exact(spec) == version


def test_by_age() -> None:
    assert newest_values_first(["3.9", "none", "3.10", "3.2"]) == ["3.10", "3.9", "3.2", "none"]
    assert newest_values_first(["windows", "macos"]) == ["windows", "macos"]
    assert newest_values_first([]) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["9.0"], "9.0"),
        (["9.0", "9.1"], "9.0, 9.1"),
        (["3.10", "3.9", "3.6"], "3.6 to 3.10"),
        ([], ""),
    ],
)
def test_span(values: list[str], words: str) -> None:
    assert span(values) == words


VERSIONS = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))


@given(VERSIONS, VERSIONS, VERSIONS)
def test_ranges_are_what_comparing_numbers_says(
    low: tuple[int, ...], value: tuple[int, ...], high: tuple[int, ...]
) -> None:
    low_text, text, high_text = (".".join(map(str, parts)) for parts in (low, value, high))
    assert (text in select(f">={low_text},<{high_text}", (text,))) == (low <= value < high)
    inside, outside = select(f">={low_text}", (text,)), select(f"<{low_text}", (text,))
    assert inside | outside == {text}
    assert not inside & outside


@given(st.lists(VERSIONS, unique=True))
def test_by_age_orders_by_numbers(parts: list[tuple[int, ...]]) -> None:
    texts = [".".join(map(str, numbers)) for numbers in parts]
    newest = sorted(parts, reverse=True)
    assert newest_values_first(texts) == [".".join(map(str, numbers)) for numbers in newest]
