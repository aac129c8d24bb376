"""Seals: every way in which a tree can change is found; what did not change is not read."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tests.sealing import seal_as_it_is
from tfbuild.core.kept_json import write_kept
from tfbuild.fetch import seals
from tfbuild.fetch.seals import SEAL, discard, find_damage, seal_tree, sealed_digests


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "liba.so").write_bytes(b"a" * 1000)
    (root / "lib" / "libb.so").symlink_to("liba.so")
    (root / "all").symlink_to("lib")
    (root / "ä.h").write_text("h")
    wait_for_a_tick(tmp_path)
    seal_as_it_is(root)
    return root


def wait_for_a_tick(folder: Path) -> None:
    """Return when a file that is written now has a later time than one that was written before."""
    clock = folder / "clock"
    clock.write_text("")
    then = clock.stat().st_mtime_ns
    while clock.stat().st_mtime_ns == then:
        clock.write_text("")
    clock.unlink()


def flip(path: Path) -> None:
    """Change one byte."""
    with path.open("r+b") as stream:
        stream.seek(500)
        stream.write(b"b")


def no_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> str:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(seals, "file_digest", read)


def test_a_tree_as_it_was_sealed_is_believed_without_reading_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_damage(tree, in_full=True) == ""
    assert sorted(sealed_digests(tree)) == ["all", "lib/liba.so", "lib/libb.so", "ä.h"]
    no_digests(monkeypatch)
    assert find_damage(tree) == ""
    with pytest.raises(AssertionError):
        find_damage(tree, in_full=True)


def put_back(path: Path) -> None:
    """Change a byte, and give the file the times that it had."""
    state = path.stat()
    flip(path)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def replaced(path: Path, other: Callable[[Path], object]) -> None:
    path.unlink()
    other(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda root: flip(root / "lib/liba.so"), "lib/liba.so was changed"),
        (lambda root: put_back(root / "lib/liba.so"), "lib/liba.so was changed"),
        (lambda root: os.truncate(root / "lib/liba.so", 999), "lib/liba.so was changed"),
        (lambda root: (root / "lib/liba.so").chmod(0o755), "lib/liba.so was changed"),
        (lambda root: (root / "ä.h").unlink(), "ä.h is missing"),
        (lambda root: (root / "new").write_text(""), "new was put there"),
        (lambda root: (root / "lib/link").symlink_to("x"), "lib/link was put there"),
        (lambda root: replaced(root / "all", lambda p: p.symlink_to("x")), "all was changed"),
        (lambda root: replaced(root / "ä.h", os.mkfifo), "ä.h was changed"),
        (lambda root: replaced(root / "all", Path.mkdir), "all is missing"),
        (lambda root: shutil.rmtree(root / "lib"), "lib/liba.so is missing"),
        (lambda root: (root / SEAL).unlink(), "its seal is missing or broken"),
        (lambda root: (root / SEAL).write_text("{}"), "its seal is missing or broken"),
        (lambda root: flip(root / SEAL), "its seal is missing or broken"),
    ],
)
def test_every_change_is_found(tree: Path, change: Callable[[Path], object], said: str) -> None:
    change(tree)
    assert find_damage(tree) == said
    assert find_damage(tree) == said, "and it is not forgotten"


def test_a_file_as_young_as_the_seal_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    youngest = max(path.lstat().st_ctime_ns for path in tree.rglob("*") if path.name != SEAL)
    os.utime(tree / SEAL, ns=(youngest, youngest))  # within one tick of the clock
    no_digests(monkeypatch)
    with pytest.raises(AssertionError):
        find_damage(tree)


def test_a_copy_is_read_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tree.parent / "copies" / "tree"
    shutil.copytree(tree, copy, symlinks=True)
    wait_for_a_tick(tree.parent)
    assert find_damage(copy) == ""
    no_digests(monkeypatch)
    assert find_damage(copy) == ""


def test_a_tree_in_anothers_place_is_not_that(tree: Path) -> None:
    other = tree.with_name("other")
    tree.rename(other)
    assert find_damage(other) == "its seal is missing or broken"


def test_what_no_time_shows_is_found_in_full(tree: Path) -> None:
    known = sealed_digests(tree)
    flip(tree / "lib" / "liba.so")
    wait_for_a_tick(tree.parent)
    seal_as_it_is(tree, known=known)  # as on a disk that rots: all but the content is as it was
    assert sealed_digests(tree) == known
    assert find_damage(tree) == ""
    assert find_damage(tree, in_full=True) == "lib/liba.so was changed"


@pytest.mark.parametrize(
    "rows",
    [[], 5, "text", {"a": None}, {"a": [1]}, {"a": [1, 2, 3, 4, 5, 6]}, {"a": [1, 2, "", 4, 5]}],
)
def test_a_seal_of_another_form_is_none(tree: Path, rows: object) -> None:
    """As another build may write it: its checksum is right."""
    write_kept(tree / SEAL, tree.name, rows)
    assert find_damage(tree) == "its seal is missing or broken"
    assert find_damage(tree, in_full=True) == "its seal is missing or broken"
    assert sealed_digests(tree) == {}


def test_discarding_leaves_nothing(tree: Path) -> None:
    discard(tree)
    discard(tree)
    (tree.parent / "file").write_text("")
    discard(tree.parent / "file")
    assert list(tree.parent.iterdir()) == []


@as_root
def test_what_another_user_can_change_is_damaged(tree: Path) -> None:
    os.chown(tree / "lib" / "liba.so", NOBODY, -1)
    assert find_damage(tree) == "lib/liba.so belongs to another user"
    os.chown(tree / "lib" / "liba.so", 0, -1)
    assert find_damage(tree) == ""
    os.chown(tree, NOBODY, -1)
    assert "belongs to" in find_damage(tree)


def test_a_tree_is_sealed_as_its_archive_lists_it_and_not_as_it_is(tree: Path) -> None:
    """Of 33 files 20 were left, and these were sealed as all that there is."""
    (tree / SEAL).unlink()
    listed = ["all", "lib/liba.so", "lib/libb.so", "ä.h"]
    seal_tree(tree, listed)
    assert find_damage(tree) == ""
    for wrong, named in (([*listed, "lib/libc.so"], "lib/libc.so "), (listed[:3], "ä.h ")):
        (tree / SEAL).unlink(missing_ok=True)
        with fails("unpacked-files-changed", named):
            seal_tree(tree, wrong)
        assert not (tree / SEAL).exists()


def test_a_seal_that_is_written_again_is_never_seen_half_in_its_tree(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there: list[set[str]] = []
    flush = os.fsync

    def looked(descriptor: int) -> None:
        there.append({path.name for path in tree.iterdir()})
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", looked)
    names = {path.name for path in tree.iterdir()}
    for path in tree.rglob("*"):
        os.utime(path)
    assert find_damage(tree) == ""
    assert there == [names]
