"""How a test ended, from the error that ended it."""

from __future__ import annotations

import re
import traceback
import unittest
from typing import Any

import tfbuild_runtime.compat.v1 as tf
from comparisons import WrongValue
from expected_errors import NotRefused, OtherError
from missing import MissingName

# How the runtime, and Python, say that a name is not there; the groups are the name.
_MISSING = (
    re.compile(r"<missing ([\w.]+)>"),
    re.compile(r"op type not registered: '(\w+)'"),
    re.compile(r"there is no op '(\w+)'"),
    re.compile(r"\btf\.([\w.]+) of TensorFlow 1 is not there"),
    re.compile(r"(tensorflow\.[\w.]+) has no '(\w+)' here"),
    re.compile(r"(tensorflow\.[\w.]+) is not there: it is a module"),
    re.compile(r"module '(?:tfbuild_runtime\.)?([\w.]+)' has no attribute '(\w+)'"),
    re.compile(r"(?:type object )?'(\w+)' (?:object )?has no attribute '(\w+)'"),
    re.compile(r"cannot import name '(\w+)' from 'tfbuild_runtime[\w.]*'"),
    re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'"),
)
_PYTHONS = {
    "NoneType",
    "list",
    "dict",
    "tuple",
    "function",
    "str",
    "int",
    "float",
    "ndarray",
    "bytes",
}
_NOT_IMPLEMENTED = re.compile(
    r"not implemented|not there yet|is not there\b|no kernel|not supported yet|has no gradient",
    re.IGNORECASE,
)


def ending(error: BaseException) -> tuple[str, str]:
    """Return the reason and what explains it best: the missing name, or the error's first line."""
    if isinstance(error, unittest.SkipTest):
        return "skipped", _line(error)
    lacks = _lacks(error)
    if lacks:
        return lacks
    for kind, reason in (
        (WrongValue, "wrong value"),
        (NotRefused, "accepted"),
        (OtherError, "other error"),
        (AssertionError, "other assertion"),
        (MemoryError, "out of memory"),
        (tf.errors.ResourceExhaustedError, "out of memory"),
    ):
        if isinstance(error, kind):
            return reason, f"{_line(error)}{_place(error)}"
    return "refused", f"{type(error).__name__}: {_line(error)}{_place(error)}"


def _lacks(error: BaseException) -> tuple[str, str] | None:
    """Return the ending when something is not there; an unexpected error is judged by its cause."""
    if isinstance(error, MissingName):
        return "missing name", str(error)
    if isinstance(error, OtherError):
        return _lacks(error.__cause__) if error.__cause__ is not None else None
    if isinstance(error, AssertionError):
        return None
    name = _missing_name(str(error))
    if name:
        return "missing name", name
    is_known_gap = isinstance(error, (NotImplementedError, tf.errors.UnimplementedError))
    if is_known_gap or _NOT_IMPLEMENTED.search(str(error)):
        return "not implemented", _line(error)
    return None


def _missing_name(text: str) -> str:
    for pattern in _MISSING:
        found = pattern.search(text)
        if found and found[1] not in _PYTHONS:
            return ".".join(found.groups()) + ("=" if "keyword" in text else "")
    return ""


def _line(error: Any) -> str:
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines)[:300]


def _place(error: BaseException) -> str:
    """Return the line of the test file that was the last to be left."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith("_test.py"):
            return f" (line {frame.lineno})"
    return ""
