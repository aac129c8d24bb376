"""What lies between the command line and the stages."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment, RecordingReporter, a_host
from tests.sample_report import WHEEL, a_perf, a_smoke, an_audit, an_environment
from tfbuild.commands import front
from tfbuild.core.environment_lock import environment_document
from tfbuild.core.errors import AuditFailed, EnvironmentFailed, PerfRegressed, SmokeFailed
from tfbuild.core.records import AuditPolicy, EnvironmentLock, Interpreter
from tfbuild.facts.tables import to_yaml


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a wheel's name, on a machine with the Python that it is for."""
    python = Interpreter(path=sys.executable, version="3.11.7", tag="cp311")
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host(pythons=(python,)))
    path = tmp_path / WHEEL
    path.touch()
    return path


def test_a_run_keeps_log_and_script_where_it_builds(wheel: Path, tmp_path: Path) -> None:
    from tfbuild.reporting.console import ConsoleReporter

    with front.open_tools(ConsoleReporter(-1), keep=True) as tools:
        assert (tools.folders.run / "rerun.sh").is_file()
        assert tools.folders.cache == tmp_path / "cache"
    with front.open_tools(ConsoleReporter(-1)) as tools:
        assert not tools.folders.run.exists()


def test_audit_prints_every_line_and_fails_at_the_end(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[AuditPolicy] = []

    def answer(policy: AuditPolicy, *_: object) -> object:
        asked.append(policy)
        return an_audit("failed")

    monkeypatch.setattr("tfbuild.builds.stages.audit.audit_wheel", answer)
    with pytest.raises(AuditFailed):
        front.audit(wheel, "RTX 3090, sm_90", as_json=False, verbosity=0)
    assert "failed" in capsys.readouterr().out
    with pytest.raises(AuditFailed) as caught:
        front.audit(wheel, "", as_json=True, verbosity=0)
    assert caught.value.is_told, "the document holds it: no second one"
    assert asked[0].architectures == ("sm_86", "sm_90")


def test_smoke_and_perf_end_as_the_build_would(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "tfbuild.builds.stages.smoke.smoke_wheel", lambda *_, **__: a_smoke("failed", "x")
    )
    monkeypatch.setattr(
        "tfbuild.builds.stages.perf.measure_wheel", lambda *_, **__: a_perf(high=0.5)
    )
    with pytest.raises(SmokeFailed):
        front.smoke(wheel, as_json=False, verbosity=0)
    assert "gpu_matmul" in capsys.readouterr().out
    with pytest.raises(PerfRegressed):
        front.perf(wheel, (), as_json=True, verbosity=0)
    assert '"tfbuild.perf/1"' in capsys.readouterr().out


def test_a_wheel_for_another_python_is_refused(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    python = Interpreter(path="/p", version="3.12.1", tag="cp312")
    tools = replace(fake_env.tools, host=a_host(pythons=(python,)))
    with pytest.raises(EnvironmentFailed) as caught:
        front._python_for(tmp_path / WHEEL, tools)
    assert "cp311" in caught.value.why
    assert "cp312" in caught.value.why
    assert front._python_for(tmp_path / "a-1-py3-none-any.whl", tools) == "/p"


@pytest.mark.parametrize(("env", "warned"), [("docker", False), ("host", True)])
def test_the_lock_of_a_container_is_part_of_the_request(
    tmp_path: Path, reporter: RecordingReporter, env: str, warned: bool
) -> None:
    held = an_environment("dpkg gcc-12 12.2.0-14 amd64")
    document = {"schema": "tfbuild.lock/1", "versions": {"python": "3.11"}}
    lock = tmp_path / "a.lock.yaml"
    lock.write_text(to_yaml({**document, "environment": environment_document(held)}))
    request = front.read_request((), {"lock": str(lock), "env": env}, reporter)
    assert request.environment == held
    assert [pin.spec for pin in request.pins if pin.axis == "python"] == ["3.11"]
    assert bool([words for words in reporter.said if words[0] == "warn"]) is warned
    assert front.read_request((), {}, reporter).environment == EnvironmentLock()
