"""Where a step of a build is carried out."""

from dataclasses import dataclass

from tfbuild.core.environments import NO_SERVICES, Services
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
    services: Services = NO_SERVICES  # caches and machines that Bazel may ask
    source_sha256: str = ""  # of the source code
