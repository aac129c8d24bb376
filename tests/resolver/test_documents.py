"""Answers as documents, as tables and as locks."""

from pathlib import Path

import pytest

from tests.matrix_files import Row, ask, pins
from tests.schema_maker import check
from tests.toy_facts import toy_facts
from tfbuild.facts.fact import Fact
from tfbuild.facts.rules import Facts
from tfbuild.resolver.documents import (
    explained_document,
    lock_of_resolution,
    reason_lines,
    resolution_document,
    shown,
    source_line,
    trouble_lines,
    version_rows,
)
from tfbuild.resolver.explain import explain
from tfbuild.resolver.question import Question


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("tensorflow=2.1.0",), "ok"),
        (("tensorflow=2.1.0", "gcc=12.2"), "ok"),
        (("runtime=0.1.0", "cuda=none"), "ok"),
        (("tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0"), "conflict"),
        (("cuda=11.9",), "conflict"),
        (("tensorflow=9",), "unknown"),
    ],
)
def test_every_kind_of_answer_obeys_the_schema(
    facts: Facts, words: tuple[str, ...], status: str
) -> None:
    document = resolution_document(ask(facts, *words))
    check("resolution", document)
    assert document["status"] == status
    assert bool(document["versions"]) == (status == "ok")
    assert bool(document["conflicts"]) == (status == "conflict")


def test_each_reason_is_among_the_facts(facts: Facts) -> None:
    document = resolution_document(ask(facts, "tensorflow=2.1.0", "gpu=A100"))
    for axis, choice in document["versions"].items():
        for name in choice["because"]:
            assert document["facts"][name]["id"] == name, axis
    cuda = document["versions"]["cuda"]
    assert (cuda["version"], cuda["evidence"]) == ("11.2", "documented")
    assert any("was tested with CUDA 11.2" in document["facts"][n]["text"] for n in cuda["because"])
    assert document["versions"]["gcc"]["others"] == ["12.2"]


def test_a_conflict_names_axes_facts_and_the_change(facts: Facts) -> None:
    document = resolution_document(ask(facts, "tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0"))
    (conflict,) = document["conflicts"]
    assert set(conflict["axes"]) == {"cuda", "gpu"}
    assert "sm_70, sm_80" in conflict["message"]
    (fact,) = conflict["facts"]
    assert fact["text"] == "CUDA 11.0 compiles for sm_70, sm_80"
    assert (fact["source"], fact["checked"]) == ("a paper", "2099-01-01")
    first = document["alternatives"][0]
    assert first["change"] == {"cuda": "11.2"}
    assert first["versions"]["gpu"] == "8.6"


def test_of_several_gpus_none_is_lost(facts: Facts) -> None:
    resolution = ask(facts, "cuda=11.2", "gpu=A100,RTX 3090")
    assert resolution_document(resolution)["versions"]["gpu"]["version"] == "8.0,8.6"
    assert dict(lock_of_resolution(resolution).versions)["gpu"] == "8.0,8.6"


def test_a_lock_holds_every_choice(facts: Facts) -> None:
    resolution = ask(facts, "tensorflow=2.1.0", "python=3.8")
    lock = lock_of_resolution(resolution)
    assert lock.requested == ("tensorflow=2.1.0 (command line)", "python=3.8 (command line)")
    versions = dict(lock.versions)
    for choice in resolution.choices:
        assert versions[choice.axis] == choice.value
    assert versions["cuda"] == "none", "that there is no CUDA is a choice too"


def test_rows_and_reasons_of_a_table(facts: Facts) -> None:
    resolution = ask(facts, "tensorflow=2.1.0", "gpu=RTX 3090")
    rows = {row[0]: row[1:] for row in version_rows(resolution)}
    assert rows["gpu"][0] == "sm_86"
    assert rows["gcc"] == ("9.3", "documented", "12.2")
    lines = reason_lines(resolution)
    (gcc,) = [line for line in lines if line.strip().startswith("gcc:")]
    assert "was tested with GCC 9.3" in gcc
    assert "a paper" in gcc


def test_many_other_values_are_counted(tmp_path: Path) -> None:
    versions = [{"version": f"{n}.1"} for n in range(20, 8, -1)]
    resolution = ask(toy_facts(tmp_path, gcc=versions), "tensorflow=2.1.0")
    (row,) = [row for row in version_rows(resolution) if row[0] == "gcc"]
    assert row[3].endswith("and 7 more")


def test_trouble_in_lines(facts: Facts) -> None:
    text = "\n".join(trouble_lines(ask(facts, "tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0")))
    for part in (
        "RTX 3090",
        "cuda=11.0 (command line)",
        "but CUDA 11.0 compiles for sm_70, sm_80",
        "[measured, read 2099-01-01] a paper",
        "1. take cuda=11.2",
    ):
        assert part in text
    assert "take gpu" not in text


def test_the_fix_of_a_rule_is_shown(facts: Facts) -> None:
    text = "\n".join(trouble_lines(ask(facts, "runtime=0.1.0", "gpu=A100", "cuda=none")))
    assert "Name a CUDA." in text


def test_a_warning_has_its_source(facts: Facts) -> None:
    lines = trouble_lines(ask(facts, "tensorflow=2.1.0", "gcc=12.2"))
    (place,) = [n for n, line in enumerate(lines) if "outside what was tested" in line]
    assert "a paper" in lines[place + 1]
    assert not trouble_lines(ask(facts, "tensorflow=2.1.0"))


def test_where_nothing_helps_it_is_said(tmp_path: Path) -> None:
    never = {"python": "<3"}
    facts = toy_facts(tmp_path, tensorflow=[{"version": "2.1.0", "requires": never}])
    lines = trouble_lines(ask(facts, "tensorflow=2.1.0"))
    assert any("nothing that you can change" in line for line in lines)
    assert not any("nearest" in line for line in lines)


def test_only_facts_of_today_go_without_their_source(tmp_path: Path) -> None:
    rule: Row = {"id": "here-and-now", "when": {"tensorflow": "2.0"}, "requires": {"gcc": "<12"},
                 "effect": "conflict", "says": "An old compiler is needed."}  # fmt: skip
    found = ask(toy_facts(tmp_path, rules=[rule], tested=[]), "tensorflow=2.0.0", "numpy=1.19.5")
    lines = reason_lines(found)
    assert "  gcc: An old compiler is needed (a paper)" in lines
    assert {fact.kind for fact in found.facts} >= {"rule", "requirement", "request"}


def test_names_of_values() -> None:
    assert shown("gpu", "8.6") == "sm_86"
    assert shown("gpu", "12.0") == "sm_120"
    assert shown("gpu", "none") == "none"
    assert shown("cuda", "8.6") == "8.6"


def test_a_long_source_is_cut_and_counted() -> None:
    fact = Fact(id="a", kind="rule", text="b", source="one; two; three; four", checked="2026-01-01",
                evidence="derived")  # fmt: skip
    assert source_line(fact) == "[derived, read 2026-01-01] one; two and 2 more"


def test_an_explanation_obeys_the_schema(facts: Facts) -> None:
    rows = explain("cuda", Question(pins=pins("tensorflow=2.1.0", "gpu=RTX 3090")), facts)
    document = explained_document("cuda", rows)
    check("explanation", document)
    assert [value["verdict"] for value in document["values"]] == ["chosen", "impossible"]
