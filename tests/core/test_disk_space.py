"""Room on disks, in numbers."""

from pathlib import Path

import pytest

from tfbuild.core.disk_space import free_mb, refusal, require_room, telling_need
from tfbuild.core.errors import DiskFull, EnvironmentFailed, RoomMissing


def test_room_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert free_mb(tmp_path / "not" / "yet") == pytest.approx(free_mb(tmp_path), abs=500)


def test_too_little_room_names_both_numbers(tmp_path: Path) -> None:
    require_room(tmp_path, 0, "nothing")
    with pytest.raises(DiskFull) as caught:
        require_room(tmp_path, 10**9, "this build")
    assert "this build needs 1000000000 MB" in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert caught.value.exit_code == 12


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device", "/x"), DiskFull("g++ found no room")]
)
def test_a_full_disk_met_anywhere_says_what_is_needed(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(DiskFull) as caught, telling_need(1500, tmp_path):
        raise error
    assert "needs about 1500 MB" in caught.value.message


def test_the_disk_that_is_full_is_named(tmp_path: Path) -> None:
    with pytest.raises(DiskFull) as caught, telling_need(1500, tmp_path):
        raise OSError(28, "No space left on device", "/proc/x")
    assert "the disk of /proc/x is full" in caught.value.message


def test_a_limit_on_files_is_no_full_disk(tmp_path: Path) -> None:
    refused = pytest.raises(EnvironmentFailed, match="may not be larger")
    with refused as caught, telling_need(1500, tmp_path):
        raise OSError(27, "File too large", "/x")
    assert "ulimit -f" in caught.value.hint
    assert refusal(OSError(13, "Permission denied"), tmp_path) is None


def test_other_errors_pass_through(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), telling_need(1500, tmp_path):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(DiskFull) as caught, telling_need(1500, tmp_path):
        raise RoomMissing("this build needs 7 MB")
    assert "1500" not in caught.value.message
