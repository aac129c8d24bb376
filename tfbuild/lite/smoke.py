"""Tries the library as a user would: a C program against its headers, on models, beside LiteRT."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tfbuild.core.errors import CommandFailed, CommandTimedOut, EnvironmentFailed, SmokeFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Command, Interpreter, State
from tfbuild.core.reports import Rung, SmokeReport
from tfbuild.core.safe_files import parse_json, read_bytes
from tfbuild.core.versions import minor
from tfbuild.fetch.venv import Venv, open_venv, run_probe
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements
from tfbuild.lite.compare import difference
from tfbuild.lite.records import LARGEST, LIBRARY, LiteLibrary, LitePlan
from tfbuild.lite.workshop import Workshop

_PROGRAM = Path(__file__).with_name("smoke.c")
# What a strict C compiler must take: a user's program is not compiled with our flags.
_STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1")
_OWN_MODELS = "tensorflow/lite/testdata"
_REFERENCE = (
    "ai-edge-litert",
    "numpy",
)  # TensorFlow Lite under its new name, as its makers build it
_SECONDS = 120.0
_MODEL_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRun:
    """How the library did on one model."""

    model: Path
    output: Path
    ending: Literal["ok", "refused", "crashed"]
    said: str  # types and bytes of the outputs, or why not
    seconds: float


def compile_program(workshop: Workshop, library: LiteLibrary) -> Path:
    """The program, compiled against the delivered headers and linked to the library.

    Raises SmokeFailed with the compiler's words.
    """
    folder = library.path.parent / "smoke"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copyfile(_PROGRAM, folder / _PROGRAM.name)
    program = folder / "smoke"
    argv = (
        *("cc", *_STRICT, "-isystem", str(library.headers), str(folder / _PROGRAM.name)),
        *("-o", str(program), f"-L{library.path.parent}", f"-l:{LIBRARY}"),
    )
    try:
        workshop.run(Command(argv=argv, stage="smoke", purpose="compile a C program", cwd="/"))
    except CommandFailed as error:
        raise SmokeFailed(
            "a C program does not compile with the delivered headers",
            why="\n".join(error.last_lines[:8]),
            hint="the headers of the archive are those of the tree; see the log",
            log=error.log,
        ) from error
    return program


def own_models(source: Path) -> tuple[Path, ...]:
    """The models that the tree itself is tested with, broken ones among them."""
    folder = source / _OWN_MODELS
    return tuple(
        sorted(p for p in folder.glob("*") if p.suffix in {".bin", ".tflite"} and p.is_file())
    )


def run_models(
    plan: LitePlan, program: Path, library: LiteLibrary, workshop: Workshop, tools: Tools
) -> tuple[str, tuple[ModelRun, ...]]:
    """The version that the library tells, and how it did on each model.

    Each model has a process of its own: one that crashes is known by its name.
    """
    folder = program.parent
    models = [*own_models(plan.tree.source), *plan.models]
    version, runs = "", []
    for number, model in enumerate(models):
        tools.reporter.progress(model.name, number, len(models))
        copy = folder / f"{number}-{model.name}"
        shutil.copyfile(model, copy)
        said, one = _run(program, copy, library, workshop)
        version = version or said
        runs.append(one)
    return version, tuple(runs)


def smoke_library(
    plan: LitePlan, library: LiteLibrary, version: str, runs: tuple[ModelRun, ...], tools: Tools
) -> SmokeReport:
    """The ladder: the version, and each model's outputs beside those of LiteRT.

    Raises FetchFailed where LiteRT cannot be had, and what reference_python does.
    """
    python = reference_python(tools)
    needs = resolve_requirements(
        _REFERENCE, tools, python=python.path, version=minor(python.version), kind="smoke"
    )
    files = fetch(needs, tools, python=python.path)
    rungs = [_version_rung(version, plan.tree.release)]
    with open_venv(tools, python=python.path, wheels=files, stage="smoke") as venv:
        for number, run in enumerate(runs):
            tools.reporter.progress(f"{run.model.name} beside LiteRT", number, len(runs))
            rungs.append(_compared(run, venv, tools))
    rungs.append(_enough(rungs[1:]))
    return SmokeReport(
        wheel=plan.archive, sha256=library.sha256, rungs=tuple(rungs), artifacts=tuple(needs)
    )


def reference_python(tools: Tools) -> Interpreter:
    """The Python of this machine that LiteRT runs on; EnvironmentFailed where none will do."""
    pythons = tools.host.pythons
    if found := next((python for python in pythons if python.can_venv), None):
        return found
    here = ", ".join(f"{python.path} ({python.version})" for python in pythons)
    raise EnvironmentFailed(
        "this machine has no Python that can make an environment for LiteRT",
        why=f"the module venv is missing: {here}" if here else "no Python was found on PATH",
        hint="install one with its venv module, on Debian and Ubuntu: apt install python3-venv",
    )


# --- inside ------------------------------------------------------------------------------------


def _run(
    program: Path, model: Path, library: LiteLibrary, workshop: Workshop
) -> tuple[str, ModelRun]:
    output = model.with_name(model.name + ".out")
    started = time.monotonic()
    command = Command(
        argv=(str(program), str(model), str(output)),
        env=(("LD_LIBRARY_PATH", str(library.path.parent)),),
        cwd="/",
        timeout=_SECONDS,
        quiet=True,
    )
    version, ending, said = "", "crashed", ""
    try:
        lines = workshop.run(command).stdout.splitlines()
        version = next((x.removeprefix("version ") for x in lines if x.startswith("version ")), "")
        ending, _, said = next(x for x in lines if x.startswith(("ok", "refused"))).partition(" ")
    except CommandTimedOut:
        said = f"it ran longer than {_SECONDS:.0f} s"
    except CommandFailed as error:
        said = f"it ended with {error.code}: " + " ".join(error.last_lines[-2:])
    except StopIteration:
        said = "it ended without a result"
    kind: Literal["ok", "refused", "crashed"] = "crashed"
    if ending in {"ok", "refused"}:
        kind = "ok" if ending == "ok" else "refused"
    seconds = time.monotonic() - started
    return version, ModelRun(model=model, output=output, ending=kind, said=said, seconds=seconds)


def _version_rung(version: str, release: str) -> Rung:
    if version == release:
        return Rung(name="version", state="passed", detail=(("version", version),))
    reason = f"the library says it is '{version}', the tree is {release}"
    return Rung(name="version", state="failed", reason=reason)


def _compared(run: ModelRun, venv: Venv, tools: Tools) -> Rung:
    """One model's rung: passed where both gave the same numbers, or both refused."""
    name = run.model.name.partition("-")[2]
    if run.ending == "crashed":
        return Rung(name=name, state="failed", seconds=run.seconds, reason=run.said)
    theirs = run.output.with_suffix(".litert")
    words = (str(run.model), str(theirs))
    try:
        ended = run_probe(tools, venv, "lite_reference", words, timeout=_SECONDS)
        found = parse_json(ended.stdout.splitlines()[-1])
        ending, said = str(found["ending"]), str(found["said"])
        raw = read_bytes(theirs, LARGEST) if ending == "ok" else b""
        state, reason = _judged(run, ending, said, raw)
    except (CommandTimedOut, CommandFailed, OSError, IndexError, KeyError, TypeError, ValueError):
        state, reason, said = "skipped", "LiteRT ended without a result", ""
    detail = (("LiteRT", said),) if said else ()
    return Rung(name=name, state=state, seconds=run.seconds, reason=reason, detail=detail)


def _judged(run: ModelRun, ending: str, said: str, theirs: bytes) -> tuple[State, str]:
    """What it means that the library did so on a model, and LiteRT so."""
    if run.ending == "ok" and ending == "ok":
        found = difference(read_bytes(run.output, LARGEST), theirs, said)
        return ("failed", found) if found else ("passed", "")
    if run.ending == "ok":
        return "skipped", f"LiteRT does not run it: {said}"
    if ending == "refused":
        return "passed", f"refused, as by LiteRT: {run.said}"
    if run.said.startswith("type of"):
        return "skipped", f"the program cannot make it: {run.said}"
    return "failed", f"refused at: {run.said}; LiteRT runs it"


def _enough(rungs: list[Rung]) -> Rung:
    """A ladder on which no model gave the same numbers proves nothing."""
    equal = [rung.name for rung in rungs if rung.state == "passed" and not rung.reason]
    if equal:
        return Rung(name="models", state="passed", detail=(("equal", str(len(equal))),))
    return Rung(name="models", state="failed", reason="no model gave what LiteRT gives")
