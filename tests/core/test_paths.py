"""Folders, files that appear whole, digests."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core import paths
from tfbuild.core.paths import (
    cache_folder,
    copy_aside,
    data_folder,
    file_digest,
    nearest_there,
    refuse_link,
    refuse_link_on_way,
    require_writable,
    state_folder,
    tree_digest,
    work_folder,
    write_aside,
)


def test_data_is_found_in_a_checkout_and_in_an_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (data_folder("recipes") / "zstd.yaml").is_file()
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "tfbuild")
    (tmp_path / "tfbuild" / "_data" / "recipes").mkdir(parents=True)
    assert data_folder("recipes") == tmp_path / "tfbuild" / "_data" / "recipes"
    with fails("own-data-missing", "matrices"):
        data_folder("matrices")


def test_the_cache_folder_obeys_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_CACHE_DIR", "/x/y")
    assert cache_folder() == Path("/x/y")
    monkeypatch.delenv("TFBUILD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/tfbuild")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "tfbuild"
    monkeypatch.setenv("XDG_CACHE_HOME", "below/the/checkout")
    assert cache_folder() == Path.home() / ".cache" / "tfbuild", "as XDG says of relative paths"


def test_the_work_folder_lies_in_the_users_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFBUILD_WORK_DIR", "/w")
    assert work_folder() == Path("/w")
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", "/x")
    assert state_folder() == Path("/x/tfbuild")
    project = tmp_path / "my $(project) \n of mine"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    monkeypatch.chdir(project)
    folder = work_folder()
    assert folder.parent == Path("/x/tfbuild/projects")
    assert re.fullmatch(r"my-project-of-mine-[0-9a-f]{16}", folder.name)
    monkeypatch.chdir(tmp_path / "link")
    assert work_folder() == folder, "the same project by another name"
    monkeypatch.chdir("/")
    assert work_folder().name.startswith("project-")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert state_folder() == Path.home() / ".local" / "state" / "tfbuild"


def test_no_link_is_followed_where_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither at its own place nor at a name beside it, even one that was foreseen."""
    theirs = tmp_path / "theirs"
    theirs.write_text("words")
    writes: tuple[Callable[[Path], Path], ...] = (
        lambda path: write_aside(path, "new"),
        lambda path: copy_aside(tmp_path / "source", path),
    )
    for write in writes:
        (tmp_path / "source").write_text("new")
        (tmp_path / "file").symlink_to(theirs)
        names = iter([".a.part", ".b.part"])
        (tmp_path / ".a.part").symlink_to(theirs)
        monkeypatch.setattr("tfbuild.core.parts.part_name", lambda *_, n=names: next(n))
        with pytest.raises(FileExistsError):
            write(tmp_path / "file")
        (tmp_path / f".file.{os.getpid()}.part").symlink_to(theirs)
        write(tmp_path / "file")
        assert (tmp_path / "file").read_text() == "new"
        assert theirs.read_text() == "words"
        for left in (tmp_path / "file", *tmp_path.glob(".*.part")):
            left.unlink()


def test_a_folder_above_is_named_by_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "deep")
    monkeypatch.setenv("TFBUILD_CACHE_DIR", str(tmp_path / "link" / ".." / "cache"))
    assert cache_folder() == tmp_path.resolve() / "real" / "cache"
    monkeypatch.setenv("TFBUILD_WORK_DIR", str(tmp_path / "link"))
    assert work_folder() == tmp_path / "link"


def test_a_file_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "deep" / "file"
    assert write_aside(target, "one") == target
    assert copy_aside(target, tmp_path / "copy").read_text() == "one"

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_aside(target, "two")
    with pytest.raises(OSError, match="No space"):
        copy_aside(target, tmp_path / "new")
    assert target.read_text() == "one"
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["copy", "file"]


def test_digests_follow_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    first = tree_digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("y")
    assert tree_digest(tmp_path) == first
    (tmp_path / "a").rename(tmp_path / "b")
    second = tree_digest(tmp_path)
    (tmp_path / "b").write_text("z")
    assert len({first, second, tree_digest(tmp_path)}) == 3
    assert tree_digest(tmp_path, skip=("b",)) == tree_digest(tmp_path / "__pycache__")
    assert len(file_digest(tmp_path / "b")) == 64


def test_a_folder_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    require_writable(tmp_path / "deep" / "folder", hint="")
    require_writable(tmp_path, hint="")
    assert list(tmp_path.iterdir()) == []
    assert nearest_there(tmp_path / "deep" / "folder") == tmp_path


def test_a_folder_that_cannot_be_made_is_reported_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "below", Path("/proc/tfbuild"), Path("/proc")):
        with fails("folder-not-writable", str(folder), "the remedy") as caught:
            require_writable(folder, hint="the remedy")
        assert caught.value.why


def test_a_link_to_itself_leads_nowhere_and_raises_nothing(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert paths.real_path(loop / "x") == loop / "x"
    with fails("folder-not-writable", str(loop)):
        paths.require_writable(loop / "x", hint="elsewhere")


def test_a_home_that_nobody_knows_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert paths.named_path("~/x") == Path("/somewhere/x")
    with fails("home-folder-unknown", "~nobody-of-that-name/x"):
        paths.named_path("~nobody-of-that-name/x")


def test_no_link_of_a_checkout_is_on_the_way_to_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, mine = tmp_path / "checkout", tmp_path / "mine"
    (checkout / ".github").mkdir(parents=True)
    (checkout / "sub").mkdir()
    (mine / "workflows").mkdir(parents=True)
    link = checkout / ".github" / "workflows"
    link.symlink_to(mine / "workflows")
    monkeypatch.chdir(checkout)
    for path in (link / "wheels.yml", Path(".github/workflows/wheels.yml"), link / "a" / "b"):
        with fails("output-folder-is-link", ".github/workflows", str(mine / "workflows")):
            refuse_link_on_way(path)
    with fails("output-folder-is-link"):
        refuse_link(link / "deep")
    refuse_link(checkout / ".github" / "new" / "deep")
    monkeypatch.chdir(checkout / "sub")
    refuse_link_on_way(Path("../.github/workflows/wheels.yml"))  # here nothing says: a checkout
    (checkout / ".git").mkdir()
    with fails("output-folder-is-link"):
        refuse_link_on_way(Path("../.github/workflows/wheels.yml"))


def test_a_link_elsewhere_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    monkeypatch.chdir(tmp_path / "here")
    refuse_link_on_way(tmp_path / "out" / "wheels.yml")
    refuse_link(tmp_path / "out" / "dist")
    with fails("output-folder-is-link"):
        refuse_link(tmp_path / "out")
