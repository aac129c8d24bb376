"""How long a search may take, and what is said of one that was cut."""

from collections.abc import Iterator
from pathlib import Path

from tests.matrix_files import pins
from tests.toy_facts import toy_facts
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve

COLLIDING = ("tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0", "bazel=6.0.0", "python=3.11")


def ticks(*seconds: float) -> Iterator[float]:
    yield from seconds
    while True:
        yield seconds[-1]


def test_it_ends_after_its_time_and_remembers_that() -> None:
    times = ticks(0, 4.9, 5)
    patience = Patience(5, clock=lambda: next(times))
    assert not patience.is_over("looking")
    assert not patience.was_cut
    assert patience.is_over("looking")
    assert patience.was_cut


def test_it_says_nothing_in_the_first_second() -> None:
    said: list[str] = []
    times = ticks(0, 0.9, 1, 3.2)
    patience = Patience(5, say=said.append, clock=lambda: next(times))
    for _ in range(3):
        patience.is_over("looking")
    assert said == ["looking, 1 of at most 5 s", "looking, 3 of at most 5 s"]


def test_an_answer_that_was_cut_has_a_conflict_and_a_way_out(tmp_path: Path) -> None:
    facts = toy_facts(tmp_path)
    question = Question(pins=pins(*COLLIDING))
    whole = resolve(question, facts)
    assert all(warning.kind != "cut" for warning in whole.warnings)
    cut = resolve(question, facts, patience=Patience(0))
    assert cut.status == "conflict"
    assert cut.conflicts == whole.conflicts[:1]
    assert cut.warnings[0].code == "versions-cut"
    assert "cut after 0 s" in cut.warnings[0].message
    (way,) = cut.alternatives
    assert {axis for axis, _ in way.change} <= {"tensorflow", "cuda", "bazel", "python"}


def test_an_answer_that_is_possible_is_never_cut(tmp_path: Path) -> None:
    question = Question(pins=pins("tensorflow=2.1.0"))
    answer = resolve(question, toy_facts(tmp_path), patience=Patience(0))
    assert (answer.status, answer.warnings) == ("ok", ())
