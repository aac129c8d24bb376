"""The seal of a report: by it a user's tfbuild knows again what it has written."""

import hmac
import json
from collections.abc import Mapping
from typing import Any

from tfbuild.core.state_folder import mark_of

_SEAL = "seal"


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a report with the seal of this user, by which his tfbuild knows it again."""
    return {**document, _SEAL: _seal_of(document)}


def is_own(document: object) -> bool:
    """Whether this user's tfbuild has written what stood in a report."""
    if not isinstance(document, dict):
        return False
    seal = document.get(_SEAL)
    if not isinstance(seal, str) or not seal.isascii():
        return False
    return bool(seal) and hmac.compare_digest(seal, _seal_of(document))


def _seal_of(document: Mapping[str, Any]) -> str:
    said = {key: value for key, value in document.items() if key != _SEAL}
    return mark_of(b"report\0" + json.dumps(said, sort_keys=True).encode())
