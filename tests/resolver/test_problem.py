"""The facts as a problem: values, clauses, what is broken, what may change places."""

from pathlib import Path

import pytest

from tests.matrix_files import small_facts, small_problem
from tfbuild.core.axes import axes, beside
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.problem import Assignment, Clause, Frame, Problem, axis_of, make_problem


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[
            {"version": "2.1.0", "requires": {"python": ">=3.10", "gcc": ">=9"}},
            {"version": "2.0.0", "requires": {"python": "<3.11"}, "expects": {"gcc": "<12"}},
        ],
        python=[{"version": v} for v in ("3.10", "3.12", "3.11", "3.9")],
        gcc=[{"version": v} for v in ("12.2", "9.4", "7.5")],
        cuda=[
            {"version": "12.0", "requires": {"cudnn": "any"}, "architectures": ["sm_80", "sm_90"]},
            {"version": "11.0", "architectures": ["sm_70", "sm_80"]},
        ],
        cudnn=[{"version": "8.9"}],
        gpus=[{"name": n, "capability": n} for n in ("7.0", "8.0", "9.0")],
        rules=[
            {"id": "gpu-needs-cuda", "when": {"gpu": "any"}, "requires": {"cuda": "any"},
             "effect": "conflict", "says": "a GPU needs CUDA"},
            {"id": "a-compiler", "when": {"gcc": "none"}, "requires": {"clang": "any"},
             "effect": "conflict", "says": "something must compile"},
            {"id": "never", "when": {"tensorflow": "2.1", "cuda": "11"}, "effect": "conflict",
             "says": "2.1 dropped CUDA 11"},
        ],
        tested=[
            {"tensorflow": "2.1.0", "platform": "linux", "device": "cpu", "python": "3.11",
             "bazel": "5.0.0", "gcc": "9.4"},
        ],
    )  # fmt: skip


@pytest.fixture
def problem(facts: Facts) -> Problem:
    return small_problem(facts)


def a_build(problem: Problem, **changes: str) -> dict[str, str]:
    """An assignment that no rule forbids, with changes."""
    plain = {"platform": "linux-x86_64", "tensorflow": "2.1.0", "python": "3.11", "gcc": "9.4"}
    start = {
        axis: NONE if NONE in values else values[0] for axis, values in problem.domains.items()
    }
    return {**start, **plain, **changes}


def names(clauses: tuple[Clause, ...]) -> set[str]:
    return {clause.rule.fact.id for clause in clauses}


def test_values_are_there_newest_first_and_none_last(problem: Problem) -> None:
    assert problem.domains["python"] == ("3.12", "3.11", "3.10", "3.9")
    assert problem.domains["gcc"] == ("12.2", "9.4", "7.5", NONE)
    assert problem.domains["gpu"] == ("9.0", "8.0", "7.0", NONE)
    assert problem.domains["nccl"] == (NONE,)


def test_each_target_has_its_axes(facts: Facts) -> None:
    assert set(small_problem(facts).domains) == set(axes()) - {"runtime", *beside()}
    runtime = make_problem(facts, Frame(target="runtime"))
    assert set(runtime.domains) == set(axes()) - {"tensorflow", "protobuf", "nccl", *beside()}
    assert not any(name.startswith("tensorflow-") for name in names(runtime.binding))


def test_values_may_be_added(facts: Facts) -> None:
    frame = Frame(target="tensorflow", extra=(("gcc", "10.5"), ("gcc", "9.4"), ("os", "arch")))
    problem = make_problem(facts, frame)
    assert problem.domains["gcc"] == ("12.2", "10.5", "9.4", "7.5", NONE)
    assert problem.domains["os"] == ("debian 12", "arch")
    assert problem.broken(a_build(problem, gcc="10.5")) == ()


def test_platforms_may_be_narrowed(facts: Facts) -> None:
    frame = Frame(target="tensorflow", platforms=("linux-aarch64",))
    assert make_problem(facts, frame).domains["platform"] == ("linux-aarch64",)


def test_equal_frames_share_a_problem(facts: Facts) -> None:
    assert make_problem(facts, Frame(target="runtime")) is make_problem(
        facts, Frame(target="runtime")
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"python": "3.9"}, {"tensorflow-2.1.0-python"}),
        ({"gcc": "7.5"}, {"tensorflow-2.1.0-gcc"}),
        ({"tensorflow": "2.0.0", "python": "3.10", "gcc": "7.5"}, set()),
        ({"tensorflow": "2.0.0"}, {"tensorflow-2.0.0-python"}),
        ({"gcc": NONE}, {"a-compiler"}),
        ({"cuda": "12.0"}, {"cuda-12.0-cudnn"}),
        ({"cuda": "12.0", "cudnn": "8.9", "gpu": "9.0"}, set()),
        ({"cuda": "12.0", "cudnn": "8.9", "gpu": "7.0"}, {"cuda-12.0-gpu"}),
        ({"gpu": "7.0"}, {"gpu-needs-cuda"}),
        ({"cuda": "11.0"}, {"never"}),
        ({"cuda": "11.0", "gpu": "9.0"}, {"never", "cuda-11.0-gpu"}),
    ],
)
def test_broken(problem: Problem, changes: dict[str, str], expected: set[str]) -> None:
    build = a_build(problem, **changes)
    assert names(problem.broken(build)) == expected
    assert problem.solver.is_possible([(a, frozenset((v,))) for a, v in build.items()]) == (
        not expected
    )


def test_what_is_usual_or_tested_is_only_advised(problem: Problem) -> None:
    advised = names(problem.advisory)
    assert "tensorflow-2.0.0-gcc-usual" in advised
    assert {name for name in advised if name.startswith("tested-")}
    assert not advised & names(problem.binding)


def test_strict_makes_the_tables_binding(facts: Facts) -> None:
    strict = small_problem(facts, strict=True)
    assert names(strict.broken(a_build(strict))) == set()
    outside = names(strict.broken(a_build(strict, python="3.12", gcc="12.2")))
    assert outside == {"tested-2.1.0-linux-cpu-python", "tested-2.1.0-linux-cpu-gcc"}
    assert "tensorflow-2.0.0-gcc-usual" in names(strict.advisory)


def test_several_gpus_are_variables_of_their_own(facts: Facts) -> None:
    problem = small_problem(facts, gpus=3)
    assert problem.domains["gpu#3"] == problem.domains["gpu#2"] == problem.domains["gpu"]
    assert axis_of("gpu#3") == "gpu" == axis_of("gpu")
    build = a_build(problem, cuda="12.0", cudnn="8.9", gpu="9.0")
    assert problem.broken({**build, "gpu#2": "8.0"}) == ()
    assert names(problem.broken({**build, "gpu#2": "8.0", "gpu#3": "7.0"})) == {"cuda-12.0-gpu"}


def test_swaps_are_values_that_break_nothing(problem: Problem) -> None:
    build = a_build(problem)
    assert problem.swaps(build, "python") == ("3.12", "3.10")
    assert problem.swaps(build, "gcc") == ("12.2",)
    assert problem.swaps(build, "tensorflow") == ()
    for value in problem.swaps(build, "python"):
        assert problem.broken({**build, "python": value}) == ()


def test_a_clause_applies_where_its_condition_holds(problem: Problem) -> None:
    (clause,) = (c for c in problem.binding if c.rule.fact.id == "tensorflow-2.1.0-python")
    build: Assignment = a_build(problem)
    assert clause.needs == "python"
    assert clause.applies(build)
    assert not clause.is_broken(build)
    assert not clause.applies({**build, "tensorflow": "2.0.0"})
    assert clause.is_broken({**build, "python": "3.9"})
    (never,) = (c for c in problem.binding if c.rule.fact.id == "never")
    assert never.needs == ""
    assert never.applies({**build, "cuda": "11.0"}) == never.is_broken({**build, "cuda": "11.0"})


def test_a_rule_that_can_never_be_broken_is_left_out(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        bazel=[{"version": "5.0.0", "requires": {"python": ">=3"}}],
        rules=[{"id": "idle", "when": {"gcc": ">=99"}, "effect": "conflict", "says": "never"}],
    )
    assert small_problem(facts).binding == ()


def test_words_that_do_not_go_with_a_platform(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        platform=[{"version": "linux-x86_64"}, {"version": "macos-arm64"}],
        os=[
            {"version": "debian 12", "requires": {"platform": "linux-x86_64", "glibc": "==2.36"}},
            {"version": "macos", "requires": {"platform": "macos-arm64", "glibc": "none"}},
        ],
        glibc=[{"version": "2.36"}, {"version": "2.31"}],
        gcc=[{"version": "12.2"}],
    )
    problem = small_problem(facts)
    build = a_build(problem, gcc="12.2", python="3.11", tensorflow="2.0.0")
    assert problem.broken({**build, "os": "debian 12", "glibc": "2.36"}) == ()
    assert names(problem.broken({**build, "os": "debian 12", "glibc": "2.31"})) == {
        "os-debian 12-glibc"
    }
    assert names(problem.broken({**build, "os": "macos", "glibc": "2.36"})) == {
        "os-macos-glibc", "os-macos-platform",
    }  # fmt: skip


def test_a_rule_may_speak_twice_of_one_axis(tmp_path: Path) -> None:
    facts = small_facts(
        tmp_path,
        tensorflow=[{"version": "2.1.0"}, {"version": "2.0.0"}],
        cuda=[{"version": v} for v in ("12.8", "12.0", "11.2")],
        rules=[
            {"id": "twelve", "when": {"tensorflow": "2.1", "cuda": ">=12"},
             "requires": {"cuda": ">=12.8"}, "effect": "conflict", "says": "12.8 or 11"},
        ],
    )  # fmt: skip
    problem = small_problem(facts)
    chosen = {"tensorflow": "2.1.0", "platform": "linux-x86_64"}
    assert problem.barred(chosen, "cuda") == {"12.0"}
    assert problem.barred({"tensorflow": "2.0.0"}, "cuda") == frozenset()
    assert problem.barred({}, "cuda") == frozenset(), "it depends on what is not chosen yet"


def test_what_was_tested_was_there(facts: Facts) -> None:
    """A build with another compiler is outside a row that was tested with GCC."""
    strict = small_problem(facts, strict=True)
    build = a_build(strict, gcc=NONE)
    assert "tested-2.1.0-linux-cpu-gcc" in names(strict.broken(build))
