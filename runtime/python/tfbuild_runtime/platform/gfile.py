"""tf.gfile: files and folders of this machine by TensorFlow's names and with its errors."""

from __future__ import annotations

import contextlib
import glob as _glob
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.framework import errors
from tfbuild_runtime.platform.text import as_bytes, as_str_any, path_to_str

_KINDS = (
    (FileNotFoundError, errors.NotFoundError),
    (FileExistsError, errors.AlreadyExistsError),
    (PermissionError, errors.PermissionDeniedError),
    (NotADirectoryError, errors.FailedPreconditionError),
    (IsADirectoryError, errors.FailedPreconditionError),
)


@contextlib.contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn errors of the system into those of TensorFlow."""
    try:
        yield
    except OSError as error:
        text = f"{error.filename}; {error.strerror}"
        for system, ours in _KINDS:
            if isinstance(error, system):
                raise ours(None, None, text) from None
        raise errors.UnknownError(None, None, text) from None
    except RecursionError:  # Python's own functions go into folders by calling themselves
        text = f"more folders lie in each other than {sys.getrecursionlimit()} calls reach"
        raise errors.ResourceExhaustedError(None, None, text) from None


def _path(name: Any) -> str:
    text = as_str_any(path_to_str(name))
    scheme, found, rest = text.partition("://")
    if not found:
        return text
    if scheme != "file":
        raise errors.UnimplementedError(
            None, None, f"File system scheme {scheme!r} not implemented (file: {text!r})"
        )
    return rest


class GFile:
    """A file that is opened when it is first read or written."""

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._file: Any = None
        self._name = name
        self._mode = mode

    @property
    def name(self) -> Any:
        """The path that was given."""
        return self._name

    @property
    def mode(self) -> str:
        """How it is opened, as open() has it."""
        return self._mode

    def _open(self) -> Any:
        file = self._file
        if file is None:
            with _translated_errors():
                encoding = None if "b" in self._mode else "utf-8"
                file = self._file = open(  # noqa: SIM115
                    _path(self._name), self._mode, encoding=encoding,
                    newline=None if encoding is None else "\n",
                )  # fmt: skip
        return file

    def size(self) -> int:
        """Return the number of bytes."""
        if "r" not in self._mode:
            self.flush()
        return stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """Return n characters, or the rest."""
        with _translated_errors():
            return self._open().read(n)

    def readline(self) -> Any:
        """Return the next line with its end, without carriage returns; empty after the last."""
        with _translated_errors():
            line = self._open().readline()
        return line.replace(b"\r" if isinstance(line, bytes) else "\r", line[:0])

    def readlines(self) -> list[Any]:
        """Return all lines that are left, as readline has them."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def write(self, file_content: Any) -> None:
        """Write at the end of what is written."""
        with _translated_errors():
            file = self._open()
            binary = "b" in self._mode
            file.write(as_bytes(file_content) if binary else as_str_any(file_content))

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place in the file."""
        place = position if offset is None else offset
        if place is None:
            raise TypeError("seek(): offset argument required")
        with _translated_errors():
            self._open().seek(place, whence)

    def tell(self) -> int:
        """Return the place in the file."""
        with _translated_errors():
            return int(self._open().tell())

    def seekable(self) -> bool:
        """Return True: files of this machine can be read from any place."""
        return True

    def flush(self) -> None:
        """Hand what is written to the system."""
        file = self._file  # another thread may close it
        if file is not None:
            file.flush()

    def close(self) -> None:
        """Close the file; closing twice does nothing."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    Close, Flush, Read, Size = close, flush, read, size

    def __del__(self) -> None:  # programs often read a file and let it go
        self.close()

    def __enter__(self) -> GFile:  # noqa: PYI034 (typing.Self is newer)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


FastGFile = Open = GFile


class FileStatistics:
    """What the system says of a file: bytes, time of the last change, whether it is a folder."""

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory


def exists(filename: Any) -> bool:
    """Whether there is a file or folder of that name."""
    return os.path.exists(_path(filename))


def is_directory(dirname: Any) -> bool:
    """Whether that is a folder."""
    return os.path.isdir(_path(dirname))


def make_directory(dirname: Any) -> None:
    """Make a folder in one that is there."""
    with _translated_errors():
        os.mkdir(_path(dirname))


def make_directories(dirname: Any) -> None:
    """Make a folder and all above it; it may be there already."""
    with _translated_errors():
        os.makedirs(_path(dirname), exist_ok=True)


def remove(filename: Any) -> None:
    """Delete a file."""
    with _translated_errors():
        os.remove(_path(filename))


def delete_recursively(dirname: Any) -> None:
    """Delete a folder and all that is in it."""
    path = _path(dirname)
    with _translated_errors():
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def list_directory(dirname: Any) -> list[str]:
    """Return the names in a folder; raises NotFoundError when it is none."""
    if not is_directory(dirname):
        raise errors.NotFoundError(None, None, f"Could not find directory {as_str_any(dirname)}")
    with _translated_errors():
        return os.listdir(_path(dirname))


def glob(filename: Any) -> list[str]:
    """Return the paths that fit a pattern, or any of several, in their order."""
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [found for pattern in patterns for found in sorted(_glob.glob(_path(pattern)))]


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file; raises AlreadyExistsError for one that is there and not to be replaced."""
    _refuse_to_replace(dst, overwrite)
    with _translated_errors():
        shutil.copyfile(_path(src), _path(dst))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Give a file or folder another name; raises AlreadyExistsError as copy does."""
    _refuse_to_replace(dst, overwrite)
    with _translated_errors():
        os.replace(_path(src), _path(dst))


def _refuse_to_replace(dst: Any, overwrite: bool) -> None:
    if not overwrite and exists(dst):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {as_str_any(dst)}")


def stat(filename: Any) -> FileStatistics:
    """Return what the system says of a file."""
    with _translated_errors():
        found = os.stat(_path(filename))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_path(filename)))


def walk(
    top: Any, in_order: bool = True, onerror: Callable[[Exception], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (folder, folders in it, files in it) for a folder and all below it."""
    with _translated_errors():
        for folder, folders, files in os.walk(_path(top), topdown=in_order, onerror=onerror):
            folders.sort()
            yield folder, folders, sorted(files)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copy a file, as copy does; the older names of its arguments."""
    copy(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Give a file another name, as rename does; the older names of its arguments."""
    rename(oldname, newname, overwrite)


Exists, IsDirectory, MkDir, MakeDirs = exists, is_directory, make_directory, make_directories
Remove, DeleteRecursively, ListDirectory = remove, delete_recursively, list_directory
Glob, Stat, Walk = glob, stat, walk
