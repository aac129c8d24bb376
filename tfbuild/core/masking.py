"""Hides what is secret in text that is shown, logged or written down: logins, tokens, headers.

It rather hides a harmless word than shows a secret one; what it gives is for people to read.
"""

import re
from typing import Any

HIDDEN = "****"
# user:password@ may hold slashes and quotes; a token alone ends where a path begins.
_LOGIN = re.compile(r"(?<=://)(?:[^\s/:@]*:(?:(?!://)\S)*@|[^\s/@]+@)")
_KINDS = r"(?:token|secret|passw(?:or)?d|signature|credential|api_?key|access_?key(?:id)?|auth|sig)"
_QUERY = re.compile(rf"(?i)([?&;](?:[\w.%-]{{0,60}}[_.-])?{_KINDS}(?:[_.-][\w.%-]*)?=)[^&;\s\"'#]+")
_NAMES = r"(?:proxy-)?authorization|(?:private|job|deploy)-token|x-[\w-]{0,40}(?:token|key|secret)"
_HEADER = re.compile(
    rf"(?i)\b((?:{_NAMES})[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token|digest|negotiate)\s+)?)"
    r"[^\s\"',;]+"
)


def mask(text: str) -> str:
    """The text without logins in addresses, tokens in queries and headers that authorize."""
    if "://" in text:
        text = _LOGIN.sub(f"{HIDDEN}@", text)
    if "=" in text or ":" in text:
        text = _QUERY.sub(rf"\1{HIDDEN}", text)
        text = _HEADER.sub(rf"\1{HIDDEN}", text)
    return text


def mask_all(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Plain data of the same shape, each text in it masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: mask_all(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_all(each) for each in value]
    return value
