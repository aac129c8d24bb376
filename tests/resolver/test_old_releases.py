"""TensorFlow 0.6 to 0.12, CUDA 7 and the compilers of that time, on the project's own tables."""

import pytest

from tests.matrix_files import ask, chosen, pins
from tfbuild.core.versions import minor
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


def of_tools(facts: Facts, *words: str) -> Resolution:
    return resolve(Question(pins=pins(*words), unsaid=""), facts)


def of_wheel(facts: Facts, *words: str) -> Resolution:
    return resolve(Question(pins=pins(*words), published=True), facts)


def axes(answer: Resolution) -> list[set[str]]:
    return [set(conflict.axes) for conflict in answer.conflicts]


@pytest.mark.parametrize(
    ("release", "cuda", "cudnn", "bazel"),
    [
        ("0.6.0", "7.0", "2.0", "0.1.1"),
        ("0.7.0", "7.0", "2.0", "0.1.4"),
        ("0.7.1", "7.5", "4.0", "0.1.4"),
        ("0.8.0", "7.5", "4.0", "0.2.1"),
        ("0.9.0", "7.5", "4.0", "0.2.1"),
        ("0.10.0", "7.5", "5.1", "0.3.0"),
        ("0.11.0", "8.0", "5.1", "0.3.2"),
        ("0.12.1", "8.0", "5.1", "0.3.2"),
    ],
)
def test_each_release_is_as_its_makers_built_it(
    facts: Facts, release: str, cuda: str, cudnn: str, bazel: str
) -> None:
    answer = ask(facts, f"tensorflow={release}", "cuda=any")
    assert (answer.status, answer.confidence) == ("ok", "tested")
    found = chosen(answer)
    assert (found["cuda"], minor(found["cudnn"]), found["bazel"]) == (cuda, cudnn, bazel)
    assert found["gcc"] == "4.8"


@pytest.mark.parametrize(
    ("words", "collide"),
    [
        (("tensorflow=0.6.0", "cuda=7.5"), {"tensorflow", "cuda"}),
        (("tensorflow=0.7.1", "cudnn=5"), {"tensorflow", "cudnn"}),
        (("tensorflow=0.9.0", "cuda=8.0"), {"tensorflow", "cuda"}),
        (("tensorflow=0.9.0", "bazel=0.3.2"), {"tensorflow", "bazel"}),
        (("tensorflow=0.11.0", "bazel=0.2.3"), {"tensorflow", "bazel"}),
        (("tensorflow=0.8.0", "os=macos", "cuda=7.5"), {"tensorflow", "os", "cuda"}),
        (("tensorflow=0.11.0", "os=windows"), {"tensorflow", "os"}),
        (("tensorflow=0.9.0", "cuda=7.5", "os=ubuntu 16.04"), {"tensorflow", "cuda", "os"}),
        (("tensorflow=0.10.0", "cuda=7.5", "gcc=5.4"), {"cuda", "gcc"}),
    ],
)
def test_what_a_release_cannot_be_built_with(
    facts: Facts, words: tuple[str, ...], collide: set[str]
) -> None:
    assert collide in axes(ask(facts, *words))


@pytest.mark.parametrize(
    ("words", "collide"),
    [
        (("cuda=7.5", "gcc=5"), {"cuda", "gcc"}),
        (("cuda=7.0", "gpu=GTX 1080"), {"cuda", "gpu"}),
        (("clang=3.8", "gpu=GTX 1080"), {"clang", "gpu"}),
        (("xcode=7.3", "cuda=7.5"), {"xcode", "cuda"}),
        (("cuda=7.5", "driver=346.46"), {"cuda", "driver"}),
    ],
)
def test_which_tools_of_that_time_collide(
    facts: Facts, words: tuple[str, ...], collide: set[str]
) -> None:
    assert collide in axes(of_tools(facts, *words))


@pytest.mark.parametrize(
    "words",
    [
        ("cuda=7.5", "gcc=4.9", "gpu=GTX 980"),
        ("clang=3.9", "gpu=GTX 1080", "cuda=8.0"),
        ("clang=3.8", "gpu=K40"),
        ("xcode=7.2", "cuda=7.5"),
        ("bazel=0.1.4", "gcc=4.8"),
    ],
)
def test_which_tools_of_that_time_go_together(facts: Facts, words: tuple[str, ...]) -> None:
    assert of_tools(facts, *words).is_possible


def test_clang_before_6_is_doubtful_for_volta(facts: Facts) -> None:
    assert of_tools(facts, "clang=5", "gpu=V100").status == "doubtful"


def test_wheels_open_the_libraries_that_they_were_built_with(facts: Facts) -> None:
    assert of_wheel(facts, "tensorflow=0.8.0", "cuda=7.5", "cudnn=4").is_possible
    assert not of_wheel(facts, "tensorflow=0.8.0", "cuda=7.5", "cudnn=5").is_possible
    assert not of_wheel(facts, "tensorflow=0.8.0", "python=3.5").is_possible
    assert not of_wheel(facts, "tensorflow=0.6.0", "cuda=7.0", "gpu=GTX 680").is_possible


def test_cudnn_is_read_as_its_archives_are_called(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=0.6.0", "cuda=7.0", cudnn="6.5 v2")
    assert chosen(answer)["cudnn"] == "2.0"


@pytest.mark.parametrize(
    ("words", "filled_in"),
    [
        (("tensorflow=2.4", "gcc=none"), {"clang": "11", "bazel": "3.1.0"}),
        (("tensorflow=1.15", "gcc=none"), {"clang": "9"}),
        (("tensorflow=1.13", "platform=linux-aarch64"), {"gcc": "7.1"}),
        (
            ("tensorflow=2.4", "gpu=sm_90"),
            {"cuda": "11.8", "cudnn": "8.6.0"},
        ),
        (("tensorflow=2.4", "cuda=any"), {"cuda": "11.0", "cudnn": "8.0.5"}),
    ],
)
def test_what_is_not_asked_for_is_of_the_release_s_time(
    facts: Facts, words: tuple[str, ...], filled_in: dict[str, str]
) -> None:
    found = chosen(ask(facts, *words))
    assert {axis: found[axis] for axis in filled_in} == filled_in


def test_a_tool_that_is_far_younger_because_of_what_was_asked_for_is_a_doubt(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=2.4", "gpu=sm_90")
    assert answer.status == "doubtful"
    assert "CUDA 11.8 is 22 months younger" in answer.warnings[0].message


def test_who_prefers_the_newest_gets_it(facts: Facts) -> None:
    newest = Question(
        pins=pins("tensorflow=2.4", "gcc=none"), prefer=("newest", "here", "evidence")
    )
    assert chosen(resolve(newest, facts))["clang"] == "16"
