"""Half-made files and folders: their maker holds them by a lock, and nobody else's are removed.

A lock on the open file or folder itself ends with its maker, however that ends, and holds between
containers that share a disk: numbers of processes mean nothing from one to the next. Names are
drawn at random and made without following a link.
"""

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.any_tree import remove_what_can

_SUFFIX = ".part"
_ATTEMPTS = 20  # at making one that nobody sweeps before it is held
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LEFT_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def is_part(path: Path) -> bool:
    """Whether a name is that of something half made."""
    return path.name.startswith(".") and path.name.endswith(_SUFFIX)


def part_name(stem: str = "") -> str:
    """A name for something half made, which nobody could foresee."""
    return f".{stem}{'.' if stem else ''}{secrets.token_hex(8)}{_SUFFIX}"


@contextmanager
def part_file(folder: Path, *, mode: int = 0o666) -> Iterator[Path]:
    """A new empty file in folder, held; removed at the end unless it was moved. OSError.

    It is made with that mode, less what the umask takes away.
    """
    with _held(folder, lambda path: os.open(path, _NEW_FILE, mode), "") as path:
        yield path


@contextmanager
def part_folder(folder: Path, stem: str = "") -> Iterator[Path]:
    """A new empty folder in folder, held; removed at the end unless it was moved. OSError."""
    with _held(folder, _make_folder, stem) as path:
        yield path


@contextmanager
def hold_file(path: Path) -> Iterator[bool]:
    """Hold a file of that name, which is made or was left by a killed process.

    False where another process holds it, or where something else than a file of the caller's own
    with one name lies there.
    """
    try:
        descriptor = os.open(path, _LEFT_FILE, 0o666)
    except OSError:
        yield False
        return
    try:
        state = os.fstat(descriptor)
        is_own = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
        yield is_own and _lock(descriptor, unknown=True) and _names(path, descriptor, links=1)
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody may still be making it: its lock is taken, or cannot be asked for."""
    with _taken(path) as is_free:
        return not is_free


def sweep(folder: Path) -> None:
    """Remove what killed runs have left half made in folder, which must be the caller's own."""
    for left in folder.glob(f".*{_SUFFIX}"):
        with _taken(left) as is_free:
            if is_free:
                remove_what_can(left)


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _held(folder: Path, make: Callable[[Path], int], stem: str) -> Iterator[Path]:
    path, descriptor = _make_held(folder, make, stem)
    try:
        yield path
    finally:
        if _names(path, descriptor):
            remove_what_can(path)
        os.close(descriptor)


def _make_held(folder: Path, make: Callable[[Path], int], stem: str) -> tuple[Path, int]:
    """Make one and hold it; where it was swept before it was held, make another."""
    for _ in range(_ATTEMPTS):
        path = folder / part_name(stem)
        descriptor = make(path)
        if _lock(descriptor, unknown=True) and _names(path, descriptor):
            return path, descriptor
        os.close(descriptor)
    raise OSError(errno.EAGAIN, "what is made there is taken away at once", str(folder))


def _make_folder(path: Path) -> int:
    path.mkdir()
    try:
        return os.open(path, _LOOK | os.O_DIRECTORY)
    except FileNotFoundError:  # it was swept before it was opened
        return _make_folder(path)


@contextmanager
def _taken(path: Path) -> Iterator[bool]:
    """Take what lies there, if nobody else has it; a link cannot be held, so it is nobody's."""
    try:
        descriptor = os.open(path, _LOOK)
    except OSError:
        yield path.is_symlink()
        return
    try:
        yield _lock(descriptor, unknown=False) and _names(path, descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, unknown: bool) -> bool:
    """Whether the lock could be taken; unknown where the file system has no such locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return unknown
    return True


def _names(path: Path, descriptor: int, *, links: int = 0) -> bool:
    """Whether the path is still that of the open file, which may have to have one name only."""
    try:
        there, ours = path.lstat(), os.fstat(descriptor)
    except OSError:
        return False
    is_same = (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
    return is_same and links in {0, ours.st_nlink}
