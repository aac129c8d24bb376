"""Copies a user's source tree, which itself is only read."""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import file_digest, real_path
from tfbuild.fetch.seals import SEAL

# What is no source code: what version control keeps, and what Python leaves where it is run.
_MOST_BYTES = 50_000_000_000  # a file with holes takes no room, and time to read for its size
_DEEPEST = 200  # folders in one another
_LEFT_OUT = (".git", ".hg", ".svn", ".jj", "__pycache__", SEAL)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file or a link, by its place in the tree."""

    name: str
    executable: bool = False
    size: int = 0
    target: str = ""  # of a link


def folder_digest(folder: Path) -> str:
    """One sha256 over all that a copy of the tree would hold.

    Names, contents, links, and who may execute. Raises BadRequest as `copy_folder` does.
    """
    return _digest(folder, _entries(folder))


def copy_folder(folder: Path, target: Path) -> str:
    """Copy a tree as the folder target, which must not be there; the digest of what was copied.

    Files keep their times; links stay links. What version control keeps is left out, as are the
    bazel-* links of builds, and what is neither file nor link. Raises BadRequest for a tree that
    cannot be read and for a link that leads out of it, DiskFull where there is too little room.
    """
    if real_path(target).is_relative_to(real_path(folder)):
        raise BadRequest(
            f"{folder} would be copied into itself",
            code="copy-into-itself",
            why=f"tfbuild works in {target.parent}",
            hint="name another work folder with TFBUILD_WORK_DIR",
        )
    entries = _entries(folder)
    room = sum(entry.size for entry in entries) // 1_000_000 + 50
    require_room(target.parent, room, f"a copy of {folder}")
    target.mkdir(parents=True)
    for entry in entries:
        place = target / entry.name
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.target:
            place.symlink_to(entry.target)
        else:
            _copy_file(folder / entry.name, place, executable=entry.executable)
    return _digest(target, entries)


# --- inside ------------------------------------------------------------------------------------


def _copy_file(source: Path, place: Path, *, executable: bool) -> None:
    try:
        state = source.stat()
        shutil.copyfile(source, place)
    except PermissionError as error:
        raise _unreadable(source, error) from error
    place.chmod(0o755 if executable else 0o644)
    os.utime(place, ns=(state.st_mtime_ns, state.st_mtime_ns))


def _entries(folder: Path) -> list[_Entry]:
    """All files and links of the tree, in order of their names."""
    if not folder.is_dir():
        raise BadRequest(
            f"the source tree {folder} is {'no folder' if folder.exists() else 'not there'}",
            code="source-tree-missing",
            hint="name a folder with --source",
        )
    try:
        entries = sorted(_walk(real_path(folder), ""), key=lambda entry: entry.name)
    except PermissionError as error:
        raise _unreadable(Path(error.filename or folder), error) from error
    total = sum(entry.size for entry in entries)
    if total > _MOST_BYTES:
        largest = max(entries, key=lambda entry: entry.size)
        raise BadRequest(
            f"the files of the source tree {folder} have {total / 1e9:,.0f} GB",
            code="source-tree-too-large",
            why=f"more than {_MOST_BYTES / 1e9:.0f} GB are not read; the largest is {largest.name}",
            hint="leave out what is no source code",
        )
    return entries


def _walk(root: Path, below: str) -> Iterator[_Entry]:
    if below.count("/") > _DEEPEST:
        raise BadRequest(
            f"the source tree {root} has more than {_DEEPEST} folders in one another",
            code="source-tree-too-deep",
            why=f"the first of them is {below.partition('/')[0]}",
            hint="see what has made them, and leave them out",
        )
    with os.scandir(root / below) as found:
        for entry in found:
            place = f"{below}{entry.name}"
            if entry.name in _LEFT_OUT:
                continue
            if entry.is_symlink():
                if not entry.name.startswith("bazel-"):
                    yield _Entry(place, target=_target_of(root, place))
            elif entry.is_dir(follow_symlinks=False):
                yield from _walk(root, f"{place}/")
            else:
                state = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(state.st_mode):
                    yield _Entry(place, bool(state.st_mode & 0o100), state.st_size)


def _target_of(root: Path, place: str) -> str:
    """What the copy of a link leads to: the same place of the copy, never one of the tree."""
    link = root / place
    text = str(link.readlink())
    # To follow each of a row that Linux does not follow takes time by the square of its length.
    end = link if _is_endless(link) else real_path(link)
    if not end.is_relative_to(root):
        raise BadRequest(
            f"the link {place} leads out of the source tree",
            code="source-link-leads-out",
            why=f"it leads to {text}",
            hint="put what it leads to into the tree in its place",
        )
    way = os.path.normpath(link.parent / text)
    if Path(text).is_absolute() or not Path(way).is_relative_to(root):
        return os.path.relpath(end, real_path(link.parent))
    return text


def _is_endless(link: Path) -> bool:
    """Whether it leads in a circle, or by more than 40 links."""
    try:
        link.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _digest(folder: Path, entries: list[_Entry]) -> str:
    total = hashlib.sha256()
    for entry in entries:
        path = folder / entry.name
        try:
            said = f"link {entry.target}" if entry.target else f"file {file_digest(path)}"
        except PermissionError as error:
            raise _unreadable(path, error) from error
        line = f"{entry.name}\0{said}\0{'x' if entry.executable else ''}\n"
        total.update(os.fsencode(line))
    return total.hexdigest()


def _unreadable(path: Path, error: OSError) -> BadRequest:
    return BadRequest(
        f"{path} cannot be read",
        code="source-file-unreadable",
        why=error.strerror or str(error),
        hint="give yourself the right to read it, or name another tree with --source",
    )
