"""What was built here, as evidence: reports that hold become rows of tested builds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from tfbuild.core.errors import BadRequest, NoSolution, TfbuildError
from tfbuild.core.paths import real_path
from tfbuild.core.versions import minor, parse_version
from tfbuild.curation.consistency import impossible
from tfbuild.curation.finished_builds import Finished, find_reports, read_finished
from tfbuild.facts.rows import TestedRow
from tfbuild.facts.rules import Facts
from tfbuild.facts.targets import name_in_tests
from tfbuild.resolver.machine import read_machine

SOURCE = "own-build"
_NOT_RUN = "compiled and audited; no GPU was there to run its kernels"
_VERSIONS = ("glibc", "python", "numpy", "gcc", "clang", "bazel", "cuda", "cudnn")
_CANNOT_BE_READ = BadRequest.exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A report that holds, and what it proves."""

    report: Path
    row: TestedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A report that is not believed, with the exit code of the reason."""

    report: str  # its path
    code: str  # of the error, as `tfbuild explain` knows it
    reason: str  # why it is not believed, in one sentence
    why: str  # what was found; may be empty
    exit_code: int  # of that error


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """All reports of some folders."""

    proofs: tuple[Proof, ...]
    refusals: tuple[Refusal, ...]

    @property
    def exit_code(self) -> int:
        """That of the first contradiction; what cannot be read counts only where all is so."""
        contradictions = [r.exit_code for r in self.refusals if r.exit_code != _CANNOT_BE_READ]
        if contradictions:
            return contradictions[0]
        return 0 if self.proofs else _CANNOT_BE_READ


def verify(
    folders: Sequence[Path], facts: Facts, today: date | None = None, *, own_alone: bool = False
) -> Verified:
    """What every report below the folders proves, or why it is not believed.

    With own_alone, reports that this user's tfbuild has not written prove nothing. Raises
    BadRequest where a folder is not there, or there is no report at all.
    """
    day = today or datetime.now(UTC).date()
    pairs = [(path, folder) for folder in folders for path in find_reports(folder)]
    found = {real_path(path.parent) / path.name: (path, folder) for path, folder in pairs}
    if not found:
        names = ", ".join(str(folder) for folder in folders)
        raise BadRequest(
            f"there is no report below {names}",
            code="report-missing",
            hint="build first, or name the --output of a build",
        )
    proofs, refusals = [], []
    for path, folder in found.values():
        try:
            proofs.append(
                Proof(report=path, row=_prove(path, folder, facts, day, own_alone=own_alone))
            )
        except TfbuildError as error:
            refusals.append(
                Refusal(
                    report=str(path),
                    code=error.code,
                    reason=error.message,
                    why=error.why,
                    exit_code=error.exit_code,
                )
            )
    return Verified(proofs=tuple(proofs), refusals=tuple(refusals))


# --- inside ------------------------------------------------------------------------------------


def _prove(path: Path, folder: Path, facts: Facts, today: date, *, own_alone: bool) -> TestedRow:
    """The row that a report proves; the facts must not say that it cannot be."""
    row = _row(read_finished(path, folder, own_alone=own_alone), facts, today)
    for axis in _VERSIONS:
        if value := getattr(row, axis):
            parse_version(value)
    if trouble := impossible(facts, row):
        raise NoSolution(
            "the facts say that what was built cannot be",
            code="facts-deny-build",
            why=trouble,
            hint="fix the fact: the wheel is there",
        )
    return row


def _row(finished: Finished, facts: Facts, today: date) -> TestedRow:
    report, version = finished.report, finished.version
    machine = read_machine(report.host, facts)
    system = machine.bound.get("os", "")
    is_known = system in facts.versions("os")
    is_cuda = report.plan.device == "cuda"
    notes = [f"built on {system}"] if system and not is_known else []
    notes += [_NOT_RUN] if is_cuda and not finished.gpu else []
    return TestedRow(
        runtime=version("runtime"),
        tensorflow=version("tensorflow"),
        platform=_system_of(machine.bound.get("platform", "")),
        device=report.plan.device,
        os=system if is_known else "",
        glibc=report.host.glibc,
        python=version("python"),
        numpy=_numpy(finished),
        gcc=_short(finished.used("gcc")),
        clang=_short(finished.used("clang")),
        bazel=finished.used("bazel"),
        cuda=version("cuda") if is_cuda else "",
        cudnn=version("cudnn") if is_cuda else "",
        gpu=finished.gpu,
        note="; ".join(notes),
        source=(SOURCE,),
        checked=_day(report.started_at, today),
        evidence="proven",
    )


def _short(version: str) -> str:
    """12.2 of 12.2.0, as the rows have it."""
    return minor(version) if version else ""


def _system_of(platform: str) -> str:
    """The word of tested rows for a platform."""
    if name := name_in_tests(platform):
        return name
    raise BadRequest(
        f"tested rows have no word for the platform '{platform}'", code="report-platform-unknown"
    )


def _numpy(finished: Finished) -> str:
    """The NumPy that the wheel was tried with, whatever was planned."""
    artifacts = finished.report.smoke.artifacts
    return next((a.version for a in artifacts if a.distribution.lower() == "numpy"), "")


def _day(started_at: str, today: date) -> str:
    try:
        day = datetime.fromisoformat(started_at).date()
    except ValueError as error:
        raise BadRequest(
            "it does not say when it was built", code="report-date-missing", why=str(error)
        ) from error
    if day > today:
        raise BadRequest(
            f"it was built on {day}, which is still to come", code="report-from-future"
        )
    return day.isoformat()
