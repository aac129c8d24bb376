"""Packages of npm that tests run: each by its release and its hash."""

import base64
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest


def npm_package(name: str, integrity: str, folder: Path) -> Path:
    """The folder of a package without dependencies; the test is skipped where npm has none."""
    for program in ("node", "npm"):
        if not shutil.which(program):
            pytest.skip(f"there is no {program} here, which {name} takes")
    words = ["npm", "pack", "--silent", f"--pack-destination={folder}", name]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm does not give {name}: {done.stderr[-200:]}")
    (archive,) = folder.glob("*.tgz")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    assert digest == integrity, "npm gave another file"
    # Python's own way of unpacking has its safe form from 3.11.4 on only: Debian 12 has 3.11.2.
    subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    return folder / "package"
