"""Warnings about combinations that nothing forbids."""

from datetime import date
from pathlib import Path

import pytest

from tests.matrix_files import ask, small_facts
from tfbuild.facts.rules import Facts
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.warnings import STALE_DAYS, stale


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[{"version": "2.1.0", "expects": {"numpy": "<1.24"}}, {"version": "2.0.0"}],
        python=[{"version": v} for v in ("3.12", "3.10")],
        numpy=[{"version": "1.26.4"}, {"version": "1.23.5"}],
        gcc=[{"version": "13.2"}, {"version": "9.4"}],
        rules=[
            {"id": "gcc13", "when": {"gcc": ">=13", "tensorflow": "2.1"}, "effect": "warning",
             "says": "GCC 13 needs a patch.", "fix": "Apply it."},
        ],
        tested=[
            {"tensorflow": "2.1.0", "platform": "linux", "device": "cpu", "python": "3.10",
             "bazel": "5.0.0", "gcc": "9.4"},
        ],
    )  # fmt: skip


def messages(resolution: Resolution) -> list[str]:
    assert resolution.is_possible
    return [warning.message for warning in resolution.warnings]


def test_inside_the_tables_nothing_is_said(facts: Facts) -> None:
    assert messages(ask(facts, tensorflow="2.1.0")) == []


def test_outside_a_tested_row_is_a_warning_with_its_source(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0", python="3.12")
    (warning,) = answer.warnings
    assert (warning.kind, warning.axes) == ("untested", ("tensorflow", "python"))
    assert warning.message.startswith("Python 3.12 is outside what was tested: TensorFlow 2.1.0")
    assert warning.facts[0].source == "a paper"
    python = next(choice for choice in answer.choices if choice.axis == "python")
    assert python.evidence == "untested"


def test_outside_what_is_usual_and_a_soft_rule(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0", numpy="1.26.4", gcc="13.2")
    said = messages(answer)
    assert said[0] == "GCC 13 needs a patch", "what is doubtful comes first"
    assert said[1].startswith("GCC 13.2 is outside what was tested"), "then the tables"
    assert said[2:] == ["TensorFlow 2.1.0 is known with NumPy <1.24"]
    assert [w.kind for w in answer.warnings] == ["doubt", "untested", "advisory"]
    assert [c.facts[0].fix for c in answer.warnings if c.facts[0].id == "gcc13"] == ["Apply it."]


def test_no_table_at_all_is_said_once(facts: Facts) -> None:
    for words, kind, expected in (
        (("tensorflow=2.0.0",), "untested", "outside what was tested: tables of tested builds"),
        (("tensorflow=2.1.0", "platform=linux-aarch64"), "uncovered", "no table of tested builds"),
    ):
        answer = ask(facts, *words)
        said = messages(answer)
        assert answer.warnings[0].kind == kind
        assert len([line for line in said if expected in line]) == 1
        assert "without CUDA" in said[0]


def test_a_version_judged_by_ranges_is_named(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0", gcc="10.2")
    assert messages(answer)[0].startswith("GCC 10.2 is not in matrices/gcc.yaml")
    assert answer.warnings[0].kind == "unlisted"


def test_facts_grow_stale(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        bazel=[{"version": "5.0.0", "checked": "2026-01-01"}],
        numpy=[
            {"version": "2.0.0", "checked": "2026-06-01"},
            {"version": "1.0.0", "checked": "2020-01-01"},
        ],
    )
    assert STALE_DAYS >= 90
    assert stale(facts, date(2026, 2, 1)) == ()
    (first,) = stale(facts, date(2026, 9, 1))
    assert (first.kind, first.axes) == ("stale", ("bazel",))
    assert "Bazel were last checked on 2026-01-01" in first.message
    assert {warning.axes[0] for warning in stale(facts, date(2027, 6, 1))} == {"bazel", "numpy"}


def test_stale_facts_are_reported_with_an_answer(tmp_path: Path) -> None:
    facts = small_facts(tmp_path, bazel=[{"version": "5.0.0", "checked": "2001-01-01"}])
    assert any("tfbuild facts refresh" in line for line in messages(ask(facts, tensorflow="2.0.0")))
