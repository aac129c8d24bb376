"""Delivery in one step: files become visible in a folder together, or none of them does.

What is delivered, files and whole folders, lies in a hidden folder until all of it is on the disk.
From then on it is only moved: a run that is killed meanwhile leaves the folder without what comes
last (and with nothing older beside what is new), and whoever comes next moves the rest. What that
is stands in a journal in the state folder: nothing in the output folder is believed for its name.
"""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.core.disk_space import refusal
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.file_locks import wait_for_lock
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import DELIVERIES
from tfbuild.core.parts import part_name
from tfbuild.core.paths import real_path, refuse_link, require_writable
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import Reporter
from tfbuild.core.state_folder import make_state

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW, _OLD = "new", "old"


@contextmanager
def delivery(folder: Path, *, last: str) -> Iterator[Path]:
    """A hidden folder on the disk of folder; what is in it at the end is moved there together.

    It is named by the descriptor of this process: whoever may rename it in the folder leads nothing
    elsewhere. A folder in it takes the place of an older one of its name. What is named last comes
    last. Where anything fails, folder is as it was before. Raises DiskFull and EnvironmentFailed
    that name the folder where the disk or a limit refuses, where the folder is a link, and where
    somebody else changes it meanwhile.
    """
    with _explained(folder), _turn(folder) as journal:
        folder.mkdir(parents=True, exist_ok=True)
        _finish(folder, journal)
        with _opened(folder) as output:
            note = _begin(folder, output, journal)
            try:
                with _opened_aside(output, note) as aside, _opened(_NEW, aside) as new:
                    yield _place(new)
                _deliver(folder, output, note, journal, last)
            finally:
                if not _is_complete(folder, journal):
                    _drop(output, note, journal)


def require_output(folder: Path) -> None:
    """Raise EnvironmentFailed where a delivery could not begin; asked before a build's hours."""
    refuse_link(folder)
    require_writable(folder, hint="name another folder with --output")


def report_finished(folder: Path, reporter: Reporter) -> None:
    """Deliver what an earlier build has proven, where it was killed while it was delivered."""
    if names := finish_delivery(folder):
        reporter.warn(
            f"an earlier build was killed while it was delivered; now there: {', '.join(names)}",
            code="delivery-finished-late",
        )


def finish_delivery(folder: Path) -> tuple[str, ...]:
    """Move what a killed delivery has not moved any more, and say what it was.

    What it had not made ready is removed. Raises what a delivery raises.
    """
    with _explained(folder), _turn(folder) as journal:
        return _finish(folder, journal)


# --- inside ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Journal:
    """A delivery under way. Folders are known by path and inode: devices are numbered anew."""

    output: int  # the inode of the output folder
    aside: str  # the name of the hidden folder in it
    inode: int  # of the hidden folder; 0 until it is made
    files: Pairs  # names and digests, in their order; none until all lies ready


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if known := refusal(error, folder):
            raise known from error
        if isinstance(error, _Unlike):
            raise EnvironmentFailed(
                f"somebody else changes the output folder {folder}",
                code="output-folder-changed",
                why=f"{error.filename}: {error.strerror}",
                hint="name a folder with --output that is yours alone",
            ) from error
        raise


@contextmanager
def _turn(folder: Path) -> Iterator[Path]:
    """The journal of an output folder, for one process at a time."""
    refuse_link(folder)
    journals = DELIVERIES.path(make_state())
    journals.mkdir(mode=0o700, exist_ok=True)
    name = hashlib.sha256(os.fsencode(real_path(folder))).hexdigest()[:24]
    with wait_for_lock(journals / f"{name}.lock"):
        yield journals / f"{name}.json"


@contextmanager
def _opened(name: Path | str, within: int | None = None) -> Iterator[int]:
    """A folder, opened; OSError for a link and for anything else."""
    descriptor = os.open(name, _FOLDER, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _begin(folder: Path, output: int, journal: Path) -> _Journal:
    """Make the hidden folder, for the caller alone; the journal names it before it is there."""
    note = _Journal(output=os.fstat(output).st_ino, aside=part_name(), inode=0, files=())
    _write(folder, journal, note)
    os.mkdir(note.aside, 0o700, dir_fd=output)
    with _opened(note.aside, output) as aside:
        note = replace(note, inode=os.fstat(aside).st_ino)
        _write(folder, journal, note)
        os.mkdir(_NEW, 0o700, dir_fd=aside)
        os.mkdir(_OLD, 0o700, dir_fd=aside)
    return note


def _deliver(folder: Path, output: int, note: _Journal, journal: Path, last: str) -> None:
    """Move all, or put back what was there: new files first go where they came from."""
    with ExitStack() as stack:
        aside = stack.enter_context(_opened_aside(output, note))
        new, old = (stack.enter_context(_opened(name, aside)) for name in (_NEW, _OLD))
        names = _in_order(new, last)
        files = tuple((name, _digest(name, new)) for name in names)
        for name in names:
            if not (_is_folder(name, new) and _is_folder(name, output)):  # a folder is moved aside
                _keep(name, output, old)
        os.fsync(new)
        _write(folder, journal, replace(note, files=files))
        try:
            _move(names, new, old, output)
        except BaseException:
            for name in reversed(names):
                if not _is_there(name, new):
                    os.rename(name, name, src_dir_fd=output, dst_dir_fd=new)
            for name in _in_order(old, last):
                os.rename(name, name, src_dir_fd=old, dst_dir_fd=output)
            _write(folder, journal, note)
            raise
    _write(folder, journal, note)


def _finish(folder: Path, journal: Path) -> tuple[str, ...]:
    note = _read(folder, journal)
    if note is None:
        return ()
    moved: tuple[str, ...] = ()
    with suppress(FileNotFoundError, NotADirectoryError), _opened(folder) as output:
        if os.fstat(output).st_ino == note.output:
            moved = _move_rest(output, note)
            _drop(output, note, journal)
    journal.unlink(missing_ok=True)
    return moved


def _move_rest(output: int, note: _Journal) -> tuple[str, ...]:
    """Move what is left, where it is all that the journal says; what was moved."""
    if not note.files:
        return ()
    try:
        with (
            _opened_aside(output, note) as aside,
            _opened(_NEW, aside) as new,
            _opened(_OLD, aside) as old,
        ):
            left = [(name, digest) for name, digest in note.files if _is_there(name, new)]
            is_cut_off = note.files[-1] in left
            if not is_cut_off or any(_digest(name, new) != digest for name, digest in left):
                return ()
            names = [name for name, _ in left]
            _move(names, new, old, output)
            return tuple(names)
    except _Unlike:
        return ()


class _Unlike(OSError):
    """What lies there is not what the journal speaks of."""


@contextmanager
def _opened_aside(output: int, note: _Journal) -> Iterator[int]:
    """The hidden folder of a journal; _Unlike where something else lies in its place."""
    try:
        descriptor = os.open(note.aside, _FOLDER, dir_fd=output)
    except OSError as error:
        raise _Unlike(error.errno, error.strerror, note.aside) from error
    try:
        state = os.fstat(descriptor)
        is_own = state.st_uid == os.geteuid() and not state.st_mode & 0o077
        if state.st_ino != note.inode or not is_own:
            raise _Unlike(errno.ESTALE, os.strerror(errno.ESTALE), note.aside)
        yield descriptor
    finally:
        os.close(descriptor)


def _move(names: Sequence[str], new: int, old: int, output: int) -> None:
    """Take away what is older, the last one first, then bring what is new, in order."""
    for name in reversed(names):
        if _is_folder(name, output):
            spare = part_name() if _is_there(name, old) else name
            os.rename(name, spare, src_dir_fd=output, dst_dir_fd=old)
            continue
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=output)
    for name in names:
        os.rename(name, name, src_dir_fd=new, dst_dir_fd=output)
    os.fsync(output)


def _drop(output: int, note: _Journal, journal: Path) -> None:
    """Remove the hidden folder, if it is the journal's, and the journal."""
    if note.inode:
        with suppress(_Unlike), _opened_aside(output, note):
            shutil.rmtree(note.aside, ignore_errors=True, dir_fd=output)
    else:
        with suppress(OSError):  # it is empty, if it was made at all
            os.rmdir(note.aside, dir_fd=output)
    journal.unlink(missing_ok=True)


def _place(descriptor: int) -> Path:
    """A path to an open folder, whatever becomes of its name."""
    return Path(f"/proc/self/fd/{descriptor}")


def _keep(name: str, output: int, old: int) -> None:
    """Give a file that will be replaced a second name, or a copy where there can be none."""
    try:
        state = os.stat(name, dir_fd=output, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    try:
        os.link(name, name, src_dir_fd=output, dst_dir_fd=old, follow_symlinks=False)
    except OSError:
        shutil.copy2(_place(output) / name, _place(old) / name, follow_symlinks=False)


def _digest(name: str, folder: int) -> str:
    """The digest of a regular file, or of all in a folder; _Unlike for anything else."""
    if _is_folder(name, folder):
        return _digest_of_folder(name, folder)
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        raise _Unlike(error.errno, error.strerror, name) from error
    with open(descriptor, "rb") as stream:  # noqa: PTH123  (it is open already)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Unlike(errno.EINVAL, "It is not a regular file", name)
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _digest_of_folder(top: str, within: int) -> str:
    """The digest over names, kinds, contents and where links lead; none of them is followed."""
    found = hashlib.sha256()
    for root, folders, files, here in os.fwalk(top, dir_fd=within, onerror=_refuse):
        folders.sort()
        for name in sorted((*folders, *files)):
            mode = os.stat(name, dir_fd=here, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                content = os.readlink(name, dir_fd=here)
            else:
                content = "" if stat.S_ISDIR(mode) else _digest(name, here)
            found.update(repr((root, name, mode, content)).encode())
    return found.hexdigest()


def _refuse(error: OSError) -> None:
    raise _Unlike(error.errno, error.strerror, error.filename) from error


def _is_folder(name: str, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _in_order(folder: int, last: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted((entry.name for entry in entries), key=lambda name: (name == last, name))


def _write(folder: Path, journal: Path, note: _Journal) -> None:
    write_kept(journal, str(real_path(folder)), note)


def _read(folder: Path, journal: Path) -> _Journal | None:
    return read_record(journal, str(real_path(folder)), _Journal)


def _is_complete(folder: Path, journal: Path) -> bool:
    """Whether all lies ready, and the move was not taken back: the next delivery finishes it."""
    note = _read(folder, journal)
    return note is not None and bool(note.files)
