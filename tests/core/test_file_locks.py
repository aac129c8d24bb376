"""Locks between processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.file_locks import share_lock, try_lock, wait_for_lock


def test_one_alone_or_many_together(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with try_lock(path) as first, try_lock(path) as second:
        assert (first, second) == (True, False)
    with share_lock(path), share_lock(path), try_lock(path) as alone:
        assert not alone
    with try_lock(path) as again:
        assert again


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    script = (
        "import sys, time; from pathlib import Path; from tfbuild.core.file_locks import try_lock\n"
        "with try_lock(Path(sys.argv[1])) as held: print(held, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        with try_lock(path) as held:
            assert not held
        process.kill()
    with try_lock(path) as held:
        assert held


@pytest.mark.parametrize("lock", [try_lock, share_lock, wait_for_lock])
def test_a_file_keeps_what_is_in_it_and_a_link_is_not_followed(
    tmp_path: Path, lock: object
) -> None:
    assert callable(lock)
    kept, link, dangling = tmp_path / "kept", tmp_path / "link", tmp_path / "dangling"
    kept.write_text("words")
    link.symlink_to(kept)
    dangling.symlink_to(tmp_path / "elsewhere")
    with lock(kept):
        pass
    for path in (link, dangling):
        with fails("process-lock-is-link", str(path)), lock(path):
            pass
    assert kept.read_text() == "words"
    assert not (tmp_path / "elsewhere").exists()


def test_nobody_else_can_hold_a_lock(tmp_path: Path) -> None:
    """Who can open a file for reading can lock it."""
    earlier = tmp_path / "of an earlier release"
    earlier.touch(0o644)
    for path in (tmp_path / "new", earlier):
        with share_lock(path):
            assert path.stat().st_mode & 0o077 == 0


def test_what_cannot_be_opened_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), try_lock(tmp_path / "no" / "lock"):
        pass
