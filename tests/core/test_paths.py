"""Folders, files that appear whole, digests."""

from pathlib import Path

import pytest

from tfbuild.core import paths
from tfbuild.core.errors import BadRecipe, EnvironmentFailed
from tfbuild.core.paths import (
    cache_folder,
    copy_aside,
    data_folder,
    file_digest,
    nearest_there,
    require_writable,
    tree_digest,
    work_folder,
    write_aside,
)


def test_data_is_found_in_a_checkout_and_in_an_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (data_folder("recipes") / "cpu.yaml").is_file()
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "tfbuild")
    (tmp_path / "tfbuild" / "_data" / "recipes").mkdir(parents=True)
    assert data_folder("recipes") == tmp_path / "tfbuild" / "_data" / "recipes"
    with pytest.raises(BadRecipe):
        data_folder("matrices")


def test_the_cache_folder_obeys_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_CACHE_DIR", "/x/y")
    assert cache_folder() == Path("/x/y")
    monkeypatch.delenv("TFBUILD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/tfbuild")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "tfbuild"
    monkeypatch.setenv("TFBUILD_WORK_DIR", "/w")
    assert work_folder() == Path("/w")


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


def test_a_folder_that_cannot_be_made_is_told_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "below", Path("/proc/tfbuild"), Path("/proc")):
        with pytest.raises(EnvironmentFailed, match=str(folder)) as caught:
            require_writable(folder, hint="name another folder")
        assert caught.value.why
        assert caught.value.hint == "name another folder"


def test_sweep_removes_what_the_dead_left_and_spares_the_living(tmp_path: Path) -> None:
    (tmp_path / ".old.999999999.part").mkdir()
    (tmp_path / ".old.999999998.part").write_text("")
    (tmp_path / ".new.1.part").mkdir()
    (tmp_path / "done").mkdir()
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".new.1.part", "done"]
