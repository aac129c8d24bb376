"""Files read, written and found while a step runs."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit


def read_file(filename: Any, name: str | None = None) -> Any:
    """Return all bytes of a file as a string tensor."""
    return emit("ReadFile", [filename], name)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Return an operation that writes a file, and makes the folders that it is in."""
    return framework.apply_op("WriteFile", [filename, contents], None, name or "WriteFile")


def matching_files(pattern: Any, name: str | None = None) -> Any:
    """Return the names of the files that match a pattern or one of several, sorted."""
    return emit("MatchingFiles", [pattern], name)
