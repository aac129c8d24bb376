"""Half-made files and folders belong to whoever holds them, wherever that process is numbered."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tfbuild.core import parts
from tfbuild.core.parts import (
    hold_file,
    is_held,
    is_part,
    part_file,
    part_folder,
    part_name,
    sweep,
)


def test_each_has_a_name_of_its_own_that_is_that_of_a_part() -> None:
    names = {part_name("smoke") for _ in range(99)}
    assert len(names) == 99
    assert all(is_part(Path(name)) and name.startswith(".smoke.") for name in names)
    assert is_part(Path("/a", part_name()))
    assert not is_part(Path("a.part"))
    assert not is_part(Path(".a"))


@pytest.mark.parametrize("make", [part_file, part_folder])
def test_what_was_not_moved_is_gone_at_the_end(tmp_path: Path, make: type) -> None:
    with make(tmp_path) as path:
        assert is_part(path)
        assert is_held(path)
        assert path.parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    with make(tmp_path) as path:
        path.rename(tmp_path / "done")
    assert [path.name for path in tmp_path.iterdir()] == ["done"]
    assert not is_held(tmp_path / "done")


def test_what_came_into_its_place_stays(tmp_path: Path) -> None:
    with part_file(tmp_path) as path:
        path.rename(tmp_path / "done")
        path.write_text("another's")
    assert path.read_text() == "another's"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    for make in (part_file, part_folder):
        with pytest.raises(FileNotFoundError), make(tmp_path / "none"):
            pass


def test_sweep_removes_what_the_dead_left_and_spares_the_living(tmp_path: Path) -> None:
    (tmp_path / ".old.999999999.part").mkdir()  # as earlier releases called them
    (tmp_path / ".old.part").write_text("")
    (tmp_path / ".tree.part" / "deep").mkdir(parents=True)
    (tmp_path / "done").mkdir()
    (tmp_path / ".other").touch()
    with part_folder(tmp_path) as folder, part_file(tmp_path) as file:
        sweep(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {
            folder.name, file.name, "done", ".other",
        }  # fmt: skip


def test_sweep_follows_no_link(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").touch()
    (tmp_path / ".a.part").symlink_to(theirs)
    (tmp_path / ".b.part").symlink_to("nowhere")
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "theirs"]


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from tfbuild.core.parts import part_folder\n"
        f"with part_folder(Path({str(tmp_path)!r})) as path:\n"
        "    print(path, flush=True); time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert child.stdout
        path = Path(child.stdout.readline().decode().strip())
        sweep(tmp_path)
        assert path.is_dir()
        child.send_signal(signal.SIGKILL)
        child.wait()
        sweep(tmp_path)
        assert not path.exists()


def test_one_that_is_swept_before_it_is_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making and holding it, anybody may find it without an owner."""
    flock = fcntl.flock
    swept: list[Path] = []

    def late(descriptor: int, operation: int) -> None:
        if not swept:
            swept.extend(tmp_path.iterdir())
            sweep_unpatched()
        flock(descriptor, operation)

    def sweep_unpatched() -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        sweep(tmp_path)

    for make in (part_file, part_folder):
        swept.clear()
        monkeypatch.setattr(fcntl, "flock", late)
        with make(tmp_path) as path:
            assert swept
            assert path not in swept
            assert path.exists()
            assert is_held(path)


def test_without_locks_nothing_is_taken_for_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", none)
    with part_folder(tmp_path) as path:
        assert is_held(path)
        sweep(tmp_path)
        assert path.is_dir()
    assert not path.exists()


def test_a_file_that_a_killed_process_left_is_taken_over_by_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("left")
    with hold_file(path) as first, hold_file(path) as second:
        assert (first, second) == (True, False)
    with hold_file(path) as again:
        assert again
    assert path.read_text() == "left"


def test_what_is_no_file_of_the_callers_own_is_not_taken_over(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.touch()
    (tmp_path / "link").symlink_to(theirs)
    (tmp_path / "second").hardlink_to(theirs)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "second", "folder", "pipe", "none/file"):
        with hold_file(tmp_path / name) as is_ours:
            assert not is_ours, name


def test_names_are_foreseen_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs").touch()
    for make in (part_file, part_folder):
        (tmp_path / ".known.part").symlink_to("theirs")
        monkeypatch.setattr(parts, "part_name", lambda *_: ".known.part")
        with pytest.raises(FileExistsError), make(tmp_path):
            pass
        assert (tmp_path / ".known.part").is_symlink()
        (tmp_path / ".known.part").unlink()


@pytest.mark.parametrize("make", [part_file, part_folder])
def test_a_folder_in_which_nothing_stays_is_an_error(make: type) -> None:
    with pytest.raises(OSError, match="/proc"), make(Path("/proc")):
        pass
