"""Copies of a user's tree: what is in them, and what the tree keeps to itself."""

import os
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.inputs.folder_copy import copy_folder, folder_digest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / "src" / "tiny.c").write_text("int x;\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o700)
    os.utime(folder / "run.sh", (1_600_000_000, 1_600_000_000))
    (folder / "link.c").symlink_to("src/tiny.c")
    (folder / "whole").symlink_to(folder / "src")
    (folder / "bazel-out").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    return folder


def test_a_copy_has_the_files_their_times_and_its_own_links(tree: Path, tmp_path: Path) -> None:
    digest = copy_folder(tree, tmp_path / "copy")
    copy = tmp_path / "copy"
    assert sorted(path.name for path in copy.iterdir()) == ["link.c", "run.sh", "src", "whole"]
    assert (copy / "run.sh").stat().st_mtime == 1_600_000_000
    assert (copy / "run.sh").stat().st_mode & 0o777 == 0o755
    assert str((copy / "link.c").readlink()) == "src/tiny.c"
    assert str((copy / "whole").readlink()) == "src", "not that of the user's tree"
    assert digest == folder_digest(tree) == folder_digest(copy)


def test_the_digest_is_that_of_what_counts(tree: Path) -> None:
    before = folder_digest(tree)
    (tree / ".git" / "config").write_text("other")
    os.utime(tree / "src" / "tiny.c")
    assert folder_digest(tree) == before
    (tree / "src" / "tiny.c").chmod(0o755)
    assert folder_digest(tree) != before


def test_a_link_that_leads_out_is_named(tree: Path, tmp_path: Path) -> None:
    (tree / "src" / "evil.h").symlink_to("../../secret.h")
    with fails("source-link-leads-out", "src/evil.h"):
        copy_folder(tree, tmp_path / "copy")


@pytest.mark.parametrize("last", ["a.c", "link0"])
def test_a_row_of_links_is_not_followed_for_each(
    tree: Path, tmp_path: Path, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(300):
        (tree / f"link{n}").symlink_to(f"link{n + 1}" if n < 299 else last)
    followed = []
    readlink = os.readlink

    def counted(path: str) -> str:
        followed.append(path)
        return readlink(path)

    monkeypatch.setattr(os, "readlink", counted)
    copy_folder(tree, tmp_path / "copy")
    assert len(followed) < 5000
    assert str((tmp_path / "copy" / "link7").readlink()) == "link8"


def test_a_tree_is_not_copied_into_itself(tree: Path) -> None:
    with fails("copy-into-itself", str(tree)):
        copy_folder(tree, tree / "work" / "copy")


def test_a_tree_that_is_not_there_is_said(tmp_path: Path) -> None:
    with fails("source-tree-missing", str(tmp_path / "none")):
        folder_digest(tmp_path / "none")


def test_a_tree_with_a_file_of_holes_is_refused_at_once(tree: Path) -> None:
    """It takes no room on the disk, and days to read."""
    with (tree / "holes").open("wb") as file:
        file.truncate(2_000_000_000_000)
    with fails("source-tree-too-large", "2,000 GB", "holes"):
        folder_digest(tree)


def test_a_tree_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / "tree"
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with fails("source-tree-too-deep"):
        folder_digest(deep)
