"""Real combinations, and whether they are judged as they ended."""

from pathlib import Path

import pytest
import yaml

from tests.toy_facts import toy_facts
from tfbuild.core.axes import AXES
from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.curation.cases import Case, JudgedCase, judge_cases, read_cases, score
from tfbuild.facts.rules import Facts

THREADS = Path(__file__).parents[1] / "cases" / "threads"


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


def a_case(outcome: str, *axes: str, kind: str = "build", **request: str) -> Case:
    return Case(source="a thread", says="it was tried", request=tuple(request.items()),
                outcome=outcome, kind=kind, axes=axes)  # fmt: skip


def judged(facts: Facts, case: Case) -> JudgedCase:
    (found,) = judge_cases([case], facts)
    return found


@pytest.mark.parametrize(
    ("case", "status", "is_right"),
    [
        (a_case("works", tensorflow="2.1.0", gcc="12.2"), "ok", True),
        (a_case("works", tensorflow="2.1.0", python="3.11"), "conflict", False),
        (a_case("works", tensorflow="9.9"), "unknown", False),
        (
            a_case("conflict", "python", "tensorflow", tensorflow="2.1.0", python="3.11"),
            "conflict",
            True,
        ),
        (a_case("conflict", "cuda", "gpu", cuda="11.0", gpu="RTX 3090", tensorflow="2.1.0"),
         "conflict", True),
        (a_case("conflict", "numpy", "tensorflow", tensorflow="2.1.0", python="3.11"),
         "conflict", False),
        (a_case("conflict", "gcc", "tensorflow", tensorflow="2.1.0", gcc="12.2"), "ok", False),
        (a_case("conflict", "gcc", tensorflow="2.1.0", gpu="RTX 9999 ZZ"), "refused", False),
    ],
)  # fmt: skip
def test_a_case_is_right_only_with_just_its_axes(
    facts: Facts, case: Case, status: str, is_right: bool
) -> None:
    found = judged(facts, case)
    assert (found.status, found.is_right) == (status, is_right)
    assert found.message


def test_more_axes_than_the_thread_names_are_not_right(facts: Facts) -> None:
    case = a_case("conflict", "tensorflow", tensorflow="2.1.0", python="3.11")
    assert not judged(facts, case).is_right


def test_a_published_wheel_is_judged_by_its_own_pythons(tmp_path: Path) -> None:
    narrow = {"version": "2.1.0", "wheels": {"linux-x86_64": "3.8"}}
    facts = toy_facts(tmp_path, tensorflow=[narrow])
    request = {"tensorflow": "2.1.0", "python": "3.10", "platform": "linux-x86_64"}
    assert judged(facts, a_case("works", kind="build", **request)).is_right
    assert judged(facts, a_case("works", kind="run", **request)).status == "conflict"


def test_the_score_counts_by_outcome(facts: Facts) -> None:
    cases = [
        a_case("works", tensorflow="2.1.0"),
        a_case("works", tensorflow="2.1.0", python="3.11"),
        a_case("conflict", "tensorflow", "python", tensorflow="2.1.0", python="3.11"),
    ]
    assert score(judge_cases(cases, facts)) == "2 of 3 (conflict 1 of 1, works 1 of 2)"


def write(folder: Path, **changes: object) -> Path:
    content = {"source": "a thread", "says": "x", "request": {"python": "3.8"}, "outcome": "works",
               "kind": "build"}  # fmt: skip
    (folder / "one.yaml").write_text(yaml.safe_dump(content | changes))
    return folder


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, outcome="conflict", axes=["python", "os"]))
    assert (case.name, case.axes, case.request) == (
        "one", ("python", "os"), (("python", "3.8"),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"outcome": "perhaps"}, "outcome is 'perhaps'"),
        ({"axis": ["python"]}, "unknown field 'axis'"),
        ({"request": "python"}, "field request"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, changes: dict[str, object], word: str) -> None:
    with pytest.raises(BadRecipe) as caught:
        read_cases(write(tmp_path, **changes))
    assert "one.yaml" in caught.value.message
    assert word in caught.value.message


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        read_cases(tmp_path)


def test_the_cases_of_the_project_are_sound() -> None:
    cases = read_cases(THREADS)
    assert len(cases) >= 60
    for case in cases:
        asked = [axis for axis, _ in case.request]
        assert set(asked) | set(case.axes) <= set(AXES), case.name
        assert case.kind in {"build", "run"}, case.name
        assert bool(case.axes) == (case.outcome == "conflict"), case.name
        assert case.says, case.name
        assert "://" not in case.source, case.name
    requests = [tuple(sorted(case.request)) for case in cases]
    assert len(set(requests)) == len(requests), "one combination is there twice"
