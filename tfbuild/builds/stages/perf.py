"""Measures a wheel against NumPy and other wheels in interleaved rounds, with its own noise."""

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tfbuild.builds.speed import WHEEL, Samples, compare_samples, unrest_of
from tfbuild.core.errors import BadRequest, CommandTimedOut, PerfRegressed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Artifact
from tfbuild.core.reports import PerfReport
from tfbuild.fetch.venv import Venv, open_venv, python_version, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements
from tfbuild.wheels.wheel_file import WheelContent, main_package, open_wheel, plain_requirements

PROBES = (
    "perf_matmul",
    "perf_conv2d",
    "perf_elementwise",
    "perf_softmax",
    "perf_dispatch",
    "perf_train",
    "perf_import",
    "perf_peak",
)
_PROBE_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Something to compare with: the files of its own environment, the rival itself last."""

    name: str
    wheels: tuple[Path, ...]
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfSpec:
    """What to measure; wheels are those of the wheel's environment, the wheel itself last."""

    sha256: str
    module: str
    python: str
    wheels: tuple[Path, ...]
    rivals: tuple[Rival, ...] = ()
    probes: tuple[str, ...] = PROBES
    bars: tuple[tuple[str, str, float], ...] = ()
    rounds: int = 5
    seconds: float = 0.1
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One subject and where it runs; `again` marks the wheel's second run of each round."""

    name: str
    module: str
    venv: Venv
    again: bool = False


def measure_wheel(
    wheel: Path,
    probes: tuple[str, ...],
    python: str,
    tools: Tools,
    *,
    against: tuple[str, ...] = (),
    bars: tuple[tuple[str, str, float], ...] = (),
) -> PerfReport:
    """Speed of the wheel against NumPy and each of `against`, a requirement or a wheel's path.

    Raises what `measure` raises, and FetchFailed when something to install cannot be had.
    """
    content = open_wheel(wheel)
    needs = tuple(dict.fromkeys(("numpy", *plain_requirements(content))))
    files, artifacts = _fetched(needs, tools, python)
    rivals = []
    for text in against:
        rival, more = _rival(text, tools, python)
        rivals.append(rival)
        artifacts += more
    order = PerfSpec(
        sha256=file_digest(wheel),
        module=_interface(content),
        python=python,
        wheels=(*files, wheel),
        rivals=tuple(rivals),
        probes=probes or PROBES,
        bars=bars,
        artifacts=tuple(dict.fromkeys(artifacts)),
    )
    return measure(order, tools)


def measure(order: PerfSpec, tools: Tools) -> PerfReport:
    """Run all probes in rounds of wheel, rivals, wheel again, NumPy, and compare.

    Raises PerfRegressed when a probe does not run on the wheel itself, BadRequest when one has no
    TensorFlow 1 interface, EnvironmentFailed when an environment cannot be made.
    """
    samples = Samples()
    with ExitStack() as stack:
        sides = _open_sides(order, tools, stack)
        total = order.rounds * len(order.probes)
        for number in range(order.rounds):
            for index, probe in enumerate(order.probes):
                done = number * len(order.probes) + index
                tools.reporter.progress(f"{probe}, round {number + 1}", done, total)
                _run_round(order, tools, sides, probe, samples)
    report = compare_samples(
        samples,
        subjects=[side.name for side in sides if not side.again],
        bars=order.bars,
        wheel=order.wheels[-1].name,
        sha256=order.sha256,
        artifacts=order.artifacts,
    )
    if said := unrest_of(report):
        tools.reporter.warn(
            f"the machine was busy while it was measured: {said}; do not count on these speeds, "
            "and measure again when it is quiet (they are not remembered)"
        )
    return report


# --- what to compare with ------------------------------------------------------------------------


def _rival(text: str, tools: Tools, python: str) -> tuple[Rival, tuple[Artifact, ...]]:
    """The rival that a requirement or the path of a wheel names."""
    if text.endswith(".whl"):
        content = open_wheel(Path(text))
        files, artifacts = _fetched(("numpy", *plain_requirements(content)), tools, python)
        wheels: tuple[Path, ...] = (*files, Path(text))
    else:
        wheels, artifacts = _fetched((text,), tools, python)
        own = [p for p in wheels if _plain(p.name.split("-")[0]) == _plain(text)]
        if not own:
            raise BadRequest(
                f"'{text}' is not something to compare with",
                hint="write a requirement such as tensorflow-cpu==2.21.0, or the path of a wheel",
            )
        content = open_wheel(own[0])
    name = f"{content.metadata['Name']} {content.metadata['Version']}"
    return Rival(name=name, wheels=wheels, module=_interface(content)), artifacts


def _fetched(
    requirements: tuple[str, ...], tools: Tools, python: str
) -> tuple[tuple[Path, ...], tuple[Artifact, ...]]:
    version = python_version(tools, python)
    found = resolve_requirements(requirements, tools, python=python, version=version, kind="perf")
    return fetch(found, tools, python=python), found


def _interface(content: WheelContent) -> str:
    return f"{main_package(content)}.compat.v1"


def _plain(requirement: str) -> str:
    """The distribution of a requirement, in one spelling."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[=<>!~ ;@(]", requirement.strip())[0]).lower()


# --- measuring -----------------------------------------------------------------------------------


def _open_sides(order: PerfSpec, tools: Tools, stack: ExitStack) -> tuple[_Side, ...]:
    """Wheel, rivals, wheel again, NumPy: the order within a round."""

    def opened(wheels: Sequence[Path]) -> Venv:
        return stack.enter_context(
            open_venv(tools, python=order.python, wheels=wheels, stage="perf")
        )

    own = opened(order.wheels)
    _check_interface(tools, order.wheels[-1].name, order.module, own)
    rivals = []
    for rival in order.rivals:
        venv = opened(rival.wheels)
        _check_interface(tools, rival.name, rival.module, venv)
        rivals.append(_Side(name=rival.name, module=rival.module, venv=venv))
    return (
        _Side(name=WHEEL, module=order.module, venv=own),
        *rivals,
        _Side(name=WHEEL, module=order.module, venv=own, again=True),
        _Side(name="numpy", module="numpy", venv=own),
    )


def _check_interface(tools: Tools, name: str, module: str, venv: Venv) -> None:
    found = run_probe(tools, venv, "has_module", (module,), timeout=_PROBE_SECONDS)
    if found.code != 0:
        raise BadRequest(
            f"{name} cannot be measured",
            why=f"{module} cannot be imported: {_last(found.last_lines)}",
            hint="name a wheel or requirement that has the TensorFlow 1 interface",
        )


def _run_round(
    order: PerfSpec, tools: Tools, sides: Sequence[_Side], probe: str, samples: Samples
) -> None:
    """One probe on every side, one after the other."""
    for side in sides:
        if (probe, side.name) in samples.failed:
            continue
        words = ("--module", side.module, "--seconds", str(order.seconds))
        try:
            ended = run_probe(tools, side.venv, probe, words, timeout=_PROBE_SECONDS)
            reason = "" if ended.code == 0 else _last(ended.last_lines) or f"code {ended.code}"
        except CommandTimedOut:
            ended, reason = None, f"ran longer than {_PROBE_SECONDS:.0f} s"
        if ended is None or reason:
            _note_failure(probe, side, reason, samples)
            continue
        found = json.loads(ended.stdout.splitlines()[-1])
        samples.take(found["measurements"], side.name, again=side.again)
        samples.others.append(float(found["others"]))
        if "skipped" in found:
            samples.failed[probe, side.name] = str(found["skipped"])


def _note_failure(probe: str, side: _Side, reason: str, samples: Samples) -> None:
    if side.name == WHEEL:
        raise PerfRegressed(
            f"the probe {probe} does not run on the wheel",
            why=reason,
            hint="`tfbuild smoke` shows what works; the log has the whole output",
        )
    samples.failed[probe, side.name] = reason


def _last(lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
