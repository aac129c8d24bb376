"""Reads back a finished build as data that may be wrong: its report, its wheel and its lock."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tfbuild.core.any_tree import files_below
from tfbuild.core.documents import as_current
from tfbuild.core.errors import AuditFailed, BadRequest, SmokeFailed
from tfbuild.core.lock_file import lock_path, read_lock_file
from tfbuild.core.paths import file_digest, real_path
from tfbuild.core.records import Pairs
from tfbuild.core.report_seal import is_own
from tfbuild.core.reports import Report, SmokeCheck, is_gpu_untried
from tfbuild.core.safe_files import read_json
from tfbuild.core.serialization import from_plain
from tfbuild.facts.ranges import NONE
from tfbuild.wheels.wheel_file import open_wheel

REPORT = "report.json"
_SCHEMA = "tfbuild.report/2"
_AGAIN = "build it again, or leave it out"
_FIRST_CHECK = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A build whose files agree; tools are those that it really used, of its lock."""

    report: Report
    tools: Pairs

    def version(self, axis: str) -> str:
        """The version of an axis; an empty string where the build did without it."""
        choices = self.report.versions.choices
        return next((c.value for c in choices if c.axis == axis and c.value != NONE), "")

    def used(self, axis: str) -> str:
        """The version of the tool that was really used, where the lock says it; else as planned."""
        name = "compiler" if axis in {"gcc", "clang"} else axis
        return (dict(self.tools).get(name, "") or self.version(axis)) if self.version(axis) else ""

    @property
    def gpu(self) -> str:
        """The GPU on which kernels ran; an empty string where none did."""
        gpus = self.report.host.gpus
        if self.report.plan.device != "cuda" or is_gpu_untried(self.report) or not gpus:
            return ""
        return f"{gpus[0].name} ({gpus[0].architecture})"


def find_reports(folder: Path) -> tuple[Path, ...]:
    """Every report below a folder; BadRequest where there is no such folder."""
    if not folder.is_dir():
        raise BadRequest(
            f"there is no folder {folder}",
            code="file-missing",
            hint="name the --output of a build; the usual is dist",
        )
    return tuple(sorted(path for path in files_below(folder) if path.name == REPORT))


def read_finished(path: Path, root: Path, *, own_alone: bool = False) -> Finished:
    """The build of a report below root, once everything that can be checked has been.

    With own_alone, only a report that this user's tfbuild has written. Raises BadRequest where
    something cannot be read or is missing, AuditFailed where wheel, lock
    or audit contradict the report, and SmokeFailed where the wheel did not pass its smoke test.
    """
    try:
        return _finished(path, root, own_alone=own_alone)
    except OSError as error:  # a name that is too long, or a folder that may not be looked into
        raise _unreadable(error.strerror or str(error)) from error


# --- inside ------------------------------------------------------------------------------------


def _finished(path: Path, root: Path, *, own_alone: bool) -> Finished:
    if not real_path(path).is_relative_to(real_path(root)):
        raise BadRequest(
            f"the report is a link out of {root}", code="report-outside-folder", hint=_AGAIN
        )
    report = _read_report(path, own_alone=own_alone)
    wheel = path.parent / report.wheel.path.name
    _check_wheel(report, wheel, root)
    tools = _read_tools(report, wheel, root)
    _check_audit(report)
    _check_smoke(report)
    return Finished(report=report, tools=tools)


def _unreadable(why: str) -> BadRequest:
    return BadRequest("it cannot be read", code="report-unreadable", why=why, hint=_AGAIN)


def _read_report(path: Path, *, own_alone: bool) -> Report:
    """The report as a record: every field of every part has its type."""
    try:
        read = read_json(path)
        if own_alone and not is_own(read):
            raise BadRequest(
                "your tfbuild did not write it",
                code="reported-by-another",
                why="nobody has named its folder, and a checkout of strangers could hold it",
                hint="where you trust it, name its folder: `tfbuild facts verify FOLDER`",
            )
        document = as_current(read)
        if document["schema"] != _SCHEMA:
            raise BadRequest(f"it is not {_SCHEMA}", code="not-a-report", hint=_AGAIN)
        if document.get("failures"):
            raise BadRequest("its build failed", code="reported-build-failed", hint=_AGAIN)
        # A report of a build that came to its end has them all.
        if missing := sorted({field.name for field in fields(Report)} - set(document)):
            raise ValueError(f"it has no {', '.join(missing)}")
        return from_plain(Report, _as_record(document))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(str(error) or repr(error)) from error


def _as_record(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its versions as choices again; where it was delivered says nothing."""
    found = {key: value for key, value in document.items() if key not in {"schema", "delivered"}}
    versions = {"choices": [{**choice, "axis": a} for a, choice in found["versions"].items()]}
    planned = {axis: choice["value"] for axis, choice in found["versions"].items()}
    if found["plan"]["versions"] != planned:
        raise ValueError("the plan has other versions than the report")
    return {**found, "versions": versions, "plan": {**found["plan"], "versions": versions}}


def _check_wheel(report: Report, wheel: Path, root: Path) -> None:
    """The wheel lies there, is the one of the report, and is for the Python of the report."""
    if not wheel.is_file():
        raise BadRequest(
            f"its wheel {wheel.name} does not lie beside it",
            code="reported-wheel-missing",
            hint=_AGAIN,
        )
    if not real_path(wheel).is_relative_to(real_path(root)):
        raise BadRequest(
            f"its wheel is a link out of {root}", code="reported-wheel-outside", hint=_AGAIN
        )
    digest = file_digest(wheel)
    if {report.wheel.sha256, report.audit.sha256, report.smoke.sha256} != {digest}:
        raise AuditFailed(
            f"{wheel.name} is not the wheel that was audited and smoke-tested",
            code="reported-wheel-changed",
            why=f"its sha256 is {digest[:12]}..., the report has {report.wheel.sha256[:12]}..., "
            f"audit {report.audit.sha256[:12]}... and smoke test {report.smoke.sha256[:12]}...",
            hint=_AGAIN,
        )
    content = open_wheel(wheel)
    if content.problems:
        raise AuditFailed(
            f"{wheel.name} is damaged",
            code="reported-wheel-damaged",
            why=content.problems[0],
            hint=_AGAIN,
        )
    python = next((c.value for c in report.versions.choices if c.axis == "python"), "")
    tag = "cp" + python.replace(".", "")
    found = (content.name.version, content.name.python)
    if found != (report.wheel.version, tag):
        raise AuditFailed(
            f"{wheel.name} is {found[0]} for {found[1]}",
            code="reported-wheel-other",
            why=f"the report is of {report.wheel.version} for {tag}",
            hint=_AGAIN,
        )


def _read_tools(report: Report, wheel: Path, root: Path) -> Pairs:
    """What the lock beside the wheel says that it was built with."""
    path = lock_path(wheel)
    if not path.is_file():
        raise BadRequest(
            f"its lock {path.name} does not lie beside it",
            code="reported-lock-missing",
            hint=_AGAIN,
        )
    if not real_path(path).is_relative_to(real_path(root)):
        raise BadRequest(
            f"its lock is a link out of {root}", code="reported-lock-outside", hint=_AGAIN
        )
    try:
        lock = read_lock_file(path)
    except BadRequest as error:
        error.hint = _AGAIN
        raise
    planned = tuple((choice.axis, choice.value) for choice in report.versions.choices)
    same = (lock.wheel_sha256, lock.plan) == (report.wheel.sha256, report.plan.id)
    if not same or dict(lock.versions) != dict(planned):
        raise AuditFailed(
            f"{path.name} is the lock of another build",
            code="reported-lock-other",
            why="its wheel, its plan or its versions are not those of the report",
            hint=_AGAIN,
        )
    return lock.tools


def _check_audit(report: Report) -> None:
    failed = [finding.name for finding in report.audit.findings if finding.state == "failed"]
    if failed:
        raise AuditFailed(
            f"its audit failed: {', '.join(failed)}", code="reported-audit-failed", hint=_AGAIN
        )
    if not any(finding.state == "passed" for finding in report.audit.findings):
        raise BadRequest("its audit looked at nothing", code="reported-audit-empty", hint=_AGAIN)


def _check_smoke(report: Report) -> None:
    failed = [
        f"{check.name}: {check.reason}" for check in report.smoke.checks if check.state == "failed"
    ]
    if failed:
        raise SmokeFailed(
            "its smoke test failed",
            code="reported-smoke-failed",
            why="\n".join(failed),
            hint=_AGAIN,
        )
    if not any(check.name == _FIRST_CHECK for check in _passed(report)):
        raise BadRequest(
            "its smoke test never imported the wheel", code="reported-wheel-untried", hint=_AGAIN
        )


def _passed(report: Report) -> list[SmokeCheck]:
    return [check for check in report.smoke.checks if check.state == "passed"]
