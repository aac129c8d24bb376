"""Delivery in one step: files become visible in a folder together, or none of them does."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.disk_space import refusal
from tfbuild.fetch.unpack import sweep


@contextmanager
def delivery(folder: Path, *, last: str) -> Iterator[Path]:
    """A hidden folder on the disk of folder; what is in it at the end is moved there together.

    The file named last comes last. Where anything fails, folder is as it was before. Raises
    DiskFull and EnvironmentFailed that name the folder where the disk or a limit refuses.
    """
    aside = folder / f".tfbuild.{os.getpid()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        (aside / "new").mkdir(parents=True)
        (aside / "old").mkdir()
        yield aside / "new"
        _move(aside / "new", aside / "old", folder, last)
    except OSError as error:
        if known := refusal(error, folder):
            raise known from error
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _move(new: Path, old: Path, folder: Path, last: str) -> None:
    names = sorted((path.name for path in new.iterdir()), key=lambda name: (name == last, name))
    for name in names:
        if (folder / name).exists():
            _keep(folder / name, old / name)
    try:
        # An older file of that name is never seen beside newer ones that speak of another.
        (folder / last).unlink(missing_ok=True)
        for name in names:
            (new / name).replace(folder / name)
        _flush(folder)
    except BaseException:
        for name in reversed(names):
            if (old / name).exists():
                (old / name).replace(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
        raise


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
