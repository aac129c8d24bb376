"""The mark of a cache: what is old in one is removed, so it must be a folder that tfbuild has made.

It keeps a folder of the user's own from being taken for one. The mark of a work folder is made with
a secret (`core/state_folder`) and ends where it is copied; a cache is carried to other machines and
into containers. Who else could write it is asked in `core/trust`.
"""

import os
import shlex
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.layout import CACHE, CACHE_LOCK, CACHE_MARK, strangers
from tfbuild.core.parts import is_part
from tfbuild.core.paths import real_path, usual_cache, write_aside
from tfbuild.core.safe_files import text_of

_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n"  # of all programs: bford.info/cachedir
_MAKER = "# tfbuild"
_TEXT = f"{_SIGNATURE}{_MAKER} has made this folder, and removes what is no longer needed in it.\n"
_OF_DISKS = "lost+found"  # in the topmost folder of a new file system


def make_cache(cache: Path) -> None:
    """Make a cache folder, and mark it; one of an earlier release in its usual place is marked too.

    Raises EnvironmentFailed where a folder of another making is in its place.
    """
    require_mark(cache)
    if not _is_marked(cache):
        mark_folder(cache)


def require_mark(cache: Path) -> None:
    """Raise EnvironmentFailed where a folder holds something and tfbuild has not made it."""
    if not cache.is_dir() or is_free(cache) or _is_earlier(cache):
        return
    mark = shlex.quote(str(CACHE_MARK.path(cache)))
    words = (_SIGNATURE + _MAKER).replace("\n", "\\n")
    raise EnvironmentFailed(
        f"{cache} is not a cache that tfbuild has made",
        code="cache-folder-unmarked",
        why="it is not empty and carries no mark of tfbuild, which removes what is old in its "
        "cache: that could be yours",
        hint="set TFBUILD_CACHE_DIR to a new or empty folder; or, where an earlier tfbuild has "
        f"made this one for itself alone, mark it: printf '{words}\\n' >{mark}",
    )


def is_cache(folder: Path) -> bool:
    """Whether a folder is a cache that tfbuild has made: marked, or of a release without marks."""
    return _is_marked(folder) or _is_earlier(folder)


def is_free(folder: Path) -> bool:
    """Whether all in a folder may be removed: it is not there, holds nothing, or has our mark."""
    if not folder.is_dir():
        return not os.path.lexists(folder)
    return _is_marked(folder) or all(map(_is_nothing, folder.iterdir()))


def mark_folder(folder: Path) -> None:
    """Make a folder that `is_free`, and mark it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_aside(CACHE_MARK.path(folder), _TEXT)


# --- inside ------------------------------------------------------------------------------------


def _is_marked(cache: Path) -> bool:
    return text_of(CACHE_MARK.path(cache)).startswith(_SIGNATURE + _MAKER)


def _is_earlier(cache: Path) -> bool:
    """Whether it is the caller's own, where no other folder is by chance, with what a cache has."""
    if not cache.is_dir() or real_path(cache) != real_path(usual_cache()):
        return False
    is_used = CACHE_LOCK.path(cache).is_file()  # every build makes it
    is_known = all(map(_is_nothing, strangers(cache, CACHE)))
    return cache.stat().st_uid == os.geteuid() and (is_used or is_known)


def _is_nothing(path: Path) -> bool:
    return is_part(path) or path.name == _OF_DISKS
