"""What `tfbuild debug` prints, and how it ends."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.schema_maker import check
from tfbuild.bazel.failed_action import FailedAction, FailedActions
from tfbuild.commands.debug import debug
from tfbuild.core.kept_json import write_kept
from tfbuild.core.paths import work_folder
from tfbuild.core.run_folder import make_work

Fails = Callable[[str], None]


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fails:
    """Lets a build have failed with a shell script."""
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())

    def keep(script: str) -> None:
        action = FailedAction(
            label="//:bad", mnemonic="Genrule", argv=("sh", "-c", script),
            env=(("PATH", os.defpath),), folder=str(tmp_path), sandbox="", output="", exit_code=0,
        )  # fmt: skip
        kept = FailedActions(
            run="one", source="/src", environment="host", bazel_version="4.2.3", actions=(action,)
        )
        make_work(work_folder())
        write_kept(work_folder() / "runs/one/failed_actions.json", "failed actions", kept)

    return keep


def call(*, shell: bool = False, show: bool = False, as_json: bool = False) -> int:
    return debug("", "", is_shell=shell, is_shown=show, as_json=as_json)


def test_all_that_it_says_is_shown_and_it_fails_again(
    failing: Fails, capsys: pytest.CaptureFixture[str]
) -> None:
    failing("seq 2000; echo bad >&2; exit 3")
    with fails("action-fails-alone", "//:bad", "code 3"):
        call()
    out = capsys.readouterr().out.split()
    assert len(out) == 2001
    assert "bad" in out


@pytest.mark.parametrize("is_named", [False, True])
def test_what_a_checkout_has_kept_of_failed_actions_is_never_run(
    failing: Fails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_named: bool
) -> None:
    """Its checksums are right, and its words would have been run."""
    failing(f"touch {tmp_path / 'taken'}")
    clone = tmp_path / "clone"
    shutil.copytree(work_folder(), clone / ".tfbuild")
    monkeypatch.chdir(clone)
    if is_named:  # once for all projects, in a profile
        monkeypatch.setenv("TFBUILD_WORK_DIR", ".tfbuild")
    else:
        monkeypatch.delenv("TFBUILD_WORK_DIR")
    code = "work-folder-unmarked" if is_named else "nothing-kept-of-run"
    with fails(code, str(clone / ".tfbuild")):
        call()
    assert not (tmp_path / "taken").exists()


def test_what_ends_well_alone_is_no_failure(
    failing: Fails, capsys: pytest.CaptureFixture[str]
) -> None:
    failing("true")
    assert call() == 0
    assert "ends well alone" in capsys.readouterr().out


def test_the_command_is_printed_and_not_run(
    failing: Fails, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    failing("touch touched")
    assert call(show=True) == 0
    assert capsys.readouterr().out.startswith(f"cd {tmp_path} && env -i PATH=")
    assert call(show=True, as_json=True) == 0
    check("debug", json.loads(capsys.readouterr().out))
    assert not (tmp_path / "touched").exists()


def test_a_shell_needs_a_terminal(failing: Fails) -> None:
    failing("true")
    with fails("terminal-missing"):
        call(shell=True)


def test_what_cannot_go_together(failing: Fails) -> None:
    with fails("options-contradict", "--shell"):
        call(shell=True, show=True)
    with fails("json-without-print", "--print --json"):
        call(as_json=True)


def test_nothing_has_failed(failing: Fails) -> None:
    with fails("nothing-kept-of-run", str(work_folder())):
        call()
