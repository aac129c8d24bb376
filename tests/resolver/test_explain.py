"""Why this version and not that one."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import Row, pins
from tests.toy_facts import toy_facts
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.explain import Explained, explain
from tfbuild.resolver.machine import Machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


def verdicts(facts: Facts, axis: str, *words: str) -> dict[str, Explained]:
    rows = explain(axis, Question(pins=pins(*words)), facts)
    return {row.value: row for row in rows}


def test_each_value_has_a_verdict_newest_first(facts: Facts) -> None:
    found = verdicts(facts, "numpy", "tensorflow=2.1.0")
    assert [(value, row.verdict) for value, row in found.items()] == [
        ("2.0.0", "impossible"), ("1.26.4", "chosen"), ("1.19.5", "possible"),
    ]  # fmt: skip
    assert found["2.0.0"].reason == "TensorFlow 2.1.0 needs NumPy <2"
    assert found["2.0.0"].sources == ("a paper",)


def test_what_was_tested_is_distinguished_from_what_is_only_possible(facts: Facts) -> None:
    pythons = verdicts(facts, "python", "tensorflow=2.1.0")
    assert pythons["3.8"].verdict == "tested"
    assert "was tested with Python 3.8, 3.10" in pythons["3.8"].reason
    compilers = verdicts(facts, "gcc", "tensorflow=2.1.0")
    assert compilers["12.2"].verdict == "possible"
    assert compilers["12.2"].reason.startswith("outside what was tested")


def test_a_soft_fact_makes_nothing_tested(tmp_path: Path) -> None:
    rows: list[Row] = [{"version": "12.2", "expects": {"bazel": ">=6"}}, {"version": "9.3"}]
    found = verdicts(toy_facts(tmp_path, gcc=rows, tested=[]), "gcc", "tensorflow=2.1.0")
    assert found["12.2"].verdict == "possible"
    assert found["12.2"].reason == "GCC 12.2 is known with Bazel >=6"


def test_a_sentence_alone_makes_nothing_tested(tmp_path: Path) -> None:
    says = "TensorFlow 2.0 was tested with GCC of all sorts."
    rule = {"id": "tested-words", "when": {"tensorflow": "2.0"}, "requires": {"gcc": "any"}}
    rules: list[Row] = [{**rule, "effect": "conflict", "says": says}]
    found = verdicts(toy_facts(tmp_path, rules=rules, tested=[]), "gcc", "tensorflow=2.0.0")
    assert (found["9.3"].verdict, found["9.3"].reason) == ("possible", says.rstrip("."))


def test_the_constraint_on_the_axis_itself_is_set_aside(facts: Facts) -> None:
    found = verdicts(facts, "python", "tensorflow=2.1.0", "python=3.8")
    assert found["3.8"].verdict == "chosen"
    assert found["3.10"].verdict == "tested"
    assert found["3.11"].verdict == "impossible"


def test_other_constraints_count(facts: Facts) -> None:
    found = verdicts(facts, "cuda", "tensorflow=2.1.0", "gpu=RTX 3090")
    assert found["11.2"].verdict == "chosen"
    assert found["11.0"].verdict == "impossible"
    assert "compiles for sm_70, sm_80" in found["11.0"].reason
    assert "none" not in found, "to do without is no version"


def test_what_a_machine_has_is_a_reason(facts: Facts) -> None:
    machine = Machine(has={"gcc": {"12.2": "/usr/bin/g++"}})
    rows = explain("gcc", Question(pins=pins("runtime=0.1.0"), machine=machine), facts)
    (own,) = [row for row in rows if row.value == "12.2"]
    assert own.verdict == "chosen"
    assert own.reason == "this machine has it"


def test_where_nothing_works_nothing_is_chosen(facts: Facts) -> None:
    found = verdicts(facts, "numpy", "tensorflow=2.1.0", "python=3.11")
    assert {row.verdict for row in found.values()} == {"impossible"}
    assert all(row.reason for row in found.values())


def test_an_axis_that_is_none_gets_a_suggestion(facts: Facts) -> None:
    with fails("axis-not-in-question", "'nunpy'", "'numpy'"):
        verdicts(facts, "nunpy", "tensorflow=2.1.0")


def test_on_the_project_s_facts_possible_values_are_those_that_resolve(tables: Tables) -> None:
    facts = load_facts(tables)
    requested = pins("tensorflow=2.6.5", "gpu=RTX 3090")
    rows = explain("cuda", Question(pins=requested), facts)
    assert {row.value: row.verdict for row in rows}["11.0"] == "impossible"
    for row in rows:
        answer = resolve(Question(pins=(*requested, *pins(f"cuda=={row.value}"))), facts)
        assert (row.verdict == "impossible") == (answer.status == "conflict"), row
        assert row.reason
        assert row.sources or row.verdict == "possible"
