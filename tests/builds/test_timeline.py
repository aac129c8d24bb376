"""Stages are timed, and each reports how it ended."""

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.sample_report import a_smoke
from tfbuild.builds.timeline import Timeline
from tfbuild.core.errors import BuildFailed
from tfbuild.core.reports import SmokeReport


def test_states(reporter: RecordingReporter) -> None:
    from dataclasses import replace

    timeline = Timeline(reporter=reporter)
    assert timeline.run("plan", lambda: 7, lambda n: f"{n} things") == 7
    reused: SmokeReport = replace(a_smoke(), reused_from="earlier", seconds=75.0)
    timeline.run("smoke", lambda: reused)
    timeline.skip("perf", "asked")
    with pytest.raises(BuildFailed):
        timeline.run("build", _fail)
    found = [(s.name, s.state, s.detail) for s in timeline.stages]
    assert found == [
        ("plan", "passed", "7 things"),
        ("smoke", "reused", ""),
        ("perf", "skipped", "asked"),
        ("build", "failed", "broken"),
    ]
    assert timeline.stages[1].reused_from == "earlier"
    assert [s.original_seconds for s in timeline.stages] == [0.0, 75.0, 0.0, 0.0]
    assert (
        "done",
        "smoke",
        "reused",
        "reused from run earlier, where it took 1:15 min",
    ) in reporter.said


def test_an_interrupt_is_an_error_with_a_way_on(reporter: RecordingReporter) -> None:
    timeline = Timeline(reporter=reporter)
    with fails("interrupted", "build"):
        timeline.run("build", _interrupt)
    assert timeline.stages[0].state == "failed"


def test_a_finding_fails_the_stage_that_found_it(reporter: RecordingReporter) -> None:
    timeline = Timeline(reporter=reporter)
    timeline.run("audit", lambda: None)
    timeline.fail_last()
    assert timeline.stages[0].state == "failed"


def _fail() -> None:
    raise BuildFailed("broken")


def _interrupt() -> None:
    raise KeyboardInterrupt
