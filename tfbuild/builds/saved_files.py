"""Reads back what earlier runs have written: plans, reports, a machine."""

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from tfbuild.core.documents import as_current
from tfbuild.core.errors import BadRequest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.records import Host
from tfbuild.core.reports import PerfReport
from tfbuild.core.safe_files import read_json
from tfbuild.core.serialization import from_plain

_MOST_LISTED = 200  # compilers, Pythons, GPUs: the resolver looks at each several times
Record = TypeVar("Record")


def read_policy(path: Path) -> AuditPolicy:
    """What a plan.json or a report.json wants of its wheel; BadRequest when the file is neither."""
    return policy_in(read_document(path, ("tfbuild.plan/2", "tfbuild.report/2")), path)


def policy_in(document: dict[str, Any], path: Path) -> AuditPolicy:
    """What the document of a plan or a report wants of its wheel; BadRequest when it is broken."""
    is_whole = document["schema"] == "tfbuild.report/2"
    plan = document.get("plan") if is_whole else document
    return record_of(AuditPolicy, plan.get("audit") if isinstance(plan, dict) else None, path)


def read_perf(path: Path) -> PerfReport:
    """The speeds in a report.json or in what `tfbuild perf --json` printed.

    Raises BadRequest when the file is neither.
    """
    document = read_document(path, ("tfbuild.report/2", "tfbuild.perf/1"))
    is_whole = document.pop("schema") == "tfbuild.report/2"
    return record_of(PerfReport, document.get("perf") if is_whole else document, path)


def read_host(path: Path) -> Host:
    """The machine that a `tfbuild doctor --json` describes; BadRequest when the file is none."""
    host = record_of(Host, read_document(path, ("tfbuild.doctor/2",)).get("host"), path)
    for what, there in _lists_of(host).items():
        if len(there) > _MOST_LISTED:
            raise BadRequest(
                f"{path} lists {len(there):,} {what}",
                code="machine-too-large",
                why=f"no machine has more than {_MOST_LISTED} that count: each is looked at",
                hint="take the file as `tfbuild doctor --json` has written it",
            )
    return host


def _lists_of(host: Host) -> dict[str, tuple[object, ...]]:
    lists = {field.name: getattr(host, field.name) for field in fields(host)}
    return {name: value for name, value in lists.items() if isinstance(value, tuple)}


def read_document(path: Path, schemas: tuple[str, ...]) -> dict[str, Any]:
    """The document of one of these schemas in a file; BadRequest when it is none."""
    try:
        document = read_json(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    return document_of(document, path, schemas)


def document_of(document: object, path: Path, schemas: tuple[str, ...]) -> dict[str, Any]:
    """What was read from a file, as a document of one of these schemas; BadRequest when it is none.

    For who has read it already: another reading could find something else.
    """
    try:
        current = as_current(document) if isinstance(document, dict) else {}
    except ValueError as error:
        raise _unreadable(path, error) from error
    found = current.get("schema")
    if found not in schemas:
        raise BadRequest(
            f"{path} is not {' or '.join(schemas)}",
            code="saved-file-wrong-kind",
            why=f"its schema is {found or 'missing'}",
            hint="plan.json lies in a run's folder, report.json beside what was built",
        )
    return dict(current)


def _unreadable(path: Path, error: Exception) -> BadRequest:
    return BadRequest(
        f"cannot read {path}",
        code="saved-file-unreadable",
        why=str(error),
        hint="name a file that tfbuild has written",
    )


def record_of(kind: type[Record], data: object, path: Path) -> Record:
    """The record in what a file holds; BadRequest where it has not its shape."""
    try:
        return from_plain(kind, data)
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(
            f"{path} was written by another tfbuild, or changed by hand",
            code="saved-file-wrong-fields",
            why=str(error),
            hint="write it again with this tfbuild",
        ) from error
