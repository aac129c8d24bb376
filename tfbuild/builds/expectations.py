"""What a built file is held against: decided here, for every command that reads a report.

A report beside a file may be a stranger's, as the file may be, and what it asks for can make each
check easier. So a report counts by itself only with the seal that a secret of this user's state
folder makes; any other counts where it is named.
"""

import hmac
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.builds.saved_files import policy_in, read_document, read_policy
from tfbuild.core.errors import BadRequest
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.safe_files import read_json
from tfbuild.core.state_folder import mark_of

_SEAL = "seal"
_NAMED = "held against {}, which was named"
_OWN = "held against {} beside it, which your tfbuild has written"
_STRANGE = "{} beside it is not used: your tfbuild did not write it. If you trust it: --plan {}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The file to hold a built one against, None for none, and a sentence on where it is from."""

    source: Path | None
    said: str = ""


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a report with the seal of this user, by which his tfbuild knows it again."""
    return {**document, _SEAL: _seal_of(document)}


def is_own(report: Path) -> bool:
    """Whether this user's tfbuild has written a report; nothing where it cannot be read."""
    try:
        document = read_json(report)
    except (OSError, ValueError):
        return False
    seal = document.get(_SEAL) if isinstance(document, dict) else None
    if not isinstance(seal, str) or not seal.isascii():
        return False
    return bool(seal) and hmac.compare_digest(seal, _seal_of(document))


def expected_of(report: Path, plan: str) -> Expectation:
    """The plan that was named; else the report beside, where it is this user's own."""
    if plan:
        return Expectation(Path(plan), _NAMED.format(plan))
    if not os.path.lexists(report):
        return Expectation(None)
    if is_own(report):
        return Expectation(report, _OWN.format(report.name))
    return Expectation(None, _STRANGE.format(report.name, shlex.quote(str(report))))


def policy_of_wheel(wheel: Path, sha256: str, plan: str) -> tuple[AuditPolicy | None, str]:
    """What is wanted of a wheel, None where nothing says it, and where that is from, in words.

    Raises BadRequest where the plan that was named cannot be read.
    """
    beside = wheel.with_name("report.json")
    if not plan and not _is_of(beside, sha256):
        return None, ""
    expected = expected_of(beside, plan)
    return (read_policy(expected.source) if expected.source else None), expected.said


# --- inside ------------------------------------------------------------------------------------


def _seal_of(document: Mapping[str, Any]) -> str:
    said = {key: value for key, value in document.items() if key != _SEAL}
    return mark_of(b"report\0" + json.dumps(said, sort_keys=True).encode())


def _is_of(report: Path, sha256: str) -> bool:
    """Whether a report says that it is of the wheel with that digest."""
    try:
        document = read_document(report, ("tfbuild.report/2",))
        policy_in(document, report)
    except BadRequest:  # there is none, or one of something else
        return False
    built = document.get("wheel")
    return isinstance(built, dict) and built.get("sha256") == sha256
