"""Results are remembered under all that they depend on, and marked with the run that made them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sample_report import a_smoke
from tfbuild.core.paths import Folders
from tfbuild.core.reports import SmokeReport
from tfbuild.core.stage_cache import StageCache, make_key


class Maker:
    def __init__(self, report: SmokeReport) -> None:
        self.report = report
        self.calls = 0

    def __call__(self) -> SmokeReport:
        self.calls += 1
        return self.report


@pytest.fixture
def cache(tmp_path: Path) -> StageCache:
    return StageCache(
        folders=Folders(cache=tmp_path, work=tmp_path, run=tmp_path / "runs" / "first")
    )


def test_what_is_remembered_knows_what_it_took(
    cache: StageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((100.0, 112.5))
    monkeypatch.setattr("tfbuild.core.stage_cache.time.monotonic", lambda: next(times))
    first, second = (
        cache.get_or_make("smoke", ["key"], SmokeReport, Maker(a_smoke())) for _ in range(2)
    )
    assert (first.seconds, second.seconds) == (0.0, 12.5)


def passed(report: SmokeReport) -> bool:
    return all(check.state != "failed" for check in report.checks)


def test_the_second_time_nothing_is_made(cache: StageCache) -> None:
    make = Maker(a_smoke())
    first = cache.get_or_make("smoke", ["key"], SmokeReport, make)
    second = cache.get_or_make("smoke", ["key"], SmokeReport, make)
    assert make.calls == 1
    assert second == replace(first, reused_from="first", seconds=second.seconds)
    assert first.reused_from == ""


def test_another_key_or_stage_is_another_result(cache: StageCache) -> None:
    make = Maker(a_smoke())
    for stage, key in (("smoke", "a"), ("smoke", "b"), ("audit", "a")):
        cache.get_or_make(stage, [key], SmokeReport, make)
    assert make.calls == 3


def test_failures_are_tried_again(cache: StageCache) -> None:
    make = Maker(a_smoke("failed", "it crashed"))
    for _ in range(2):
        cache.get_or_make("smoke", ["key"], SmokeReport, make, keep=passed)
    assert make.calls == 2


def test_what_no_longer_holds_is_made_again(cache: StageCache) -> None:
    make = Maker(a_smoke())
    for _ in range(2):
        cache.get_or_make("smoke", ["key"], SmokeReport, make, holds=lambda _: False)
    assert make.calls == 2


def test_a_note_that_was_edited_cut_short_or_is_of_another_key_is_made_again(
    cache: StageCache, tmp_path: Path
) -> None:
    make = Maker(a_smoke())
    cache.get_or_make("smoke", ["other"], SmokeReport, make)
    folder = tmp_path / "memo" / "smoke"
    (foreign,) = folder.iterdir()
    cache.get_or_make("smoke", ["key"], SmokeReport, make)
    (note,) = set(folder.iterdir()) - {foreign}
    text = note.read_text()
    damaged = (text.replace("first", "forst"), text[:-30], "", "[]", foreign.read_text())
    for number, content in enumerate(damaged):
        note.write_text(content)
        cache.get_or_make("smoke", ["key"], SmokeReport, make)
        assert make.calls == 3 + number, content


def test_a_remembered_failure_is_tried_again(cache: StageCache) -> None:
    make = Maker(a_smoke("failed", "it crashed"))
    cache.get_or_make("smoke", ["key"], SmokeReport, make)
    cache.get_or_make("smoke", ["key"], SmokeReport, make, keep=passed)
    assert make.calls == 2


def test_the_programs_own_code_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_key("smoke", ["key"])
    monkeypatch.setattr("tfbuild.core.stage_cache.code_digest", lambda: "another")
    assert make_key("smoke", ["key"]) != before
