from pathlib import Path

from tests.shared_libraries import a_library, a_subject, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels.audit_subject import AuditSubject, finding, judged, some, unplanned


def test_findings_fail_with_their_problems() -> None:
    good = finding("x", "a", "a")
    bad = finding("x", "a", "b", ["one", "two"])
    assert (good.state, good.detail) == ("passed", "")
    assert (bad.state, bad.detail) == ("failed", "one; two")


def test_what_was_not_looked_at_is_skipped_but_problems_win() -> None:
    assert finding("x", "a", "", skipped="no tool").state == "skipped"
    assert finding("x", "a", "", ["bad"], skipped="no tool").state == "failed"
    assert unplanned("x", "b").state == "skipped"


def test_what_no_plan_allows_is_stated_without_one(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    with_plan, without = a_subject(wheel), a_subject(wheel, policy=AuditPolicy())

    def of(subject: AuditSubject, wrong: list[str], unasked: list[str]) -> tuple[str, str]:
        one = judged(subject, "x", asked="a", built="b", wrong=wrong, unasked=unasked)
        return one.state, one.detail

    assert of(with_plan, ["bad"], ["odd"]) == ("failed", "bad; odd")
    assert of(without, ["bad"], ["odd"]) == ("failed", "bad")
    assert of(without, [], ["odd"]) == ("skipped", "stated, not judged: odd")
    assert of(without, [], []) == of(with_plan, [], []) == ("passed", "")


def test_long_lists_are_cut() -> None:
    assert some(["a"] * 7) == ["a"] * 5 + ["and 2 more"]
    assert some(["a", "b"]) == ["a", "b"]


def test_own_libraries(tmp_path: Path) -> None:
    subject = a_subject(tiny_wheel(tmp_path), a_library(), a_library(own=False))
    assert len(subject.own) == 1
