"""The files of matrices/ as one file of the cache: reading YAML takes most of what facts cost."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tfbuild.core.cache_mark import is_cache
from tfbuild.core.kept_json import read_kept, state_of, write_kept
from tfbuild.core.safe_files import read_yaml


@cache
def kept_matrices(folder: Path, kept: Path) -> Mapping[str, Any]:
    """The content of each file of a folder by its name; those that cannot be read are left out.

    It comes out of the file `kept`, which is made anew where one of them has changed.
    """
    if not folder.is_dir():
        return {}
    subject = state_of(folder)
    if isinstance(plain := read_kept(kept, subject), dict):
        return plain
    contents: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        with suppress(OSError, ValueError):  # whoever needs it reads it itself, and fails
            contents[path.name] = read_yaml(path)
    if is_cache(kept.parent):  # what only asks makes none
        with suppress(OSError):  # it only saves time
            write_kept(kept, subject, contents)
    return contents
