"""The course of every step: configure, hold what was understood against the recipe, build, install.

A build folder stays for the next call with the same source code, configuration, compiler and place,
which goes on where this one ended; for any other it is made anew.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from tfbuild.core.any_tree import remove_tree
from tfbuild.core.errors import CommandFailed, ConfigureFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Command, Pairs
from tfbuild.core.safe_files import text_of
from tfbuild.core.versions import did_you_mean, nearest
from tfbuild.diagnosis.failure_lines import FailureLines
from tfbuild.drivers.failed_command import run_kept
from tfbuild.drivers.failure import build_failed, configure_failed, install_failed
from tfbuild.drivers.site import Site
from tfbuild.places.place import describe_tools, empty
from tfbuild.recipes.records import BuildStep

_TRUE, _FALSE = {"on", "true", "1", "yes", "y"}, {"off", "false", "0", "no", "n"}
NOTHING = "nothing"  # what was understood of a name that the build system does not know
_OTHERWISE = (
    "this release may call it otherwise, or turn it off where something is missing: "
    "see what configure says in the log, and `arguments` and `expect` in the recipe"
)


class Follower(Protocol):
    """Takes the lines of a build, and reports how far it is."""

    def take(self, line: str) -> None:
        """One line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What differs between build systems."""

    system: str  # what configures
    builder: str  # what builds and installs
    commands: tuple[Command, ...]  # configure, build, install
    asked: tuple[str, ...]  # names, beside the expected ones, of which is said what they became
    read_back: Callable[[], Pairs]  # all that it has understood
    follow: Callable[[], Follower]  # called when it is about to build
    prepare: Callable[[], None] = lambda: None  # called with an empty build folder
    heed: Callable[[str], None] = lambda _: None  # gets the lines of configure
    unknown: Callable[[], Collection[str]] = tuple  # arguments of the recipe that mean nothing
    details: tuple[str, ...] = ()  # logs that it may have written in the build folder


def carry_out(course: Course, step: BuildStep, site: Site) -> Pairs:
    """Install what the step builds, and return what was read back. Raises what drivers raise."""
    configure, build, install = course.commands
    mark = _mark(course, step, site)
    if text_of(site.folders.configured) != mark:
        _configure(course, configure, step, site)
    understood = dict(course.read_back())
    _hold(course, step.expect, understood)
    write_aside(site.folders.configured, mark)
    said = FailureLines()
    try:
        _run(build, site, said, course.follow())
    except CommandFailed as error:
        raise build_failed(course.builder, said, error) from error
    site.tools.reporter.progress("installing")
    empty(site.folders.stage, site.place)  # files of an earlier call would be delivered
    said = FailureLines()
    try:
        _run(install, site, said)
    except CommandFailed as error:
        raise install_failed(course.builder, said, error) from error
    names = dict.fromkeys((*(name for name, _ in step.expect), *course.asked))
    return tuple((name, understood[name]) for name in names if name in understood)


def is_same(asked: str, got: str) -> bool:
    """Whether two values mean the same: ON and true do."""
    one, other = asked.strip().lower(), got.strip().lower()
    return asked == got or any({one, other} <= words for words in (_TRUE, _FALSE))


def folder_in(root: str, step: BuildStep) -> str:
    """The step's folder below a folder."""
    return f"{root}/{step.folder}" if step.folder not in {"", "."} else root


def definitions(arguments: Sequence[str]) -> tuple[str, ...]:
    """The names that arguments define, as -DNAME=VALUE or -DNAME:TYPE=VALUE."""
    words = (word.removeprefix("-D") for word in arguments if word.startswith("-D") and "=" in word)
    return tuple(word.partition("=")[0].partition(":")[0] for word in words)


# --- inside ------------------------------------------------------------------------------------


def _configure(course: Course, command: Command, step: BuildStep, site: Site) -> None:
    """Configure in an empty folder: options of an earlier call would stay without a word."""
    site.folders.configured.unlink(missing_ok=True)
    empty(site.folders.build, site.place)
    _require_folder(step, site)
    for left in site.folders.files.iterdir():
        remove_tree(left)
    for name, text in step.files:
        write_aside(site.folders.files / name, text)
    course.prepare()
    site.tools.reporter.progress("configuring")
    said = FailureLines()

    def watch(line: str) -> None:
        if line:
            said.take(line)
            course.heed(line)

    try:
        run_kept(command, site, watch)
    except CommandFailed as error:
        build = ForeignTree(site.folders.build)
        log = next((name for name in course.details if build.is_file(name)), None)
        details = build.root / log if log else None
        raise configure_failed(course.system, said, error, details=details) from error


def _require_folder(step: BuildStep, site: Site) -> None:
    """Raise ConfigureFailed where the source code has no such folder."""
    source = ForeignTree(site.folders.source)
    if not source.is_folder(step.folder):
        above = PurePosixPath(step.folder).parent
        there = [str(above / name) for name in source.names(str(above))]
        names = [name for name in there if source.is_folder(name)]
        raise ConfigureFailed(
            f"the source code has no folder {step.folder}",
            code="build-folder-missing",
            hint=f"correct `folder` below build in the recipe: {did_you_mean(step.folder, names)}"
            if names
            else "correct `folder` below build in the recipe",
        )


def _hold(course: Course, expect: Pairs, understood: dict[str, str]) -> None:
    """Raise ConfigureFailed that lists every difference to what is asked and expected."""
    differences = [
        f"{name}: asked {value or 'nothing'}, got {understood.get(name, NOTHING) or NOTHING}"
        for name, value in expect
        if not is_same(value, understood.get(name, NOTHING))
    ]
    expected = {name for name, _ in expect}
    unknown = [name for name in course.unknown() if name not in expected]
    why = "\n".join((*differences, *_strange(unknown, understood)))
    if differences:
        raise ConfigureFailed(
            f"{course.system} understood something else than the recipe expects",
            code="build-option-differs",
            why=why,
            hint=_OTHERWISE,
        )
    if unknown:
        raise ConfigureFailed(
            f"{course.system} does not know every argument of the recipe",
            code="build-argument-unknown",
            why=why,
            hint=_OTHERWISE,
        )


def _strange(unknown: Collection[str], understood: Collection[str]) -> Iterator[str]:
    for name in unknown:
        found = nearest(name, understood)
        yield f"{name}: nothing in the source code asks for it" + (
            f"; did you mean '{found}'?" if found else ""
        )


def _run(
    command: Command, site: Site, said: FailureLines, follower: Follower | None = None
) -> None:
    def watch(line: str) -> None:
        if line:
            said.take(line)
            if follower:
                follower.take(line)

    run_kept(command, site, watch)


def _mark(course: Course, step: BuildStep, site: Site) -> str:
    """What the build folder is of.

    Nothing serves other source code: what configure has read or listed of it, no build system reads
    again; and in a container what has been built may have written anything into the folder, and a
    build that goes on believes all of it.
    """
    words = (course.commands[0], site.folders.root, site.place.environment.id, site.place.path)
    text = repr((*words, site.source_sha256, step.files, describe_tools(site.place, step)))
    return hashlib.sha256(text.encode()).hexdigest()
