"""A run under a limit of open files or of the stack goes on with a higher one, or says no."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def under(limit: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = f'ulimit {limit} && exec "{sys.executable}" -m tfbuild config show --json'
    environment = {**os.environ, "TFBUILD_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(
        ("sh", "-c", line), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("limit", ["-Sn 9", "-Sn 200", "-n 70", "-Ss 128", "-s 600"])
def test_a_limit_that_can_be_raised_is_no_failure(tmp_path: Path, limit: str) -> None:
    done = under(limit, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("limit", ["-n 9", "-n 20", "-n 63"])
def test_a_hard_limit_below_what_is_needed_is_reported(tmp_path: Path, limit: str) -> None:
    done = under(limit, tmp_path)
    assert done.returncode == 4
    assert f"error[open-files-limit-low]: only {limit.split()[1]} " in done.stderr
    assert "ulimit -Hn" in done.stderr


def test_a_hard_limit_of_the_stack_below_what_is_needed_is_reported(tmp_path: Path) -> None:
    """Below some 100 KB Python itself does not begin."""
    done = under("-s 200", tmp_path)
    assert done.returncode == 4
    assert "error[stack-limit-low]: " in done.stderr
    assert "200 KB" in done.stderr
    assert "ulimit -Hs" in done.stderr
