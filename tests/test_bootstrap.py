"""From a bare machine: what bootstrap.sh says of apt, and how it ends where that fails."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bootstrap.sh"
PLAIN = ("sh", "cat", "dirname", "mktemp", "rm")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The programs of a machine without Python and compiler, whose apt does what it is asked."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PLAIN:
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    return programs


def put(programs: Path, name: str, body: str) -> None:
    path = programs / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def run(programs: Path) -> subprocess.CompletedProcess[str]:
    folder = programs.parent
    return subprocess.run(
        ["sh", str(SCRIPT), "doctor"],
        env={"PATH": str(programs), "TFBUILD_VENV": str(folder / "venv"), "TMPDIR": str(folder)},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("failing", ["update", "install"])
def test_where_apt_fails_its_words_are_shown_with_the_remedy_and_it_ends_with_4(
    machine: Path, failing: str
) -> None:
    put(machine, "id", "echo 0")
    put(
        machine,
        "apt-get",
        f'echo "Get:1 $1"; [ "$1" = {failing} ] && {{ echo "E: no $1" >&2; exit 100; }}; true',
    )
    ended = run(machine)
    assert ended.returncode == 4
    assert f"Get:1 {failing}" in ended.stderr
    assert f"E: no {failing}" in ended.stderr
    assert "apt-get update && apt-get install --no-install-recommends python3" in ended.stderr
    assert ended.stdout == ""
    assert {path.name for path in machine.parent.iterdir()} == {"bin"}, "nothing is left behind"


def test_where_apt_does_it_nobody_hears_of_it(machine: Path) -> None:
    put(machine, "id", "echo 0")
    put(machine, "apt-get", 'echo "Get:1 $1"; echo "W: $1" >&2')
    ended = run(machine)
    assert ended.returncode == 4, "the apt of this test brings no Python"
    assert "No Python 3.11 or newer was found" in ended.stderr
    assert "Get:1" not in ended.stderr
    assert "W: " not in ended.stderr


def test_without_rights_the_whole_remedy_is_named(machine: Path) -> None:
    put(machine, "id", f"echo {os.getuid() or 1000}")
    put(machine, "apt-get", "exit 9")
    ended = run(machine)
    assert ended.returncode == 4
    assert "sudo apt-get update && sudo apt-get install" in ended.stderr
