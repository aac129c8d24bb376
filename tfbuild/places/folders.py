"""The folders in which a plan's product is built: source, objects, and what installs."""

import os
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.layout import NATIVE
from tfbuild.fetch.projects import forget_older


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFolders:
    """Folders that belong to one plan; a build that was killed goes on in them."""

    root: Path  # nothing else is writable in a container
    source: Path  # a private copy of the source code
    build: Path
    stage: Path  # what the build installs, below the prefix

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
        """Where the archive is unpacked and tried."""
        return self.root / "trial"

    @property
    def files(self) -> Path:
        """Small files that the plan itself has, for the build system."""
        return self.root / "files"

    @property
    def configured(self) -> Path:
        """Says of what configuration the build folder is."""
        return self.root / "configured.txt"


def folders_of(work: Path, build_id: str) -> BuildFolders:
    """The folders of a plan's build in a work folder, not necessarily there yet."""
    root = NATIVE.path(work) / build_id
    return BuildFolders(
        root=root, source=root / "source", build=root / "build", stage=root / "stage"
    )


def make_folders(folders: BuildFolders, work: Path) -> None:
    """Make those that are missing; those of plans built long ago go."""
    for folder in (folders.source, folders.build, folders.stage):
        folder.mkdir(parents=True, exist_ok=True)
    os.utime(folders.root)
    forget_older(NATIVE, work)
