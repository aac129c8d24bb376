"""The order of preference among values."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import small_facts, small_problem
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.machine import NO_MACHINE, Machine
from tfbuild.resolver.problem import Problem
from tfbuild.resolver.ranking import (
    PREFERENCES,
    Preferences,
    choose_best,
    ranked,
    read_preferences,
)

TESTED = {"platform": "linux", "python": "3.9 3.10", "bazel": "5.0.0"}


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        tensorflow=[
            {"version": "2.2.0rc0"},
            {"version": "2.1.1", "wheels": {"linux-x86_64": "3.9 3.10"}},
            {"version": "2.1.0", "wheels": {"linux-x86_64": "3.9 3.10"}},
            {"version": "2.0.0", "expects": {"numpy": "<1.20"}},
        ],
        python=[{"version": v} for v in ("3.12", "3.11", "3.10", "3.9", "3.8")],
        numpy=[{"version": v} for v in ("1.26.4", "1.22.0", "1.19.5")],
        bazel=[{"version": v} for v in ("6.5.0", "5.4.1", "5.0.0", "4.2.3")],
        gcc=[{"version": v} for v in ("13.2", "12.2", "9.4", "7.5")],
        clang=[{"version": "17"}, {"version": "16"}],
        cuda=[
            {"version": v, "architectures": a}
            for v, a in (("12.0", ["sm_90"]), ("11.2", ["sm_80"]), ("11.0", ["sm_70"]))
        ],
        cudnn=[{"version": "8.9"}, {"version": "8.1"}],
        driver=[
            {"version": "525.60.13", "cuda": "12.0.0"},
            {"version": "460.32.03", "cuda": "11.2.0"},
        ],
        gpus=[{"name": n, "capability": n} for n in ("7.0", "8.0", "9.0")],
        os=[
            {"version": "ubuntu 24.04", "offers": {"gcc": "13.2 14.2", "python": "3.12"}},
            {"version": "debian 12", "offers": {"gcc": "12.1", "python": "3.11"}},
            {"version": "ubuntu 20.04", "offers": {"gcc": "9.4", "python": "3.8"}},
        ],
        rules=[
            {"id": "gpu-needs-cuda", "when": {"gpu": "any"}, "requires": {"cuda": "any"},
             "effect": "conflict", "says": "a GPU needs CUDA"},
            {"id": "cuda-needs-cudnn", "when": {"cuda": "any"}, "requires": {"cudnn": "any"},
             "effect": "conflict", "says": "CUDA needs cuDNN"},
        ],
        tested=[
            {"tensorflow": "2.1.0", "device": "cpu", "gcc": "9.4", **TESTED},
            {"tensorflow": "2.1.0", "device": "cuda", "gcc": "9.4", "cuda": "11.2",
             "cudnn": "8.1", **TESTED},
            {"tensorflow": "2.0.0", "device": "cpu", "clang": "16", **TESTED},
        ],
    )  # fmt: skip


@pytest.fixture
def problem(facts: Facts) -> Problem:
    return small_problem(facts)


def preferences(**changes: object) -> Preferences:
    return Preferences(**({"machine": NO_MACHINE} | changes))  # type: ignore[arg-type]


BASE = {"platform": "linux-x86_64", "tensorflow": "2.1.0", "gpu": NONE, "cuda": NONE}


def best(problem: Problem, pins: Mapping[str, str], how: Preferences) -> dict[str, str]:
    found = choose_best(problem, [(axis, frozenset((v,))) for axis, v in pins.items()], how)
    assert found is not None
    assert problem.broken(found) == ()
    return found


def test_tested_values_come_first_then_the_nearest(problem: Problem) -> None:
    assert ranked("bazel", problem, BASE, preferences()) == ["5.0.0", "5.4.1", "4.2.3", "6.5.0"]
    assert ranked("python", problem, BASE, preferences())[:3] == ["3.10", "3.9", "3.11"]


def test_where_no_table_speaks_the_newest_comes_first(problem: Problem) -> None:
    base = {**BASE, "platform": "linux-aarch64"}
    assert ranked("bazel", problem, base, preferences()) == ["6.5.0", "5.4.1", "5.0.0", "4.2.3"]


def test_what_is_usual_beats_what_is_newer(problem: Problem) -> None:
    base = {**BASE, "tensorflow": "2.0.0"}
    assert ranked("numpy", problem, base, preferences()) == ["1.19.5", "1.26.4", "1.22.0"]


def test_what_the_machine_has_beats_what_is_newer(problem: Problem) -> None:
    machine = Machine(has={"numpy": {"1.22.0": "here"}, "bazel": {"6.5.0": "here"}})
    assert ranked("numpy", problem, BASE, preferences(machine=machine))[0] == "1.22.0"
    assert ranked("bazel", problem, BASE, preferences(machine=machine))[0] == "5.0.0"


def test_preferences_change_the_order(problem: Problem) -> None:
    machine = Machine(has={"bazel": {"4.2.3": "here"}})

    def first(words: str) -> str:
        how = preferences(machine=machine, prefer=read_preferences(words))
        return ranked("bazel", problem, BASE, how)[0]

    assert first("") == first("evidence") == "5.0.0"
    assert first("here") == "4.2.3"
    assert first("newest") == first("newest,here") == "6.5.0"


def test_read_preferences() -> None:
    assert read_preferences("") == PREFERENCES
    assert read_preferences("newest") == ("newest", "evidence", "here")
    assert read_preferences(" Here , newest") == ("here", "newest", "evidence")
    with fails("preference-unknown", "--prefer", "'newst'", "'newest'"):
        read_preferences("newst")


def test_a_release_candidate_comes_last(problem: Problem) -> None:
    for words in ("evidence", "newest"):
        order = ranked("tensorflow", problem, {}, preferences(prefer=read_preferences(words)))
        assert order == ["2.1.1", "2.1.0", "2.0.0", "2.2.0rc0"]


def test_a_build_goes_without_cuda_unless_something_of_it_is_requested_for(
    problem: Problem,
) -> None:
    plain = best(problem, {"tensorflow": "2.1.0"}, preferences())
    assert {plain[axis] for axis in ("gpu", "cuda", "cudnn", "nccl", "driver")} == {NONE}
    for axis, value in (("gpu", "8.0"), ("cuda", "11.2"), ("cudnn", "8.1")):
        constraints = {"tensorflow": "2.1.0", axis: value}
        found = best(problem, constraints, preferences(pinned=frozenset(constraints)))
        assert found["cuda"] == "11.2"
        assert found["cudnn"] == "8.1"
        assert found["driver"] == "460.32.03", "the driver that came with the toolkit"


def test_the_gpu_decides_over_the_table(problem: Problem) -> None:
    constraints = {"tensorflow": "2.1.0", "gpu": "9.0"}
    assert best(problem, constraints, preferences(pinned=frozenset(constraints)))["cuda"] == "12.0"


def test_one_compiler_is_chosen(problem: Problem) -> None:
    tested_with_gcc = best(problem, {"tensorflow": "2.1.0"}, preferences())
    assert (tested_with_gcc["gcc"], tested_with_gcc["clang"]) == ("9.4", NONE)
    tested_with_clang = best(problem, {"tensorflow": "2.0.0"}, preferences())
    assert (tested_with_clang["gcc"], tested_with_clang["clang"]) == (NONE, "16")
    asked = {"tensorflow": "2.0.0", "gcc": "12.2"}
    found = best(problem, asked, preferences(pinned=frozenset(asked)))
    assert (found["gcc"], found["clang"]) == ("12.2", NONE)


def test_the_system_is_the_one_whose_packages_serve(problem: Problem) -> None:
    for gcc, python, system in (
        ("9.4", "3.8", "ubuntu 20.04"),
        ("12.2", "3.11", "debian 12"),
        ("13.2", "3.12", "ubuntu 24.04"),
    ):
        constraints = {"tensorflow": "2.1.0", "gcc": gcc, "python": python}
        assert (
            best(problem, constraints, preferences(pinned=frozenset(constraints)))["os"] == system
        )


def test_a_changed_constraint_stays_close(problem: Problem) -> None:
    base = {**BASE, "platform": "linux-aarch64"}  # no table speaks
    near = preferences(near={"bazel": "4.2.3"})
    assert ranked("bazel", problem, base, near) == ["4.2.3", "5.0.0", "5.4.1", "6.5.0"]
    assert ranked("bazel", problem, BASE, near)[0] == "5.0.0", "what was tested is closer"
    order = ranked("tensorflow", problem, {}, preferences(near={"tensorflow": "2.0.0"}))
    assert order[:2] == ["2.0.0", "2.1.0"]


def test_choose_best_obeys_the_pins_or_says_none(problem: Problem) -> None:
    pins = [("python", frozenset(("3.12", "3.11"))), ("python", frozenset(("3.11", "3.10")))]
    found = choose_best(problem, pins, preferences())
    assert found is not None
    assert found["python"] == "3.11"
    assert choose_best(problem, [("python", frozenset(("3.1",)))], preferences()) is None
    wrong = [("gpu", frozenset(("9.0",))), ("cuda", frozenset(("11.2",)))]
    assert choose_best(problem, wrong, preferences()) is None
