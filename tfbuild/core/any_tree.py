"""Goes through folders, and removes them, however deep they lie and whoever has made them.

What a build leaves may be thousands of folders within each other, which Python's own functions
follow by calling themselves, until that ends with an error; and may be closed to its own owner.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


def walk(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder, and the names of the folders and of the files in it, as `os.walk` gives them.

    Folders that are taken out of the names are left out; so are those that cannot be read.
    """
    left = [str(root)]
    while left:
        place = left.pop()
        names: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    (names if _is_folder(entry) else files).append(entry.name)
        except OSError:
            continue
        yield place, names, files
        below = [os.path.join(place, name) for name in reversed(names)]  # noqa: PTH118  (fast)
        left += [path for path in below if not os.path.islink(path)]  # noqa: PTH114


def files_below(root: Path) -> Iterator[Path]:
    """Every regular file below a folder, no links; those of a folder before its folders'."""
    for place, folders, names in walk(root):
        folders.sort()
        paths = (Path(place, name) for name in sorted(names))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def remove_tree(path: Path) -> None:
    """Remove a file or folder, also one that is protected, as Bazel makes them; OSError.

    It goes through no link, also where somebody exchanges folders for links meanwhile. A folder
    within another one is moved up before it is emptied, so none of them lies deep.
    """
    _Removal(is_strict=True).remove(path)


def remove_what_can(path: Path) -> None:
    """The same; what the system refuses to remove stays."""
    _Removal(is_strict=False).remove(path)


# --- inside ------------------------------------------------------------------------------------


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


@dataclass(frozen=True, slots=True)
class _Removal:
    """Removes a tree; an error ends it where it is strict."""

    is_strict: bool

    def remove(self, path: Path) -> None:
        with self._heeded():
            if path.is_symlink() or not path.is_dir():
                path.unlink(missing_ok=True)
                return
            _open_up(str(path), None)
            top = os.open(path, _FOLDER)
            try:
                self._empty(top)
            finally:
                os.close(top)
            path.rmdir()

    def _empty(self, top: int) -> None:
        left = self._emptied(top, top)
        while left:
            name = left.pop()
            with self._heeded():
                below = os.open(name, _FOLDER, dir_fd=top)
                try:
                    left += self._emptied(below, top)
                finally:
                    os.close(below)
                os.rmdir(name, dir_fd=top)

    def _emptied(self, folder: int, top: int) -> list[str]:
        """Remove the files of an open folder, and move its folders up; their names there."""
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        moved = []
        for name, is_folder in found:
            with self._heeded():
                if not is_folder:
                    os.unlink(name, dir_fd=folder)
                    continue
                _open_up(name, folder)
                new = name if folder == top else secrets.token_hex(16)
                if folder != top:
                    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
                moved.append(new)
        return moved

    @contextmanager
    def _heeded(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            if self.is_strict:
                raise


def _open_up(name: str, above: int | None) -> None:
    """Let its owner do anything with a folder, and with nothing that has come into its place."""
    descriptor = os.open(name, _LOOK, dir_fd=above)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(f"/proc/self/fd/{descriptor}", stat.S_IRWXU)  # noqa: PTH101
    finally:
        os.close(descriptor)
