"""Locks between processes: a file that is held, and let go when its holder ends, even if killed.

The file is only ever opened: never emptied, and not where a link leads.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold a lock that nobody else holds; False at once where somebody does.

    Raises EnvironmentFailed where a link is in its place, OSError where it cannot be opened.
    """
    with _opened(path) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_held = False
        else:
            is_held = True
        yield is_held


def share_lock(path: Path) -> AbstractContextManager[None]:
    """Hold a lock together with all who share it; waits while somebody holds it alone.

    Raises EnvironmentFailed where a link is in its place, OSError where it cannot be opened.
    """
    return _awaited(path, fcntl.LOCK_SH)


def wait_for_lock(path: Path) -> AbstractContextManager[None]:
    """Hold a lock alone; waits while anybody holds it.

    Raises EnvironmentFailed where a link is in its place, OSError where it cannot be opened.
    """
    return _awaited(path, fcntl.LOCK_EX)


@contextmanager
def _awaited(path: Path, operation: int) -> Iterator[None]:
    with _opened(path) as descriptor:
        fcntl.flock(descriptor, operation)
        yield


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise EnvironmentFailed(
            f"{path} is a link",
            code="process-lock-is-link",
            why="a lock is not followed to where a link leads: that file may be anything",
            hint="remove it; tfbuild makes a file of that name",
        ) from error
    try:
        _close_to_others(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _close_to_others(descriptor: int) -> None:
    """Whoever may only read a file could hold its lock for ever; earlier releases let everybody."""
    state = os.fstat(descriptor)
    if state.st_uid == os.geteuid() and state.st_mode & 0o077:
        with suppress(OSError):  # a system without modes
            os.fchmod(descriptor, 0o600)
