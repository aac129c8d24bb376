"""The moment that SOURCE_DATE_EPOCH names, for files that must be the same bytes each time."""

import os

from tfbuild.core.errors import BadRequest

VARIABLE = "SOURCE_DATE_EPOCH"
_LATEST = 4354819198  # 2107-12-31, the last day a zip file knows


def source_date() -> int | None:
    """Seconds since 1970 where the variable is set; BadRequest where it says no such moment."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _LATEST):
        raise BadRequest(
            f"{VARIABLE} is '{text[:40]}'",
            code="source-date-wrong",
            hint=f"write seconds since 1970, up to {_LATEST}, such as $(git log -1 --format=%ct); "
            "or unset it",
        )
    return int(text)
