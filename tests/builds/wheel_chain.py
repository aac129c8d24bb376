"""The build of a wheel with stages that answer at once."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeEnvironment, a_request, says
from tests.sample_report import SHA, a_perf, a_smoke, a_wheel, an_audit
from tfbuild.builds import open_place, wheel_build
from tfbuild.builds.stages.perf import PerfNeeds
from tfbuild.core.errors import TfbuildError
from tfbuild.core.outputs import BuildOutput, Configured, Wheel
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import BaselinePlan
from tfbuild.core.records import Artifact
from tfbuild.core.reports import AuditReport, PerfReport, Report, SmokeReport
from tfbuild.facts.tables import Tables
from tfbuild.run.execute import execute


@dataclass(frozen=True)
class Delivered:
    """What a build has brought."""

    report: Report
    wheel: Path


class Chain:
    """The pipeline with stages that answer at once; `answers` may hold other answers."""

    def __init__(self, folder: Path, env: FakeEnvironment, tables: Tables) -> None:
        self.env, self.tables = env, tables
        self.request = a_request(folder)
        self.calls: list[str] = []
        self.answers: dict[str, Any] = {
            "configure": Configured(rc_file=folder / "rc", settings=(), digest="d"),
            "run_build": BuildOutput(files=(("a.so", folder / "a.so"),), seconds=1.0),
            "audit_wheel": an_audit(),
            "smoke_wheel": a_smoke(),
            "measure_wheel": a_perf(),
        }
        env.runner.answers["strip"] = says("GNU strip 2.40")
        self.needs: tuple[Artifact, ...] = ()
        (folder / "a.so").write_text("library")

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in self.answers:
            monkeypatch.setattr(wheel_build, name, self._stage(name))
        monkeypatch.setattr(wheel_build, "make_wheel", self._make_wheel)
        monkeypatch.setattr(wheel_build, "smoke_needs", lambda *_: self.needs)
        monkeypatch.setattr(wheel_build, "perf_needs", self._perf_needs)
        monkeypatch.setattr(open_place, "open_environment", self._open)
        monkeypatch.setattr("tfbuild.wheels.sbom.sbom_text", lambda *_: "{}\n")
        monkeypatch.setattr(
            "tfbuild.reporting.report_html.report_page", lambda *_: "<html></html>", raising=False
        )

    def run(self) -> Delivered:
        self.calls.clear()
        build = wheel_build.WheelBuild(self.request, self.tables, self.env.tools)
        report = execute(build, self.env.tools)
        return Delivered(report=report, wheel=self.request.output / report.wheel.path.name)

    def _stage(self, name: str) -> Any:
        def stage(*_: object, **__: object) -> Any:
            self.calls.append(name)
            answer = self.answers[name]
            if isinstance(answer, TfbuildError):
                raise answer
            if isinstance(answer, (AuditReport, SmokeReport, PerfReport)) and answer.sha256 == SHA:
                return replace(answer, sha256=hashlib.sha256(b"a wheel").hexdigest())
            return answer

        return stage

    @contextmanager
    def _open(self, *_: object) -> Iterator[FakeEnvironment]:
        yield self.env

    def _perf_needs(
        self, _wheel: Path, baselines: tuple[BaselinePlan, ...], *_: object
    ) -> PerfNeeds:
        return PerfNeeds(
            wheel=self.needs, baselines=tuple((baseline, ()) for baseline in baselines)
        )

    def _make_wheel(self, _plan: object, _output: object, _env: object, folder: Path) -> Wheel:
        self.calls.append("make_wheel")
        folder.mkdir(parents=True, exist_ok=True)
        wheel = a_wheel(folder)
        wheel.path.write_text("a wheel")
        return replace(wheel, sha256=file_digest(wheel.path))
