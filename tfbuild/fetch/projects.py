"""The work folders of projects in the state folder: shown, and removed once their project is gone.

One that a build holds stays, as does one that does not say whose it is.
"""

from collections.abc import Collection
from pathlib import Path

from tfbuild.core.file_locks import try_lock
from tfbuild.core.layout import PROJECTS, WORK_LOCK
from tfbuild.core.paths import state_folder
from tfbuild.core.state_folder import project_of, require_own_state
from tfbuild.fetch.cache import CacheEntry, measured, remove_tree


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
    """Those whose project is gone, last used longer ago."""
    return tuple(
        entry
        for entry in list_projects()
        if entry.age_days >= older_than_days and _is_gone(project_of(entry.path))
    )


def prune_projects(
    *, older_than_days: float, agreed: Collection[Path] | None = None
) -> tuple[CacheEntry, ...]:
    """Remove what is prunable and not held, or what of it was agreed to, and say what went."""
    require_own_state()
    gone = []
    for entry in prunable_projects(older_than_days=older_than_days):
        if agreed is None or entry.path in agreed:
            with try_lock(WORK_LOCK.path(entry.path)) as is_ours:
                if is_ours:
                    remove_tree(entry.path)
                    gone.append(entry)
    return tuple(gone)


def _is_gone(project: str) -> bool:
    return bool(project) and not Path(project).exists()
