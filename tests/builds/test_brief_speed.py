"""How long a build measures speed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.wheel_chain import Chain
from tests.fakes import FakeEnvironment
from tests.sample_report import a_perf
from tfbuild.builds import wheel_build
from tfbuild.core.paths import file_digest
from tfbuild.core.reports import PerfReport
from tfbuild.facts.tables import Tables


@pytest.fixture
def chain(
    tmp_path: Path, fake_env: FakeEnvironment, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> Chain:
    chain = Chain(tmp_path, fake_env, tables)
    chain.install(monkeypatch)
    return chain


@pytest.mark.parametrize(("against", "brief"), [((), True), (("torch==2.13.*",), False)])
def test_speed_is_measured_briefly_unless_it_is_compared_on_purpose(
    chain: Chain, monkeypatch: pytest.MonkeyPatch, against: tuple[str, ...], brief: bool
) -> None:
    chain.request = replace(chain.request, against=against)

    def measure(wheel: Path, *_: object, brief: bool, **__: object) -> PerfReport:
        return replace(a_perf(), sha256=file_digest(wheel), brief=brief)

    monkeypatch.setattr(wheel_build, "measure_wheel", measure)
    built = chain.run()
    report = json.loads((chain.request.output / "report.json").read_text())
    assert report["perf"]["brief"] == brief
    said = [str(line) for line in chain.env.reporter.said]
    assert any(f"tfbuild perf {built.wheel}" in line for line in said) == brief
