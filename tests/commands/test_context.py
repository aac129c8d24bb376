"""The adapters that every command opens, and the request that words and flags mean."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter, a_host
from tests.sample_report import an_environment
from tfbuild.commands import context
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.lock_file import LockFile, lock_text
from tfbuild.core.paths import state_folder
from tfbuild.core.records import Artifact


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


def test_what_a_project_file_decides_is_reported_once(
    tmp_path: Path, reporter: RecordingReporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\njobs = 2\npython = "3.12"\n')
    monkeypatch.chdir(tmp_path)
    context.read_request((), {"jobs": "3"}, reporter)
    assert reporter.said == [("note", f"{tmp_path / 'pyproject.toml'} decides: python")]


def test_the_files_of_a_lock_hold_for_smoke_and_perf(
    tmp_path: Path, reporter: RecordingReporter
) -> None:
    files = tuple(
        Artifact(
            distribution="numpy",
            version="2.3",
            filename="numpy-2.3-py3-none-any.whl",
            sha256="ab" * 32,
            kind=kind,
        )
        for kind in ("build", "cuda", "smoke", "perf")
    )
    lock = tmp_path / "a.lock.yaml"
    whole = LockFile(versions=(("python", "3.11"),), wheel="w.whl", wheel_sha256="cd" * 32)
    lock.write_text(lock_text(replace(whole, artifacts=files)))
    request = context.read_request((), {"lock": str(lock)}, reporter)
    assert [one.kind for one in request.held] == ["smoke", "perf"]


@pytest.mark.parametrize("name", ["TFBUILD_WORK_DIR", "TFBUILD_CACHE_DIR"])
def test_a_folder_of_a_build_that_cannot_be_made_is_reported_first(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tfbuild.reporting.console import ConsoleReporter

    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: pytest.fail("too late"))
    monkeypatch.setenv(name, "/proc/tfbuild")
    with (
        fails("folder-not-writable", "/proc/tfbuild", name),
        context.open_tools(ConsoleReporter(-1), keep=True),
    ):
        pass


def test_a_file_that_a_user_names_is_written_or_it_a_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert context.write_file("deep/a.txt", "a") == tmp_path / "deep" / "a.txt"
    assert (tmp_path / "deep" / "a.txt").read_text() == "a"
    with fails("output-is-folder", str(tmp_path / "deep")):
        context.write_file("deep", "a")
    with fails("output-not-writable", "/proc/a"):
        context.write_file("/proc/a", "a")

    (tmp_path / "docker").symlink_to(tmp_path / "deep")
    with fails("output-folder-is-link", str(tmp_path / "docker")):
        context.write_file("docker/a.txt", "b")
    assert (tmp_path / "deep" / "a.txt").read_text() == "a"

    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", "a")

    monkeypatch.setattr(context, "write_aside", full)
    with fails("disk-full"):
        context.write_file("a", "a")


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("is_link", [True, False])
def test_a_work_folder_that_a_checkout_brings_is_reported_and_not_touched(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keep: bool,
    is_link: bool,
) -> None:
    from tfbuild.reporting.console import ConsoleReporter

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    (tmp_path / "precious").mkdir()
    if is_link:
        (tmp_path / ".tfbuild").symlink_to("precious")
    else:
        (tmp_path / ".tfbuild").mkdir()
    with context.open_tools(ConsoleReporter(), keep=keep) as tools:
        assert tools.folders.work.parent == state_folder() / "projects"
        assert tools.folders.memo.is_relative_to(tools.folders.work)
    assert not any((tmp_path / "precious").iterdir())
    assert not any((tmp_path / ".tfbuild").iterdir())
    said = " ".join(capsys.readouterr().err.split())
    assert said.count("is not read") == 1


@pytest.mark.parametrize("keep", [True, False])
def test_a_cache_that_others_can_write_is_refused(tmp_path: Path, keep: bool) -> None:
    from tfbuild.reporting.console import ConsoleReporter

    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    with (
        fails("folder-not-yours", str(tmp_path / "cache")) as caught,
        context.open_tools(ConsoleReporter(-1), keep=keep),
    ):
        pass
    assert caught.value.exit_code == 4
    assert not (tmp_path / "work").exists()
