"""A folder that others can write to, as a container its mounts: nothing outside of it is reached.

Every step of a path is opened from the folder above it and never by the path as a whole, so a link
counts only as far as it stays in the tree, however often what lies there is exchanged meanwhile.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path, PurePosixPath

from tfbuild.core.paths import real_path
from tfbuild.core.safe_files import LARGEST_BYTES, NotRead, size_text

MOST_TAKEN = 8 << 30  # bytes of one file
_CHUNK = 1 << 20
_LONGEST_LINE = 16 << 20
_MOST_OF_LINES = 2 << 30
_DEEPEST = 100  # folders within each other
_MOST_LINKS = 40  # in one path, as the kernel has it
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class LeadsOut(OSError):
    """A path or a link leads out of the tree."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(errno.EXDEV, f"it leads out of its folder, to '{text}'", name)


class TooLarge(OSError):
    """A file is larger than what may be taken of it."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most / 1e6:,.0f} MB", name)


@dataclass(frozen=True, slots=True)
class ForeignTree:
    """The tree of a folder whose own place nobody else can change; names are places below it."""

    root: Path

    def files(self, below: str = "", *, deepest: int = _DEEPEST) -> list[str]:
        """The files and links below a folder, by their places in it, in order.

        Links are not gone through, but those of `below` itself. Raises OSError where it is no
        folder, and for folders that lie deeper than anything honest.
        """
        found, left = [], [""]
        while left:
            at = left.pop()
            for name, is_folder in self._entries(f"{below}/{at}"):
                place = f"{at}/{name}" if at else name
                if not is_folder:
                    found.append(place)
                elif place.count("/") + 1 < deepest:
                    left.append(place)
                elif deepest == _DEEPEST:
                    raise OSError(errno.ENAMETOOLONG, "its folders lie too deep", str(self.root))
        return sorted(found)

    def names(self, below: str = "") -> list[str]:
        """What lies directly in a folder, in order; nothing where there is none."""
        with suppress(OSError):
            return sorted(name for name, _ in self._entries(below))
        return []

    def is_file(self, name: str) -> bool:
        """Whether a regular file is there, also by links that stay in the tree."""
        return stat.S_ISREG(self._mode(name))

    def is_folder(self, name: str) -> bool:
        """Whether a folder is there, also by links that stay in the tree."""
        return stat.S_ISDIR(self._mode(name))

    def require_inside(self, name: str) -> bool:
        """Whether something is there; LeadsOut where its path does not stay in the tree."""
        try:
            return bool(self._mode(name, strict=True))
        except LeadsOut:
            raise
        except OSError:
            return False

    def own_mode(self, name: str) -> int:
        """The kind and mode of what has that name, of a link itself; OSError."""
        with self._at(name, follow=False) as (folder, last):
            return os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode

    def link(self, name: str) -> str:
        """Where a link says that it leads; OSError where it is none."""
        with self._at(name, follow=False) as (folder, last):
            return os.readlink(last, dir_fd=folder)

    @contextmanager
    def opened(self, name: str) -> Iterator[BufferedReader]:
        """A regular file, to be read; OSError for what is none, or leads out."""
        with self._at(name) as (folder, last):
            descriptor = os.open(last, _FILE, dir_fd=folder)
        with open(descriptor, "rb") as stream:  # noqa: PTH123  (it is open already)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", name)
            yield stream

    def read(self, name: str, most: int = LARGEST_BYTES) -> bytes:
        """The bytes of a regular file; ValueError for a larger one, OSError as `opened`."""
        with self.opened(name) as stream:
            raw = stream.read(most + 1)
        if len(raw) > most:
            raise NotRead(f"it is larger than {size_text(most)}")
        return raw

    def text(self, name: str, most: int = LARGEST_BYTES) -> str:
        """The text of a file, strange bytes replaced; empty where there is none to be had."""
        try:
            return self.read(name, most).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def take(
        self,
        source: "ForeignTree",
        name: str,
        place: str,
        *,
        is_text: bool = False,
        most: int = MOST_TAKEN,
    ) -> int:
        """Make a copy of a file of another tree, in the place of whatever file or link lies here.

        Who may execute it stays, and no more of its mode; a text nobody may. Holes of a file count
        and are filled. Returns the bytes of it. Raises OSError where one of them is no file or
        leads out, TooLarge where there are more than that, also of a file that grows meanwhile.
        """  # fmt: skip
        with source.opened(name) as stream:
            state, left = os.fstat(stream.fileno()), most
            if state.st_size > most:
                raise TooLarge(name, most)
            is_program = not is_text and state.st_mode & 0o111
            with self._new(place) as copy:
                while chunk := stream.read(_CHUNK):
                    if len(chunk) > left:
                        raise TooLarge(name, most)
                    copy.write(chunk)
                    left -= len(chunk)
                os.fchmod(copy.fileno(), 0o755 if is_program else 0o644)
        return most - left

    def write(self, name: str, text: str, *, mode: int = 0o644) -> None:
        """Write a text in the place of whatever file or link lies here; OSError as `take`."""
        with self._new(name) as stream:
            stream.write(text.encode())
            os.fchmod(stream.fileno(), mode)

    def remove(self, name: str) -> None:
        """Remove a file or a link itself, if it is there; OSError for a folder."""
        with suppress(FileNotFoundError), self._at(name, follow=False) as (folder, last):
            os.unlink(last, dir_fd=folder)

    def make_link(self, name: str, text: str) -> None:
        """Make a link, and the folders that it lies in; OSError where something has its name."""
        self.make_folders(str(PurePosixPath(name).parent))
        with self._at(name, follow=False) as (folder, last):
            os.symlink(text, last, dir_fd=folder)

    def make_folders(self, name: str) -> None:
        """Make a folder and those above it, as far as they are missing; OSError."""
        place = PurePosixPath(name)
        for folder in reversed((place, *place.parents)):
            with suppress(FileExistsError), self._at(str(folder)) as (above, last):
                if last != ".":
                    os.mkdir(last, dir_fd=above)

    # --- inside ----------------------------------------------------------------------------------

    @contextmanager
    def _new(self, name: str) -> Iterator[BufferedWriter]:
        self.make_folders(str(PurePosixPath(name).parent))
        with self._at(name, follow=False) as (folder, last):
            with suppress(FileNotFoundError):
                os.unlink(last, dir_fd=folder)
            descriptor = os.open(last, _NEW, 0o666, dir_fd=folder)
        with open(descriptor, "wb") as stream:  # noqa: PTH123
            yield stream

    def _entries(self, name: str) -> Iterator[tuple[str, bool]]:
        """Names in a folder, and which of them are folders themselves."""
        with self._at(name) as (folder, last):
            descriptor = os.open(last, _FOLDER, dir_fd=folder)
        try:
            with os.scandir(descriptor) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        finally:
            os.close(descriptor)
        yield from found

    def _mode(self, name: str, *, strict: bool = False) -> int:
        try:
            with self._at(name) as (folder, last):
                return os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            if strict:
                raise
            return 0

    @contextmanager
    def _at(self, name: str, *, follow: bool = True) -> Iterator[tuple[int, str]]:
        """The open folder that holds a name, and the name in it, which may not be there.

        Links in the way are followed as far as they stay inside, and the last part if follow.
        """
        with ExitStack() as stack:
            walk = _Walk(self.root, name, stack)
            while walk.left:
                part = walk.left.pop()
                text = walk.link(part) if walk.left or follow else None
                if text is not None:
                    walk.turn(text)
                elif walk.left or part == "..":
                    walk.enter(part)
                else:
                    yield walk.folders[-1], part
                    return
            yield walk.folders[-1], "."


@contextmanager
def opened_file(path: Path) -> Iterator[BufferedReader]:
    """A regular file that lies directly in a folder to which others write, to be read.

    OSError for what is none, or is a link that leads out of the folder.
    """
    with ForeignTree(real_path(path.parent)).opened(path.name) as stream:
        yield stream


def lines_of_file(path: Path) -> Iterator[bytes]:
    """The lines of such a file, up to limits that no honest one comes to; OSError as `opened_file`.

    A line that is longer is left out, and the file counts as ended where it is larger.
    """
    with opened_file(path) as stream:
        left, is_whole = _MOST_OF_LINES, True
        while left > 0 and (line := stream.readline(_LONGEST_LINE)):
            left -= len(line)
            ends = line.endswith(b"\n")
            if is_whole and (ends or len(line) < _LONGEST_LINE):
                yield line
            is_whole = ends


def read_file(path: Path, most: int = LARGEST_BYTES) -> bytes:
    """The bytes of such a file; ValueError for a larger one, OSError as `opened_file`."""
    return ForeignTree(real_path(path.parent)).read(path.name, most)


# --- inside ------------------------------------------------------------------------------------


class _Walk:
    """Where a walk through a tree is: the open folders from its root down, and what is left."""

    def __init__(self, root: Path, name: str, stack: ExitStack) -> None:
        self._root, self._name, self._links = root, name, 0
        self._stack = stack
        self.folders = [self._open(str(root), None)]
        self.left = _parts(name)

    def link(self, part: str) -> str | None:
        """Where the part leads, if it is a link."""
        if part == "..":
            return None
        try:
            state = os.stat(part, dir_fd=self.folders[-1], follow_symlinks=False)
        except FileNotFoundError:
            return None
        return os.readlink(part, dir_fd=self.folders[-1]) if stat.S_ISLNK(state.st_mode) else None

    def turn(self, text: str) -> None:
        """Go on where a link leads."""
        self._links += 1
        if self._links > _MOST_LINKS:
            raise OSError(errno.ELOOP, "its links have no end", self._name)
        if text.startswith("/"):
            tops = (str(self._root), os.path.realpath(self._root))
            top = next((top for top in tops if text == top or text.startswith(f"{top}/")), None)
            if top is None:
                raise LeadsOut(self._name, text)
            text = text.removeprefix(top)
            del self.folders[1:]
        self.left += _parts(text)

    def enter(self, part: str) -> None:
        """Go into a folder, or up."""
        if part != "..":
            self.folders.append(self._open(part, self.folders[-1]))
        elif len(self.folders) == 1:
            raise LeadsOut(self._name, "..")
        else:
            self.folders.pop()
        if len(self.folders) > _DEEPEST:
            raise OSError(errno.ENAMETOOLONG, "its folders lie too deep", self._name)

    def _open(self, part: str, above: int | None) -> int:
        descriptor = os.open(part, _FOLDER, dir_fd=above)
        self._stack.callback(os.close, descriptor)
        return descriptor


def _parts(name: str) -> list[str]:
    """The parts of a path, the first one last."""
    return [part for part in reversed(name.split("/")) if part not in {"", "."}]
