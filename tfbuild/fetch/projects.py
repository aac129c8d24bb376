"""The work folders of projects: shown, removed once their project is gone, and kept from growing.

One that a build holds stays as it is, as does one that does not say whose it is.
"""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from tfbuild.core.any_tree import remove_tree
from tfbuild.core.file_locks import try_lock
from tfbuild.core.layout import MEMO, PROJECTS, WORK, WORK_LOCK, Place
from tfbuild.core.parts import is_part
from tfbuild.core.paths import state_folder
from tfbuild.core.state_folder import project_of, require_own_state
from tfbuild.fetch.cache import CacheEntry, measured

_LARGE_BYTES = 3_000_000_000  # more than this of one place of a work folder stays only if it is new
_NEW = 3  # entries that stay whatever their size


def list_projects() -> tuple[CacheEntry, ...]:
    """The work folders by the projects that they are of, the oldest use first."""
    folder = PROJECTS.path(state_folder())
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    entries = [
        measured(PROJECTS.name, path, title=project_of(path) or path.name)
        for path in found
        if path.is_dir() and not path.is_symlink()
    ]
    return tuple(sorted(entries, key=lambda entry: -entry.age_days))


def prunable_projects(*, older_than_days: float) -> tuple[CacheEntry, ...]:
    """Those whose project is gone, and what is kept for the others, last used longer ago."""
    found: list[CacheEntry] = []
    for entry in list_projects():
        project = project_of(entry.path)
        if project and not Path(project).exists():
            found.append(entry)
        elif project:
            found += _kept_for(entry)
    return tuple(entry for entry in found if entry.age_days >= older_than_days)


def prune_projects(
    *, older_than_days: float, agreed: Collection[Path] | None = None
) -> tuple[CacheEntry, ...]:
    """Remove what is prunable and not held, or what of it was agreed to, and say what went."""
    require_own_state()
    gone = []
    for entry in prunable_projects(older_than_days=older_than_days):
        if agreed is None or entry.path in agreed:
            with try_lock(WORK_LOCK.path(_work_of(entry.path))) as is_ours:
                if is_ours:
                    remove_tree(entry.path)
                    gone.append(entry)
    return tuple(gone)


def forget_older(place: Place, work: Path) -> None:
    """Remove what was used longest ago of a place of a work folder, whose user calls this.

    As many entries stay as the place has at most, and large ones as long as there is room.
    """
    entries = sorted(_entries(place, work, title=""), key=lambda entry: entry.age_days)
    size = 0
    for number, entry in enumerate(entries):
        size += entry.bytes
        if number >= _NEW and (number >= place.most or size > _LARGE_BYTES):
            with suppress(FileNotFoundError):  # another one, in the same folder, was faster
                remove_tree(entry.path)


# --- inside ------------------------------------------------------------------------------------


def _kept_for(project: CacheEntry) -> list[CacheEntry]:
    """What builds of a project have kept and can go alone."""
    places = [place for place in WORK if place.removal == "entries"]
    return [
        entry for place in places for entry in _entries(place, project.path, title=project.title)
    ]


def _entries(place: Place, work: Path, *, title: str) -> list[CacheEntry]:
    found = list(place.path(work).glob("*/*" if place == MEMO else "*"))
    return [
        measured(place.name, path, title=f"{place.name} of {title}")
        for path in found
        if not is_part(path)
    ]


def _work_of(path: Path) -> Path:
    """The work folder that something lies in, or is."""
    projects = PROJECTS.path(state_folder())
    return projects / path.relative_to(projects).parts[0]
