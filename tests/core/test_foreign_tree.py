"""Folders that somebody else writes to: what is reached in them, and nothing beside them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tfbuild.core.foreign_tree import ForeignTree, LeadsOut, TooLarge


@pytest.fixture
def tree(tmp_path: Path) -> ForeignTree:
    root = tmp_path / "tree"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "file").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    return ForeignTree(root)


def test_files_and_links_are_listed_and_links_not_gone_through(tree: ForeignTree) -> None:
    (tree.root / "loop").symlink_to(".")
    (tree.root / "a" / "link").symlink_to("../nowhere")
    assert tree.files() == ["a/b/file", "a/link", "loop"]
    assert tree.files("loop/a") == ["b/file", "link"], "links of the folder itself count"
    assert tree.files(deepest=2) == ["a/link", "loop"]
    assert (tree.names("a"), tree.names("none")) == (["b", "link"], [])
    with pytest.raises(FileNotFoundError):
        tree.files("none")


@pytest.mark.parametrize(
    ("link", "text", "name"),
    [
        ("x", "a/b", "x/file"), ("x", "a/b/file", "x"), ("a/x", "../a/./b", "a/x/file"),
        ("a/b/x", "..", "a/b/x/b/file"), ("x", "{root}/a", "x/b/file"),
        ("x", "{root}", "x/a/b/file"), ("x", "a//b/", "./x//file"), ("x", "a", "x/b/../b/file"),
    ],
)  # fmt: skip
def test_links_that_stay_inside_are_followed(
    tree: ForeignTree, link: str, text: str, name: str
) -> None:
    (tree.root / link).symlink_to(text.replace("{root}", str(tree.root)))
    assert tree.read(name) == b"inside"
    assert tree.text(name) == "inside"
    assert tree.is_file(name)
    assert not tree.is_folder(name)
    assert tree.require_inside(name)


@pytest.mark.parametrize(
    ("link", "text", "name"),
    [
        ("x", "../secret", "x"), ("x", "..", "x/secret"), ("x", "{above}/secret", "x"),
        ("x", "{above}", "x/secret"), ("a/x", "../../secret", "a/x"), ("x", "a/../../secret", "x"),
        ("x", "{root}/../secret", "x"), ("x", "{root}2", "x"), ("x", "/", "x/etc/passwd"),
    ],
)  # fmt: skip
def test_nothing_outside_is_reached(tree: ForeignTree, link: str, text: str, name: str) -> None:
    words = text.replace("{root}", str(tree.root)).replace("{above}", str(tree.root.parent))
    (tree.root / link).symlink_to(words)
    other = ForeignTree(tree.root.parent / "other")
    other.root.mkdir()
    calls: tuple[Callable[[], object], ...] = (
        lambda: tree.read(name),
        lambda: tree.require_inside(name),
        lambda: tree.files(name),
        lambda: other.take(tree, name, "copy"),
        lambda: tree.take(tree, "a/b/file", f"{name}/new"),
        lambda: tree.make_link(f"{name}/new", "a"),
    )
    for call in calls:
        with pytest.raises(LeadsOut):
            call()
    assert (tree.is_file(name), tree.is_folder(name), tree.text(name)) == (False, False, "")
    assert (other.files(), (tree.root.parent / "secret").read_text()) == ([], "outside")


def test_no_name_leads_out_by_itself(tree: ForeignTree) -> None:
    with pytest.raises(LeadsOut):
        tree.read("../secret")
    assert not tree.is_file("a/../../secret")


def test_a_link_in_the_place_of_the_tree_is_not_followed(tree: ForeignTree) -> None:
    (tree.root.parent / "link").symlink_to(tree.root)
    with pytest.raises(OSError, match=r"."):
        ForeignTree(tree.root.parent / "link").read("a/b/file")


def test_what_is_no_file_is_not_read_nor_waited_for(tree: ForeignTree) -> None:
    os.mkfifo(tree.root / "pipe")
    for name in ("pipe", "a"):
        with pytest.raises(OSError, match=r"."):
            tree.read(name)
        assert not tree.is_file(name)
    with pytest.raises(ValueError, match="larger than"):
        tree.read("a/b/file", 5)
    assert tree.text("a/b/file", 5) == ""


def test_links_without_an_end_and_folders_without_a_bottom_are_given_up(tree: ForeignTree) -> None:
    (tree.root / "x").symlink_to("y")
    (tree.root / "y").symlink_to("x")
    with pytest.raises(OSError, match="no end"):
        tree.read("x")
    deep = tree.root / "/".join("d" * 120)
    deep.mkdir(parents=True)
    with pytest.raises(OSError, match="too deep"):
        tree.files()
    with pytest.raises(OSError, match="too deep"):
        tree.read("/".join("d" * 120) + "/file")


def test_a_copy_takes_the_place_of_a_link_and_not_of_what_it_leads_to(tree: ForeignTree) -> None:
    outside = tree.root.parent / "secret"
    (tree.root / "a" / "x").symlink_to(outside)
    (tree.root / "a" / "b" / "file").chmod(0o4711)
    tree.take(tree, "a/b/file", "a/x")
    tree.take(tree, "a/b/file", "new/folder/text", is_text=True)
    assert outside.read_text() == "outside"
    modes = [(tree.root / name).lstat().st_mode & 0o7777 for name in ("a/x", "new/folder/text")]
    assert modes == [0o755, 0o644]
    with pytest.raises(OSError, match=r"."):
        tree.take(tree, "a/b/file", "a/b")
    tree.make_link("more/link", "../a")
    assert tree.link("more/link") == "../a"
    with pytest.raises(FileExistsError):
        tree.make_link("more/link", "../a")


def test_the_mode_of_a_link_is_its_own(tree: ForeignTree) -> None:
    (tree.root / "x").symlink_to("a")
    assert tree.own_mode("x") != tree.own_mode("a")


def test_no_more_of_a_file_is_taken_than_is_allowed(tree: ForeignTree, tmp_path: Path) -> None:
    (tree.root / "holes").touch()
    os.truncate(tree.root / "holes", 1 << 40)
    (tmp_path / "own").mkdir()
    own = ForeignTree(tmp_path / "own")
    with pytest.raises(TooLarge, match="larger than"):
        own.take(tree, "holes", "copy")
    assert own.files() == [], "nothing is made of it"
    assert own.take(tree, "a/b/file", "copy", most=6) == 6
    with pytest.raises(TooLarge):
        own.take(tree, "a/b/file", "copy", most=5)


def test_a_file_that_grows_while_it_is_taken_is_cut_off(
    tree: ForeignTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    size = os.fstat

    def before(descriptor: int) -> os.stat_result:
        found = size(descriptor)
        (tree.root / "a" / "b" / "file").write_text("now it is larger")
        return found

    monkeypatch.setattr(os, "fstat", before)
    with pytest.raises(TooLarge):
        ForeignTree(tmp_path / "own").take(tree, "a/b/file", "copy", most=6)
