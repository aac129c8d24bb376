"""Measures a wheel against NumPy and other wheels side by side, with its own noise."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from tfbuild.builds.speed import (
    WHEEL,
    ProbeResult,
    Samples,
    compare_samples,
    read_result,
    read_turns,
)
from tfbuild.core.errors import BadRequest, CommandTimedOut, OutOfMemory, PerfRegressed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import PACKAGE, data_folder, file_digest, tree_digest, write_aside
from tfbuild.core.plans import BaselinePlan
from tfbuild.core.records import Artifact, Interpreter
from tfbuild.core.reports import PerfReport
from tfbuild.core.versions import minor
from tfbuild.fetch.venv import Venv, open_venv, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements
from tfbuild.wheels.requirements import parse_requirement
from tfbuild.wheels.wheel_file import (
    WheelContent,
    main_package,
    open_wheel,
    parse_name,
    plain_requirements,
)

# Their subjects are kept alive side by side and take turns.
_TURNS = (
    *("perf_matmul", "perf_conv2d", "perf_elementwise", "perf_softmax", "perf_kernels"),
    *("perf_layers", "perf_examples", "perf_dispatch", "perf_train", "perf_linalg"),
)
PROBES = (*_TURNS, "perf_import", "perf_peak")
# What makes a report of the samples that probes take.
_MODULES = (
    "builds/speed.py",
    "builds/stages/perf.py",
    "fetch/venv.py",
    "reporting/statistics.py",
)
# A build measures in about a minute on two quiet processors; `tfbuild perf` takes all the rounds,
# which decide more.
_BRIEF_LIMIT, _BRIEF_PIECE, _BRIEF_ROUNDS = 0.5, 0.02, 2
_PROBE_SECONDS = 300.0
_TURNS_SECONDS = 3600.0
_KILLED = {-9, 128 + 9}
_OTHER_INTERFACES = {"torch", "onnxruntime"}  # what probes know beside TensorFlow's


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Something to compare with: the files of its own environment, the baseline itself last."""

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
    baselines: tuple[Baseline, ...] = ()
    probes: tuple[str, ...] = PROBES
    bars: tuple[tuple[str, str, float], ...] = ()
    rounds: int = 5  # of whole processes
    turns: int = 25  # at most, of subjects that are kept alive
    seconds: float = 0.03  # one piece of a turn
    limit: float = 10.0  # seconds at most for one quantity of subjects that take turns
    artifacts: tuple[Artifact, ...] = ()
    brief: bool = False

    def made_brief(self) -> "PerfSpec":
        """The same measurements, in about a minute on a quiet machine."""
        return replace(
            self, limit=_BRIEF_LIMIT, seconds=_BRIEF_PIECE, rounds=_BRIEF_ROUNDS, brief=True
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One subject and where it runs; `again` marks the wheel's second run of each round."""

    name: str
    module: str
    venv: Venv
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfNeeds:
    """The files that the environments are made of, chosen and not yet fetched."""

    wheel: tuple[Artifact, ...]
    baselines: tuple[tuple[BaselinePlan, tuple[Artifact, ...]], ...] = ()


def measuring_code() -> str:
    """What measures, by digests: speeds are remembered while other code of the program changes."""
    modules = (file_digest(PACKAGE / name) for name in _MODULES)
    folders = map(tree_digest, (PACKAGE / "probes", data_folder("runtime") / "examples"))
    return " ".join((*modules, *folders))


def perf_needs(
    wheel: Path,
    baselines: Sequence[BaselinePlan],
    python: Interpreter,
    tools: Tools,
    held: Sequence[Artifact] = (),
) -> PerfNeeds:
    """What the wheel and each baseline need beside themselves; FetchFailed when there is no answer.

    The probes make their arrays with NumPy, which not every baseline brings along. held are the
    files of a lock, which they must be.
    """

    def chosen(requirements: Sequence[str]) -> tuple[Artifact, ...]:
        words = tuple(dict.fromkeys(requirements))
        return resolve_requirements(
            words, tools, python=python.path, version=minor(python.version), kind="perf", held=held
        )

    def of(path: Path) -> tuple[str, ...]:
        return ("numpy", *plain_requirements(path))

    return PerfNeeds(
        wheel=chosen(of(wheel)),
        baselines=tuple(
            (
                baseline,
                chosen(of(Path(baseline.name)) if baseline.sha256 else ("numpy", baseline.name)),
            )
            for baseline in baselines
        ),
    )


def measure_wheel(
    wheel: Path,
    probes: tuple[str, ...],
    python: Interpreter,
    tools: Tools,
    *,
    needs: PerfNeeds,
    bars: tuple[tuple[str, str, float], ...] = (),
    brief: bool = False,
) -> PerfReport:
    """Speed of the wheel against NumPy and each baseline; brief takes about a minute.

    Raises what `measure` raises, and FetchFailed when something to install cannot be had.
    """
    artifacts = (*needs.wheel, *(a for _, files in needs.baselines for a in files))
    spec = PerfSpec(
        sha256=file_digest(wheel),
        module=_interface(open_wheel(wheel)),
        python=python.path,
        wheels=(*fetch(needs.wheel, tools, python=python.path), wheel),
        baselines=tuple(
            _baseline(baseline, fetch(files, tools, python=python.path))
            for baseline, files in needs.baselines
        ),
        probes=probes or PROBES,
        bars=bars,
        artifacts=tuple(dict.fromkeys(artifacts)),
    )
    return measure(spec.made_brief() if brief else spec, tools)


def measure(spec: PerfSpec, tools: Tools) -> PerfReport:
    """Run all probes on wheel, baselines, wheel again and NumPy, and compare.

    Raises PerfRegressed when a probe does not run on the wheel itself, BadRequest when one has no
    TensorFlow 1 interface, EnvironmentFailed when an environment cannot be made.
    """
    samples = Samples()
    with ExitStack() as stack:
        sides = _open_sides(spec, tools, stack)
        for number, probe in enumerate(spec.probes):
            tools.reporter.progress(probe, number, len(spec.probes))
            if probe in _TURNS:
                _take_turns(spec, tools, sides, probe, samples)
                continue
            for turn in range(spec.rounds):
                tools.reporter.progress(f"{probe}, round {turn + 1}", number, len(spec.probes))
                _run_round(spec, tools, sides, probe, samples)
    return compare_samples(
        samples,
        subjects=[side.name for side in sides if not side.again],
        bars=spec.bars,
        wheel=spec.wheels[-1].name,
        sha256=spec.sha256,
        cpus=tools.host.cpus,
        artifacts=spec.artifacts,
        brief=spec.brief,
    )


# --- what to compare with ------------------------------------------------------------------------


def _baseline(plan: BaselinePlan, files: tuple[Path, ...]) -> Baseline:
    """What was asked for, with its own environment; BadRequest where it is nothing to measure."""
    if plan.sha256:
        path = Path(plan.name)
        if file_digest(path) != plan.sha256:
            raise BadRequest(
                f"{path} has changed since it was planned",
                code="baseline-changed",
                hint="run the same command again",
            )
        files = (*files, path)
    else:
        wanted = canonicalize_name(parse_requirement(plan.name).name)
        own = next((path for path in files if parse_name(path.name).name == wanted), None)
        if own is None:
            raise BadRequest(
                f"'{plan.name}' is not something to compare with",
                code="baseline-not-installed",
                why="pip installs nothing of that name for it",
                hint="write a requirement such as tensorflow-cpu==2.21.0, or the path of a wheel",
            )
        path = own
    content = open_wheel(path)
    name = f"{content.metadata['Name']} {content.metadata['Version']}"
    return Baseline(name=name, wheels=files, module=_interface(content))


def _interface(content: WheelContent) -> str:
    package = main_package(content)
    return package if package in _OTHER_INTERFACES else f"{package}.compat.v1"


# --- measuring -----------------------------------------------------------------------------------


def _open_sides(spec: PerfSpec, tools: Tools, stack: ExitStack) -> tuple[_Side, ...]:
    """Wheel, baselines, wheel again, NumPy: the order within a round."""

    def opened(wheels: Sequence[Path]) -> Venv:
        return stack.enter_context(
            open_venv(tools, python=spec.python, wheels=wheels, stage="perf")
        )

    own = opened(spec.wheels)
    _check_interface(tools, spec.wheels[-1].name, spec.module, own)
    baselines = []
    for baseline in spec.baselines:
        venv = opened(baseline.wheels)
        _check_interface(tools, baseline.name, baseline.module, venv)
        baselines.append(_Side(name=baseline.name, module=baseline.module, venv=venv))
    return (
        _Side(name=WHEEL, module=spec.module, venv=own),
        *baselines,
        _Side(name=WHEEL, module=spec.module, venv=own, again=True),
        _Side(name="numpy", module="numpy", venv=own),
    )


def _check_interface(tools: Tools, name: str, module: str, venv: Venv) -> None:
    found = run_probe(tools, venv, "has_module", (module,), timeout=_PROBE_SECONDS)
    if found.code != 0:
        raise BadRequest(
            f"{name} cannot be measured",
            code="tensorflow1-interface-missing",
            why=f"{module} cannot be imported: {_last(found.last_lines)}",
            hint="name a wheel or requirement that has the TensorFlow 1 interface",
        )


def _take_turns(
    spec: PerfSpec, tools: Tools, sides: Sequence[_Side], probe: str, samples: Samples
) -> None:
    """One probe on all sides together, each kept alive."""
    own = sides[0].venv
    asked = {
        "probe": str(own.folder / "probes" / f"{probe}.py"),
        "seconds": spec.seconds,
        "rounds": spec.turns,
        "limit": spec.limit,
        "subjects": [{"python": side.venv.python, "module": side.module} for side in sides],
    }
    file = write_aside(own.folder / "subjects.json", json.dumps(asked))

    def show(line: str) -> None:
        if line.startswith("measuring "):
            tools.reporter.progress(f"{probe}: {line}", spec.probes.index(probe), len(spec.probes))

    ended = run_probe(tools, own, "side_by_side", (str(file),), timeout=_TURNS_SECONDS, watch=show)
    _check_killed(probe, ended.code)
    try:
        result = read_turns(ended.stdout)
    except ValueError as error:
        reason = _last(ended.last_lines) or f"it ended without a result: {error}"
        raise _NotMeasured(probe, reason, code="speed-result-missing") from error
    for number, side in enumerate(sides):
        for name, why in result.failed.get(number, {}).items():
            _check_killed(probe, -9 if why == "signal 9" else 0)
            failed = _NotMeasured(f"{probe} {name}".strip(), why, code="speed-probe-failed")
            _note_failure(failed, side, samples)
        if number in result.skipped:
            samples.failed[probe, side.name] = result.skipped[number]
        for name, values in result.values.items():
            if number in values:
                samples.values[name, side.name, side.again] = values[number]
    samples.units |= result.units
    samples.others.append(result.others)
    samples.stolen.append(result.stolen)
    samples.load = max(samples.load, result.load)


def _run_round(
    spec: PerfSpec, tools: Tools, sides: Sequence[_Side], probe: str, samples: Samples
) -> None:
    """One probe on every side, one after the other."""
    for side in sides:
        if (probe, side.name) in samples.failed:
            continue
        words = ("--module", side.module, "--seconds", str(spec.seconds))
        try:
            ended = run_probe(tools, side.venv, probe, words, timeout=_PROBE_SECONDS)
            reason = "" if ended.code == 0 else _last(ended.last_lines) or f"code {ended.code}"
        except CommandTimedOut:
            ended, reason = None, f"ran longer than {_PROBE_SECONDS:.0f} s"
        if ended is None or reason:
            _check_killed(probe, ended.code if ended else 0)
            failed = _NotMeasured(probe, reason, code="speed-probe-failed")
            _note_failure(failed, side, samples)
            continue
        try:
            result = read_result(ended.stdout)
        except ValueError:
            said = "it ended without a result"
            nothing = _NotMeasured(probe, said, code="speed-result-missing")
            _note_failure(nothing, side, samples)
        else:
            _take(result, probe, side, samples)


def _take(result: ProbeResult, probe: str, side: _Side, samples: Samples) -> None:
    """Keep a result, which is of the same things in every run."""
    known = samples.names.setdefault((probe, side.name), {*result.measured})
    if known != {*result.measured}:
        said = "it measured other things than before"
        _note_failure(_NotMeasured(probe, said, code="speed-result-differs"), side, samples)
        return
    samples.take(result.measured, side.name, again=side.again)
    samples.others.append(result.others)
    if result.skipped:
        samples.failed[probe, side.name] = result.skipped


def _check_killed(probe: str, code: int) -> None:
    """Raise OutOfMemory for a probe that was killed: that says nothing of any speed."""
    if code in _KILLED:
        raise OutOfMemory(
            f"the probe {probe} was killed",
            code="speed-probe-killed",
            why="it was ended by signal 9, as the system does for want of memory",
            hint="run it again with more memory free",
        )


class _NotMeasured(PerfRegressed):
    """A probe that gives no result: an error on the wheel, a gap on what it is compared with."""

    def __init__(self, probe: str, reason: str, *, code: str) -> None:
        super().__init__(
            f"the probe {probe} does not run on the wheel",
            code=code,
            why=reason,
            hint="`tfbuild smoke` shows what works; the log has the whole output",
        )
        self.probe = probe


def _note_failure(failed: _NotMeasured, side: _Side, samples: Samples) -> None:
    if side.name == WHEEL:
        raise failed
    samples.failed[failed.probe, side.name] = failed.why


def _last(lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
