"""Drives CMake with Ninja."""

import re

from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.records import Command, Pairs
from tfbuild.drivers.course import Course, carry_out, definitions, folder_in
from tfbuild.drivers.progress import NinjaProgress
from tfbuild.drivers.site import Site
from tfbuild.drivers.variables import build_variables
from tfbuild.recipes.records import BuildStep

_ENTRY = re.compile(r'"?([^#/\s":=][^":=]*)"?:([A-Z]+)=(.*)')
_UNUSED = "Manually-specified variables were not used by the project"
# What stands before the recipe's own arguments, which win.
_DEFINED = (
    ("CMAKE_BUILD_TYPE", "Release"),
    ("CMAKE_INSTALL_LIBDIR", "lib"),
    ("BUILD_SHARED_LIBS", "ON"),
    # The products of one archive find each other wherever it is unpacked.
    ("CMAKE_INSTALL_RPATH", "$ORIGIN/../lib"),
    # The linker's build ID is made before that is put in: no path of this machine may count in it.
    ("CMAKE_BUILD_RPATH_USE_ORIGIN", "ON"),
    # Nothing is fetched, and nothing taken from other builds of this user.
    ("FETCHCONTENT_FULLY_DISCONNECTED", "ON"),
    ("CMAKE_FIND_USE_PACKAGE_REGISTRY", "OFF"),
    ("CMAKE_EXPORT_NO_PACKAGE_REGISTRY", "ON"),
)


class CMakeDriver:
    """Carries steps with CMake out."""

    def commands(self, step: BuildStep, *, prefix: str, jobs: int) -> tuple[Command, ...]:
        """The commands that configure, build and install, with {placeholders}."""
        variables = build_variables(step)
        defined = (*_DEFINED[:1], ("CMAKE_INSTALL_PREFIX", prefix), *_DEFINED[1:])
        targets = ("--target", *step.targets) if step.targets else ()
        return (
            Command(
                argv=(
                    *("cmake", "-S", folder_in("{source}", step), "-B", "{build}", "-G", "Ninja"),
                    *(f"-D{name}={value}" for name, value in defined),
                    *step.arguments,
                ),
                stage="configure",
                purpose="configure",
                cwd="{work}",
                env=variables,
            ),
            Command(
                argv=("cmake", "--build", "{build}", "--parallel", str(jobs), *targets),
                stage="build",
                purpose="build",
                cwd="{work}",
                env=variables,
            ),
            Command(
                argv=("cmake", "--install", "{build}"),
                stage="install",
                purpose="install",
                cwd="{work}",
                env=(*variables, ("DESTDIR", "{stage}")),
            ),
        )

    def build(self, step: BuildStep, site: Site) -> Pairs:
        """Install what the step builds below {stage}, and return what was read back of it.

        Raises ConfigureFailed, BuildFailed, OutOfMemory and DiskFull.
        """
        warnings = _Warnings()
        tree = ForeignTree(site.folders.build)

        def read_back() -> Pairs:
            found = cache_entries(tree.text("CMakeCache.txt"))
            return tuple(pair for pair in found if pair[0] not in warnings.unused)

        course = Course(
            system="CMake",
            builder="CMake",
            commands=self.commands(step, prefix=site.prefix, jobs=site.jobs),
            asked=definitions(step.arguments),
            read_back=read_back,
            follow=lambda: NinjaProgress(site.tools.reporter),
            heed=warnings.take,
            unknown=lambda: [n for n in definitions(step.arguments) if n in warnings.unused],
            details=("CMakeFiles/CMakeError.log", "CMakeFiles/CMakeConfigureLog.yaml"),
        )
        return carry_out(course, step, site)


def cache_entries(text: str) -> Pairs:
    """Names and values of a CMakeCache.txt; a container may have written anything into it."""
    found = (_ENTRY.fullmatch(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple((match[1], match[3]) for match in found if match)


class _Warnings:
    """Takes the output of CMake, and keeps which definitions no file of the project has read."""

    def __init__(self) -> None:
        self.unused: set[str] = set()
        self._listing = False

    def take(self, line: str) -> None:
        """One line of it; the names are indented further than the sentence."""
        if _UNUSED in line:
            self._listing = True
        elif self._listing and line.startswith("    "):
            self.unused.add(line.strip())
        elif line.strip():
            self._listing = False
