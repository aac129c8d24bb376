"""Words and pins on one side, sets of values on the other."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import ask, chosen, pins
from tests.toy_facts import toy_facts
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import Machine
from tfbuild.resolver.question import CompiledQuestion, Question, compile_question


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


@pytest.fixture
def project(tables: Tables) -> Facts:
    return load_facts(tables)


def compiled(facts: Facts, *words: str, machine: Machine | None = None) -> CompiledQuestion:
    return compile_question(Question(pins=pins(*words), machine=machine or Machine()), facts)


def values(found: CompiledQuestion) -> dict[str, frozenset[str]]:
    return {constraint.axis: constraint.values for constraint in found.constraints}


def test_the_target_is_tensorflow_only_where_it_is_asked_for() -> None:
    assert Question(pins=pins("tensorflow=2.1.0")).target == "tensorflow"
    assert Question(pins=pins("python=3.11")).target == "runtime"
    assert Question(pins=pins("tensorflow=none")).target == "runtime"


def test_what_forbids_depends_on_the_question() -> None:
    assert Question(pins=()).levels == {"hard"}
    assert Question(pins=(), strict=True).levels == {"hard", "tested"}
    assert Question(pins=(), published=True).levels == {"hard", "wheel"}
    assert Question(pins=(), changed=True).levels == {"hard", "changed"}


def test_words_become_values(facts: Facts) -> None:
    found = compiled(
        facts, "tensorflow=v2.1.0", "python=py38", "numpy>=1.20", "cuda=none", "bazel=5"
    )
    assert values(found) == {
        "tensorflow": {"2.1.0"}, "python": {"3.8"}, "numpy": {"2.0.0", "1.26.4"},
        "cuda": {"none"}, "bazel": {"5.0.0"},
    }  # fmt: skip
    assert found.unknown == found.unlisted == ()
    assert found.preferences.pinned == {"tensorflow", "python", "numpy", "bazel"}


def test_each_gpu_is_a_constraint_of_its_own_and_keeps_its_name(facts: Facts) -> None:
    found = compiled(facts, "tensorflow=2.1.0", "gpu=RTX 3090, A100, sm_86")
    assert values(found)["gpu"] == {"8.6"}
    assert values(found)["gpu#2"] == {"8.0"}
    assert "gpu#3" not in found.problem.domains
    assert [constraint.words for constraint in found.constraints[1:]] == [
        "GeForce RTX 3090",
        "A100",
    ]


def test_any_says_something_only_where_there_is_a_none(facts: Facts) -> None:
    found = compiled(facts, "tensorflow=any", "python=any", "gpu=any", "cuda=any", "os=any")
    assert values(found) == {"cuda": {"11.2", "11.0"}}


def test_what_no_fact_covers_stands_apart(facts: Facts) -> None:
    found = compiled(facts, "tensorflow=2.1.0", "numpy=3.0", "gcc=99", "cuda=11.9")
    assert [constraint.axis for constraint in found.unknown] == ["numpy", "gcc", "cuda"]
    assert list(values(found)) == ["tensorflow"]


@pytest.mark.parametrize("constraint", ["gcc=10.4", "bazel=5.1.0", "driver=455.01"])
def test_between_known_ones_the_ranges_judge(facts: Facts, constraint: str) -> None:
    axis, _, version = constraint.partition("=")
    found = compiled(facts, "tensorflow=2.1.0", constraint)
    assert [w.axis for w in found.unlisted] == [axis]
    assert values(found)[axis] == {version}
    assert version in found.problem.domains[axis]


def test_a_system_without_facts_is_taken_and_reported(tables: Tables) -> None:
    found = compiled(load_facts(tables), "tensorflow=2.15.0", "os=gentoo")
    assert [constraint.spec for constraint in found.unlisted] == ["gentoo"]


def test_what_a_machine_has_can_be_chosen(facts: Facts) -> None:
    machine = Machine(has={"gcc": {"10.9": "/usr/bin/g++"}})
    assert "10.9" in compiled(facts, machine=machine).problem.domains["gcc"]
    assert "10.9" not in compiled(facts).problem.domains["gcc"]


def test_linux_on_x86_is_meant_where_nothing_else_is_said(tables: Tables) -> None:
    facts = load_facts(tables)
    assert compiled(facts, "tensorflow=2.15.0").problem.domains["platform"] == ("linux-x86_64",)
    assert compiled(facts, "tensorflow=2.15.0", "os=debian 12").problem.domains["platform"] == (
        "linux-x86_64",
    )
    named = compiled(facts, "tensorflow=2.15.0", "platform=linux/arm64")
    assert values(named)["platform"] == {"linux-aarch64"}
    macos = compiled(facts, "tensorflow=2.15.0", "os=macos")
    assert {"macos-arm64", "macos-x86_64"} <= set(macos.problem.domains["platform"])


def test_equal_questions_share_a_problem(facts: Facts) -> None:
    first, second = compiled(facts, "python=3.10"), compiled(facts, "python=3.11", "cuda=none")
    assert first.problem is second.problem
    assert first.problem is not compiled(facts, "tensorflow=2.1.0").problem


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("protobuf=3.20",), "axis-not-of-target", "protobuf"),
        (("tensorflow=2.1.0", "runtime=0.1.0"), "axis-not-of-target", "runtime=0.1.0"),
        (("gpu=,",), "gpu-not-named", "gpu=,"),
        (("gpu=RTX 3091",), "gpu-unknown", "'RTX 3091'"),
        (("os=debain 12",), "os-unknown", "'debain 12'"),
        (("python=three",), "not-a-range", "'three'"),
    ],
)
def test_what_cannot_be_read_is_refused(
    facts: Facts, words: tuple[str, ...], code: str, named: str
) -> None:
    with fails(code, named) as caught:
        compiled(facts, *words)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("tool", "platform"),
    [("msvc=2019", "windows-x86_64"), ("xcode=16.2", "macos-"), ("jetpack=4.6", "linux-aarch64")],
)
def test_what_there_is_elsewhere_only_implies_the_platform(
    project: Facts, tool: str, platform: str
) -> None:
    answer = ask(project, "tensorflow=2.4", tool)
    assert answer.is_possible
    assert chosen(answer)["platform"].startswith(platform)


def test_a_build_of_ones_own_does_without_vector_instructions(project: Facts) -> None:
    assert ask(project, "tensorflow=2.4.0", "cpu=Core 2 Duo").is_possible


def test_a_changed_release_is_not_held_to_what_the_sources_take(project: Facts) -> None:
    asked = ("cuda=10.2", "cudnn=8.0", "platform=aarch64")
    assert not ask(project, "tensorflow=1.15.4", *asked).is_possible
    assert ask(project, "tensorflow=1.15.4+nv20.12", *asked).is_possible
