"""Runs one target of libFuzzer for its share of the time, and reads what it says."""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.trial import fresh

_HANG = 10  # seconds of one input
_MEMORY = 2048  # MiB of the process; one allocation above it is refused, as by the system
_MINIMISE = 15  # seconds
_FIGURES = {
    "executions": r"^stat::number_of_executed_units: (\d+)",
    "new_inputs": r"^stat::new_units_added: +(\d+)",
    "slowest": r"^stat::slowest_unit_time_sec: +(\d+)",
}
_COVERAGE = re.compile(r"^#\d+\s+(\w+).* cov: (\d+)", re.MULTILINE)
# By how the file is named in which libFuzzer leaves the input.
_FINDINGS = {"crash": "crash", "leak": "leak", "oom": "out of memory", "timeout": "timeout"}
_OPTIONS = {
    "ASAN_OPTIONS": f"allocator_may_return_null=1:max_allocation_size_mb={_MEMORY}",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzTarget:
    """A program of libFuzzer, and the folder of the inputs that it begins with."""

    name: str
    command: tuple[str, ...]
    inputs: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An input that ended the program: what it did, where it lies, how it is done again."""

    what: str
    kept: str
    again: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """What one target has done. Edges are those covered at first and at last."""

    target: str
    executions: int
    edges_before: int
    edges: int
    new_inputs: int
    slowest: int  # seconds
    seconds: float
    findings: tuple[Finding, ...]


def fuzz(target: FuzzTarget, seconds: int, seed: int, corpus: Path, folder: Path) -> Fuzzed:
    """Run a target until its time is over or it finds something, which is kept in the folder.

    What it learns is added to the corpus. Whatever else ends it is a finding as well.
    """
    found, learned = folder / target.name, corpus / target.name
    scratch = fresh(found / "scratch")
    learned.mkdir(parents=True, exist_ok=True)
    target.inputs.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    words = [
        f"-max_total_time={seconds}", f"-seed={seed}", f"-timeout={_HANG}", "-max_len=65536",
        f"-rss_limit_mb={_MEMORY}", f"-artifact_prefix={found}/", "-print_final_stats=1",
        str(learned), str(target.inputs),
    ]  # fmt: skip
    code, said = _run(target, words, scratch, seconds + 3 * _HANG + 60)
    took = time.monotonic() - begun
    (found / "log").write_text(said)
    covered = _COVERAGE.findall(said)
    figures = {
        name: int(match[1]) if (match := re.search(pattern, said, re.MULTILINE)) else 0
        for name, pattern in _FIGURES.items()
    }
    return Fuzzed(
        target=target.name,
        edges_before=next((int(edges) for word, edges in covered if word == "INITED"), 0),
        edges=max((int(edges) for _, edges in covered), default=0),
        seconds=round(took, 1),
        findings=_findings(target, code, found, said, scratch),
        **figures,
    )


# --- inside ------------------------------------------------------------------------------------


def _run(
    target: FuzzTarget, words: Sequence[str], scratch: Path, seconds: float
) -> tuple[int | None, str]:
    """How it ended, None where it had to be killed, and what it said."""
    environ = {**os.environ, **_OPTIONS, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [*target.command, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=scratch,
    ) as child:
        try:
            said = child.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            child.kill()
            return None, child.communicate()[1].decode("utf-8", "replace")
    return child.returncode, said.decode("utf-8", "replace")


def _findings(
    target: FuzzTarget, code: int | None, found: Path, said: str, scratch: Path
) -> tuple[Finding, ...]:
    findings = [
        Finding(what=what, kept=str(path), again=_again(target, path), said=_report_of(said))
        for name, what in _FINDINGS.items()
        for path in sorted(found.glob(f"{name}-*"))
        if path.name in said  # others are of earlier runs
    ]
    for finding in findings:
        if finding.what == "crash":
            _minimise(target, Path(finding.kept), scratch)
    if code != 0 and not findings:
        what = "hang" if code is None else f"exit {code}"
        log = str(found / "log")
        findings = [
            Finding(what=what, kept=log, again=shlex.join(target.command), said=said[-2000:])
        ]
    return tuple(findings)


def _again(target: FuzzTarget, path: Path) -> str:
    return f"{shlex.join(target.command)} {shlex.quote(str(path))}"


def _report_of(said: str) -> str:
    """The report of the sanitiser, or the traceback."""
    begin = re.search(r"^.*(ERROR: |runtime error: |Uncaught Python exception)", said, re.MULTILINE)
    return said[begin.start() :][:3000] if begin else said[-3000:]


def _minimise(target: FuzzTarget, path: Path, scratch: Path) -> None:
    """Leave the smallest input that does it beside the one that was found."""
    words = ["-minimize_crash=1", f"-max_total_time={_MINIMISE}"]
    small = path.with_name(f"small-{path.name}")
    _run(target, [*words, f"-exact_artifact_path={small}", str(path)], scratch, 4 * _MINIMISE)
