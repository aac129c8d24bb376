"""Each pitfall is found in its own log, and nothing before it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.paths import data_folder
from tfbuild.diagnosis.catalogue import Pitfall, compile_catalogue, read_catalogue
from tfbuild.diagnosis.findings import diagnosis_of
from tfbuild.facts.build_rows import PitfallRow

FIXTURES = Path(__file__).parent / "fixtures"
ROW = PitfallRow(
    id="a", phase="build", kind="cause", patterns=("some words",), cause="c", fix="f",
    source=("s",), checked="2026-11-22", evidence="measured",
)  # fmt: skip


@pytest.mark.parametrize("pitfall", read_catalogue(), ids=lambda pitfall: pitfall.row.id)
def test_found_in_its_log_by_its_own_pattern_and_no_other_before(pitfall: Pitfall) -> None:
    path = FIXTURES / f"{pitfall.row.id}.log"
    with path.open("rb") as log:
        diagnosis = diagnosis_of(log)
    if pitfall.kind == "messenger":
        assert any(pitfall.match(line) is not None for line in path.read_text().splitlines())
        assert not diagnosis.is_known
        return
    first = diagnosis.findings[0]
    assert first.id == pitfall.row.id
    assert not re.search(r"\{[a-z]+\}", first.cause + first.fix), "a named part is not filled in"


@pytest.mark.parametrize("pitfall", read_catalogue(), ids=lambda pitfall: pitfall.row.id)
def test_texts_name_only_what_a_pattern_has(pitfall: Pitfall) -> None:
    row = pitfall.row
    named = set(re.findall(r"\{([a-z]+)\}", row.cause + row.fix + row.fix_elsewhere))
    groups = {name for pattern in pitfall.patterns for name in pattern.groupindex}
    assert named <= {re.sub(r"_[a-z]$", "", name) for name in groups}
    assert pitfall.row.cause.endswith(("}", "."))
    assert row.fix.endswith(".")
    assert not row.fix_elsewhere or row.fix_elsewhere.endswith(".")


def test_every_expression_is_searched_by_the_linear_engine() -> None:
    linear = type(linear_pattern("a"))
    for pitfall in read_catalogue():
        assert len(pitfall.patterns) == len(pitfall.row.patterns)
        searched = (pitfall.any_pattern, *pitfall.patterns, *pitfall.unless)
        assert {type(each) for each in searched} == {linear}


def test_a_line_in_which_an_exception_fits_is_another_one() -> None:
    row = replace(ROW, patterns=(r"ended by signal (?P<signal>\d+)",), unless=(r"signal 9\b",))
    (pitfall,) = compile_catalogue([row])
    assert pitfall.match("ended by signal 90") == {"signal": "90"}
    assert pitfall.match("ended by signal 9") is None


def test_a_line_that_shows_nothing_is_searched_once() -> None:
    patterns = (r"first (?P<what>\d+)", r"second (?P<what_b>\d+)", "third words")
    (pitfall,) = compile_catalogue([replace(ROW, patterns=patterns)])
    assert pitfall.match("in the second 2, the first 1") == {"what": "1"}
    assert replace(pitfall, patterns=pitfall.patterns[1:]).match("second 2") == {"what": "2"}
    unread = replace(pitfall, patterns=(pitfall.any_pattern, None))  # type: ignore[arg-type]
    assert unread.match("first, second and third") is None
    with pytest.raises(AttributeError):
        replace(unread, patterns=(None,)).match("third words")  # type: ignore[arg-type]


def test_every_log_has_its_pitfall_and_no_name_of_a_person() -> None:
    logs = {path.stem: path.read_text() for path in FIXTURES.glob("*.log")}
    assert set(logs) == {pitfall.row.id for pitfall in read_catalogue()}
    homes = {
        name for log in logs.values() for name in re.findall(r"/(?:home|Users)/([\w.-]+)", log)
    }
    assert homes <= {
        "user",
        "build-user",
        "builder",
        "buildadmin",
        "ubuntu",
        "jupyter",
        "nvidia",
        "abuild",
    }


def test_every_source_of_a_file_is_named_by_a_row() -> None:
    for path in (data_folder("matrices") / "pitfalls").glob("*.yaml"):
        head, _, rows = path.read_text().partition("\nrows:\n")
        for key in re.findall(r"^  ([\w.-]+): ", head, flags=re.MULTILINE):
            assert re.search(rf"[\[ ]{re.escape(key)}[,\]]", rows), f"{path.name}: {key}"


@pytest.mark.parametrize(
    ("wrong", "code", "named"),
    [
        (replace(ROW, patterns=("(unbalanced words",)), "pitfall-pattern-wrong", "(unbalanced"),
        (replace(ROW, patterns=(r"\d+",)), "pitfall-pattern-wrong", r"\d+"),
        (replace(ROW, patterns=("(?!no) some words",)), "pitfall-pattern-wrong", "(?!"),
        (replace(ROW, unless=("(?=no) words",)), "pitfall-pattern-wrong", "(?="),
        (replace(ROW, kind="reason"), "pitfall-kind-unknown", "'reason'"),
        (replace(ROW, failure="fire"), "pitfall-kind-unknown", "'fire'"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(wrong: PitfallRow, code: str, named: str) -> None:
    with fails(code, "'a'", named):
        compile_catalogue([wrong])


def test_an_id_stands_once() -> None:
    with fails("pitfall-twice", "'a'"):
        compile_catalogue([ROW, ROW])
