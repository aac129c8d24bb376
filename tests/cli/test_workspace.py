"""Options for workspaces as texts of settings, and what the command line does with them."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.fakes import a_host
from tfbuild.cli import app as cli
from tfbuild.cli.workspace import WorkspaceOptions, workspace_flags


def test_what_was_not_given_is_left_out() -> None:
    assert workspace_flags(WorkspaceOptions()) == {}


def test_lists_keep_their_words_apart() -> None:
    options = WorkspaceOptions(
        workspace="a b", target=["//...", "-//x y"], bazel_flag=["--copt=-a,-b"], stand_ins=True
    )
    flags = workspace_flags(options)
    assert flags["workspace"] == "a b"
    assert shlex.split(flags["target"]) == ["//...", "-//x y"]
    assert flags["bazel-flag"] == "--copt=-a,-b"
    assert flags["stand-ins"] == "true"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a workspace in it."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "MODULE.bazel").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("plan", "--workspace=w", "--target=//..."), 0, "plan "),
        (("plan", "--workspace=w"), 2, "error[target-not-named]: "),
        (("plan", "--target=//..."), 2, "error[option-not-of-kind]: "),
        (("plan", "--workspace=nowhere", "--target=//..."), 2, "no folder"),
        (
            ("build", "--workspace=w", "--target=//...", "--matrix=python=3.11"),
            2,
            "[matrix-needs-collect]",
        ),
        (("debug",), 2, "nothing is kept"),
        (("debug", "--run=never"), 2, "no run"),
    ],
)
def test_codes_and_words(
    words: tuple[str, ...],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    out, err = capsys.readouterr()
    assert (caught.value.code or 0) == code
    assert said in out + err
