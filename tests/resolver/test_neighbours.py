"""The nearest known cases, and what their pairs say."""

import pytest

from tests.matrix_files import pins
from tfbuild.facts.cases import Case
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.neighbours import doubts_of_cases, nearest_cases, places
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


def a_case(name: str, *cause: str, outcome: str = "", **tried: str) -> Case:
    return Case(
        name=name, thread=f"a/b#{len(name)}", tried=tuple(tried.items()), kind="build",
        outcome=outcome or ("failed" if cause else "worked"), cause=cause, says=f"{name} ended.",
    )  # fmt: skip


CASES = (
    a_case("far", tensorflow="1.12.0", gcc="12"),
    a_case("silent", tensorflow="2.9.0"),
    a_case("near", tensorflow="2.10.0", gcc="12.2"),
    a_case("same", "tensorflow", "gcc", tensorflow="2.9.1", gcc="12"),
)


def test_the_nearest_comes_first_and_says_where_it_differs(facts: Facts) -> None:
    asked = places({"tensorflow": "2.9.0", "gcc": "12.3"}, facts)
    found = nearest_cases(asked, "build", CASES, facts)
    assert [(near.case.name, near.differs) for near in found] == [
        ("same", ()), ("near", ("tensorflow",)), ("silent", ()),
    ]  # fmt: skip
    assert [near.distance for near in found] == sorted(near.distance for near in found)
    assert nearest_cases(asked, "run", CASES, facts) == ()


def test_without_a_release_nothing_is_near(facts: Facts) -> None:
    assert nearest_cases(places({"gcc": "12"}, facts), "build", CASES, facts) == ()


def test_a_pair_that_mostly_failed_is_doubtful(facts: Facts) -> None:
    question = Question(pins=pins("tensorflow=2.9.0", "gcc=12"))
    answer = resolve(question, facts, CASES)
    assert (answer.status, answer.confidence) == ("doubtful", "doubtful")
    assert answer.warnings[0].axes == ("tensorflow", "gcc")
    assert answer.cases[0].case.name == "same"


def test_as_many_successes_lift_the_doubt(facts: Facts) -> None:
    asked = places({"tensorflow": "2.9.0", "gcc": "12"}, facts)
    assert len(doubts_of_cases(asked, "build", CASES, facts)) == 1
    more = (*CASES, a_case("worked", tensorflow="2.9.2", gcc="12.1"))
    assert doubts_of_cases(asked, "build", more, facts) == ()


def test_a_conflict_stays_one_and_has_its_cases(facts: Facts) -> None:
    question = Question(pins=pins("tensorflow=2.9.0", "gcc=13"))
    answer = resolve(question, facts, CASES)
    assert answer.status == "conflict"
    assert answer.cases
