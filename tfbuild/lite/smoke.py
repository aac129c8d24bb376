"""Tries the library as a user would: a C program against its headers, on models, beside LiteRT."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from tfbuild.core.errors import CommandFailed, CommandTimedOut, EnvironmentFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Runner, Tools, literal
from tfbuild.core.records import Artifact, Command, Interpreter, State
from tfbuild.core.reports import SmokeCheck, SmokeReport
from tfbuild.core.safe_files import parse_json, read_bytes, read_text
from tfbuild.core.versions import minor
from tfbuild.fetch.venv import Venv, open_venv, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements
from tfbuild.lite.compare import difference
from tfbuild.products.trial import OpenPlace, Trial, TrialFailed
from tfbuild.recipes.records import ProductPlan

_PROGRAM = Path(__file__).with_name("smoke.c")
_OWN_MODELS = "tensorflow/lite/testdata"
_REFERENCE = (
    "ai-edge-litert",
    "numpy",
)  # TensorFlow Lite under its new name, as its makers build it
_SECONDS = 120.0
_LARGEST = 1 << 30  # bytes of a model's outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRun:
    """How the library did on one model."""

    model: Path
    output: Path
    ending: Literal["ok", "refused", "crashed"]
    said: str  # types and bytes of the outputs, or why not
    seconds: float


def try_models(
    plan: ProductPlan, trial: Trial, open_bare: OpenPlace, source: Path, tools: Tools
) -> SmokeReport:
    """Each model of the tree and of the user: its outputs beside those of LiteRT.

    The program is compiled where trial compiles, and runs in a place that has what the library
    needs, and nothing else. Raises FetchFailed where LiteRT cannot be had, what reference_python
    does, and what opens that place.
    """
    try:
        folder = trial.new_folder("models")
        text = trial.give(folder, _PROGRAM.name, read_text(_PROGRAM))
        program = trial.compile(text, "c", "", cwd=folder)
    except TrialFailed as error:
        reason = f"the program does not compile with the delivered headers: {error}"
        failed = SmokeCheck(name="models", state="failed", reason=reason)
        return SmokeReport(wheel=plan.archive, sha256="", checks=(failed,))
    given = _give_models(source, plan.models, text.parent)
    with open_bare() as bare:
        runs = _run_models(given, program, bare, tools)
    needs = find_reference(tools)
    python = reference_python(tools).path
    files = fetch(needs, tools, python=python)
    checks = []
    with open_venv(tools, python=python, wheels=files, stage="smoke") as venv:
        for number, run in enumerate(runs):
            tools.reporter.progress(f"{_name(run.model)} beside LiteRT", number, len(runs))
            checks.append(_compared(run, venv, tools))
    checks.append(_enough(checks))
    return SmokeReport(wheel=plan.archive, sha256="", checks=tuple(checks), artifacts=needs)


def find_reference(tools: Tools) -> tuple[Artifact, ...]:
    """The files of LiteRT for this machine; FetchFailed where the index does not list them."""
    python = reference_python(tools)
    return resolve_requirements(
        _REFERENCE, tools, python=python.path, version=minor(python.version), kind="smoke"
    )


def reference_python(tools: Tools) -> Interpreter:
    """The Python of this machine that LiteRT runs on; EnvironmentFailed where none will do."""
    pythons = tools.host.pythons
    if found := next((python for python in pythons if python.can_venv), None):
        return found
    here = ", ".join(f"{python.path} ({python.version})" for python in pythons)
    raise EnvironmentFailed(
        "this machine has no Python that can make an environment for LiteRT",
        code="python-venv-missing",
        why=f"the module venv is missing: {here}" if here else "no Python was found on PATH",
        hint="install one with its venv module, on Debian and Ubuntu: apt install python3-venv",
    )


# --- inside ------------------------------------------------------------------------------------


def _give_models(source: Path, others: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Copies, that the library only reads, of the models which the tree itself is tested with,
    broken ones among them, and of others.

    A build could write to the tree, so nothing outside of it is read.
    """
    tree, given = ForeignTree(source), ForeignTree(folder)
    own = [n for n in tree.names(_OWN_MODELS) if PurePosixPath(n).suffix in {".bin", ".tflite"}]
    own = [name for name in own if tree.is_file(f"{_OWN_MODELS}/{name}")]
    places = []
    for number, name in enumerate(own):
        given.take(tree, f"{_OWN_MODELS}/{name}", f"{number}-{name}")
        places.append(folder / f"{number}-{name}")
    for number, model in enumerate(others, len(own)):
        places.append(folder / f"{number}-{model.name}")
        shutil.copyfile(model, places[-1])
    return tuple(places)


def _run_models(
    models: Sequence[Path], program: Path, bare: Runner, tools: Tools
) -> tuple[ModelRun, ...]:
    """How the library did on each model.

    Each has a process of its own: one that crashes is known by its name.
    """
    runs = []
    for number, model in enumerate(models):
        tools.reporter.progress(_name(model), number, len(models))
        runs.append(_run(program, model, bare))
    return tuple(runs)


def _run(program: Path, model: Path, bare: Runner) -> ModelRun:
    output = program.with_name(f"{model.name}.out")
    started = time.monotonic()
    command = Command(
        argv=tuple(literal(str(word)) for word in (program, model, output)),
        stage="smoke",
        purpose=f"run {_name(model)}",
        cwd="/",
        timeout=_SECONDS,
        quiet=True,
    )
    ending, said = "crashed", ""
    try:
        lines = bare.run(command).stdout.splitlines()
        ending, _, said = next(x for x in lines if x.startswith(("ok", "refused"))).partition(" ")
    except CommandTimedOut:
        said = f"it ran longer than {_SECONDS:.0f} s"
    except CommandFailed as error:
        said = f"it ended with {error.status}: " + " ".join(error.last_lines[-2:])
    except StopIteration:
        said = "it ended without a result"
    kind: Literal["ok", "refused", "crashed"] = "crashed"
    if ending in {"ok", "refused"}:
        kind = "ok" if ending == "ok" else "refused"
    seconds = time.monotonic() - started
    return ModelRun(model=model, output=output, ending=kind, said=said, seconds=seconds)


def _compared(run: ModelRun, venv: Venv, tools: Tools) -> SmokeCheck:
    """One model's check: passed where both gave the same numbers, or both refused."""
    name = _name(run.model)
    if run.ending == "crashed":
        return SmokeCheck(name=name, state="failed", seconds=run.seconds, reason=run.said)
    theirs = run.model.with_name(f"{run.model.name}.litert")
    words = (str(run.model), str(theirs))
    try:
        ended = run_probe(tools, venv, "lite_reference", words, timeout=_SECONDS)
        found = parse_json(ended.stdout.splitlines()[-1])
        ending, said = str(found["ending"]), str(found["said"])
        raw = read_bytes(theirs, _LARGEST) if ending == "ok" else b""
        state, reason = _judged(run, ending, said, raw)
    except (CommandTimedOut, CommandFailed, OSError, IndexError, KeyError, TypeError, ValueError):
        state, reason, said = "skipped", "LiteRT ended without a result", ""
    detail = (("LiteRT", said),) if said else ()
    return SmokeCheck(name=name, state=state, seconds=run.seconds, reason=reason, detail=detail)


def _judged(run: ModelRun, ending: str, said: str, theirs: bytes) -> tuple[State, str]:
    """What it means that the library did so on a model, and LiteRT so."""
    if run.ending == "ok" and ending == "ok":
        ours = ForeignTree(run.output.parent).read(run.output.name, _LARGEST)
        found = difference(ours, theirs, said)
        return ("failed", found) if found else ("passed", "")
    if run.ending == "ok":
        return "skipped", f"LiteRT does not run it: {said}"
    if ending == "refused":
        return "passed", f"refused, as by LiteRT: {run.said}"
    if run.said.startswith("type of"):
        return "skipped", f"the program cannot make it: {run.said}"
    return "failed", f"refused at: {run.said}; LiteRT runs it"


def _name(model: Path) -> str:
    """The name of a model, without the number that its copy has before it."""
    return model.name.partition("-")[2]


def _enough(checks: list[SmokeCheck]) -> SmokeCheck:
    """A suite on which no model gave the same numbers proves nothing."""
    equal = [check.name for check in checks if check.state == "passed" and not check.reason]
    if equal:
        return SmokeCheck(name="models", state="passed", detail=(("equal", str(len(equal))),))
    return SmokeCheck(name="models", state="failed", reason="no model gave what LiteRT gives")
