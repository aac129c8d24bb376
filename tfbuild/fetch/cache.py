"""What the cache holds: its sizes, what may go, and the hold that a running build has on it."""

import os
import re
import secrets
import shlex
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.any_tree import remove_tree, walk
from tfbuild.core.cache_mark import make_cache, require_mark
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.file_locks import share_lock, try_lock
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import (
    BAZEL_OUTPUTS,
    CACHE,
    CACHE_ID,
    CACHE_LOCK,
    CONTAINERS,
    Place,
    strangers,
)
from tfbuild.core.parts import is_held, is_part
from tfbuild.core.paths import real_path
from tfbuild.core.safe_files import text_of
from tfbuild.core.trust import require_own, user_name
from tfbuild.fetch.cache_titles import title_of

STRANGER = "not tfbuild's"  # the kind of what no build has put there
_PLACES = {place.name: place for place in CACHE}
_UNIT_SECONDS = 86400.0
_USED = ".used"
_LONGEST_NUMBER = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One thing in the cache; bytes are what its removal frees."""

    kind: str  # name of the folder that holds it, or: not tfbuild's
    name: str  # of the file or folder
    path: Path  # where it lies
    bytes: int  # what its removal frees
    age_days: float  # days since it was last used
    title: str = ""  # what people call it: a file, a distribution, a toolkit, a path


def require_own_cache(cache: Path) -> None:
    """Raise EnvironmentFailed where others can change what is cached, or tfbuild made no cache."""
    place = shlex.quote(str(cache))
    hint = (
        f"make it yours alone (`chown -R {user_name(os.geteuid())} {place}`, "
        f"`chmod -R go-w {place}`) if you trust what is in it, remove it, "
        "or set TFBUILD_CACHE_DIR to a folder of your own"
    )
    require_own(cache, (place.path(cache) for place in CACHE), hint=hint)
    require_mark(cache)


@contextmanager
def hold_cache(cache: Path) -> Iterator[None]:
    """Keep prune away while a build uses the cache; a killed process holds nothing.

    Raises EnvironmentFailed where others can change what is cached, or tfbuild made no cache.
    """
    make_cache(cache)
    require_own_cache(cache)  # now: another's may have come into its place
    with share_lock(CACHE_LOCK.path(cache)):
        yield


@contextmanager
def own_cache(cache: Path) -> Iterator[None]:
    """Keep builds away while things are removed; EnvironmentFailed while one uses the cache.

    It is raised as well where others can change the cache, who would choose what is removed, and
    where tfbuild has not made the folder.
    """
    require_own_cache(cache)
    if not cache.is_dir():
        yield
        return
    with try_lock(CACHE_LOCK.path(cache)) as is_ours:
        if not is_ours:
            raise EnvironmentFailed(
                f"a build is using the cache {cache}",
                code="cache-in-use",
                hint="prune again when it has ended",
            )
        yield


def cache_id(cache: Path) -> str:
    """Which cache this is, wherever it is moved; empty for one that has no name, and for a copy."""
    return _named(cache).get("id", "")


def name_cache(cache: Path) -> str:
    """Which cache this is; one without a name gets one, and so does a copy."""
    make_cache(cache)
    named = _named(cache) or {"id": secrets.token_hex(8), "path": ""}
    if named["path"] != str(real_path(cache)):
        named["path"] = str(real_path(cache))
        write_kept(CACHE_ID.path(cache), CACHE_ID.name, named)
    return named["id"]


def note_use(cache: Path, *names: str) -> None:
    """Remember that images (by identity) and volumes (by name) of an engine are in use now."""
    for name in names:
        make_cache(cache)
        path = _use(cache, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def last_use(cache: Path, name: str) -> float:
    """When an image or a volume was last used, as a time; 0 where nothing is remembered."""
    try:
        return _use(cache, name).stat().st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return 0.0


def has_used_engine(cache: Path) -> bool:
    """Whether a use of anything of an engine is remembered."""
    return any(CONTAINERS.path(cache).glob(f"*{_USED}"))


def forget_use(cache: Path, name: str) -> None:
    """Remember no longer when it was used."""
    _use(cache, name).unlink(missing_ok=True)


def list_cache(cache: Path) -> tuple[CacheEntry, ...]:
    """Everything in the cache by kind, the oldest use first; what is not ours comes last.

    Raises EnvironmentFailed where the folder is no cache of tfbuild's.
    """
    require_mark(cache)
    found, foreign = [], list(strangers(cache, CACHE))
    for place in CACHE:
        paths = _entries(place, cache)
        foreign += [path for path in paths if not _is_made(place, path)]
        entries = [_entry(place.name, path, cache) for path in paths if _is_made(place, path)]
        found += sorted(entries, key=lambda entry: -entry.age_days)
    return (*found, *(_entry(STRANGER, path, cache) for path in sorted(foreign)))


def prunable(cache: Path, *, older_than_days: float) -> tuple[CacheEntry, ...]:
    """What was last used longer ago and may go.

    The outputs of a Bazel whose server still runs may not, nor what the layout does not give away.
    """
    return tuple(
        entry for entry in list_cache(cache) if entry.age_days >= older_than_days and _may_go(entry)
    )


def prune_cache(
    cache: Path, *, older_than_days: float, agreed: Collection[Path] | None = None
) -> tuple[CacheEntry, ...]:
    """Remove what is prunable, or what of it was agreed to, and say what went.

    Raises EnvironmentFailed while a build uses the cache: then nothing is removed.
    """
    with own_cache(cache):
        found = prunable(cache, older_than_days=older_than_days)
        gone = tuple(entry for entry in found if agreed is None or entry.path in agreed)
        for entry in gone:
            remove_tree(entry.path)
        return gone


def living_server(outputs: Path) -> int:
    """The process of the Bazel that serves a folder of outputs; 0 where none does.

    The number that Bazel has noted may be another process's by now: its words name the folder.
    """
    noted = text_of(outputs / "server" / "server.pid.txt", _LONGEST_NUMBER).strip()
    words = text_of(Path("/proc", noted, "cmdline")) if noted.isdecimal() else ""
    return int(noted) if outputs.name in words else 0


def _named(cache: Path) -> dict[str, str]:
    """The name of a cache and where it was then; nothing where the one that it names is there."""
    path = CACHE_ID.path(cache)
    named = read_record(path, CACHE_ID.name, dict[str, str]) or {}
    if not {"path", "id"} <= named.keys():
        return {}
    if named["path"] != str(real_path(cache)):
        other = CACHE_ID.path(Path(named["path"]))
        theirs = read_record(other, CACHE_ID.name, dict[str, str])
        is_copy = theirs == named and not other.samefile(path)
        return {} if is_copy else named
    return named


def _use(cache: Path, name: str) -> Path:
    return CONTAINERS.path(cache) / f"{name.removeprefix('sha256:')}{_USED}"


def _entries(place: Place, cache: Path) -> list[Path]:
    """The smallest things of a place that can go alone; some places are one thing as a whole."""
    folder = place.path(cache)
    if not folder.is_dir():
        return []
    if place.removal != "entries":
        return [folder]
    deep = folder / place.below if place.below else folder
    inside = list(deep.iterdir()) if deep.is_dir() else []
    beside = [path for path in folder.iterdir() if path != deep] if place.below else []
    return sorted([*inside, *beside])


def _is_made(place: Place, path: Path) -> bool:
    """Whether a thing in a place has a name that tfbuild gives, or all in a whole place have."""
    if not place.form or is_part(path):
        return True
    names = [path.name] if place.removal == "entries" else [one.name for one in path.iterdir()]
    return all(re.fullmatch(place.form, name) for name in names)


def _may_go(entry: CacheEntry) -> bool:
    place = _PLACES.get(entry.kind)
    if place is None or place.removal == "never" or entry.name in place.staying:
        return False
    if is_part(entry.path) and is_held(entry.path):
        return False  # it is being fetched or unpacked just now
    return not _has_server(entry)


def measured(kind: str, path: Path, *, title: str) -> CacheEntry:
    """What lies at a path, with its size and its age."""
    size, used = _measure(path)
    age = max(0.0, (time.time() - used) / _UNIT_SECONDS)
    return CacheEntry(kind=kind, name=path.name, path=path, bytes=size, age_days=age, title=title)


def _entry(kind: str, path: Path, cache: Path) -> CacheEntry:
    return measured(kind, path, title=title_of(kind, path, cache))


def _measure(path: Path) -> tuple[int, float]:
    """Bytes on the disk (a file with several names counts by its share) and the last use."""
    state = path.lstat()
    size, used = state.st_blocks * 512, state.st_mtime
    for folder, names, files in walk(path):
        for name in (*names, *files):
            try:
                state = os.lstat(os.path.join(folder, name))  # noqa: PTH118  (fast)
            except OSError:
                continue
            size += state.st_blocks * 512 // (1 if stat.S_ISDIR(state.st_mode) else state.st_nlink)
            if folder == str(path):
                used = max(used, state.st_mtime)
    return size, used


def _has_server(entry: CacheEntry) -> bool:
    return entry.kind == BAZEL_OUTPUTS.name and living_server(entry.path) > 0
