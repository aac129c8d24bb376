"""Files become visible together; whatever stops it leaves the folder as it was."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tfbuild.builds.delivery import delivery, finish_delivery

NOBODYS = 999999999  # the number of no process
OLD = {"report": "old report", "wheel": "old wheel", "theirs": "kept"}
NEW = {"report": "new report", "wheel": "new wheel", "lock": "new lock", "theirs": "kept"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def fill(folder: Path) -> None:
    for name, text in OLD.items():
        (folder / name).write_text(text)


def deliver(folder: Path) -> None:
    with delivery(folder, last="wheel") as aside:
        for name in ("wheel", "report", "lock"):
            (aside / name).write_text(f"new {name}")


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_all_come_and_nothing_else_is_touched(folder: Path) -> None:
    deliver(folder)
    assert content(folder) == {
        "report": "new report", "wheel": "new wheel", "lock": "new lock", "theirs": "kept",
    }  # fmt: skip


def test_nothing_is_seen_before_the_end(folder: Path) -> None:
    with delivery(folder, last="wheel") as aside:
        (aside / "wheel").write_text("new wheel")
        assert {p.name: p.read_text() for p in folder.iterdir() if p.is_file()} == OLD
    assert content(folder)["wheel"] == "new wheel"


@pytest.mark.parametrize("step", range(3))
@pytest.mark.parametrize("kind", [KeyboardInterrupt, PermissionError])
def test_a_failure_in_the_middle_puts_back_what_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: int, kind: type[BaseException]
) -> None:
    replace, moved = Path.replace, []

    def failing(self: Path, target: Path) -> Path:
        if (self.parent.name, target.parent) == ("new", folder):
            moved.append(target.name)
            if len(moved) == step + 1:
                raise kind
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(kind):
        deliver(folder)
    assert content(folder) == OLD
    assert moved == ["lock", "report", "wheel"][: step + 1], "the wheel comes last"


def test_a_folder_in_the_way_stops_it_before_anything_is_moved(folder: Path) -> None:
    (folder / "lock").mkdir()
    with pytest.raises(IsADirectoryError):
        deliver(folder)
    (folder / "lock").rmdir()
    assert content(folder) == OLD


def test_what_cannot_be_put_back_is_delivered_by_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Path, target: Path) -> Path:
        if target.parent == folder and self.parent != folder:
            raise PermissionError
        return replace(self, target)

    replace = Path.replace
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        with pytest.raises(PermissionError):
            deliver(folder)
    (left,) = folder.glob(".tfbuild.*")
    left.rename(folder / f".tfbuild.{NOBODYS}.part")
    assert finish_delivery(folder) == ("lock", "report", "wheel")
    assert content(folder) == NEW


def deliver_and_die(folder: Path, changes: int) -> bool:
    """Deliver in a process that kills itself after so many changes of names; whether it did."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    left = iter(range(changes - 1, -1, -1))

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*words: Any, **more: Any) -> Any:
            done = act(*words, **more)
            if next(left, 1) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return counting

    for name in ("mkdir", "hardlink_to", "replace", "unlink", "write_text"):
        setattr(Path, name, counted(getattr(Path, name)))
    try:
        deliver(folder)
    finally:
        os._exit(0)


def test_a_kill_leaves_all_or_no_wheel_and_the_next_finishes_it(tmp_path: Path) -> None:
    for changes in range(1, 40):
        folder = tmp_path / str(changes)
        folder.mkdir()
        fill(folder)
        killed = deliver_and_die(folder, changes)
        seen = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
        if seen not in (OLD, NEW):
            assert killed
            assert "wheel" not in seen
            between = seen.items() - {("theirs", "kept")}
            assert between <= NEW.items() or between <= OLD.items(), "old and new are never mixed"
        moved = finish_delivery(folder)
        assert content(folder) == (NEW if moved or seen == NEW else OLD)
        assert moved or seen in (OLD, NEW), "what is cut off is finished"
        deliver(folder)
        assert content(folder) == NEW
        if not killed:
            break
    assert 15 < changes < 39


def test_an_older_wheel_never_stands_beside_a_newer_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, seen = Path.replace, []

    def watched(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if target.parent == folder:
            seen.append((folder / "wheel").exists())
        return done

    monkeypatch.setattr(Path, "replace", watched)
    deliver(folder)
    assert seen == [False, False, True]


def test_what_a_killed_delivery_left_is_swept(folder: Path) -> None:
    (folder / f".tfbuild.{NOBODYS}.part" / "new").mkdir(parents=True)
    assert finish_delivery(folder) == ()
    assert content(folder) == OLD


@pytest.mark.parametrize("last", ["../last", "", ".", "gone", "\0", "x" * 9000])
def test_a_note_that_names_no_file_of_a_delivery_moves_nothing(folder: Path, last: str) -> None:
    aside = folder / f".tfbuild.{NOBODYS}.part"
    (aside / "new").mkdir(parents=True)
    (aside / "new" / "wheel").write_text("half")
    (aside / "last").write_text(last)
    assert finish_delivery(folder) == ()
    assert content(folder) == OLD


def test_the_delivery_of_a_living_process_is_its_own(folder: Path) -> None:
    aside = folder / f".tfbuild.{os.getppid()}.part"
    (aside / "new").mkdir(parents=True)
    (aside / "new" / "wheel").write_text("new wheel")
    (aside / "last").write_text("wheel")
    assert finish_delivery(folder) == ()
    assert (aside / "new" / "wheel").is_file()


def test_a_folder_that_is_not_there_has_nothing_to_finish(tmp_path: Path) -> None:
    assert finish_delivery(tmp_path / "none") == ()
    assert not (tmp_path / "none").exists()
