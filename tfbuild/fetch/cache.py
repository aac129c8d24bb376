"""What the cache holds: its sizes, what may go, and the hold that a running build has on it."""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.file_locks import share_lock, try_lock

# folder of the cache -> what is in it; each entry below it can go by itself
KINDS = {
    "artifacts": "downloaded wheels",
    "unpacked": "unpacked wheels",
    "toolkits": "CUDA toolkits made of them",
    "bazels": "Bazel releases",
    "bazel": "Bazel's output folders",
    "bazel-disk": "results of compile actions",
    "resolutions": "answers of pip",
    "environments": "virtual environments of smoke and perf",
}
_UNIT_SECONDS = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One thing that can be removed; bytes are what its removal frees."""

    kind: str
    name: str
    path: Path
    bytes: int
    age_days: float


@contextmanager
def hold_cache(cache: Path) -> Iterator[None]:
    """Keep prune away while a build uses the cache; a killed process holds nothing."""
    cache.mkdir(parents=True, exist_ok=True)
    with share_lock(cache / "lock"):
        yield


@contextmanager
def own_cache(cache: Path) -> Iterator[None]:
    """Keep builds away while things are removed; EnvironmentFailed while one uses the cache."""
    if not cache.is_dir():
        yield
        return
    with try_lock(cache / "lock") as is_ours:
        if not is_ours:
            raise EnvironmentFailed(
                f"a build is using the cache {cache}", hint="prune again when it has ended"
            )
        yield


def note_use(cache: Path, *names: str) -> None:
    """Remember that images (by identity) and volumes (by name) of an engine are in use now."""
    for name in names:
        path = _use(cache, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def last_use(cache: Path, name: str) -> float:
    """When an image or a volume was last used, as a time; 0 where nothing is remembered."""
    try:
        return _use(cache, name).stat().st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return 0.0


def forget_use(cache: Path, name: str) -> None:
    """Remember no longer when it was used."""
    _use(cache, name).unlink(missing_ok=True)


def list_cache(cache: Path) -> tuple[CacheEntry, ...]:
    """Everything in the cache by kind, the oldest use first."""
    found = []
    for kind in KINDS:
        for path in _entries(cache, kind):
            size, used = _measure(path)
            age = max(0.0, (time.time() - used) / _UNIT_SECONDS)
            found.append(CacheEntry(kind=kind, name=path.name, path=path, bytes=size, age_days=age))
    return tuple(sorted(found, key=lambda entry: (list(KINDS).index(entry.kind), -entry.age_days)))


def prune_cache(cache: Path, *, older_than_days: float) -> tuple[CacheEntry, ...]:
    """Remove what was last used longer ago, and say what went.

    Raises EnvironmentFailed while a build uses the cache: then nothing is removed. The outputs
    of a Bazel whose server still runs are left alone.
    """
    with own_cache(cache):
        gone = [
            entry
            for entry in list_cache(cache)
            if entry.age_days >= older_than_days and not _has_server(entry)
        ]
        for entry in gone:
            remove_tree(entry.path)
        return tuple(gone)


def remove_tree(path: Path) -> None:
    """Remove a file or folder, folders that are write-protected (as Bazel makes them) included."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(stat.S_IRWXU)
    shutil.rmtree(path)


def _use(cache: Path, name: str) -> Path:
    return cache / "containers" / f"{name.removeprefix('sha256:')}.used"


def _entries(cache: Path, kind: str) -> list[Path]:
    """The smallest things of a kind that can go alone; a disk cache goes as a whole."""
    folder = cache / ("artifacts/sha256" if kind == "artifacts" else kind)
    if not folder.is_dir():
        return []
    if kind == "bazel-disk":
        return [folder]
    return sorted(path for path in folder.iterdir() if path.name not in {"install", "cache"})


def _measure(path: Path) -> tuple[int, float]:
    """Bytes on the disk (a file with several names counts by its share) and the last use."""
    state = path.lstat()
    size, used = state.st_blocks * 512, state.st_mtime
    for folder, names, files in os.walk(path):
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
    if entry.kind != "bazel":
        return False
    try:
        pid = (entry.path / "server" / "server.pid.txt").read_text().strip()
    except OSError:
        return False
    return Path("/proc", pid).exists()
