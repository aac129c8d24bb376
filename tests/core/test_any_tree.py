"""Trees of anybody's making: however deep or closed they are, they are listed and removed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.attack.rights import drop_rights
from tfbuild.core.any_tree import files_below, remove_tree, remove_what_can, walk


def deep(folder: Path, depth: int = 3000) -> None:
    """Folders within each other, deeper than a path can say, and a file in the last."""
    above = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=above)
        below = os.open("d", os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = below
    os.close(os.open("last", os.O_CREAT, dir_fd=above))
    os.close(above)


def without_rights(act: Callable[[], object]) -> str:
    """What the act raises in a process that modes of files hold, also where this one is root."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            drop_rights()
            act()
        except BaseException as error:  # noqa: BLE001  (a fork must not go on as its parent)
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as said:  # noqa: PTH123  (it is open already)
        text = said.read().decode()
    os.waitpid(child, 0)
    return text


def test_a_deep_tree_is_listed_and_removed(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    deep(tmp_path / "tree")
    assert sum(1 for _ in walk(tmp_path / "tree")) > 1000, "as far as a path can say"
    remove_tree(tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_taken_out_are_not_gone_through(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "link").symlink_to(tmp_path)
    found = []
    for place, names, files in walk(tmp_path):
        found.append((Path(place).name, sorted(names), files))
        names[:] = [name for name in names if name != "a"]
    assert found == [(tmp_path.name, ["a", "c"], []), ("c", ["link"], [])]


def test_folders_that_nobody_may_enter_are_removed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a" / "b" / "c").mkdir(parents=True)
    (tree / "a" / "b" / "file").touch()
    for place in ("a/b/c", "a/b", "a", "."):
        (tree / place).chmod(0)
    assert "PermissionError" in without_rights(lambda: list(tree.iterdir()))
    assert without_rights(lambda: remove_tree(tree)) == ""
    assert not tree.exists()


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o500)
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "tree" / "a").mkdir(parents=True)
    (tmp_path / "tree" / "a" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    remove_tree(tmp_path / "tree")
    remove_tree(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").is_file()
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o500, "it is not opened up either"


def test_what_is_refused_is_an_error_or_stays_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tree" / "a").mkdir(parents=True)
    for name in ("tree/held", "tree/free", "tree/a/free"):
        (tmp_path / name).touch()
    unlink = os.unlink

    def refusing(name: str, *, dir_fd: int | None = None) -> None:
        if name == "held":
            raise PermissionError(1, "refused", name)
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refusing)
    remove_what_can(tmp_path / "tree")
    assert [path.name for path in (tmp_path / "tree").iterdir()] == ["held"]
    with pytest.raises(PermissionError, match="refused"):
        remove_tree(tmp_path / "tree")


def test_files_are_listed_without_links_in_order(tmp_path: Path) -> None:
    for name in ("b/y", "b/x", "a/z", "c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "b/link").symlink_to("x")
    (tmp_path / "d").symlink_to("b")
    (tmp_path / "circle").symlink_to("circle")
    found = [path.relative_to(tmp_path).as_posix() for path in files_below(tmp_path)]
    assert found == ["c", "a/z", "b/x", "b/y"]
    assert next(iter(walk(tmp_path)))[0] == str(tmp_path)
