"""Where a step of a build is carried out."""

from dataclasses import dataclass

from tfbuild.core.interfaces import Tools
from tfbuild.places.folders import BuildFolders
from tfbuild.places.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a step is carried out, and how."""

    place: Place
    folders: BuildFolders
    prefix: str  # where the build believes that it will be installed
    jobs: int
    tools: Tools
    recipe: str = ""  # its name
    source_sha256: str = ""  # of the source code
