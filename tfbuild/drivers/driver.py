"""The drivers of build systems, each found by the kind of step that it carries out."""

from typing import Protocol

from tfbuild.core.records import Command, Pairs
from tfbuild.drivers.bazel import BazelDriver, bazel_of
from tfbuild.drivers.cmake import CMakeDriver
from tfbuild.drivers.configure_make import ConfigureMakeDriver
from tfbuild.drivers.meson import MesonDriver
from tfbuild.drivers.site import Site
from tfbuild.places.place import describe_tools
from tfbuild.recipes.records import BazelBuild, BuildStep, CMakeBuild, ConfigureMake, MesonBuild

__all__ = ["Driver", "Site", "driver_of", "tools_of"]


class Driver(Protocol):
    """Carries the steps of one build system out."""

    def commands(self, step: BuildStep, *, prefix: str, jobs: int) -> tuple[Command, ...]:
        """The commands that configure, build and install, with {placeholders}."""

    def build(self, step: BuildStep, site: Site) -> Pairs:
        """Install what the step builds below {stage}, and return what was read back of it.

        Raises ConfigureFailed, before anything is compiled, also where something else was
        understood than is expected; BuildFailed with the lines that say why; OutOfMemory and
        DiskFull.
        """


_DRIVERS: dict[type[BuildStep], Driver] = {
    CMakeBuild: CMakeDriver(),
    ConfigureMake: ConfigureMakeDriver(),
    MesonBuild: MesonDriver(),
    BazelBuild: BazelDriver(),
}


def driver_of(step: BuildStep) -> Driver:
    """The driver of a step; KeyError for a kind of step that has none."""
    return _DRIVERS[type(step)]


def tools_of(step: BuildStep, site: Site) -> Pairs:
    """Compilers and build system of a step, each with what it says that it is.

    Raises what Bazel's environment raises.
    """
    found = describe_tools(site.place, step)
    return (*found, ("bazel", bazel_of(step, site))) if isinstance(step, BazelBuild) else found
