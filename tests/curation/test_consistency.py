"""The facts looked at: summaries, rows, rules about a version, and what does not agree."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import Row
from tests.toy_facts import TESTED, TOY, toy_facts
from tfbuild.core.axes import solving_order
from tfbuild.curation.consistency import (
    check,
    find_rows,
    find_tested,
    impossible,
    rules_about,
    summarise,
)
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables

DAY = date(2099, 1, 11)


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


def test_a_summary_counts_rows_evidence_and_days(facts: Facts) -> None:
    found = {summary.axis: summary for summary in summarise(facts, DAY)}
    cuda = found["cuda"]
    assert (cuda.rows, cuda.newest, cuda.oldest) == (2, "11.2", "11.0")
    assert cuda.evidence == "documented 1, measured 1"
    assert (cuda.checked, cuda.age_days) == ("2099-01-01", 10)
    assert found["gpu"].rows == 3
    assert "clang" not in found, "nothing is known of it here"


def test_the_newest_day_counts(tmp_path: Path) -> None:
    rows = [{"version": "12.2"}, {"version": "9.3", "checked": "2099-01-09"}]
    (gcc,) = [s for s in summarise(toy_facts(tmp_path, gcc=rows), DAY) if s.axis == "gcc"]
    assert (gcc.checked, gcc.age_days) == ("2099-01-09", 2)


@pytest.mark.parametrize(
    ("version", "found"),
    [("", ["3.11", "3.10", "3.8"]), ("3.10", ["3.10"]), ("<3.11", ["3.10", "3.8"])],
)
def test_rows_of_an_axis(facts: Facts, version: str, found: list[str]) -> None:
    assert [row.version for row in find_rows(facts, "python", version)] == found


@pytest.mark.parametrize(
    ("axis", "version", "code", "named"),
    [
        ("pyhton", "", "axis-unknown", ("'pyhton'", "'python'")),
        ("python", "3.12", "version-not-in-facts", ("python.yaml", "3.12", "'3.11'")),
        ("os", "debain 12", "version-not-in-facts", ("os.yaml", "debain 12", "'debian 12'")),
    ],
)
def test_what_is_not_there_gets_a_suggestion(
    facts: Facts, axis: str, version: str, code: str, named: tuple[str, ...]
) -> None:
    with fails(code, *named):
        find_rows(facts, axis, version)


@pytest.mark.parametrize(
    ("axis", "version", "found"),
    [
        ("tensorflow", "", ["cpu", "cuda"]),
        ("tensorflow", ">=2.1", ["cpu", "cuda"]),
        ("tested", "2.1.0", ["cpu", "cuda"]),
        ("tested", "2.0", []),
        ("runtime", "", []),
        ("python", "3.8", []),
    ],
)
def test_tested_rows_of_a_release(facts: Facts, axis: str, version: str, found: list[str]) -> None:
    assert [row.device for row in find_tested(facts, axis, version)] == found


def test_what_the_facts_say_against_a_row(facts: Facts) -> None:
    row = facts.tested[0]
    assert impossible(facts, row) == ""
    assert "Python" in impossible(facts, replace(row, python="3.11"))
    assert "glibc" in impossible(facts, replace(row, os="debian 12", glibc="2.99"))


def test_rules_about_a_version(facts: Facts) -> None:
    texts = {rule.fact.text for rule in rules_about(facts, "tensorflow", "2.1.0")}
    assert "TensorFlow 2.1.0 needs NumPy <2" in texts
    assert any("was tested with GCC 9.3" in text for text in texts)
    assert not any("NumPy <1.20" in text for text in texts)
    cuda = {rule.fact.text for rule in rules_about(facts, "cuda", "11.0")}
    assert {"CUDA 11.0 compiles for sm_70, sm_80", "CUDA 11.0 needs GCC <10"} <= cuda


def test_a_sound_world_has_no_findings(facts: Facts) -> None:
    assert check(facts) == ()


@pytest.mark.parametrize(
    ("files", "where", "message"),
    [
        ({"gcc": [{"version": "9.3"}, {"version": "12.2"}]}, "matrices/gcc.yaml", "its place"),
        ({"gcc": [{"version": "9.3"}, {"version": "9.3"}]}, "matrices/gcc.yaml", "twice"),
        (
            {"numpy": [{"version": "1.26.4", "requires": {"pyhton": ">=3.9"}}]},
            "numpy-1.26.4-pyhton",
            "no axis 'pyhton'",
        ),
        (
            {"numpy": [{"version": "1.26.4", "requires": {"python": ">=4"}}]},
            "numpy-1.26.4-python",
            "none of the known versions",
        ),
        (
            {"rules": [*TOY["rules"], {**TOY["rules"][0], "says": "Something else."}]},
            "gpu-needs-cuda",
            "two facts have this id",
        ),
        (
            {"bazel": [{"version": "5.0.0", "requires": {"gcc": ">=12"}}, {"version": "4.0.0"}]},
            "tested.yaml, 2.1.0 linux cpu",
            "Bazel 5.0.0 needs GCC >=12",
        ),
    ],
)
def test_what_does_not_agree_is_found(
    tmp_path: Path, files: dict[str, Sequence[Row]], where: str, message: str
) -> None:
    findings = check(toy_facts(tmp_path, **files))
    mine = [finding for finding in findings if finding.where.startswith(where)]
    assert mine, findings
    assert message in mine[0].message
    assert mine[0].is_fault


def test_one_impossible_python_of_a_row_is_reported_but_is_no_fault(tmp_path: Path) -> None:
    row = {**TESTED, "device": "cpu", "gcc": "9.3.1", "python": "3.10 3.11"}
    (finding,) = check(toy_facts(tmp_path, tested=[row]))
    assert not finding.is_fault
    assert finding.where.endswith("Python 3.11")
    assert "TensorFlow 2.1.0 needs Python >=3.8,<3.11" in finding.message


def test_a_row_of_a_release_that_is_not_there(tmp_path: Path) -> None:
    row = {**TESTED, "tensorflow": "9.9.9", "device": "cpu", "gcc": "9.3.1"}
    assert check(toy_facts(tmp_path, tested=[row]))


def test_the_project_s_facts_agree(tables: Tables) -> None:
    faults = [finding for finding in check(load_facts(tables)) if finding.is_fault]
    assert faults == []


def test_every_axis_of_the_project_has_facts(tables: Tables) -> None:
    found = summarise(load_facts(tables), date.today())  # noqa: DTZ011  (a day is a day)
    assert tuple(summary.axis for summary in found) == solving_order()
    for summary in found:
        assert summary.checked <= date.today().isoformat(), summary  # noqa: DTZ011
