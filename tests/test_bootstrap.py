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


STUB_PYTHON = """
case "$*" in
*sys.version_info*|*ensurepip*|*sysconfig*) exit 0 ;;
*"-m venv"*)
    echo "venv $*" >>"$CALLS"
    for last; do :; done
    mkdir -p "$last/bin"
    cp "$0" "$last/bin/python"
    if [ -n "${DIES:-}" ]; then exit 1; fi ;;
*"-m pip install"*)
    echo "pip $*" >>"$CALLS"
    printf '#!/bin/sh\\necho ran\\n' >"${0%/*}/tfbuild"
    chmod +x "${0%/*}/tfbuild" ;;
esac
"""


@pytest.fixture
def checkout(machine: Path) -> Path:
    """A checkout on a machine whose Python only writes down what it is asked."""
    for name in ("cmp", "mkdir", "mv", "cp", "chmod", "flock"):
        found = shutil.which(name)
        assert found
        (machine / name).symlink_to(found)
    put(machine, "python3", STUB_PYTHON)
    put(machine, "g++", "true")
    folder = machine.parent / "checkout"
    folder.mkdir()
    shutil.copy(SCRIPT, folder)
    (folder / "pyproject.toml").write_text("[project]\n")
    return folder


def boot(checkout: Path, **more: str) -> list[str]:
    """Which programs a run has called; the last entry is its exit code."""
    calls = checkout.parent / "calls"
    calls.write_text("")
    ended = subprocess.run(
        ["sh", str(checkout / "bootstrap.sh"), "doctor"],
        env={"PATH": str(checkout.parent / "bin"), "CALLS": str(calls), **more},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    made = [line.split()[0] + (" --clear" in line) * " --clear" for line in
            calls.read_text().splitlines()]  # fmt: skip
    return [*made, str(ended.returncode)]


def test_it_is_installed_once_for_each_state_of_the_project(checkout: Path) -> None:
    assert boot(checkout) == ["venv", "pip", "0"]
    assert boot(checkout) == ["0"]
    (checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert boot(checkout) == ["pip", "0"]


def test_an_environment_that_was_left_half_made_is_made_again(checkout: Path) -> None:
    assert boot(checkout, DIES="1") == ["venv", "1"]
    assert (checkout / ".venv/bin/python").is_file()
    assert boot(checkout) == ["venv --clear", "venv", "pip", "0"]
    assert boot(checkout) == ["0"]


def test_a_copied_checkout_does_not_run_the_code_of_the_first(checkout: Path) -> None:
    boot(checkout)
    copy = checkout.parent / "copy"
    shutil.copytree(checkout, copy)
    assert boot(copy) == ["venv --clear", "venv", "pip", "0"]
    assert boot(copy) == ["0"]
    assert boot(checkout) == ["0"]


def test_an_environment_of_the_user_stays(checkout: Path) -> None:
    own = checkout.parent / "own"
    assert boot(checkout, TFBUILD_VENV=str(own)) == ["venv", "pip", "0"]
    other = checkout.parent / "other"
    shutil.copytree(checkout, other)
    assert boot(other, TFBUILD_VENV=str(own)) == ["pip", "0"], "the other's code, installed anew"
