"""What a built file is held against: decided here, for every command that reads a report.

A report beside a file may be a stranger's, as the file may be, and what it asks for can make each
check easier. So a report counts by itself only with the seal that a secret of this user's state
folder makes; any other counts where it is named.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.builds.saved_files import document_of, policy_in, read_policy
from tfbuild.core.errors import BadRequest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.report_seal import is_own
from tfbuild.core.safe_files import read_json

_NAMED = "held against {}, which was named"
_OWN = "held against {} beside it, which your tfbuild has written"
_STRANGE = "{} beside it is not used: your tfbuild did not write it. If you trust it: --plan {}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What to hold a built file against, and a sentence on where it is from.

    `document` is what stood in this user's own report as its seal was checked: who read the file
    again could find another. A plan that was named is read by who needs it.
    """

    source: Path | None  # None where there is nothing
    said: str = ""
    document: Mapping[str, Any] | None = None


def expected_of(report: Path, plan: str) -> Expectation:
    """The plan that was named; else the report beside, where it is this user's own."""
    if plan:
        return Expectation(Path(plan), _NAMED.format(plan))
    if not os.path.lexists(report):
        return Expectation(None)
    return _expected_in(_read(report), report)


def policy_of_wheel(wheel: Path, sha256: str, plan: str) -> tuple[AuditPolicy | None, str]:
    """What is wanted of a wheel, None where nothing says it, and where that is from, in words.

    Raises BadRequest where the plan that was named cannot be read.
    """
    if plan:
        return read_policy(Path(plan)), _NAMED.format(plan)
    beside = wheel.with_name("report.json")
    read = _read(beside)
    expected = _expected_in(read, beside)
    policy = _policy_of(read, beside, sha256)
    if policy is None:
        return None, ""
    return (policy if expected.source else None), expected.said


# --- inside ------------------------------------------------------------------------------------


def _read(report: Path) -> object:
    """What stands in a file, None where it cannot be read; asked once for each use of it."""
    try:
        return read_json(report)
    except (OSError, ValueError):
        return None


def _expected_in(read: object, report: Path) -> Expectation:
    if is_own(read):
        assert isinstance(read, dict)
        return Expectation(report, _OWN.format(report.name), read)
    return Expectation(None, _STRANGE.format(report.name, shlex.quote(str(report))))


def _policy_of(read: object, report: Path, sha256: str) -> AuditPolicy | None:
    """What a report wants of the wheel with that digest; None where it is of something else."""
    try:
        document = document_of(read, report, ("tfbuild.report/2",))
        policy = policy_in(document, report)
    except BadRequest:
        return None
    built = document.get("wheel")
    return policy if isinstance(built, dict) and built.get("sha256") == sha256 else None
