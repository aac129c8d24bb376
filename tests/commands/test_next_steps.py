"""What is proposed for a folder, by the names that lie in it and by its last build."""

from pathlib import Path

import pytest

from tfbuild.commands.next_steps import next_steps, show_next_steps
from tfbuild.core.layout import FAILED_ACTIONS, RUNS


def proposed(folder: Path, work: Path) -> list[str]:
    return [command for command, _ in next_steps(folder, work)]


def test_an_empty_folder_has_nothing_of_its_own(tmp_path: Path) -> None:
    assert proposed(tmp_path, tmp_path / "work") == []


def test_wheels_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    for name in ("a-1-py3-none-any.whl", "b 2.whl"):
        (tmp_path / "dist" / name).touch()
    assert proposed(tmp_path, tmp_path) == [
        "tfbuild audit 'dist/b 2.whl'", "tfbuild smoke 'dist/b 2.whl'",
    ]  # fmt: skip


def test_trees_and_workspaces_are_built(tmp_path: Path) -> None:
    (tmp_path / "WORKSPACE").touch()
    assert proposed(tmp_path, tmp_path) == ["tfbuild plan --workspace . --target //..."]
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "tensorflow.bzl").touch()
    assert proposed(tmp_path, tmp_path) == ["tfbuild plan --source .", "tfbuild build --source ."]


def test_only_the_last_build_is_debugged(tmp_path: Path) -> None:
    first, last = (RUNS.path(tmp_path) / name for name in ("20261201-1", "20261201-2"))
    first.mkdir(parents=True)
    (first / FAILED_ACTIONS).touch()
    assert proposed(tmp_path / "here", tmp_path) == ["tfbuild debug"]
    last.mkdir()
    assert proposed(tmp_path / "here", tmp_path) == []


def test_it_ends_with_what_can_always_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    show_next_steps()
    said = capsys.readouterr().out
    for command in ("tfbuild doctor", "tfbuild build", "tfbuild recipes list", "--help"):
        assert command in said


def test_on_a_narrow_terminal_no_command_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.commands.next_steps.screen_width", lambda: 80)
    show_next_steps()
    lines = capsys.readouterr().out.splitlines()
    assert "  tfbuild resolve tensorflow=2.16 gpu=sm_86" in lines
    assert "      find versions that work together" in lines
    assert max(map(len, lines)) <= 80
