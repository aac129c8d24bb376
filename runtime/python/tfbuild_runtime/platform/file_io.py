"""Files by the names of tensorflow.python.lib.io.file_io."""

from __future__ import annotations

import os
from typing import Any

from tfbuild_runtime.platform.gfile import (
    GFile,
    copy,
    delete_recursively,
    exists,
    glob,
    is_directory,
    list_directory,
    make_directories,
    make_directory,
    remove,
    rename,
    stat,
    walk,
)

FileIO = GFile
create_dir, recursive_create_dir = make_directory, make_directories
delete_file, file_exists = remove, exists


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """Return what a file holds, as text or, in binary mode, as bytes."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Write a text into a file, which is made or replaced."""
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Write a text into a file at once; raises AlreadyExistsError where it may not replace one."""
    aside = f"{os.fsdecode(filename)}.tmp{os.getpid()}"
    write_string_to_file(aside, contents)
    try:
        rename(aside, filename, overwrite)
    except Exception:
        remove(aside)
        raise


def get_matching_files(filename: Any) -> list[str]:
    """Return the files that fit a pattern, or each of several."""
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [path for pattern in patterns for path in glob(pattern)]


__all__ = [
    "FileIO",
    "atomic_write_string_to_file",
    "copy",
    "create_dir",
    "delete_file",
    "delete_recursively",
    "file_exists",
    "get_matching_files",
    "is_directory",
    "list_directory",
    "read_file_to_string",
    "recursive_create_dir",
    "rename",
    "stat",
    "walk",
    "write_string_to_file",
]
