"""The doors that every command opens, and the request that words and flags mean."""

from pathlib import Path

import pytest

from tests.fakes import RecordingReporter, a_host
from tests.sample_report import an_environment
from tfbuild.commands import context
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.lock_file import LockFile, lock_text


def test_a_run_keeps_log_and_script_where_it_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    from tfbuild.reporting.console import ConsoleReporter

    with context.open_tools(ConsoleReporter(-1), keep=True) as tools:
        assert (tools.folders.run / "rerun.sh").is_file()
        assert tools.folders.cache == tmp_path / "cache"
    with context.open_tools(ConsoleReporter(-1)) as tools:
        assert not tools.folders.run.exists()


@pytest.mark.parametrize(("env", "warned"), [("docker", False), ("host", True)])
def test_the_lock_of_a_container_is_part_of_the_request(
    tmp_path: Path, reporter: RecordingReporter, env: str, warned: bool
) -> None:
    held = an_environment("dpkg gcc-12 12.2.0-14 amd64")
    lock = tmp_path / "a.lock.yaml"
    lock.write_text(lock_text(LockFile(versions=(("python", "3.11"),), environment=held)))
    request = context.read_request((), {"lock": str(lock), "env": env}, reporter)
    assert request.environment == held
    assert [pin.spec for pin in request.pins if pin.axis == "python"] == ["3.11"]
    assert bool([words for words in reporter.said if words[0] == "warn"]) is warned
    assert context.read_request((), {}, reporter).environment == EnvironmentLock()
