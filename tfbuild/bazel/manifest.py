"""A manifest of source files: what each held when it was last looked at, and what has changed."""

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.any_tree import walk
from tfbuild.core.paths import file_digest
from tfbuild.core.rebuilds import Change
from tfbuild.core.safe_files import read_inside

_NO_SOURCES = {".git", ".hg", ".svn", "__pycache__", ".venv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file as it was: its digest counts, size and times say whether it must be read again."""

    name: str
    size: int
    changed_ns: int
    sha256: str


def list_sources(
    root: Path,
    *,
    label: str = "",
    leave_out: tuple[Path, ...] = (),
    known: Mapping[str, SourceFile],
) -> tuple[SourceFile, ...]:
    """Every file below root by its path, after label; those that look as known are not read again.

    Left out are what Bazel ignores (.bazelignore, its bazel-* links), version control and
    leave_out. A link counts by where it points to.
    """
    ignored = {root / line for line in _ignored(root)} | set(leave_out)
    return tuple(
        _source_file(path, f"{label}{path.relative_to(root)}", known)
        for path in _walk(root, ignored)
    )


def compare_sources(old: tuple[SourceFile, ...], new: tuple[SourceFile, ...]) -> list[Change]:
    """What was changed, added and removed, by name."""
    before = {source.name: source.sha256 for source in old}
    after = {source.name: source.sha256 for source in new}
    changes = []
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            how = "added" if name not in before else "removed" if name not in after else "changed"
            changes.append(Change(kind="source", name=name, how=how))
    return changes


def _walk(root: Path, ignored: set[Path]) -> Iterator[Path]:
    for place, folders, files in walk(root):
        folder = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NO_SOURCES
            and folder / name not in ignored
            and not (folder == root and name.startswith("bazel-") and (folder / name).is_symlink())
        )
        for name in sorted(files):
            if folder / name not in ignored:
                yield folder / name
        yield from (folder / name for name in folders if (folder / name).is_symlink())


def _source_file(path: Path, name: str, known: Mapping[str, SourceFile]) -> SourceFile:
    try:
        state = path.lstat()
        changed = max(state.st_mtime_ns, state.st_ctime_ns)
        old = known.get(name)
        if old and (old.size, old.changed_ns) == (state.st_size, changed):
            return old
        if stat.S_ISLNK(state.st_mode):
            digest = f"-> {path.readlink()}"
        else:
            digest = file_digest(path) if stat.S_ISREG(state.st_mode) else "no file"
    except OSError as error:  # it is another's, or has just been removed: Bazel will say more
        return SourceFile(name=name, size=0, changed_ns=0, sha256=f"{error.strerror}")
    return SourceFile(name=name, size=state.st_size, changed_ns=changed, sha256=digest)


def _ignored(root: Path) -> list[str]:
    """The folders that a .bazelignore names."""
    try:
        lines = read_inside(root, root / ".bazelignore").splitlines()
    except (OSError, ValueError):
        return []
    return [line.strip().strip("/") for line in lines if line.strip() and line[0] != "#"]
