"""What a start loads and asks; how long it takes is measured by benchmarks/start.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tfbuild
from tests.fakes import a_host
from tfbuild.core.serialization import to_plain

ROOT = Path(__file__).parents[2]


def modules_after(*words: str) -> set[str]:
    """The modules that a start of the command line has loaded when it ends."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write('\\n'.join(sys.modules)))\n"
        f"sys.argv = ['tfbuild', *{list(words)!r}]\n"
        "from tfbuild.__main__ import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_start_loads_only_what_it_needs() -> None:
    """What makes starting quick; the seconds themselves depend on the machine."""
    assert not modules_after("--version") & {"typer", "rich", "tfbuild.cli.app"}
    heavy = {"yaml", "packaging", "elftools", "auditwheel", "requests", "iced_x86", "jsonschema"}
    heavy |= {"clingo", "tfbuild.resolver.solver", "tfbuild.facts.rules"}
    assert not modules_after("--help") & heavy
    heavy = {"requests", "docker", "elftools", "auditwheel", "cyclonedx", "iced_x86", "jsonschema"}
    heavy |= {"tfbuild.builds.wheel_build", "tfbuild.core.reports", "tfbuild.containers.engine"}
    heavy |= {"tfbuild.reporting.charts", "tfbuild.resolver.export", "tfbuild.core.run_folder"}
    assert not modules_after("resolve", "tensorflow=2.6.5", "gpu=RTX 3090") & heavy


PROGRAMS = ("g++", "clang++", "bazel", "nvcc", "docker", "podman", "nvidia-smi")


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (("tensorflow=2.6.5", "gpu=RTX 3090"), {"docker", "podman"}),
        (("--here",), {"docker", "podman"}),
        (("--machine=host.json",), set(PROGRAMS)),
    ],
)
def test_resolve_starts_only_what_its_answer_may_depend_on(
    tmp_path: Path, words: tuple[str, ...], idle: set[str]
) -> None:
    folder, asked = tmp_path / "bin", tmp_path / "asked"
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {asked}\necho 1.2.3\n")
        (folder / name).chmod(0o755)
    document = {"schema": "tfbuild.doctor/2", "host": to_plain(a_host())}
    (tmp_path / "host.json").write_text(json.dumps(document))
    command = [sys.executable, "-m", "tfbuild", "resolve", *words]
    environ = {**os.environ, "PATH": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, check=False)
    assert done.returncode in {0, 3}, done.stderr
    started = set(asked.read_text().split()) if asked.exists() else set()
    assert not started & idle
    assert ("g++" in started) is ("g++" not in idle)


def test_version() -> None:
    words = [sys.executable, "-m", "tfbuild", "--version"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"tfbuild {tfbuild.__version__}\n"
