"""pip as it is run here: it starts no program but what it needs for itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tfbuild.fetch import run_pip

STARTS = {
    "subprocess": "import subprocess; subprocess.run(['{0}'])",
    "system": "import os; os.system('{0}')",
    "spawn": "import os; os.posix_spawn('{0}', ['{0}'], {{}})",
    "exec": "import os; os.execv('{0}', ['{0}'])",
    "fork": "import os; os.fork() or os.execv('{0}', ['{0}'])",
}


def started(tmp_path: Path, program: str, way: str) -> tuple[bool, str]:
    """Whether the program ran that a pip starts in that way, and what was said."""
    ran, path = tmp_path / "ran", tmp_path / program
    path.write_text(f"#!/bin/sh\ntouch {ran}\n")
    path.chmod(0o755)
    pip = tmp_path / "pip.py"
    pip.write_text(STARTS[way].format(path))
    words = (sys.executable, "-I", run_pip.__file__, str(pip), "--version")
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ})
    return ran.exists(), done.stderr


@pytest.mark.parametrize("way", STARTS)
def test_no_program_is_started(tmp_path: Path, way: str) -> None:
    ran, said = started(tmp_path, "python", way)
    assert not ran
    assert "tfbuild lets pip start no program" in said


def test_keyring_may_know_a_login(tmp_path: Path) -> None:
    assert started(tmp_path, "keyring", "subprocess") == (True, "")
