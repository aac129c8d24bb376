"""Answers to real questions, on the project's own tables."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.failing import fails
from tests.matrix_files import ask, chosen, pins, small_facts
from tfbuild.core.versions import contains, minor
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.question import Question
from tfbuild.resolver.ranking import read_preferences
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve

SEED = ("tensorflow=2.6.5", "gpu=RTX 3090")


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


def axes(resolution: Resolution) -> list[set[str]]:
    return [set(conflict.axes) for conflict in resolution.conflicts]


def first_change(resolution: Resolution) -> dict[str, str]:
    return dict(resolution.alternatives[0].change)


def warned(resolution: Resolution) -> str:
    return "\n".join(warning.message for warning in resolution.warnings)


# --- TensorFlow 2.6.5 for an RTX 3090 ------------------------------------------------------------


def test_the_seed(facts: Facts) -> None:
    answer = ask(facts, *SEED)
    assert answer.status == "ok"
    found = chosen(answer)
    assert found["gpu"] == "8.6"
    assert found["cuda"] == "11.2"
    assert minor(found["cudnn"]) == "8.1"
    assert found["bazel"] == "3.7.2"
    assert minor(found["gcc"]) == "7.3"
    assert minor(found["numpy"]) == "1.19"
    assert contains(">=450.80", found["driver"])
    python = next(choice for choice in answer.choices if choice.axis == "python")
    assert {python.value, *python.others} == {"3.6", "3.7", "3.8", "3.9"}


def test_the_seed_stands_on_facts_with_sources(facts: Facts) -> None:
    answer = ask(facts, *SEED)
    known = {fact.id: fact for fact in answer.facts}
    for choice in answer.choices:
        for name in choice.because:
            assert known[name].source
            assert known[name].checked
    by_axis = {choice.axis: choice for choice in answer.choices}
    for axis in ("cuda", "cudnn", "bazel", "gcc", "python"):
        assert by_axis[axis].evidence == "derived", "its table row is that of 2.6.0"


def test_cuda_11_0_does_not_know_the_gpu(facts: Facts) -> None:
    answer = ask(facts, *SEED, "cuda=11.0")
    assert answer.status == "conflict"
    assert axes(answer) == [{"cuda", "gpu"}]
    assert "sm_86" not in answer.conflicts[0].facts[0].text
    assert first_change(answer) == {"cuda": "11.2"}


@pytest.mark.parametrize(
    ("constraint", "axis", "change"),
    [
        ("python=3.10", "python", {"python": "3.9"}),
        ("numpy=1.21", "numpy", {"numpy": "1.19.5"}),
        ("bazel=5.0", "bazel", {"bazel": "3.7.2"}),
        ("bazel=3.1.0", "bazel", {"bazel": "3.7.2"}),
    ],
)
def test_pitfalls_of_the_seed(
    facts: Facts, constraint: str, axis: str, change: dict[str, str]
) -> None:
    answer = ask(facts, *SEED, constraint)
    assert answer.status == "conflict"
    assert axes(answer) == [{"tensorflow", axis}]
    assert first_change(answer) == change


def test_pinned_whole_the_seed_is_itself(facts: Facts) -> None:
    found = chosen(ask(facts, *SEED))
    words = [f"{axis}={value}" for axis, value in found.items()]
    assert chosen(ask(facts, *words)) == found


# --- versions that never were, that are not known, that lie between ------------------------------


def test_cuda_12_7_never_was(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.17.0", "cuda=12.7")
    assert answer.status == "conflict"
    assert axes(answer) == [{"cuda"}]
    assert "12.7 was never released" in answer.conflicts[0].message
    assert answer.conflicts[0].facts[0].source
    assert set(first_change(answer)) == {"cuda"}


def test_an_unknown_release_is_neither_ok_nor_a_conflict(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.99")
    assert answer.status == "unknown"
    assert not answer.conflicts
    assert not answer.choices
    assert "no fact covers tensorflow=2.99" in warned(answer)
    assert set(first_change(answer)) == {"tensorflow"}


@pytest.mark.parametrize(
    "constraint", ["python=3.99", "cuda=99.0", "bazel=99.1", "gcc=99", "numpy=0.1"]
)
def test_never_ok_about_what_no_fact_covers(facts: Facts, constraint: str) -> None:
    answer = ask(facts, "tensorflow=2.15.0", constraint)
    assert answer.status == "unknown"
    assert answer.alternatives


def test_what_never_was_and_what_is_unknown_are_both_reported(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.17.0", "cuda=12.7", "numpy=99")
    assert axes(answer) == [{"cuda"}]
    assert "no fact covers numpy=99" in warned(answer)
    assert "12.7" not in warned(answer)


def test_an_axis_without_any_row_knows_nothing(tmp_path: Path) -> None:
    assert ask(small_facts(tmp_path), "tensorflow=2.0.0", "nccl=2.21.5").status == "unknown"


def test_two_equals_signs_mean_one(facts: Facts) -> None:
    for words in (("gpu==8.6", "gpu=8.6"), ("python==3.9.7", "python=3.9.7")):
        twice, once = (ask(facts, "tensorflow==2.6.5", word) for word in words)
        assert twice.status == "ok"
        assert chosen(twice) == chosen(once)


def test_a_known_conflict_is_reported_beside_what_is_unknown(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.6.5", "bazel=5.0", "numpy=99")
    assert answer.status == "conflict"
    assert axes(answer) == [{"tensorflow", "bazel"}]
    assert "no fact covers numpy=99" in warned(answer)


def test_a_bazel_between_known_ones_is_judged_by_the_ranges(facts: Facts) -> None:
    inside = ask(facts, "tensorflow=2.6.5", "bazel=3.99.0")
    outside = ask(facts, "tensorflow=2.6.5", "bazel=3.2.99")
    assert inside.confidence == "likely"
    assert chosen(inside)["bazel"] == "3.99.0"
    assert "Bazel 3.99.0 is not in matrices/bazel.yaml" in warned(inside)
    assert outside.status == "conflict"
    assert axes(outside) == [{"tensorflow", "bazel"}]


def test_between_small_rows(tmp_path: Path) -> None:
    small = small_facts(
        tmp_path,
        tensorflow=[{"version": "2.0.0", "requires": {"bazel": ">=3.1,<4"}}],
        bazel=[{"version": v} for v in ("5.0.0", "3.7.2", "2.0.0")],
    )
    answer = ask(small, "tensorflow=2.0.0", "bazel=3.2.0")
    assert answer.status == "ok"
    assert "Bazel 3.2.0 is not in matrices/bazel.yaml" in warned(answer)
    assert ask(small, "tensorflow=2.0.0", "bazel=3.0.0").status == "conflict"
    assert ask(small, "tensorflow=2.0.0", "bazel=5.0.1").status == "unknown"
    assert ask(small, "tensorflow=2.0.0", "bazel=1.0.0").status == "unknown"


# --- what official tables cannot give ------------------------------------------------------------


@pytest.mark.parametrize("release", ["2.18.0", "2.19.0"])
def test_the_tested_toolkit_does_not_know_the_newest_gpus(facts: Facts, release: str) -> None:
    answer = ask(facts, f"tensorflow={release}", "gpu=RTX 5090", "cuda=12.5")
    assert answer.status == "conflict"
    assert axes(answer) == [{"cuda", "gpu"}]
    assert first_change(answer) == {"cuda": "12.8"}


def test_for_the_newest_gpus_a_newer_toolkit_is_taken_with_a_warning(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.18.0", "gpu=RTX 5090")
    assert answer.status == "doubtful"
    assert set(answer.warnings[0].axes) <= {"tensorflow", "gpu", "cuda"}
    assert contains(">=12.8", chosen(answer)["cuda"])
    assert "outside what was tested" in warned(answer)


def test_strictly_there_is_no_way_for_them(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.18.0", "gpu=RTX 5090", strict=True)
    assert answer.status == "conflict"
    assert axes(answer)[0] == {"tensorflow", "gpu"}
    assert any(fact.id.startswith("tested-") for fact in answer.conflicts[0].facts)


# --- strictness ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "axis"),
    [
        (("tensorflow=2.11.0", "cuda=11.8"), "cuda"),
        (("tensorflow=2.11.0", "cuda=11.2", "cudnn=8.6"), "cudnn"),
        (("tensorflow=2.10.0", "bazel=5.1.0"), "bazel"),
    ],
)
def test_outside_the_table_is_a_warning_and_strictly_a_conflict(
    facts: Facts, words: Sequence[str], axis: str
) -> None:
    usual = ask(facts, *words)
    assert usual.status == "ok"
    assert "outside what was tested" in warned(usual) or "no table" in warned(usual)
    strict = ask(facts, *words, strict=True)
    assert strict.status == "conflict"
    assert any(axis in found for found in axes(strict))


def test_another_compiler_than_the_tested_one_is_reported(facts: Facts) -> None:
    for words, tested, confidence in (
        (("tensorflow=2.15.0", "gcc=11.4"), "Clang 16", "likely"),
        (("tensorflow=2.6.5", "clang=14"), "GCC 7.3", "doubtful"),
    ):
        answer = ask(facts, *words)
        assert answer.confidence == confidence
        assert "to go without" in warned(answer)
        assert f"was tested with {tested}" in warned(answer)


def test_a_tested_row_needs_no_warning(facts: Facts) -> None:
    for strict in (False, True):
        answer = ask(facts, "tensorflow=2.6.0", "cuda=11.2", "python=3.8", strict=strict)
        assert answer.status == "ok"
        assert "outside" not in warned(answer)


@pytest.mark.slow
def test_every_tested_row_is_ok_when_pinned_whole(facts: Facts) -> None:
    for row in facts.tested:
        words = [f"{axis}={value}" for axis, value in _pinned(row, facts)]
        answer = ask(facts, *words)
        assert answer.status == "ok", (words, [c.message for c in answer.conflicts])


def _pinned(row: object, facts: Facts) -> list[tuple[str, str]]:
    """Everything that a tested row says, and the oldest of its Pythons."""
    platforms = {"linux": "linux-x86_64", "macos": "macos-x86_64", "windows": "windows-x86_64"}
    get = {name: getattr(row, name) for name in row.__slots__}  # type: ignore[attr-defined]
    found = [("platform", platforms[get["platform"]]), ("cuda", get["cuda"] or "none")]
    found += [(a, get[a]) for a in ("tensorflow", "runtime", "bazel", "cudnn") if get[a]]
    found += [("python", get["python"].split()[0])] if get["python"] else []
    found += [(axis, minor(get[axis])) for axis in ("gcc", "clang") if get[axis]]
    if ("platform", "macos-x86_64") in found and get["tensorflow"]:
        release = next(r for r in facts.rows["tensorflow"] if r.version == get["tensorflow"])
        if release.wheels and "macos-x86_64" not in dict(release.wheels):
            found[0] = ("platform", "macos-arm64")
    return [(axis, value.split(".")[0] if axis == "clang" else value) for axis, value in found]


@pytest.mark.parametrize(
    "words",
    [("tensorflow=2.6.5", "platform=linux-aarch64"), ("tensorflow=2.22.0rc0",)],
)
def test_strictly_what_has_no_table_is_not_ok(facts: Facts, words: Sequence[str]) -> None:
    assert ask(facts, *words, strict=True).status != "ok"


def test_in_a_container_the_packages_of_its_system_bind(facts: Facts) -> None:
    requested = pins("tensorflow=2.15.0", "gcc=any", os="debian 12")
    free = resolve(Question(pins=requested), facts)
    bound = resolve(Question(pins=requested, packaged=True), facts)
    assert free.status == bound.status == "ok"
    offers = dict(next(row for row in facts.rows["os"] if row.version == "debian 12").offers)
    assert chosen(bound)["python"] in offers["python"].split()
    assert any(f"{chosen(bound)['gcc']}.".startswith(f"{v}.") for v in offers["gcc"].split())
    older = pins("tensorflow=2.6.5", "os=debian 12")
    assert resolve(Question(pins=older), facts).status == "ok"
    nowhere = resolve(Question(pins=older, packaged=True), facts)
    assert nowhere.status == "conflict"
    assert axes(nowhere) == [{"tensorflow", "os"}]


@pytest.mark.parametrize("platform", ["windows-x86_64", "macos-arm64"])
def test_gcc_builds_nothing_where_it_is_not_the_compiler(facts: Facts, platform: str) -> None:
    answer = ask(facts, "tensorflow=2.15.0", f"platform={platform}")
    assert answer.status == "ok"
    assert answer.value("gcc") == "" or "GCC" in warned(answer)


# --- preferences and machines --------------------------------------------------------------------


def test_the_order_of_preference_changes_the_answer(facts: Facts) -> None:
    def gcc(words: str) -> str:
        question = Question(pins=pins(*SEED), prefer=read_preferences(words))
        return chosen(resolve(question, facts))["gcc"]

    assert minor(gcc("evidence")) == "7.3"
    assert contains(">=8", gcc("newest"))


# --- several GPUs at once ------------------------------------------------------------------------


def test_one_toolkit_for_several_gpus(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.15.0", "gpu=V100, A100, H100")
    assert answer.status == "ok"
    assert answer.value("gpu") == "7.0,8.0,9.0"
    assert contains(">=11.8,<13", chosen(answer)["cuda"])


def test_gpus_of_one_capability_count_once(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.15.0", "gpu=RTX 3090, RTX 3080")
    assert [c.value for c in answer.choices if c.axis == "gpu"] == ["8.6"]


def test_gpus_too_far_apart(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.18.0", "gpu=K80, RTX 5090")
    assert answer.status == "conflict"
    assert {"gpu"} in axes(answer)


# --- constraints that cannot be read -------------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "near"),
    [
        ("gpu=RTX 309", "RTX 3090"),
        ("os=ubunut 22.04", "ubuntu 22.04"),
        ("platform=linus", "linux-x86_64"),
        ("python=three", "3."),
        ("cuda=>=", "1"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_answered(
    facts: Facts, constraint: str, near: str
) -> None:
    axis, _, text = constraint.partition("=")
    answer = ask(facts, "tensorflow=2.15.0", **{axis: text})  # type: ignore[arg-type]
    assert answer.is_possible
    (warning,) = [one for one in answer.warnings if one.kind == "meaningless"]
    assert near in warning.message
    assert warning.axes == (axis,)


def test_a_series_is_a_range(facts: Facts) -> None:
    assert chosen(ask(facts, "tensorflow=2.15.0", numpy="1.x"))["numpy"].startswith("1.")


def test_a_constraint_that_means_nothing_for_the_target_is_refused(facts: Facts) -> None:
    for constraint in ("nccl=2.21.5", "protobuf=3.20.3"):
        with fails("axis-not-of-target", constraint):
            ask(facts, constraint)


def test_any_is_no_constraint(facts: Facts) -> None:
    plain = ask(facts, "tensorflow=2.15.0")
    assert chosen(ask(facts, "tensorflow=2.15.0", "python=any", "gpu=any")) == chosen(plain)


def test_without_any_constraint_it_is_about_the_bundled_runtime(facts: Facts) -> None:
    answer = ask(facts)
    assert answer.status == "ok"
    assert answer.value("runtime")
    assert answer.value("tensorflow") == ""
    assert answer.value("cuda") == ""
