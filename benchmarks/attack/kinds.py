"""The kinds of input to the command line, each with the good samples that it begins from."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from benchmarks.attack.command_lines import Environments, command_lines
from benchmarks.attack.documents import (
    Documents,
    installation_samples,
    lay_out_installation,
    project_samples,
    recipe_samples,
)
from benchmarks.attack.trial import Call
from benchmarks.attack.wheel_files import WheelFiles
from tests.built_wheels import a_built_wheel
from tests.finished_builds import NEW, a_finished
from tests.shared_libraries import tiny_wheel
from tfbuild.core.lock_file import lock_path

_ROOT = Path(__file__).resolve().parent.parent.parent
_GOLDEN = _ROOT / "tests" / "golden"
_CASES = _ROOT / "matrices" / "cases"


class Maker(Protocol):
    """Makes the inputs of one kind."""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """An input that chance alone decides; its files are put into the empty folder."""


def makers(stock: Path) -> dict[str, Callable[[], Maker]]:
    """How to prepare each kind; good samples are put into folders of their own below stock."""
    return {
        "command lines": command_lines,
        "environment": lambda: Environments(command_lines()),
        "projects": lambda: Documents(
            project_samples(), (("config", "show"), ("resolve",), ("plan",), ("build",))
        ),
        "locks": lambda: _locks(stock / "locks"),
        "machines": lambda: _machines(stock / "machines"),
        "plans": lambda: _plans(stock / "plans"),
        "cases": lambda: Documents(_case_samples(), (("facts", "check", "--cases", "cases"),)),
        "reports": lambda: _reports(stock / "reports"),
        "matrices": lambda: Documents(
            installation_samples(),
            (("resolve",), ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090"), ("facts", "list"),
             ("plan", "--cuda"), ("facts", "show", "cuda"), ("ci", "gitlab", "--install", ".")),
            beside=lay_out_installation(stock / "matrices"),
            installation="installed",
        ),
        "recipes": lambda: Documents(
            recipe_samples(),
            (("plan", "./mine.yaml"), ("recipes", "show", "./mine.yaml"),
             ("ci", "github", "./mine.yaml", "--install", "."),
             ("build", "./mine.yaml", "platform=macos-arm64")),
        ),
        "audited wheels": lambda: WheelFiles(_wheels(stock / "audited"), "audit"),
        "wheels for an SBOM": lambda: _for_sbom(stock / "sbom"),
    }  # fmt: skip


def _locks(stock: Path) -> Maker:
    report = a_finished(stock, NEW)
    samples = [("a.lock.yaml", path.read_bytes()) for path in sorted(_GOLDEN.glob("*.lock.yaml"))]
    samples += [("a.lock.yaml", path.read_bytes()) for path in report.parent.glob("*.lock.yaml")]
    named = ("--lock", "a.lock.yaml")
    return Documents(
        tuple(samples),
        (("plan", *named), ("build", *named), ("env", "dockerfile", *named), ("config", "show")),
    )


def _machines(stock: Path) -> Maker:
    sample = _said("doctor", "--json")
    named = ("--machine", "machine.json")
    return Documents(
        (("machine.json", sample),),
        (
            ("resolve", *named),
            ("resolve", "tensorflow=2.6.5", *named),
            ("resolve", "--cuda", *named),
        ),
        beside=_made(stock),
    )


def _plans(stock: Path) -> Maker:
    """What is written by one command and read by another: a plan, and an earlier measurement."""
    wheel = tiny_wheel(_made(stock / "beside"))
    report = a_finished(stock / "finished", NEW)
    return Documents(
        (("plan.json", _said("plan", "--json")), ("report.json", report.read_bytes())),
        (
            ("audit", wheel.name, "--plan", "plan.json"),
            ("audit", wheel.name, "--plan", "report.json"),
            ("perf", wheel.name, "--compare", "report.json"),
        ),
        beside=wheel.parent,
    )


def _case_samples() -> tuple[tuple[str, bytes], ...]:
    return tuple(
        (f"cases/{path.name}", path.read_bytes()) for path in sorted(_CASES.glob("*.yaml"))
    )


def _reports(stock: Path) -> Maker:
    """A finished build, of which the report or the lock is damaged."""
    report = a_finished(stock / "dist", NEW)
    (lock,) = report.parent.glob("*.lock.yaml")
    samples = [(f"dist/{report.name}", report.read_bytes())] * 3
    return Documents(
        (*samples, (f"dist/{lock.name}", lock.read_bytes())),
        (("facts", "verify", "dist"), ("facts", "verify", "dist", "--json")),
        beside=stock,
    )


def _wheels(stock: Path) -> tuple[tuple[str, bytes], ...]:
    """A wheel without a library, one with three, and one with metadata of every sort."""
    more = {
        "tiny_thing-1.0.dist-info/entry_points.txt": b"[console_scripts]\ntiny = tiny_thing:main\n",
        "tiny_thing-1.0.data/scripts/tiny": b"#!python\n",
        "tiny_thing-1.0.dist-info/licenses/LICENSE": b"as is\n",
    }
    wheels = (
        a_built_wheel(_made(stock / "built")).wheel,
        tiny_wheel(_made(stock / "plain"), tags="py3-none-any"),
        tiny_wheel(_made(stock / "more"), more, requires=("numpy>=1.23", "six; extra == 'x'")),
    )
    return tuple((wheel.name, wheel.read_bytes()) for wheel in wheels)


def _for_sbom(stock: Path) -> Maker:
    report = a_finished(_made(stock / "finished"), NEW)
    (wheel,) = report.parent.glob("*.whl")
    samples = ((wheel.name, wheel.read_bytes()), *_wheels(stock / "others"))
    return WheelFiles(samples, "sbom", lock_path(wheel).read_bytes())


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _said(*words: str) -> bytes:
    """What a real tfbuild prints; a machine on which not all is well says so by 4."""
    done = subprocess.run(
        [sys.executable, "-m", "tfbuild", *words], capture_output=True, check=False, cwd=_ROOT
    )
    if done.returncode not in {0, 4}:
        sys.exit(f"tfbuild {' '.join(words)} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout
