"""Files become visible together; whatever stops it leaves the folder as it was."""

import os
import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.deliveries import cut_off, deliver_and_die, die_in
from tests.failing import fails
from tfbuild.builds.delivery import delivery, finish_delivery, require_output
from tfbuild.core.layout import DELIVERIES
from tfbuild.core.paths import state_folder

OLD = {"report": "old report", "wheel": "old wheel", "theirs": "kept"}
NEW = {"report": "new report", "wheel": "new wheel", "lock": "new lock", "theirs": "kept"}


FILES = {name: f"new {name}" for name in ("wheel", "report", "lock")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    fill(folder)
    return folder


def fill(folder: Path) -> None:
    for name, text in OLD.items():
        (folder / name).write_text(text)


def deliver(folder: Path) -> None:
    with delivery(folder, last="wheel") as aside:
        for name, text in FILES.items():
            (aside / name).write_text(text)


def files_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


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
    rename, moved = os.rename, []

    def failing(source: str, target: str, **more: int) -> None:
        moved.append(target)
        if len(moved) == step + 1:
            raise kind
        rename(source, target, **more)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(kind):
        deliver(folder)
    assert content(folder) == OLD
    assert moved[: step + 1] == ["lock", "report", "wheel"][: step + 1], "the wheel comes last"


def test_a_folder_in_the_way_stops_it_before_anything_is_moved(folder: Path) -> None:
    (folder / "lock").mkdir()
    with pytest.raises(IsADirectoryError):
        deliver(folder)
    (folder / "lock").rmdir()
    assert content(folder) == OLD


def test_what_cannot_be_put_back_is_delivered_by_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: str, **__: int) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", failing)
        with pytest.raises(PermissionError):
            deliver(folder)
    assert finish_delivery(folder) == ("lock", "report", "wheel")
    assert content(folder) == NEW


def test_a_kill_leaves_all_or_no_wheel_and_the_next_finishes_it(tmp_path: Path) -> None:
    for changes in range(1, 60):
        folder = tmp_path / str(changes)
        folder.mkdir()
        fill(folder)
        killed = deliver_and_die(folder, FILES, "wheel", changes)
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
    assert 20 < changes < 59
    assert not list(DELIVERIES.path(state_folder()).glob("*.json")), "no journal is left"


def test_an_older_wheel_never_stands_beside_a_newer_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, seen = os.rename, []

    def watched(source: str, target: str, **more: int) -> None:
        rename(source, target, **more)
        seen.append((folder / "wheel").exists())

    monkeypatch.setattr(os, "rename", watched)
    deliver(folder)
    assert seen == [False, False, True]


# --- what a repository may contain ---------------------------------------------------------------


def test_planted_leftovers_of_a_delivery_are_nothing_to_us(folder: Path, tmp_path: Path) -> None:
    """A clone with such a folder took the files of another one, and delivered what was in it."""
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / "id").write_text("secret")
    for name in (
        ".tfbuild.999999999.part",
        f".tfbuild.{os.getppid()}.part",
        ".0123456789abcdef.part",
    ):
        (folder / name).mkdir()
        (folder / name / "last").write_text("id")
        (folder / name / "new").symlink_to(keys)
    planted = folder / ".tfbuild.999999998.part" / "new"
    planted.mkdir(parents=True)
    (planted / "a.whl").write_text("unproven")
    (planted.parent / "last").write_text("a.whl")
    before = sorted(folder.rglob("*"))
    assert finish_delivery(folder) == ()
    assert sorted(folder.rglob("*")) == before, "nothing that looks like ours is moved or removed"
    deliver(folder)
    assert (keys / "id").read_text() == "secret"
    assert {path.name for path in folder.iterdir()} - {path.name for path in before} == {"lock"}


def test_a_link_in_the_place_of_the_output_is_refused(tmp_path: Path, folder: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    with fails("output-folder-is-link", str(link), "--output"):
        finish_delivery(link)
    with fails("output-folder-is-link", str(link)):
        deliver(link)
    with fails("output-folder-is-link", str(link)):
        require_output(link)
    assert content(folder) == OLD


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(
    folder: Path, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("words")
    (folder / "report").unlink()
    (folder / "report").symlink_to(theirs)
    deliver(folder)
    assert content(folder) == NEW
    assert not (folder / "report").is_symlink()
    assert theirs.read_text() == "words"


def left(folder: Path) -> Path:
    """The hidden folder of a delivery that was killed when all of it lay ready."""
    cut_off(folder, FILES, "wheel")
    (aside,) = folder.glob(".*.part")
    return aside


def swap_file(aside: Path) -> None:
    (aside / "new" / "wheel").write_text("another")


def swap_for_link(aside: Path) -> None:
    (aside.parent.parent / "theirs").write_text("new wheel")  # even with the right digest
    (aside / "new" / "wheel").unlink()
    (aside / "new" / "wheel").symlink_to(aside.parent.parent / "theirs")


def swap_inner_folder(aside: Path) -> None:
    (aside / "new").rename(aside.parent.parent / "keys")
    (aside / "new").symlink_to(aside.parent.parent / "keys")


def swap_folder(aside: Path) -> None:
    aside.rename(aside.parent.parent / "first")
    shutil.copytree(aside.parent.parent / "first", aside)


def open_to_others(aside: Path) -> None:
    aside.chmod(0o755)


@pytest.mark.parametrize(
    "swap", [swap_file, swap_for_link, swap_inner_folder, swap_folder, open_to_others]
)
def test_only_what_the_journal_says_is_moved(folder: Path, swap: Callable[[Path], None]) -> None:
    swap(left(folder))
    assert finish_delivery(folder) == ()
    assert {k: v for k, v in files_in(folder).items() if k in NEW} == OLD
    deliver(folder)
    assert files_in(folder).items() >= NEW.items()


def test_who_swaps_the_hidden_folder_meanwhile_leads_nothing_elsewhere(
    folder: Path, tmp_path: Path
) -> None:
    """As another user can, to whom the output folder belongs."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    with fails("output-folder-changed", str(folder)), delivery(folder, last="wheel") as aside:
        (hidden,) = folder.glob(".*.part")
        hidden.rename(tmp_path / "first")
        hidden.mkdir(mode=0o700)
        (hidden / "new").symlink_to(theirs)
        (aside / "wheel").write_text("new wheel")
    assert list(theirs.iterdir()) == []
    assert (tmp_path / "first" / "new" / "wheel").read_text() == "new wheel"


def test_another_output_folder_has_no_part_in_it(folder: Path, tmp_path: Path) -> None:
    left(folder)
    shutil.copytree(folder, tmp_path / "clone")
    assert finish_delivery(tmp_path / "clone") == ()
    folder.rename(tmp_path / "moved")
    (tmp_path / "clone").rename(folder)
    assert finish_delivery(folder) == (), "the same path, and another folder"
    assert files_in(folder) == OLD


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\0" * 99])
def test_a_damaged_journal_moves_nothing(folder: Path, damage: bytes) -> None:
    left(folder)
    (journal,) = DELIVERIES.path(state_folder()).glob("*.json")
    journal.write_bytes(damage)
    assert finish_delivery(folder) == ()
    assert files_in(folder) == OLD
    deliver(folder)
    assert files_in(folder) == NEW


def test_two_deliveries_into_one_folder_come_one_after_the_other(folder: Path) -> None:
    order = []

    def second() -> None:
        deliver(folder)
        order.append("second")

    thread = threading.Thread(target=second)
    with delivery(folder, last="wheel") as aside:
        thread.start()
        (aside / "wheel").write_text("first")
        thread.join(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert content(folder) == NEW


def test_a_folder_that_is_not_there_has_nothing_to_finish(tmp_path: Path) -> None:
    assert finish_delivery(tmp_path / "none") == ()
    assert not (tmp_path / "none").exists()


# --- folders -------------------------------------------------------------------------------------


def lay_library(folder: Path, text: str) -> None:
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "a.so.1").write_text(text)
    (folder / "lib" / "a.so").symlink_to("a.so.1")


def deliver_library(folder: Path, text: str) -> None:
    with delivery(folder, last="library") as aside:
        (aside / "report").write_text(f"{text} report")
        lay_library(aside / "library", text)


def library_in(folder: Path) -> str:
    assert (folder / "library/lib/a.so").is_symlink()
    return (folder / "library/lib/a.so").read_text()


def test_a_folder_takes_the_place_of_the_older_one(folder: Path) -> None:
    deliver_library(folder, "old")
    (folder / "library/lib/b.so").write_text("of the old one")
    deliver_library(folder, "new")
    assert library_in(folder) == "new"
    assert not (folder / "library/lib/b.so").exists()
    assert (folder / "report").read_text() == "new report"
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("step", range(3))
def test_an_older_folder_is_put_back_where_the_move_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    deliver_library(folder, "old")
    rename, calls = os.rename, []

    def failing(source: str, target: str, **more: int) -> None:
        calls.append(target)
        if len(calls) == step + 1:
            raise PermissionError
        rename(source, target, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", failing)
        with pytest.raises(PermissionError):
            deliver_library(folder, "new")
    assert library_in(folder) == "old"
    assert (folder / "report").read_text() == "old report"


def test_a_kill_leaves_the_old_folder_the_new_one_or_none_and_the_next_finishes_it(
    tmp_path: Path,
) -> None:
    for changes in range(1, 60):
        folder = tmp_path / str(changes)
        folder.mkdir()
        deliver_library(folder, "old")
        killed = die_in(partial(deliver_library, folder, "new"), changes)
        seen = library_in(folder) if (folder / "library").exists() else ""
        moved = finish_delivery(folder)
        assert library_in(folder) == ("new" if moved or seen == "new" else "old")
        assert seen or moved, "what is cut off is finished"
        deliver_library(folder, "newer")
        assert library_in(folder) == "newer"
        if not killed:
            break
    assert 15 < changes < 59


@pytest.mark.parametrize("change", ["content", "link", "name", "more"])
def test_a_folder_that_is_not_what_the_journal_says_is_not_moved(
    tmp_path: Path, change: str
) -> None:
    folder = tmp_path / "dist"
    folder.mkdir()
    deliver_library(folder, "old")
    assert die_in(lambda: deliver_library(folder, "new"), 0, among=("unlink",))
    (aside,) = folder.glob(".*.part")
    lib = aside / "new" / "library" / "lib"
    if change == "content":
        (lib / "a.so.1").write_text("bad")
    elif change == "link":
        (lib / "a.so").unlink()
        (lib / "a.so").symlink_to("/etc/passwd")
    elif change == "name":
        (lib / "a.so.1").rename(lib / "a.so.2")
    else:
        (lib / "c.so").touch()
    assert finish_delivery(folder) == ()
