"""Reads back what earlier runs have written: plans, reports, a machine, a lock."""

import json
from pathlib import Path
from typing import Any, TypeVar

from tfbuild.core.environment_lock import read_environment
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import AuditPolicy, EnvironmentLock, Host
from tfbuild.core.reports import PerfReport
from tfbuild.core.serialization import from_plain
from tfbuild.core.settings import AXES
from tfbuild.core.versions import did_you_mean

Record = TypeVar("Record")


def read_policy(path: Path) -> AuditPolicy:
    """What a plan.json wants of its wheel; BadRequest when the file is none."""
    document = _document(path, ("tfbuild.plan/1",))
    return _record(AuditPolicy, document.get("audit"), path)


def read_perf(path: Path) -> PerfReport:
    """The speeds in a report.json or in what `tfbuild perf --json` printed.

    Raises BadRequest when the file is neither.
    """
    document = _document(path, ("tfbuild.report/1", "tfbuild.perf/1"))
    schema = document.pop("schema")
    return _record(PerfReport, document if schema == "tfbuild.perf/1" else document["perf"], path)


def read_host(path: Path) -> Host:
    """The machine that a `tfbuild doctor --json` tells of; BadRequest when the file is none."""
    return _record(Host, _document(path, ("tfbuild.doctor/1",)).get("host"), path)


def read_lock(path: Path) -> dict[str, str]:
    """Axis -> version of a lock file; BadRequest when the file is none."""
    versions = _lock_document(path)["versions"]
    for axis in map(str, versions):
        if axis not in AXES:
            raise BadRequest(f"{path}: there is no axis '{axis}'", hint=did_you_mean(axis, AXES))
    return {str(axis): _one_spec(str(version)) for axis, version in versions.items()}


def read_locked_environment(path: Path) -> EnvironmentLock:
    """The environment of a lock file, all empty where it has none; BadRequest as in read_lock."""
    try:
        return read_environment(_lock_document(path).get("environment"))
    except ValueError as error:
        raise BadRequest(
            f"{path}: its environment is not understood",
            why=str(error),
            hint="take the lock as a build has written it, or leave that section out",
        ) from error


def _lock_document(path: Path) -> dict[str, Any]:
    from tfbuild.facts.tables import read_yaml

    hint = "write one with `tfbuild resolve --lock FILE`"
    if not path.is_file():
        raise BadRequest(f"there is no lock {path}", hint=hint)
    content = read_yaml(path)
    versions = content.get("versions") if isinstance(content, dict) else None
    if not isinstance(versions, dict) or content.get("schema") != "tfbuild.lock/1":
        raise BadRequest(f"{path} is not tfbuild.lock/1", hint=hint)
    return dict(content)


def _one_spec(value: str) -> str:
    """The value as a spec: architectures stand apart by blanks in a lock, by commas in a wish."""
    words = value.split()
    is_list = len(words) > 1 and all(word.startswith(("sm_", "compute_")) for word in words)
    return ",".join(words) if is_list else value


def _document(path: Path, schemas: tuple[str, ...]) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"cannot read {path}", why=str(error), hint="name a file that tfbuild has written"
        ) from error
    found = document.get("schema") if isinstance(document, dict) else None
    if found not in schemas:
        raise BadRequest(
            f"{path} is not {' or '.join(schemas)}",
            why=f"its schema is {found or 'missing'}",
            hint="plan.json lies in a run's folder, report.json beside the wheel",
        )
    return dict(document)


def _record(kind: type[Record], data: object, path: Path) -> Record:
    try:
        return from_plain(kind, data)
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(
            f"{path} was written by another tfbuild, or changed by hand",
            why=str(error),
            hint="write it again with this tfbuild",
        ) from error
