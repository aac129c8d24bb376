"""Real combinations, and whether they are judged as they ended."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.toy_facts import toy_facts
from tfbuild.curation.cases import CaseScore, JudgedCase, judge_cases, score, split_held_out
from tfbuild.facts.cases import Case, is_held_out
from tfbuild.facts.rules import Facts


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


def a_case(outcome: str, *cause: str, kind: str = "build", **tried: str) -> Case:
    return Case(thread="a/b#1", says="it was tried", tried=tuple(tried.items()),
                outcome=outcome, kind=kind, cause=cause)  # fmt: skip


def judged(facts: Facts, case: Case) -> JudgedCase:
    (found,) = judge_cases([case], facts)
    return found


@pytest.mark.parametrize(
    ("case", "status", "is_right"),
    [
        (a_case("worked", tensorflow="2.1.0", gcc="12.2"), "ok", True),
        (a_case("worked", tensorflow="2.1.0", python="3.11"), "conflict", False),
        (a_case("worked", tensorflow="9.9"), "unknown", False),
        (
            a_case("failed", "python", "tensorflow", tensorflow="2.1.0", python="3.11"),
            "conflict",
            True,
        ),
        (a_case("failed", "cuda", "gpu", cuda="11.0", gpu="RTX 3090", tensorflow="2.1.0"),
         "conflict", True),
        (a_case("failed", "numpy", "tensorflow", tensorflow="2.1.0", python="3.11"),
         "conflict", False),
        (a_case("failed", "gcc", "tensorflow", tensorflow="2.1.0", gcc="12.2"), "ok", False),
        (a_case("failed", "gcc", tensorflow="2.1.0", gpu="ZZ 9"), "ok", False),
    ],
)  # fmt: skip
def test_a_case_is_right_only_with_just_its_axes(
    facts: Facts, case: Case, status: str, is_right: bool
) -> None:
    found = judged(facts, case)
    assert (found.status, found.is_right) == (status, is_right)
    assert found.message


def test_more_axes_than_the_thread_names_are_not_right(facts: Facts) -> None:
    case = a_case("failed", "tensorflow", tensorflow="2.1.0", python="3.11")
    assert not judged(facts, case).is_right


def test_a_published_wheel_is_judged_by_its_own_pythons(tmp_path: Path) -> None:
    narrow = {"version": "2.1.0", "wheels": {"linux-x86_64": "3.8"}}
    facts = toy_facts(tmp_path, tensorflow=[narrow])
    request = {"tensorflow": "2.1.0", "python": "3.10", "platform": "linux-x86_64"}
    assert judged(facts, a_case("worked", kind="build", **request)).is_right
    assert judged(facts, a_case("worked", kind="run", **request)).status == "conflict"


def test_what_versions_alone_did_not_decide_is_not_judged(facts: Facts) -> None:
    assert judge_cases([a_case("failed", tensorflow="2.1.0", python="3.11")], facts) == ()
    patched = replace(a_case("worked", tensorflow="2.1.0", python="3.11"), helped="a patch")
    assert judge_cases([patched], facts) == ()


def test_what_no_axis_has_yet_is_left_out(facts: Facts) -> None:
    case = a_case("failed", "mkl", "tensorflow", tensorflow="2.1.0", mkl="2015")
    assert judged(facts, case).status == "ok"


def test_the_score_counts_failures_and_false_alarms_apart(facts: Facts) -> None:
    cases = [
        a_case("worked", tensorflow="2.1.0"),
        a_case("worked", tensorflow="2.1.0", python="3.11"),
        a_case("worked", tensorflow="9.9"),
        a_case("failed", "tensorflow", "python", tensorflow="2.1.0", python="3.11"),
        a_case("failed", "tensorflow", "numpy", tensorflow="2.1.0", python="3.11"),
        a_case("failed", "tensorflow", "gcc", tensorflow="2.1.0", gcc="12.2"),
    ]
    counts = score(judge_cases(cases, facts))
    assert (counts.failures, counts.foreseen, counts.blamed_others) == (3, 1, 1)
    assert (counts.worked, counts.false_alarms, counts.unanswered) == (3, 1, 1)
    assert counts.tested + counts.likely + counts.doubtful == 2  # that which worked, and GCC 12.2
    assert counts.tested_worked + counts.likely_worked == 1


def test_the_score_in_words() -> None:
    counts = CaseScore(
        failures=4, foreseen=3, blamed_others=1, worked=0, false_alarms=0, unanswered=0,
        tested=2, tested_worked=2, likely=0, likely_worked=0, doubtful=3, doubtful_failed=1,
    )  # fmt: skip
    assert counts.in_words() == (
        "3 of 4 failures foreseen with the right axes (75 %), 1 with others; "
        "0 of 0 that worked called impossible; 0 left without an answer"
    )
    assert counts.confidence_in_words() == (
        "judged tested, 2 of 2 worked (100 %); likely, 0 of 0 worked; "
        "doubtful, 1 of 3 failed (33 %)"
    )


def test_a_third_is_held_out(facts: Facts) -> None:
    cases = [
        Case(thread="a/b#1", says="x", tried=(("tensorflow", "2.1.0"),), outcome="worked",
             kind="build", name=f"a-b-{number}")
        for number in range(300)
    ]  # fmt: skip
    held_out, rest = split_held_out(judge_cases(cases, facts))
    assert 75 < len(held_out) < 125
    assert len(held_out) + len(rest) == 300
    assert all(is_held_out(item.case.name) for item in held_out)
