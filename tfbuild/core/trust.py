"""Whom files are from: only what the caller or root alone can change is trusted.

A file of another user would let that user decide what is run here, and as whom.
"""

import grp
import os
import pwd
import stat
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed

_ROOT = 0


def distrust(path: Path) -> str:
    """Why a file or a folder is not trusted: its owner, or who else may write; or an empty string.

    A link counts as where it leads, but must be trusted itself. One that cannot be looked at is
    not trusted.
    """
    try:
        found = [path.stat()] if not path.is_symlink() else [path.lstat(), path.stat()]
    except OSError as error:
        return f"{path} cannot be looked at: {error.strerror}"
    reasons = (_distrust(path, state) for state in found)
    return next((reason for reason in reasons if reason), "")


def distrust_way(start: Path, path: Path) -> str:
    """Why a file, or a folder from start up to its own, is not trusted; or an empty string."""
    folders = [start, *start.parents]
    way = folders[: folders.index(path.parent) + 1]
    reasons = map(distrust, (*way, path))
    return next((reason for reason in reasons if reason), "")


def require_own(folder: Path, inside: Iterable[Path], *, hint: str) -> None:
    """Raise EnvironmentFailed where a folder, or a place inside, is there and not the caller's.

    What it remembers is believed, and what it holds is run.
    """
    for path in (folder, *inside):
        if os.path.lexists(path) and (reason := distrust(path)):
            raise EnvironmentFailed(
                f"{folder} is not yours alone", code="folder-not-yours", why=reason, hint=hint
            )


def is_in_project(start: Path, folder: Path) -> bool:
    """Whether folder is start, or above it in the same git checkout that the caller owns."""
    if folder == start:
        return True
    for place in (start, *start.parents):
        git = place / ".git"
        if git.exists():
            return folder.is_relative_to(place) and not distrust(git)
    return False


def is_ours(state: os.stat_result) -> bool:
    """Whether a file belongs to the caller, or to root."""
    return state.st_uid in {os.geteuid(), _ROOT}


def user_name(uid: int) -> str:
    """The name of a user, or its number where the system knows none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _distrust(path: Path, state: os.stat_result) -> str:
    mode = state.st_mode
    if not is_ours(state):
        return f"{path} belongs to {user_name(state.st_uid)}"
    if stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
        return ""  # in a folder like /tmp, everybody changes his own files only
    if mode & stat.S_IWOTH:
        return f"{path} can be written by everybody"
    if mode & stat.S_IWGRP and (who := _writer_of_list(path)):
        return f"{path} can be written by {who}, as its access control list says"
    if mode & stat.S_IWGRP and state.st_gid != _ROOT and not _is_alone(state.st_gid):
        return f"{path} can be written by the group {state.st_gid}"
    return ""


def _writer_of_list(path: Path) -> str:
    """Whom an access control list of POSIX lets write beside owner and group; empty for nobody.

    Where there is one, the group's bit of the mode says whether any of them may. The form is that
    of Linux: a version, then tag, permissions and number of each entry.
    """
    try:
        found = os.getxattr(path, "system.posix_acl_access")
    except (OSError, AttributeError):  # none, or a system without
        return ""
    users, groups = 2, 8  # tags of entries that name one
    for tag, permissions, number in struct.iter_unpack(
        "<HHI", found[4 : 4 + len(found[4:]) // 8 * 8]
    ):
        is_other = tag == groups or (tag == users and number not in {os.geteuid(), _ROOT})
        if tag in {users, groups} and permissions & 2 and is_other:
            return user_name(number) if tag == users else f"the group {number}"
    return ""


def _is_alone(gid: int) -> bool:
    """Whether a group is the caller's own, of his name and without other members."""
    name = user_name(os.geteuid())
    try:
        group = grp.getgrgid(gid)
    except KeyError:  # in a container that knows neither
        return gid == os.getegid() == os.geteuid()
    return group.gr_name == name and not ({*group.gr_mem} | _begin_in(gid)) - {name}


@cache
def _begin_in(gid: int) -> frozenset[str]:
    """The users whose own group that is, of whom the group itself knows nothing."""
    return frozenset(user.pw_name for user in pwd.getpwall() if user.pw_gid == gid)
