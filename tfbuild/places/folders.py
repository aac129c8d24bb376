"""The folders in which a plan's product is built: source, objects, and what installs.

A container sees some of them, each by itself, and never the folder that holds them: no link can
take the place of one of them, and what is believed or delivered lies where no container writes.
What a container can write to is read as a `core/foreign_tree`, and emptied by the place itself.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.layout import NATIVE
from tfbuild.fetch.projects import forget_older


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFolders:
    """Folders that belong to one plan; a build that was killed goes on in them."""

    root: Path  # what lies in it directly, no container writes to
    source: Path  # a private copy of the source code
    build: Path
    stage: Path  # what the build installs, below the prefix
    exchange: Path  # where the place changes copies of what is delivered

    @property
    def product(self) -> Path:
        """What is delivered, as it is packed."""
        return self.root / "product"

    @property
    def archive(self) -> Path:
        """The packed product."""
        return self.root / "product.tar.gz"

    @property
    def trial(self) -> Path:
        """Where the archive is unpacked and tried; in it programs write to one folder alone."""
        return self.root / "trial"

    @property
    def files(self) -> Path:
        """Small files that the plan itself has, for the build system, which only reads them."""
        return self.root / "files"

    @property
    def bazel(self) -> Path:
        """What a Bazel in a container keeps: its outputs and the results of its actions."""
        return self.root / "bazel"

    @property
    def writable(self) -> tuple[Path, ...]:
        """The folders that a build writes to."""
        return (self.source, self.build, self.stage, self.exchange)

    @property
    def configured(self) -> Path:
        """Says of what configuration the build folder is."""
        return self.root / "configured.txt"


def folders_of(work: Path, build_id: str) -> BuildFolders:
    """The folders of a plan's build in a work folder, not necessarily there yet."""
    root = NATIVE.path(work) / build_id
    return BuildFolders(
        root=root,
        source=root / "source",
        build=root / "build",
        stage=root / "stage",
        exchange=root / "exchange",
    )


def work_of(trial: Path) -> Path:
    """The one folder below that of a trial to which what is tried may write."""
    return trial / "work"


def make_folders(folders: BuildFolders, work: Path) -> None:
    """Make those that are missing; those of plans built long ago go."""
    for folder in (*folders.writable, folders.files):
        if folder.is_symlink():  # a container of an earlier release could put it there
            folder.unlink()
        folder.mkdir(parents=True, exist_ok=True)
    os.utime(folders.root)
    forget_older(NATIVE, work)
