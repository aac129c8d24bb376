"""The answer on one screen."""

import shlex
import sys

import pytest

from tests.matrix_files import pins
from tfbuild.facts.cases import Case
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.source_names import names_of_sources
from tfbuild.facts.tables import Tables
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve
from tfbuild.resolver.screen import LINES, Around, cut, screen_lines

CASES = tuple(
    Case(
        name=f"case-{number}", thread=f"a/b#{number}", kind="build", outcome="worked",
        tried=(("tensorflow", "2.6.5"),), says="It was built, " + "and tried, " * 20,
    )
    for number in range(5)
)  # fmt: skip
QUESTIONS = (
    ("tensorflow=2.6.5", "gpu=RTX 3090"),
    ("tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0"),
    ("tensorflow=2.15.0", "clang=16", "os=Manjaro", "python=banana", "cuda=any", "gpu=Radeon"),
    ("tensorflow=2.6.5", "numpy=1.21", "bazel=5.0.0", "python=3.9"),
    ("tensorflow=9.9",),
    ("python=3.12",),
    ("tensorflow=1.15.5", "gcc=10", "cuda=none"),
)


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


@pytest.mark.parametrize("words", QUESTIONS)
@pytest.mark.parametrize("width", [80, 100])
def test_it_fits(facts: Facts, tables: Tables, words: tuple[str, ...], width: int) -> None:
    answer = resolve(Question(pins=pins(*words)), facts, CASES)
    lines = screen_lines(answer, names_of_sources(tables), words, width)
    assert len(lines) <= LINES
    links = [line for line in lines if "https://" in line]
    assert all(len(line) <= width for line in lines if line not in links)
    is_read = all(warning.kind != "meaningless" for warning in answer.warnings)
    assert lines[0].startswith(f"status: {answer.status if is_read else 'not understood'}")
    assert lines[-1].startswith("next: tfbuild ")


@pytest.mark.parametrize("words", QUESTIONS)
def test_a_pipe_cuts_and_folds_nothing(
    facts: Facts, tables: Tables, words: tuple[str, ...]
) -> None:
    answer = resolve(Question(pins=pins(*words)), facts, CASES)
    lines = screen_lines(answer, names_of_sources(tables), words, sys.maxsize)
    assert [line for line in lines if "…" in line or line.endswith((" ", "\\"))] == []
    assert max(map(len, lines)) < 2000, "columns are as wide as what is in them"


@pytest.mark.parametrize("width", [1, 39, 40, 60])
def test_a_narrow_terminal_and_a_long_value_are_no_error(
    facts: Facts, tables: Tables, width: int
) -> None:
    for words in (("tensorflow=2.16", "python=3.11"), (f"os={'b' * 200}", "python=3.11")):
        answer = resolve(Question(pins=pins(*words)), facts, CASES)
        lines = screen_lines(answer, names_of_sources(tables), words, width)
        assert any("python" in line for line in lines)


def shown(facts: Facts, tables: Tables, *words: str) -> str:
    answer = resolve(Question(pins=pins(*words)), facts, CASES)
    return "\n".join(screen_lines(answer, names_of_sources(tables), words, 100))


def test_an_answer_has_versions_sources_cases_and_what_to_type(
    facts: Facts, tables: Tables
) -> None:
    text = shown(facts, tables, *QUESTIONS[0])
    for part in ("status: ok (tested)", "sm_86", "tested-docs", "similar reports:", "3.6 to 3.8"):
        assert part in text
    assert text.endswith("next: tfbuild plan --source tensorflow-2.6.5 'gpu=RTX 3090' cuda=11.2")


def test_what_comes_first_is_shown_and_what_is_there_is_not_asked_for(
    facts: Facts, tables: Tables
) -> None:
    words = ("tensorflow=2.6.5", "cuda=none")
    answer = resolve(Question(pins=pins(*words)), facts)
    names = names_of_sources(tables)
    *_, first, last = screen_lines(answer, names, words, 120)
    assert first.startswith("first: git clone --depth 1 -b v2.6.5 https://")
    assert first.endswith("/tensorflow tensorflow-2.6.5")
    assert last == "next: tfbuild plan --source tensorflow-2.6.5 cuda=none"
    around = Around(trees=("tensorflow-2.6.5",))
    assert "git clone" not in "\n".join(screen_lines(answer, names, words, 120, around))


def test_versions_that_are_not_here_lead_to_those_that_are(facts: Facts, tables: Tables) -> None:
    answer = resolve(Question(pins=pins("runtime=any")), facts)
    names = names_of_sources(tables)
    assert screen_lines(answer, names, (), 80)[-1] == "next: tfbuild build"
    *_, why, last = screen_lines(answer, names, (), 80, Around(lacks=("Python 3.13", "GCC 14.2")))
    assert why == "this machine has no Python 3.13, no GCC 14.2: a build here takes others"
    assert last == "next: tfbuild resolve --here"


def test_a_conflict_has_its_facts_and_the_way_out(facts: Facts, tables: Tables) -> None:
    text = shown(facts, tables, *QUESTIONS[1])
    for part in ("conflict of gpu, cuda", "but CUDA 11.0 compiles for", "1. take cuda=11.2"):
        assert part in text
    assert text.endswith("next: tfbuild resolve tensorflow=2.6.5 'gpu=RTX 3090' cuda=11.2")


def test_a_doubt_is_the_verdict_and_what_was_not_read_is_shown(
    facts: Facts, tables: Tables
) -> None:
    assert "status: doubtful: GCC 10" in shown(facts, tables, *QUESTIONS[6])
    text = shown(facts, tables, *QUESTIONS[2])
    assert "python=banana means nothing" in text
    assert "banana" not in text.rpartition("next:")[2]


def test_the_next_command_can_be_typed_however_long_it_is(facts: Facts, tables: Tables) -> None:
    words = ("tensorflow=2.4.0", "cuda=11.1 / 8.0.5", "os=Windows 10 Pro", "gpu=GTX 1080 Ti, 11GB")
    answer = resolve(Question(pins=pins(*words)), facts)
    text = "\n".join(screen_lines(answer, names_of_sources(tables), words, 60))
    assert max(map(len, text.splitlines())) <= 60
    command = shlex.split(text.partition("next: ")[2].replace("\\\n", " "))
    assert command == ["tfbuild", "plan", "--source", "tensorflow-2.4.0", *words[1:]]


def test_a_conflict_shows_what_has_a_remedy_and_goes_on_in_a_sentence(
    facts: Facts, tables: Tables
) -> None:
    text = shown(facts, tables, "tensorflow=1.15", "os=ubuntu 20.04", "cuda=none")
    assert "gettid" in text  # not only that Linux has a glibc
    assert "but sources build with CUDA 12" in shown(facts, tables, "tensorflow=2.10", "cuda=12.1")
    assert "but TensorFlow 2.16.1" in shown(facts, tables, "tensorflow=2.19", "python=3.13")


def test_a_text_is_cut_with_an_ellipsis() -> None:
    assert cut("one two  three", 20) == "one two three"
    assert cut("one two three", 9) == "one two…"
    assert cut("one two three", 11) == "one two…", "no word is cut"
    assert cut("one-long-word-of-a-name", 9) == "one-long…"


def test_a_narrow_terminal_has_whole_reasons(facts: Facts, tables: Tables) -> None:
    answer = resolve(Question(pins=pins("tensorflow=2.6.5", "cuda=none")), facts)
    text = "\n".join(screen_lines(answer, names_of_sources(tables), (), 80))
    assert "TensorFlow needs >=1.19.2,<1.20\n" in text
    assert "as in a tested build of its series\n" in text


def test_what_was_not_understood_stands_first_with_its_suggestions(
    facts: Facts, tables: Tables
) -> None:
    words = ("tensorflow=2.15.0", "gpu=RTX 4900")
    answer = resolve(Question(pins=pins(*words)), facts, ())
    lines = screen_lines(answer, names_of_sources(tables), words, 80)
    first = " ".join(lines[:2])
    assert first.startswith("status: not understood: gpu=RTX 4900")
    assert "RTX 4900" in first and "RTX 4090" in first
    assert not any("RTX 4900" in line for line in lines[3:])
