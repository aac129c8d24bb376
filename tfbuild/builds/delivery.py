"""Delivery in one step: files become visible in a folder together, or none of them does.

What is delivered lies in a hidden folder until all of it is on the disk. From then on it is only
moved: a run that is killed meanwhile leaves the folder without the file that comes last (and with
nothing older beside what is new), and whoever comes next moves the rest.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.disk_space import refusal
from tfbuild.core.paths import has_lost_its_maker, sweep, write_aside
from tfbuild.core.safe_files import text_of

_LAST = "last"  # the file whose name comes last; once it is there, a delivery is only to be moved


@contextmanager
def delivery(folder: Path, *, last: str) -> Iterator[Path]:
    """A hidden folder on the disk of folder; what is in it at the end is moved there together.

    The file named last comes last. Where anything fails, folder is as it was before. Raises
    DiskFull and EnvironmentFailed that name the folder where the disk or a limit refuses.
    """
    aside = folder / f".tfbuild.{os.getpid()}.part"
    with _explained(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            finish_delivery(folder)
            (aside / "new").mkdir(parents=True)
            (aside / "old").mkdir()
            yield aside / "new"
            _deliver(aside, folder, last)
        finally:
            if not _is_cut_off(aside):
                shutil.rmtree(aside, ignore_errors=True)


def finish_delivery(folder: Path) -> tuple[str, ...]:
    """Move what a killed delivery has not moved any more, and say what it was.

    What killed runs left half written is removed. Raises what a delivery raises.
    """
    moved: list[str] = []
    with _explained(folder):
        for aside in sorted(folder.glob(".tfbuild.*.part")):
            if _is_cut_off(aside) and has_lost_its_maker(aside):
                moved += _move(aside / "new", folder, text_of(aside / _LAST))
        sweep(folder)
    return tuple(moved)


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if known := refusal(error, folder):
            raise known from error
        raise


def _deliver(aside: Path, folder: Path, last: str) -> None:
    """Move all, or put back what was there: new files first go where they came from."""
    new, old = aside / "new", aside / "old"
    names = _in_order(new, last)
    for name in names:
        if (folder / name).exists():
            _keep(folder / name, old / name)
    _flush(new)
    write_aside(aside / _LAST, last)
    try:
        _move(new, folder, last)
    except BaseException:
        for name in reversed(names):
            if not (new / name).exists():
                (folder / name).replace(new / name)
        for name in _in_order(old, last):
            (old / name).replace(folder / name)
        (aside / _LAST).unlink()
        raise


def _is_cut_off(aside: Path) -> bool:
    """Whether all that is to be delivered lies there, and the last file has not been moved."""
    new = aside / "new"
    return new.is_dir() and text_of(aside / _LAST) in {path.name for path in new.iterdir()}


def _move(new: Path, folder: Path, last: str) -> list[str]:
    """Take away what is older, the last file first, then bring what is new, in order."""
    names = _in_order(new, last)
    for name in reversed(names):
        (folder / name).unlink(missing_ok=True)
    for name in names:
        (new / name).replace(folder / name)
    _flush(folder)
    return names


def _in_order(folder: Path, last: str) -> list[str]:
    return sorted((path.name for path in folder.iterdir()), key=lambda name: (name == last, name))


def _keep(path: Path, kept: Path) -> None:
    """Give a file a second name, or a copy where the file system has none."""
    try:
        kept.hardlink_to(path)
    except OSError:
        shutil.copy2(path, kept)


def _flush(folder: Path) -> None:
    """See that the names themselves are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
