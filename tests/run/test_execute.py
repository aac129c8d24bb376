"""The one order of every build: what is written when, and what a failure leaves."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeEnvironment
from tests.sample_report import a_report
from tfbuild.builds.run import Run
from tfbuild.builds.stages.report import write_report
from tfbuild.core.errors import (
    AuditFailed,
    BuildFailed,
    DeadlineReached,
    NoSolution,
    TfbuildError,
)
from tfbuild.core.reports import Report
from tfbuild.core.run_folder import alone, make_work
from tfbuild.run.execute import execute


def nothing() -> None:
    """What a stage does here."""


@dataclass
class Toy:
    """A build with one stage of each kind, each of which may fail."""

    folder: Path
    deadline: str = ""
    is_cached = True
    deciding: Callable[[], None] = nothing
    building: Callable[[], None] = nothing
    judging: Callable[[], None] = nothing
    made_file: Path | None = None

    @property
    def output(self) -> Path:
        return self.folder / "dist"

    def decide(self, run: Run) -> Report:
        run.stage("decide", self.deciding)
        sample = a_report(self.folder)
        return run.begun(Report, request=sample.request, versions=sample.versions, plan=sample.plan)

    def build(self, report: Report, run: Run) -> Iterator[Report]:
        run.stage("build", self.building)
        yield (report := replace(report, build=a_report(self.folder).build))
        run.stage("audit", nothing)
        self.judging()
        yield report

    def made(self, report: Report) -> Path | None:
        return self.made_file if report.build.actions else None

    def write(self, report: Report, folder: Path) -> Path:
        return write_report(report, folder)

    def deliver(self, report: Report, run: Run) -> Report:
        run.stage("deliver", self.output.mkdir)
        return report


def fails(error: TfbuildError) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.fixture
def env(fake_env: FakeEnvironment) -> FakeEnvironment:
    make_work(fake_env.tools.folders.work)
    fake_env.tools.folders.run.mkdir(parents=True, exist_ok=True)
    return fake_env


def record_of(env: FakeEnvironment) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((env.tools.folders.run / "report.json").read_text())
    return found


def test_what_passes_is_delivered(tmp_path: Path, env: FakeEnvironment) -> None:
    report = execute(Toy(tmp_path), env.tools)
    assert [stage.name for stage in report.stages] == ["decide", "build", "audit"]
    assert report.run_id == env.tools.folders.run.name
    assert (tmp_path / "dist").is_dir()


def test_without_a_plan_there_is_no_report(tmp_path: Path, env: FakeEnvironment) -> None:
    with pytest.raises(NoSolution) as caught:
        execute(Toy(tmp_path, deciding=fails(NoSolution("none", hint="ask less"))), env.tools)
    assert caught.value.hint == "ask less"
    assert not (env.tools.folders.run / "report.json").exists()


def test_a_stage_that_fails_leaves_a_report(tmp_path: Path, env: FakeEnvironment) -> None:
    error = BuildFailed("broken", code="broken-here", hint="look.")
    build = Toy(tmp_path, building=fails(error), made_file=tmp_path)
    with pytest.raises(BuildFailed) as caught:
        execute(build, env.tools)
    page = env.tools.folders.run / "report.html"
    assert caught.value.hint == "look.", "nothing was made yet"
    assert caught.value.report == str(page)
    record = record_of(env)
    (failure,) = record["failures"]
    assert (failure["message"], failure["hint"]) == ("broken", "look.")
    assert (failure["code"], failure["exit_code"]) == ("broken-here", BuildFailed.exit_code)
    assert not build.output.exists()


def test_what_is_judged_to_be_wrong_fails_the_stage_that_has_found_it(
    tmp_path: Path, env: FakeEnvironment
) -> None:
    made = tmp_path / "a.whl"
    with pytest.raises(AuditFailed) as caught:
        execute(Toy(tmp_path, judging=fails(AuditFailed("wrong")), made_file=made), env.tools)
    assert f"nothing was put into {tmp_path / 'dist'}: what was made is {made}" in caught.value.hint
    stages = record_of(env)["stages"]
    assert isinstance(stages, list)
    assert [(stage["name"], stage["state"]) for stage in stages] == [
        ("decide", "passed"), ("build", "passed"), ("audit", "failed"),
    ]  # fmt: skip


def test_a_deadline_that_has_passed_begins_nothing(tmp_path: Path, env: FakeEnvironment) -> None:
    with pytest.raises(DeadlineReached):
        execute(Toy(tmp_path, deadline="2020-01-01T00:00:00+00:00"), env.tools)
    assert not (tmp_path / "dist").exists()


def test_two_are_never_at_work_in_one_folder(tmp_path: Path, env: FakeEnvironment) -> None:
    with (
        alone(env.tools.folders.work),
        pytest.raises(TfbuildError, match="another tfbuild is at work"),
    ):
        execute(Toy(tmp_path), env.tools)
