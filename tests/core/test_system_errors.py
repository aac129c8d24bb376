"""What the system refuses gets a remedy, where there is one."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tfbuild.core.errors import DiskFull
from tfbuild.core.paths import file_digest
from tfbuild.core.system_errors import foreseen, system_refusal


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk(number: int) -> None:
    error = system_refusal(OSError(number, "No space left on device", "/x"))
    assert isinstance(error, DiskFull)
    assert error.code == "disk-full"
    assert "/x" in error.message
    assert "tfbuild cache prune" in error.hint


def test_a_limit_on_files() -> None:
    error = system_refusal(OSError(errno.EFBIG, "File too large", "/x/y"))
    assert error
    assert error.code == "file-size-limit"
    assert "/x" in error.message
    assert "ulimit -f" in error.hint


@pytest.mark.parametrize(
    ("error", "code", "remedy"),
    [
        (OSError(errno.EMFILE, "Too many open files"), "too-many-open-files", "ulimit -n"),
        (OSError(errno.ENFILE, "Too many open files"), "too-many-open-files", "ulimit -n"),
        (OSError(errno.EAGAIN, "Resource unavailable"), "too-many-processes", "ulimit -u"),
        (RuntimeError("can't start new thread"), "too-many-processes", "ulimit -u"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out-of-memory", ""),
        (MemoryError(), "out-of-memory", ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_the_system_has_no_more_of(error: Exception, code: str, remedy: str) -> None:
    found = foreseen(error)
    assert found.code == code
    assert found.hint
    assert remedy in found.hint


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_missing_rights(number: int) -> None:
    error = system_refusal(OSError(number, "Permission denied", "/x"))
    assert error
    assert error.code == "permission-denied"
    assert "/x" in error.message
    assert error.why == "Permission denied"
    assert "TFBUILD_CACHE_DIR" in error.hint


def test_a_file_in_the_way_of_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    nowhere, circle = tmp_path / "nowhere", tmp_path / "circle"
    nowhere.symlink_to("gone")
    circle.symlink_to("circle")
    for folder in (file, file / "below", nowhere, circle):
        with pytest.raises(OSError, match=r"exists|directory") as caught:
            folder.mkdir()
        error = system_refusal(caught.value)
        assert error
        assert error.code == "not-a-folder"
        assert str(folder) in error.message or str(file) in error.message
    (tmp_path / "folder").mkdir()
    assert (
        system_refusal(FileExistsError(errno.EEXIST, "File exists", str(tmp_path / "folder")))
        is None
    )


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_in_the_place_of_one(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "x")
    with pytest.raises(OSError, match="x") as caught:
        file_digest(tmp_path / "x")
    error = system_refusal(caught.value)
    assert error
    assert error.code == "not-a-file"
    assert str(tmp_path / "x") in error.message


def test_without_a_name_it_is_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_CACHE_DIR", "/a/cache")
    error = system_refusal(OSError(errno.ENOSPC, "full"))
    assert error
    assert "/a/cache" in error.message


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.ELOOP])
def test_a_path_that_cannot_be_followed(number: int) -> None:
    error = system_refusal(OSError(number, "File name too long", "/" + "x" * 5000))
    assert error
    assert error.code == "path-cannot-be-followed"
    assert len(error.message) < 300
    assert error.hint


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    error = foreseen(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert error.code == "current-folder-gone"


def test_anything_else_is_no_mishap() -> None:
    assert system_refusal(FileNotFoundError(errno.ENOENT, "not there", "/x")) is None
    assert system_refusal(OSError("without a number")) is None
