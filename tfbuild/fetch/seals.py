"""Seals on trees in the cache: what was put there, so that whatever changed since is found.

A seal lies in its tree, so that both move and go as one. A file whose name, mode, size, times and
inode are those of the seal is believed; of any other the digest is taken, of all of them in full.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any

from tfbuild.core.any_tree import remove_what_can
from tfbuild.core.errors import FetchFailed
from tfbuild.core.kept_json import read_kept, write_kept
from tfbuild.core.parts import part_name
from tfbuild.core.paths import file_digest
from tfbuild.core.trust import distrust, is_ours

SEAL = ".tfbuild-seal.json"
_ROW = [int, int, str, int, int, int]  # mode, size, digest, times of change, inode


def seal_tree(
    root: Path,
    listed: Collection[str] | None,
    *,
    name: str = "",
    known: Mapping[str, str] | None = None,
) -> None:
    """Write down what is below root, which will be called name; OSError as it comes.

    listed is what must be there, by its place below root, as the archive itself says it, None for
    what was made here out of several; known has the digests of files that need not be read again.
    Raises FetchFailed where the tree is not that.
    """
    there = dict(_walk(root))
    if listed is not None and (strange := _difference(there.keys(), set(listed))):
        raise FetchFailed(
            f"{name or root.name} is not what its archive lists: {strange}",
            code="unpacked-files-changed",
            why="something else has changed the folder while it was made",
            hint="run the same command again; it was not taken into the cache",
        )
    digests = known or {}
    rows = {}
    for place, state in there.items():
        digest = digests.get(place) or _digest(root / place, state)
        rows[place] = [state.st_mode, state.st_size, digest, *_stamp(state)]
    _write(root, name or root.name, rows)


def sealed_digests(root: Path) -> dict[str, str]:
    """The digest that each file had when the tree was sealed; none without a seal."""
    return {place: row[2] for place, row in (_rows(root) or {}).items()}


def find_damage(root: Path, *, in_full: bool = False) -> str:
    """What is not as it was sealed, in words; empty where all is.

    A file that was only touched or copied is believed faster from then on.
    """
    if reason := distrust(root):
        return reason
    rows = _rows(root)
    if rows is None:
        return "its seal is missing or broken"
    try:
        there = dict(_walk(root))
        if strange := _strange(there, rows):
            return strange
        sealed_at = (root / SEAL).stat().st_mtime_ns
        slow = [
            place
            for place, state in there.items()
            if in_full or not _is_believed(rows[place], state, sealed_at)
        ]
        for place in slow:
            if not _is_same(rows[place], root / place, there[place]):
                return f"{place} was changed"
    except OSError as error:
        return f"{error.filename or root} cannot be read: {error.strerror}"
    if not all(_is_believed(rows[place], there[place], sealed_at) for place in slow):
        with suppress(OSError):  # a cache that is only read stays slow
            stamped = {place: [*rows[place][:3], *_stamp(there[place])] for place in there}
            _write(root, root.name, stamped)
    return ""


def discard(tree: Path) -> None:
    """Take a tree or a file out of its place at once, then remove it."""
    aside = tree.with_name(part_name())
    with suppress(FileNotFoundError):
        tree.rename(aside)
    remove_what_can(aside)


# --- inside ------------------------------------------------------------------------------------


def _write(root: Path, name: str, rows: Mapping[str, Any]) -> None:
    """Put the seal into its tree in one step: what lay in it half written would be damage."""
    write_kept(root / SEAL, name, rows, within=root.parent)


def _rows(root: Path) -> dict[str, Any] | None:
    """Of each file its mode, size, digest and stamp, by its place below root; None for no seal."""
    kept = read_kept(root / SEAL, root.name)
    is_seal = isinstance(kept, dict) and all(map(_is_row, kept.values()))
    return kept if is_seal else None


def _is_row(row: object) -> bool:
    return isinstance(row, list) and [type(value) for value in row] == _ROW


def _strange(there: Mapping[str, os.stat_result], rows: Mapping[str, Any]) -> str:
    """The first file that is missing, that was put there, or that another user can change."""
    if strange := _difference(there.keys(), rows.keys()):
        return strange
    theirs = sorted(place for place, state in there.items() if not is_ours(state))
    return f"{theirs[0]} belongs to another user" if theirs else ""


def _difference(there: AbstractSet[str], listed: AbstractSet[str]) -> str:
    """The first place that is missing or that was put there; empty where there is none."""
    names = sorted(there ^ listed)
    return f"{names[0]} {'is missing' if names[0] in listed else 'was put there'}" if names else ""


def _walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All that is below root but folders and the seal, by its place, however deep it lies."""
    folders = [""]
    while folders:
        below = folders.pop()
        with os.scandir(root / below) as entries:
            for entry in entries:
                place = f"{below}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{place}/")
                elif place != SEAL:
                    yield place, entry.stat(follow_symlinks=False)


def _stamp(state: os.stat_result) -> list[int]:
    return [state.st_mtime_ns, state.st_ctime_ns, state.st_ino]


def _is_believed(row: list[Any], state: os.stat_result, sealed_at: int) -> bool:
    """Whether a file is known without reading it.

    One that was written in the same tick of the clock as the seal may have been written again.
    """
    is_same = row[:2] + row[3:] == [state.st_mode, state.st_size, *_stamp(state)]
    return bool(is_same and state.st_ctime_ns < sealed_at)


def _is_same(row: list[Any], path: Path, state: os.stat_result) -> bool:
    mode, size, digest, *_ = row
    return (mode, size) == (state.st_mode, state.st_size) and _digest(path, state) == digest


def _digest(path: Path, state: os.stat_result) -> str:
    """The sha256 of a file's content, or of where a link leads."""
    if stat.S_ISLNK(state.st_mode):
        return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    if not stat.S_ISREG(state.st_mode):
        return "neither a file nor a link"
    return file_digest(path)
