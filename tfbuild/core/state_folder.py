"""The user's state folder: what it holds is believed, so it is his alone and no link leads there.

A work folder that lies elsewhere (TFBUILD_WORK_DIR), and a report, are believed only with a mark
that a secret of this folder has made: a checkout can bring any file along, but not that one.
"""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.kept_json import read_kept, write_kept
from tfbuild.core.layout import OWNER, SECRET, STATE
from tfbuild.core.parts import part_file
from tfbuild.core.paths import real_path, state_folder
from tfbuild.core.safe_files import read_bytes
from tfbuild.core.trust import distrust, require_own

_SECRET_BYTES = 32
_HINT = "make it yours alone, remove it, or set XDG_STATE_HOME to a folder of your own"


def require_own_state() -> None:
    """Raise EnvironmentFailed where the state folder, or a place in it, is not the caller's alone.

    A folder that is not there will be made.
    """
    state = state_folder()
    places = tuple(place.path(state) for place in STATE)
    for path in (state, *places):
        if path.is_symlink():
            why = f"it leads to {real_path(path)}; what is believed must lie where it is looked for"
            raise EnvironmentFailed(
                f"{path} is a link", code="state-folder-is-link", why=why, hint=_HINT
            )
    require_own(state, places, hint=_HINT)


def make_state() -> Path:
    """The state folder, made for the caller alone where it is missing.

    Raises EnvironmentFailed where it is another's.
    """
    state = state_folder()
    require_own_state()
    state.parent.mkdir(parents=True, exist_ok=True)
    state.mkdir(mode=0o700, exist_ok=True)
    require_own_state()  # now: another's may have come into its place
    return state


def mark_work(work: Path, project: Path) -> None:
    """Write down that a work folder was made by tfbuild, and for which project."""
    note = {"project": str(project), "mark": _mark(work)}
    write_kept(OWNER.path(work), OWNER.name, note)


def is_marked(work: Path) -> bool:
    """Whether a work folder carries the mark of this very folder, made by this user's tfbuild."""
    note = read_kept(OWNER.path(work), OWNER.name)
    mark = note.get("mark") if isinstance(note, dict) else None
    return isinstance(mark, str) and hmac.compare_digest(mark.encode(), _mark(work).encode())


def project_of(work: Path) -> str:
    """The folder whose builds use a work folder; empty where that is not written down."""
    note = read_kept(OWNER.path(work), OWNER.name)
    project = note.get("project") if isinstance(note, dict) else None
    return project if isinstance(project, str) else ""


def mark_of(said: bytes) -> str:
    """What nobody can make of these bytes without the secret of the state folder.

    Raises EnvironmentFailed where the secret is damaged. What is marked begins with its kind.
    """
    return hmac.new(_secret(), said, hashlib.sha256).hexdigest()


# --- inside ------------------------------------------------------------------------------------


def _mark(work: Path) -> str:
    """What nobody can make without the secret; a copy of the folder has another inode.

    The number of its device is left out: it may change when the machine is started.
    """
    place = real_path(work)
    said = b"\0".join((os.fsencode(place), str(place.stat().st_ino).encode()))
    return mark_of(said)  # it begins with the slash of a path


def _secret() -> bytes:
    """The secret of the state folder, made where there is none."""
    path = SECRET.path(make_state())
    if not os.path.lexists(path):
        _make_secret(path)
    try:
        found = read_bytes(path, _SECRET_BYTES)
    except ValueError:
        found = b""
    if len(found) != _SECRET_BYTES or path.stat().st_mode & 0o077 or distrust(path):
        raise EnvironmentFailed(
            f"{path} is damaged",
            code="state-secret-damaged",
            why="it is not the secret that tfbuild has put there, for its owner alone",
            hint="remove it; then make folders of TFBUILD_WORK_DIR anew, and name old reports",
        )
    return found


def _make_secret(path: Path) -> None:
    """Put a whole secret there, unless another process was faster."""
    with part_file(path.parent, mode=0o600) as aside:
        with aside.open("wb") as stream:
            stream.write(secrets.token_bytes(_SECRET_BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(aside)
