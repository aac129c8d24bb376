"""Temporary folders are gone when they are left, and when tfbuild ends in any way."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tfbuild.core.temporary_folder import temporary_folder

ROOT = Path(__file__).parents[2]
CODE = """
import os, signal, subprocess, sys
from pathlib import Path
from tfbuild.core.temporary_folder import temporary_folder
with temporary_folder("x y") as folder:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "link").symlink_to(sys.argv[1])
    (folder / "deep/file").write_text("x")
    print(folder, flush=True)
"""
KILLED = "    os.kill(os.getpid(), signal.SIGKILL)\n"


def goes(folder: Path) -> bool:
    """Wait for the end of a folder; False where it stays."""
    for _ in range(600):
        if not folder.exists():
            return True
        time.sleep(0.05)
    return False


def test_it_is_gone_when_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_folder("base") as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith("tfbuild-base-")
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").write_text("x")
    assert not folder.exists()


def test_one_that_an_error_leaves_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Path] = []
    monkeypatch.setattr("tfbuild.core.temporary_folder.removed", said.append)
    with pytest.raises(ValueError, match="inside"), temporary_folder() as folder:
        raise ValueError("inside")
    assert said == [folder]
    assert not folder.exists()


@pytest.mark.parametrize("end", [KILLED, "    os._exit(0)\n", "    raise SystemExit(1)\n"])
def test_it_goes_with_tfbuild_and_nothing_else_does(tmp_path: Path, end: str) -> None:
    outside, place = tmp_path / "outside", tmp_path / "tmp é"
    outside.mkdir()
    (outside / "file").write_text("stays")
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", CODE + end, str(outside)], cwd=ROOT, stdout=subprocess.PIPE,
        text=True, check=False, env={**os.environ, "TMPDIR": str(place)},
    )  # fmt: skip
    folder = Path(done.stdout.strip())
    assert folder.parent == place
    assert goes(folder)
    assert (outside / "file").read_text() == "stays"
