"""On what each choice stands."""

from pathlib import Path

import pytest

from tests.matrix_files import ask, pins, small_facts
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import Machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution, ResolvedVersion
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[
            {"version": "2.1.1", "wheels": {"linux-x86_64": "3.10"}, "evidence": "metadata",
             "requires": {"numpy": "<1.24", "bazel": ">=5,<6"}},
            {"version": "2.1.0", "wheels": {"linux-x86_64": "3.10"}},
        ],
        python=[{"version": v} for v in ("3.12", "3.10")],
        numpy=[
            {"version": "1.26.4"},
            {"version": "1.23.5", "requires": {"python": ">=3.8"}},
        ],
        bazel=[{"version": v} for v in ("6.0.0", "5.4.0", "5.0.0")],
        gcc=[{"version": "13.2"}, {"version": "12.2"}, {"version": "9.4"}],
        os=[{"version": "debian 12", "offers": {"gcc": "11.3 12.2", "python": "3.11", "clang": ""},
             "evidence": "measured"}],
        protobuf=[{"version": "4.21.12", "evidence": "derived"}],
        tested=[
            {"tensorflow": "2.1.0", "platform": "linux", "device": "cpu", "python": "3.10",
             "bazel": "5.0.0", "gcc": "9.4"},
        ],
    )  # fmt: skip


def choice(resolution: Resolution, axis: str) -> ResolvedVersion:
    return next(choice for choice in resolution.choices if choice.axis == axis)


def because(resolution: Resolution, axis: str) -> list[str]:
    facts = {fact.id: fact for fact in resolution.facts}
    return [facts[name].text for name in choice(resolution, axis).because]


def test_a_documented_row_stands_before_one_derived_from_it(facts: Facts) -> None:
    own, patch = ask(facts, tensorflow="2.1.0"), ask(facts, tensorflow="2.1.1")
    assert choice(own, "gcc").evidence == "documented"
    assert choice(patch, "gcc").evidence == "derived"
    assert because(own, "gcc")[0] == "TensorFlow 2.1.0 on linux (cpu) was tested with GCC 9.4"
    assert because(patch, "gcc")[0].endswith("its line holds for 2.1.1 as well")


def test_outside_the_table_a_value_is_untested_whatever_allows_it(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.1", bazel="5.4.0")
    bazel = choice(answer, "bazel")
    assert bazel.evidence == "untested"
    assert "TensorFlow 2.1.1 needs Bazel >=5,<6" in because(answer, "bazel")


def test_where_no_table_speaks_the_facts_do(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.1")
    assert choice(answer, "numpy").evidence == "metadata"
    assert because(answer, "numpy")[0] == "TensorFlow 2.1.1 needs NumPy <1.24"


def test_where_nothing_speaks_the_row_does(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0")
    assert choice(answer, "protobuf").evidence == "derived"
    assert because(answer, "protobuf") == []


def test_a_value_without_row_and_fact_is_untested(facts: Facts) -> None:
    assert choice(ask(facts, tensorflow="2.1.0", gcc="10.2"), "gcc").evidence == "untested"


def test_a_constraint_is_a_ground(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0", python="3.10")
    assert "asked for: python=3.10 (command line)" in because(answer, "python")
    assert len(because(answer, "python")) == 2


def test_what_the_machine_has_is_a_ground(facts: Facts) -> None:
    machine = Machine(
        has={"numpy": {"1.23.5": "1.23.5 at /opt"}, "os": {"debian 12": "the box"}}, name="the box"
    )
    answer = resolve(Question(pins=pins(tensorflow="2.1.0"), machine=machine), facts)
    assert choice(answer, "numpy").value == "1.23.5"
    assert "the box has NumPy 1.23.5 (1.23.5 at /opt)" in because(answer, "numpy")
    assert "the box has os debian 12" in because(answer, "os")


def test_a_system_says_what_it_offers(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.0")
    assert because(answer, "os") == [
        "debian 12 has in its own packages GCC 11.3, 12.2, Python 3.11"
    ]
    assert choice(answer, "os").evidence == "measured"


def test_what_is_not_there_is_only_named_where_asked_for(facts: Facts) -> None:
    without, asked_for = ask(facts, tensorflow="2.1.0"), ask(facts, tensorflow="2.1.0", cuda=NONE)
    assert without.value("cuda") == ""
    assert asked_for.value("cuda") == NONE


def test_others_may_take_the_place(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.1")
    assert choice(answer, "bazel").others == ("5.4.0",)
    assert choice(answer, "gcc").others == ("13.2", "12.2")
    assert choice(answer, "numpy").others == ()


def test_every_reason_is_among_the_facts_and_every_fact_is_a_reason(facts: Facts) -> None:
    answer = ask(facts, tensorflow="2.1.1", python="3.10")
    named = {name for choice in answer.choices for name in choice.because}
    assert named == {fact.id for fact in answer.facts}


def test_the_next_neighbours_are_ruled_out_by_a_fact(tables: Tables) -> None:
    facts = load_facts(tables)
    answer = ask(facts, tensorflow="2.6.5", gpu="RTX 3090")
    against = dict(choice(answer, "cuda").against)
    known = {fact.id: fact.text for fact in answer.facts}
    assert known[against["11.0"]].startswith("CUDA 11.0 compiles for sm_35")
    assert "11.1" not in against
    assert choice(answer, "gpu").against == ()
