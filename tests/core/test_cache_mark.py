"""Which folder is a cache: one that tfbuild has made, and no other that holds something."""

import os
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tfbuild.core.cache_mark import is_cache, make_cache, require_mark
from tfbuild.core.parts import part_file

MARK = "CACHEDIR.TAG"


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache is if none is named."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    (tmp_path / "xdg" / "tfbuild").mkdir(parents=True)
    return tmp_path / "xdg" / "tfbuild"


def refused(cache: Path) -> str:
    """How a folder that is no cache becomes one."""
    with fails("cache-folder-unmarked", str(cache), "TFBUILD_CACHE_DIR") as caught:
        make_cache(cache)
    assert not is_cache(cache)
    return caught.value.hint


def test_a_new_cache_is_marked_as_backups_know_it(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    require_mark(cache)
    make_cache(cache)
    assert (cache / MARK).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    (cache / "artifacts").mkdir()
    make_cache(cache)
    cache.rename(tmp_path / "moved")
    require_mark(tmp_path / "moved")


@pytest.mark.parametrize("name", ["sources", "bazel-disk", "lock", "text.txt", "lost"])
def test_a_folder_that_holds_something_is_no_cache(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    refused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_mark_of_another_program_is_none(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text("Signature: 8a477f597d28d172789f06886806bc55\n# by cargo\n")
    refused(tmp_path)


def test_the_remedy_is_one(tmp_path: Path) -> None:
    cache = tmp_path / "of the earlier"
    (cache / "sources").mkdir(parents=True)
    _, words = refused(cache).split("mark it: ")
    assert os.system(words) == 0
    require_mark(cache)


def test_what_is_half_made_or_of_the_file_system_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()
    with part_file(tmp_path):
        make_cache(tmp_path)
    assert is_cache(tmp_path)


def test_that_of_an_earlier_release_is_taken_over_in_its_usual_place(usual: Path) -> None:
    (usual / "sources").mkdir()
    make_cache(usual)
    assert (usual / MARK).is_file()
    (usual / "notes.txt").touch()
    require_mark(usual)


def test_something_else_in_the_usual_place_is_not(usual: Path, tmp_path: Path) -> None:
    (usual / "sources").mkdir()
    (usual / "setup.py").touch()
    refused(usual)
    (usual / "lock").touch()  # of a build: then the rest is what somebody has put beside
    require_mark(usual)
    usual.rename(tmp_path / "elsewhere")
    refused(tmp_path / "elsewhere")


@as_root
def test_that_of_another_user_is_not_taken_over(usual: Path) -> None:
    (usual / "sources").mkdir()
    os.chown(usual, NOBODY, -1)
    refused(usual)
