"""tf.io.gfile: the functions of tf.gfile by the names and arguments of TensorFlow 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.platform import gfile
from tfbuild_runtime.platform.gfile import GFile, copy, rename

__all__ = ["GFile", "copy", "exists", "glob", "isdir", "listdir", "makedirs", "mkdir", "remove",
           "rename", "rmtree", "stat", "walk"]  # fmt: skip


def exists(path: Any) -> bool:
    """Whether there is a file or folder of that name."""
    return gfile.exists(path)


def glob(pattern: Any) -> list[str]:
    """Return the paths that fit a pattern, or any of several, in their order."""
    return gfile.glob(pattern)


def isdir(path: Any) -> bool:
    """Whether that is a folder."""
    return gfile.is_directory(path)


def listdir(path: Any) -> list[str]:
    """Return the names in a folder; raises NotFoundError when it is none."""
    return gfile.list_directory(path)


def makedirs(path: Any) -> None:
    """Make a folder and all above it; it may be there already."""
    gfile.make_directories(path)


def mkdir(path: Any) -> None:
    """Make a folder in one that is there."""
    gfile.make_directory(path)


def remove(path: Any) -> None:
    """Delete a file."""
    gfile.remove(path)


def rmtree(path: Any) -> None:
    """Delete a folder and all that is in it."""
    gfile.delete_recursively(path)


def stat(path: Any) -> gfile.FileStatistics:
    """Return what the system says of a file."""
    return gfile.stat(path)


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (folder, folders in it, files in it) for a folder and all below it.

    onerror is called with the error of a folder that cannot be listed; without it such a folder
    is passed over.
    """
    return gfile.walk(top, topdown, onerror)
