"""Runs a wheel in a fresh environment, check by check: what works, what fails, what was skipped."""

import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfbuild.core.errors import CommandTimedOut
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Artifact, Completed, Interpreter
from tfbuild.core.reports import SmokeCheck, SmokeReport
from tfbuild.core.safe_files import parse_json
from tfbuild.core.versions import minor
from tfbuild.fetch.venv import Venv, open_venv, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements
from tfbuild.wheels.wheel_file import WheelContent, main_package, open_wheel, plain_requirements

PROBES = (
    "smoke_import",
    "smoke_devices",
    "smoke_matmul",
    "smoke_conv2d",
    "smoke_gradients",
    "smoke_train",
    "smoke_graphdef",
    "smoke_malformed",
    "smoke_old_cpu",
    "smoke_gpu",
)
_FIRST = "smoke_import"
_SECONDS = 240.0
_LONG = {"smoke_examples": 1800.0}  # they train until they have learnt
_TRAINING_DATA = "scikit-learn"


def smoke_needs(
    wheel: Path,
    requirements: Sequence[str],
    python: Interpreter,
    tools: Tools,
    held: Sequence[Artifact] = (),
) -> tuple[Artifact, ...]:
    """The files beside the wheel that its environment is made of, chosen and not yet fetched.

    held are those of a lock, which they must be. Raises FetchFailed when there is no answer.
    """
    wanted = tuple(dict.fromkeys((*requirements, *plain_requirements(wheel))))
    if not requirements:
        wanted = (*wanted, _TRAINING_DATA)
    return resolve_requirements(
        wanted, tools, python=python.path, version=minor(python.version), kind="smoke", held=held
    )


def smoke_wheel(
    wheel: Path,
    probes: tuple[str, ...],
    python: Interpreter,
    tools: Tools,
    *,
    needs: Sequence[Artifact],
) -> SmokeReport:
    """The suite as it ran; a crash is a failed check that names the signal.

    No probes mean all of them. Raises EnvironmentFailed when the wheel does not install there, and
    FetchFailed when something that it needs cannot be had.
    """
    content = open_wheel(wheel)
    files = fetch(needs, tools, python=python.path)
    with open_venv(tools, python=python.path, wheels=(*files, wheel), stage="smoke") as venv:
        checks = _climb(content, probes or PROBES, venv, tools)
    return SmokeReport(
        wheel=wheel.name, sha256=file_digest(wheel), checks=checks, artifacts=tuple(needs)
    )


def _climb(
    content: WheelContent, probes: Sequence[str], venv: Venv, tools: Tools
) -> tuple[SmokeCheck, ...]:
    """All checks of all probes; without a working import the others are skipped."""
    checks: list[SmokeCheck] = []
    module = f"{main_package(content)}.compat.v1"
    words = ("--module", module, "--version", content.name.version)
    broken = ""
    for number, probe in enumerate(probes):
        tools.reporter.progress(probe.removeprefix("smoke_"), number, len(probes))
        if broken:
            checks.append(SmokeCheck(name=_title(probe), state="skipped", reason=broken))
            continue
        found = _run(probe, words, venv, tools)
        checks += found
        if probe == _FIRST and any(check.state == "failed" for check in found):
            broken = "the import failed"
    return tuple(checks)


def _run(probe: str, words: Sequence[str], venv: Venv, tools: Tools) -> list[SmokeCheck]:
    """The checks of one probe; one failed check when it did not come to its end."""
    start, limit = time.monotonic(), _LONG.get(probe, _SECONDS)
    try:
        ended = run_probe(tools, venv, probe, words, timeout=limit)
    except CommandTimedOut:
        reason = f"it ran longer than {limit:.0f} s"
        return [_failed(probe, reason, time.monotonic() - start)]
    if ended.code != 0:
        return [_failed(probe, _how_it_ended(ended), ended.seconds)]
    try:
        return [_check(entry) for entry in parse_json(ended.stdout.splitlines()[-1])["checks"]]
    except (IndexError, KeyError, TypeError, ValueError, AttributeError):
        return [_failed(probe, "it ended without a result", ended.seconds)]


def _check(entry: dict[str, Any]) -> SmokeCheck:
    return SmokeCheck(
        name=str(entry["name"]),
        state=entry["state"] if entry["state"] in {"passed", "skipped"} else "failed",
        seconds=float(entry["seconds"]),
        reason=str(entry["reason"]),
        detail=tuple((str(key), str(value)) for key, value in entry["detail"].items()),
    )


def _failed(probe: str, reason: str, seconds: float) -> SmokeCheck:
    return SmokeCheck(name=_title(probe), state="failed", seconds=seconds, reason=reason)


def _how_it_ended(ended: Completed) -> str:
    """The signal's name or the code, and the last words."""
    last = next((line.strip() for line in reversed(ended.last_lines) if line.strip()), "")
    if ended.code < 0:
        return f"it crashed with {signal_name(-ended.code)}: {_place(ended.last_lines) or last}"
    return f"it ended with code {ended.code}: {last}"


def signal_name(number: int) -> str:
    """SIGSEGV of 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _place(lines: Sequence[str]) -> str:
    """Where Python's fault handler says the crash was: its first line of a file."""
    return next((line.strip() for line in lines if re.match(r'\s*File ".*", line \d+', line)), "")


def _title(probe: str) -> str:
    return probe.removeprefix("smoke_").replace("_", " ")
