"""What tfbuild has built itself proves the combinations that it covers, and no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.matrix_files import Row, ask, chosen, pins, small_facts
from tfbuild.facts.proven_builds import continuing, find_proof, proof_fact, proven_axes
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.machine import Machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.ranking import read_preferences
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve

PROVEN = {"runtime": "0.1.0", "platform": "linux", "device": "cpu", "evidence": "proven"}
OLD = {**PROVEN, "python": "3.9", "gcc": "10.2", "bazel": "3.5.1", "os": "debian 11",
       "glibc": "2.31", "numpy": "1.23.5"}  # fmt: skip
NEW = {**PROVEN, "python": "3.13", "gcc": "14.2", "bazel": "4.2.3", "os": "debian 13",
       "glibc": "2.41", "numpy": "2.3.5"}  # fmt: skip
CUDA = {**NEW, "device": "cuda", "cuda": "13.0", "cudnn": "9.14"}
BEST = {"runtime": "0.1.0", "platform": "linux-x86_64", "cuda": NONE, "clang": NONE,
        "python": "3.9", "gcc": "10.2", "bazel": "3.5.1", "os": "debian 11", "glibc": "2.31",
        "numpy": "1.23.5"}  # fmt: skip


def world(folder: Path, *tested: Row) -> Facts:
    return small_facts(
        folder,
        runtime=[{"version": "0.1.0"}],
        python=[{"version": v} for v in ("3.14", "3.13", "3.11", "3.9")],
        numpy=[{"version": v} for v in ("2.3.5", "1.23.5")],
        bazel=[{"version": v} for v in ("7.7.1", "4.2.3", "3.5.1")],
        gcc=[{"version": v} for v in ("16.1", "14.2", "12.2", "10.2")],
        clang=[{"version": "19"}],
        cuda=[{"version": v, "architectures": ["sm_90"]} for v in ("13.1", "13.0")],
        cudnn=[{"version": "9.14"}],
        glibc=[{"version": v} for v in ("2.43", "2.41", "2.36", "2.31")],
        os=[
            {"version": f"debian {v}", "requires": {"glibc": f"=={g}"}, "offers": offers}
            for v, g, offers in (
                (13, "2.41", {"gcc": "14.2", "python": "3.13"}),
                (11, "2.31", {"gcc": "10.2", "python": "3.9"}),
            )
        ],
        tested=tested,
    )


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return world(tmp_path / "world", NEW, OLD)


def evidence(resolution: Resolution) -> dict[str, str]:
    return {choice.axis: choice.evidence for choice in resolution.choices}


def test_a_row_covers_what_it_was_built_with(facts: Facts) -> None:
    row = find_proof(facts, BEST)
    assert row is not None
    assert row.os == "debian 11"
    axes = {"runtime", "python", "gcc", "bazel", "os", "glibc", "numpy"}
    assert proven_axes(row, BEST) == axes
    elsewhere = {**BEST, "os": "debian 13", "numpy": "2.3.5"}
    assert find_proof(facts, elsewhere) == row
    assert proven_axes(row, elsewhere) == axes - {"os", "numpy"}


@pytest.mark.parametrize(
    "change",
    [
        {"python": "3.13"}, {"gcc": "14.2"}, {"bazel": "4.2.3"}, {"cuda": "13.0"},
        {"platform": "linux-aarch64"}, {"clang": "19"}, {"runtime": "0.2.0"},
    ],
)  # fmt: skip
def test_one_value_of_another_row_is_not_covered(facts: Facts, change: dict[str, str]) -> None:
    assert find_proof(facts, {**BEST, **change}) is None


def test_what_was_only_measured_proves_nothing(tmp_path: Path) -> None:
    assert find_proof(world(tmp_path, {**OLD, "evidence": "measured"}), BEST) is None


def test_of_several_rows_the_one_of_the_same_system_is_shown(tmp_path: Path) -> None:
    other = {**OLD, "os": "debian 13", "checked": "2099-02-02"}
    for rows in ((OLD, other), (other, OLD)):
        found = find_proof(world(tmp_path / rows[0]["os"], *rows), BEST)
        assert found is not None
        assert found.os == "debian 11"


def test_the_sentence_of_a_row(facts: Facts) -> None:
    row = find_proof(facts, BEST)
    assert row is not None
    fact = proof_fact(row)
    assert fact.text == (
        "the bundled runtime 0.1.0 was built, audited and smoke-tested by tfbuild on debian 11 "
        "with Python 3.9, NumPy 1.23.5, Bazel 3.5.1, GCC 10.2"
    )
    assert (fact.evidence, fact.source, fact.checked) == ("proven", "a paper", "2099-01-01")
    cuda = replace(row, device="cuda", cuda="13.0")
    assert proof_fact(cuda).text.endswith(
        "CUDA 13.0; its GPU kernels were compiled and audited, not run"
    )
    on_gpu = proof_fact(replace(cuda, gpu="H200 (sm_90)"))
    assert on_gpu.text.endswith("CUDA 13.0; its GPU kernels ran on H200 (sm_90)")


def test_kernels_that_did_not_run_prove_no_cuda(tmp_path: Path) -> None:
    words = ("runtime=0.1.0", "cuda=13.0", "python=3.13")
    without = ask(world(tmp_path / "without", CUDA), *words)
    found = evidence(without)
    assert (found["python"], found["cuda"], found["cudnn"]) == ("proven", "measured", "measured")
    ran = ask(world(tmp_path / "ran", {**CUDA, "gpu": "H200 (sm_90)"}), *words)
    found = evidence(ran)
    assert (found["python"], found["cuda"], found["cudnn"]) == ("proven",) * 3


def test_values_with_which_a_row_goes_on(facts: Facts) -> None:
    free = {
        "runtime": ("0.1.0",), "platform": ("linux-x86_64",), "cuda": (NONE, "13.0"),
        "clang": (NONE,), "python": ("3.13", "3.11", "3.9"), "gcc": ("16.1", "14.2", "10.2"),
        "bazel": ("7.7.1", "4.2.3", "3.5.1"), "os": ("debian 13", "debian 11"),
    }  # fmt: skip
    assert continuing(facts, "python", free) == {"3.13", "3.9"}
    assert continuing(facts, "python", {**free, "gcc": ("10.2",)}) == {"3.9"}
    assert continuing(facts, "os", {**free, "gcc": ("10.2",)}) == {"debian 11"}
    assert continuing(facts, "python", {**free, "gcc": ("16.1",)}) == frozenset()
    assert continuing(facts, "numpy", free) == frozenset()
    other = {name: values for name, values in free.items() if name != "runtime"}
    assert continuing(facts, "python", {**other, "tensorflow": ("2.0.0",)}) == frozenset()


# --- in an answer ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "row"),
    [("gcc=10", OLD), ("bazel=3.5.1", OLD), ("python=3.9", OLD), ("gcc=14", NEW), ("", NEW)],
)
def test_a_constraint_on_one_axis_leads_to_a_whole_row(facts: Facts, word: str, row: Row) -> None:
    answer = ask(facts, *filter(None, ("runtime=0.1.0", "cuda=none", word)))
    axes = ("python", "gcc", "bazel", "os", "glibc")
    assert {axis: chosen(answer)[axis] for axis in axes} == {axis: row[axis] for axis in axes}
    found = evidence(answer)
    assert {axis: found[axis] for axis in ("runtime", *axes)} == dict.fromkeys(
        ("runtime", *axes), "proven"
    )
    assert "outside" not in answer.trouble


@pytest.mark.parametrize("beside", [{}, {"clang": {"19": "here"}}])
def test_what_the_machine_has_leads_to_the_row_that_it_has_whole(
    facts: Facts, beside: dict[str, dict[str, str]]
) -> None:
    """As a build on the host asks: its own first. Its newer Python is of a row of another GCC."""
    has = {"python": {"3.13": "here", "3.9": "here"}, "gcc": {"10.2": "here"}, **beside}
    requested = pins("runtime=0.1.0", "cuda=none")
    for words, expected in (("here", ("3.9", "proven")), ("", ("3.13", "proven"))):
        question = Question(
            pins=requested, machine=Machine(has=has), prefer=read_preferences(words)
        )
        answer = resolve(question, facts)
        assert (chosen(answer)["python"], evidence(answer)["python"]) == expected


def test_the_reason_is_among_the_facts(facts: Facts) -> None:
    answer = ask(facts, "runtime=0.1.0", "python=3.9")
    (proof,) = [fact for fact in answer.facts if fact.id.startswith("proven-")]
    behind = {c.axis for c in answer.choices if proof.id in c.because}
    assert behind >= {"runtime", "python", "gcc", "bazel", "os", "glibc"}
    assert "platform" not in behind


def test_a_mixture_of_two_rows_is_not_proven_and_warned_of(facts: Facts) -> None:
    answer = ask(facts, "runtime=0.1.0", "python=3.9", "gcc=14")
    found = evidence(answer)
    assert "proven" not in found.values()
    assert (found["python"], found["gcc"]) == ("measured", "untested")
    assert (
        "GCC 14.2 is outside what was tested: the bundled runtime 0.1.0 on linux "
        "(cpu, Python 3.9) was tested with GCC 10.2"
    ) in [warning.message for warning in answer.warnings]


def test_strict_takes_whole_rows_only(facts: Facts) -> None:
    words = ("runtime=0.1.0", "cuda=none")
    assert chosen(ask(facts, *words, "gcc=10", strict=True))["python"] == "3.9"
    for mixed in (("python=3.9", "gcc=14"), ("python=3.11",), ("python=3.13", "bazel=3.5.1")):
        assert ask(facts, *words, *mixed, strict=True).status == "conflict"
