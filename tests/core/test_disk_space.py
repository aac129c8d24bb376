"""Room on disks, in numbers."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core import disk_space
from tfbuild.core.disk_space import explaining_need, free_mb, refusal, require_room
from tfbuild.core.errors import DiskFull, RoomMissing


def test_room_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert free_mb(tmp_path / "not" / "yet") == pytest.approx(free_mb(tmp_path), abs=500)


def test_too_little_room_names_both_numbers(tmp_path: Path) -> None:
    require_room(tmp_path, 0, "nothing")
    with fails("disk-room-missing", "this build", "1000000000 MB", str(tmp_path)) as caught:
        require_room(tmp_path, 10**9, "this build")
    assert caught.value.exit_code == 12


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device", "/x"), DiskFull("g++ found no room")]
)
def test_a_full_disk_met_anywhere_says_what_is_needed(tmp_path: Path, error: Exception) -> None:
    with fails("disk-full", f"{10**9} MB"), explaining_need(10**9, tmp_path):
        raise error


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device", "/x"), DiskFull("g++ found no room")]
)
def test_a_disk_with_room_for_the_build_is_not_said_to_lack_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(disk_space, "free_mb", lambda _: 90_000)
    with fails("disk-full") as caught, explaining_need(1500, tmp_path):
        raise error
    assert "1500" not in caught.value.message
    assert "is full" not in caught.value.message
    if isinstance(error, OSError):
        assert "90000 MB are free there, so a quota or a limit" in caught.value.message


def test_a_disk_without_inodes_is_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space, "free_mb", lambda _: 90_000)
    state = type("State", (), {"f_favail": 0})
    monkeypatch.setattr("os.statvfs", lambda _: state)
    error = refusal(OSError(28, "No space left on device", "/x"), tmp_path)
    assert isinstance(error, DiskFull)
    assert "df -i" in error.message


def test_the_disk_that_is_full_is_named(tmp_path: Path) -> None:
    with fails("disk-full", "/proc/x"), explaining_need(1500, tmp_path):
        raise OSError(28, "No space left on device", "/proc/x")


def test_where_nothing_names_the_disk_it_is_the_fullest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the cache is not full because that of the state is."""
    cache, work = tmp_path / "cache", tmp_path / "work"
    monkeypatch.setattr(disk_space, "free_mb", {cache: 9000, work: 3}.__getitem__)
    with fails("disk-full", str(work), "3 MB"), explaining_need(1500, cache, work):
        raise OSError(28, "No space left on device")
    with fails("disk-full", str(work), "3 MB"), explaining_need(1500, cache, work):
        raise DiskFull("g++ found no room")


def test_a_limit_on_files_is_no_full_disk(tmp_path: Path) -> None:
    with fails("file-size-limit", "/x", "ulimit -f"), explaining_need(1500, tmp_path):
        raise OSError(27, "File too large", "/x")
    assert refusal(OSError(13, "Permission denied"), tmp_path) is None


def test_other_errors_pass_through(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), explaining_need(1500, tmp_path):
        raise PermissionError(13, "Permission denied")
    with fails("disk-room-missing", "7 MB") as caught, explaining_need(1500, tmp_path):
        raise RoomMissing("this build needs 7 MB")
    assert "1500" not in caught.value.message
