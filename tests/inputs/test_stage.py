"""The staged copy: made once, made anew when something differs, and with which times."""

import os
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.fetch.seals import seal_tree
from tfbuild.inputs.stage import applied_patches, note_patches, stage, staged_digest
from tfbuild.recipes.records import Input

_THEN = 1_600_000_000


@pytest.fixture
def tools(fake_env: FakeEnvironment) -> Tools:
    return fake_env.tools


def a_tree(folder: Path, text: str = "int x;\n") -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in (("tiny.c", text), ("configure.ac", "a"), ("configure", "b")):
        (folder / name).write_text(content)
        os.utime(folder / name, (_THEN, _THEN))
    return folder


def an_archive(path: Path, text: str = "int x;\n") -> Path:
    tree = a_tree(path.with_name(f"{path.name}.tree"), text)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(tree, "tiny-1.0")
    shutil.rmtree(tree)
    return path


def a_source(place: Path, kind: str = "folder", sha256: str = "") -> Input:
    return Input(kind=kind, place=str(place), version="1.0", sha256=sha256)  # type: ignore[arg-type]


def inode(path: Path) -> int:
    return path.stat().st_ino


def test_an_unchanged_folder_is_copied_once(tmp_path: Path, tools: Tools) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "stage" / "source"
    digest = stage(a_source(tree), tools, target)
    first = inode(target / "tiny.c")
    assert (target / "tiny.c").stat().st_mtime == _THEN
    assert stage(a_source(tree), tools, target) == digest == staged_digest(target)
    assert inode(target / "tiny.c") == first
    assert [path.name for path in tree.iterdir() if path.name.startswith(".")] == []


def test_what_was_edited_is_newer_though_its_time_is_old(tmp_path: Path, tools: Tools) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    digest = stage(a_source(tree), tools, target)
    a_tree(tree, "int y;\n")
    assert stage(a_source(tree), tools, target) != digest
    assert (target / "tiny.c").read_text() == "int y;\n"
    assert (target / "tiny.c").stat().st_mtime > _THEN
    assert (target / "configure").stat().st_mtime == _THEN


@pytest.mark.parametrize("name", ["tiny.c", "new.c"])
def test_a_copy_that_something_has_changed_is_made_anew(
    tmp_path: Path, tools: Tools, name: str
) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    stage(a_source(tree), tools, target)
    (target / name).write_text("changed")
    stage(a_source(tree), tools, target)
    assert (target / "tiny.c").read_text() == "int x;\n"
    assert not (target / "new.c").exists()


def test_what_python_leaves_where_a_build_runs_it_is_no_change(
    tmp_path: Path, tools: Tools
) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    stage(a_source(tree), tools, target)
    first = inode(target / "tiny.c")
    (target / "tools" / "__pycache__").mkdir(parents=True)
    (target / "tools" / "__pycache__" / "x.pyc").write_text("")
    stage(a_source(tree), tools, target)
    assert inode(target / "tiny.c") == first
    assert not (target / "tools" / "__pycache__").exists()


def test_an_archive_is_unpacked_once_and_another_one_is_all_new(
    tmp_path: Path, tools: Tools
) -> None:
    target = tmp_path / "source"
    one, other = an_archive(tmp_path / "1.tar.gz"), an_archive(tmp_path / "2.tar.gz", "int y;\n")
    assert stage(a_source(one, "archive"), tools, target) == file_digest(one)
    first = inode(target / "tiny.c")
    assert (target / "configure").stat().st_mtime == _THEN
    stage(a_source(one, "archive"), tools, target)
    assert inode(target / "tiny.c") == first
    stage(a_source(other, "archive"), tools, target)
    assert (target / "tiny.c").read_text() == "int y;\n"
    times = {(target / name).stat().st_mtime_ns // 10**9 for name in ("configure", "configure.ac")}
    assert min(times) > _THEN


def test_a_tree_that_has_changed_since_it_was_planned_is_not_taken(
    tmp_path: Path, tools: Tools
) -> None:
    tree = a_tree(tmp_path / "tree")
    with fails("source-changed-since-planned", str(tree), "0" * 64):
        stage(a_source(tree, sha256="0" * 64), tools, tmp_path / "source")


def test_a_patched_copy_stays_only_for_those_patches(tmp_path: Path, tools: Tools) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    patches = [n * 64 for n in "ab"]
    stage(a_source(tree), tools, target, patches)
    (target / "tiny.c").write_text("patched")
    note_patches(target, (patches[0],))
    stage(a_source(tree), tools, target, patches)
    assert applied_patches(target) == (patches[0],)
    assert (target / "tiny.c").read_text() == "patched"
    stage(a_source(tree), tools, target)
    assert applied_patches(target) == ()
    assert (target / "tiny.c").read_text() == "int x;\n"
    assert (target / "tiny.c").stat().st_mtime > _THEN, "what was compiled of it is older"


def test_a_seal_that_a_build_has_made_is_not_believed(tmp_path: Path, tools: Tools) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    stage(a_source(tree), tools, target)
    (target / "tiny.c").write_text("evil")
    seal_tree(target, ("tiny.c", "configure", "configure.ac"))
    stage(a_source(tree), tools, target)
    assert (target / "tiny.c").read_text() == "int x;\n"


def test_a_copy_whose_files_were_only_touched_stays(tmp_path: Path, tools: Tools) -> None:
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "source"
    stage(a_source(tree), tools, target)
    first = inode(target / "tiny.c")
    for _ in range(2):
        os.utime(target / "tiny.c")
        stage(a_source(tree), tools, target)
        stage(a_source(tree), tools, target)
    assert inode(target / "tiny.c") == first


@pytest.mark.parametrize("name", ["tiny.c", ".tfbuild-seal.json"])
def test_holes_that_a_build_has_made_are_not_read(tmp_path: Path, tools: Tools, name: str) -> None:
    """They take no room, and hours to read."""
    tree, target = a_tree(tmp_path / "tree"), tmp_path / "stage" / "source"
    stage(a_source(tree), tools, target)
    os.truncate(target / name, 1 << 42)
    stage(a_source(a_tree(tree, "int y;\n")), tools, target)
    assert (target / "tiny.c").read_text() == "int y;\n"
