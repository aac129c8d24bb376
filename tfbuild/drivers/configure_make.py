"""Drives a configure script and make.

The tree is copied into the build folder and configured there: not every script can build outside
its tree, and so the private copy of the source code stays as it came.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tfbuild.core.errors import CommandFailed, ConfigureFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.records import Command, Pairs
from tfbuild.drivers.course import Course, carry_out, folder_in
from tfbuild.drivers.progress import MakeProgress, object_of
from tfbuild.drivers.site import Site
from tfbuild.drivers.variables import build_variables
from tfbuild.recipes.records import BuildStep

_SCRIPT = "configure"
_LONGEST_SECONDS = 120.0  # for a dry run and for tidying, which no build hangs on
_MOST_BYTES = 16 * 1024 * 1024
_ANY_CODE = tuple(range(256))
_LEFT = ("config.status", "config.mak", "config.log", "config.h")  # of a build in the tree
_DELETE_OBJECTS = ("find", "{build}", "(", "-name", "*.o", "-o", "-name", "*.lo", ")", "-delete")
# What scripts write down of what they understood; later files win.
_WRITTEN = ("Makefile", "config.status", "*config.h", "*/*config.h", "config.mk", "config.mak",
            "*/config.mak")  # fmt: skip
_UNKNOWN = re.compile(r"^configure: WARNING: unrecognized options: (.+)")  # Autoconf goes on
_LINE = re.compile(
    r"""^(?:
      (?P<off>!)?(?P<make>[A-Za-z_][\w.-]*)[ \t]*[:?]?=(?P<value>.*)
    | \#[ \t]*define[ \t]+(?P<define>\w+)(?:[ \t](?P<text>.*))?
    | (?:/\*[ \t]*)?\#[ \t]*undef[ \t]+(?P<undef>\w+).*
    | S\["(?P<status>\w+)"\]="(?P<said>[^"]*)"
    )$""",
    re.MULTILINE | re.VERBOSE,
)


class ConfigureMakeDriver:
    """Carries steps with a configure script out."""

    def commands(self, step: BuildStep, *, prefix: str, jobs: int) -> tuple[Command, ...]:
        """The commands that configure, build and install, with {placeholders}."""
        variables, folder = build_variables(step, compile_flags="-O2"), folder_in("{build}", step)
        return (
            Command(
                argv=(f"./{_SCRIPT}", f"--prefix={prefix}", f"--libdir={prefix}/lib",
                      *step.arguments),
                stage="configure",
                purpose="configure",
                cwd=folder,
                env=variables,
            ),
            Command(
                argv=("make", f"-j{jobs}", *step.targets),
                stage="build",
                purpose="build",
                cwd=folder,
                env=variables,
            ),
            Command(
                argv=("make", "install", "DESTDIR={stage}"),
                stage="install",
                purpose="install",
                cwd=folder,
                env=variables,
            ),
        )  # fmt: skip

    def build(self, step: BuildStep, site: Site) -> Pairs:
        """Install what the step builds below {stage}, and return what was read back of it.

        Raises ConfigureFailed, BuildFailed, OutOfMemory and DiskFull.
        """
        commands = self.commands(step, prefix=site.prefix, jobs=site.jobs)
        tree, folder = ForeignTree(site.folders.build), folder_in(".", step)
        unknown: list[str] = []

        def heed(line: str) -> None:
            if found := _UNKNOWN.match(line):
                unknown.extend(word.strip() for word in found[1].split(","))

        course = Course(
            system="the configure script",
            builder="make",
            commands=commands,
            asked=(),
            read_back=lambda: written_values(tree, folder),
            follow=lambda: MakeProgress(site.tools.reporter, _objects(commands[1], site)),
            prepare=lambda: _copy_tree(step, site),
            heed=heed,
            unknown=lambda: unknown,
            details=tuple(f"{folder}/{name}" for name in ("config.log", "ffbuild/config.log")),
        )
        return carry_out(course, step, site)


def written_values(tree: ForeignTree, folder: str) -> Pairs:
    """What a configure script has written into makefiles and headers of a folder of the tree.

    `#undef NAME` and `!NAME=yes`, as FFmpeg writes it, count as no.
    """
    found: dict[str, str] = {}
    for path in _written(tree, folder):
        for line in _LINE.finditer(tree.text(f"{folder}/{path}", _MOST_BYTES)):
            name, value = _value(line)
            found[name] = value
    return tuple(found.items())


def _written(tree: ForeignTree, folder: str) -> Iterator[str]:
    there = []
    with suppress(OSError):  # the script may have removed it
        there = tree.files(folder, deepest=2)
    for pattern in _WRITTEN:
        for name in there:
            if name.count("/") == pattern.count("/") and PurePosixPath(name).match(pattern):
                yield name


def _value(line: re.Match[str]) -> tuple[str, str]:
    if line["make"]:
        return line["make"], "no" if line["off"] else line["value"].strip()
    if line["define"]:
        return line["define"], (line["text"] or "").strip().strip('"') or "1"
    if line["undef"]:
        return line["undef"], "no"
    return line["status"], line["said"]


def _copy_tree(step: BuildStep, site: Site) -> None:
    """The tree in the build folder, without what a build of its owner has left there.

    The place makes it, as all that is in a folder to which it can write.
    """
    copy = Command(argv=("cp", "-a", "{source}/.", "{build}"), purpose="copy the source code")
    site.place.run(replace(copy, quiet=True, cwd="/"))
    tree, folder = ForeignTree(site.folders.build), folder_in(".", step)
    if not tree.is_file(f"{folder}/{_SCRIPT}"):
        raise ConfigureFailed(
            "there is no configure script in the source code",
            code="configure-script-missing",
            why=f"expected at {Path(folder_in(str(tree.root), step)) / _SCRIPT}",
            hint="archives of releases have it; a checkout may have autogen.sh or configure.ac, of "
            "which `autoreconf --install` makes it",
        )
    if any(tree.is_file(f"{folder}/{name}") for name in _LEFT):
        tidy = Command(
            argv=("make", "distclean"),
            purpose="remove what an earlier build left in the tree",
            cwd=folder_in("{build}", step),
            timeout=_LONGEST_SECONDS,
            ok_codes=_ANY_CODE,
        )
        with suppress(CommandFailed):
            site.place.run(tidy)
        # A makefile that cannot tidy must not take them for its own.
        site.place.run(Command(argv=_DELETE_OBJECTS, purpose="remove objects", quiet=True, cwd="/"))


def _objects(build: Command, site: Site) -> int:
    """How many objects make would compile; 0 where a dry run does not list them."""
    words = tuple(word for word in build.argv[1:] if not word.startswith("-j"))
    ask = Command(
        argv=("make", "--dry-run", *words),
        cwd=build.cwd,
        env=build.env,
        timeout=_LONGEST_SECONDS,
        ok_codes=_ANY_CODE,
        quiet=True,
    )
    try:
        lines = site.place.run(ask).stdout.splitlines()
    except CommandFailed:
        return 0
    return len({made for line in lines if (made := object_of(line))})
