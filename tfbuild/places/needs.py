"""What a recipe needs of a place: rows of matrices/needs.yaml, looked for where it is built."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from tfbuild.core.errors import BadRecipe, EnvironmentFailed, FetchFailed, WrongHash
from tfbuild.core.interfaces import Tools, Watch
from tfbuild.core.process import find_program
from tfbuild.core.records import Artifact, Command, Completed
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.build_rows import NeedRow
from tfbuild.facts.tables import Tables
from tfbuild.fetch.venv import provide_programs, python_version
from tfbuild.fetch.wheelhouse import resolve_requirements
from tfbuild.recipes.records import KnownNeed, Need

_ANY_CODE = tuple(range(256))
_NO_PKG_CONFIG = 9
_MODULE = f'command -v pkg-config || exit {_NO_PKG_CONFIG}; pkg-config --exists "$1"'
# Some headers are C++ alone, which reads those of C as well.
_HEADER = 'cc -E -x c -include "$1" /dev/null || c++ -E -x c++ -include "$1" /dev/null'


class Looked(Protocol):
    """Where it is looked: a place, whose commands run in it."""

    @property
    def is_container(self) -> bool:
        """Whether it is a container, in which nobody installs anything by hand."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Run a command in it."""


def read_needs(names: Iterable[str], tables: Tables) -> tuple[Need, ...]:
    """The needs of those names, each once; BadRecipe for a name without a row."""
    rows = {row.need: row for row in tables.needs()}
    found = []
    for name in dict.fromkeys(names):
        if name not in rows:
            raise BadRecipe(
                f"'{name}' is not among the needs of matrices/needs.yaml",
                code="recipe-need-unknown",
                hint=did_you_mean(name, rows),
            )
        row = rows[name]
        found.append(
            Need(
                name=name,
                program=row.program,
                pkg_config=row.pkg_config,
                header=row.header,
                package=row.debian,
                index=row.index,
                sonames=row.sonames,
            )
        )
    return tuple(found)


def known_needs(tables: Tables) -> tuple[KnownNeed, ...]:
    """Every need that a recipe may name, in the order of their names."""
    return tuple(sorted(map(_known, tables.needs()), key=lambda need: need.name))


def needs_text(needs: Sequence[KnownNeed]) -> str:
    """A line for each need: its name, what is looked for, and which packages have it."""
    rows = [
        (
            need.name,
            f"{need.kind} {need.looked_for}",
            "; ".join(f"{system}: {packages}" for system, packages in need.packages),
            f"({need.note})" if need.note else "",
        )
        for need in needs
    ]
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(2)]
    lines = [
        f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]} {row[3]}".rstrip() for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)


def packages_of(needs: Iterable[Need]) -> tuple[str, ...]:
    """The packages that have them, in order, each once."""
    return tuple(dict.fromkeys(name for need in needs for name in need.package.split()))


def require_needs(needs: Sequence[Need], place: Looked) -> None:
    """Raise EnvironmentFailed that names all needs which the place lacks, and how to get them."""
    missing = [need for need in needs if not is_there(need, place)]
    if not missing:
        return
    names = ", ".join(need.name for need in missing)
    hint = how_to_get(missing)
    if place.is_container:
        words = " ".join(packages_of(missing))
        has = f"the packages {words} should have it" if words else "no package is known to have it"
        hint = f"{has}: see their rows in matrices/needs.yaml"
    raise EnvironmentFailed(
        f"{'the container' if place.is_container else 'this machine'} lacks {names}",
        code="needs-missing",
        why="; ".join(why_not(need) for need in missing),
        hint=hint,
    )


def how_to_get(needs: Iterable[Need]) -> str:
    """The command that installs them on this machine; without apt-get, what Debian calls them."""
    needs = tuple(needs)
    words = " ".join(packages_of(needs))
    ways = []
    if words and find_program("apt-get"):
        ways.append(f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install {words}")
    elif words:
        ways.append(f"install what Debian calls {words} with the system's own packages")
    if others := [need.name for need in needs if not need.package]:
        ways.append(f"install {', '.join(others)}, of which no package is known, by hand")
    return "; ".join(ways)


def index_tools(
    needs: Iterable[Need], tools: Tools, held: tuple[Artifact, ...] = ()
) -> tuple[tuple[Path, ...], tuple[Artifact, ...]]:
    """Folders to be put before PATH, with the programs that this machine lacks and pip can install.

    With them, the files of the index that they come from: the newest, or those that a lock holds
    for what is chosen. A lock adds none: it comes from anywhere, and what is installed is run.
    None where nothing is missing, or where the index does not give it: then `require_needs` says
    what else helps. Raises WrongHash, EnvironmentFailed where a wheel does not install, and
    FetchFailed where the files of a lock are not to be had.
    """
    missing = [n for n in needs if n.index and n.program and not find_program(n.program)]
    if not missing:
        return (), ()
    version = python_version(tools, sys.executable)
    asked = [need.index for need in missing]
    try:
        artifacts = resolve_requirements(
            asked, tools, python=sys.executable, version=version, kind="tool", held=held
        )
        programs = [need.program for need in missing]
        folder = provide_programs(
            tools, python=sys.executable, artifacts=artifacts, programs=programs
        )
    except WrongHash:
        raise
    except FetchFailed as error:
        if held:
            raise
        tools.reporter.warn(
            f"{', '.join(asked)} cannot be had from the package index: {error}",
            code="index-tools-missing",
        )
        return (), ()
    return (folder,), artifacts


def _known(row: NeedRow) -> KnownNeed:
    pairs = (("debian", row.debian), ("index", row.index))
    packages = tuple((system, words) for system, words in pairs if words)
    if row.program:
        return KnownNeed(
            name=row.need, kind="program", looked_for=row.program, packages=packages, note=row.note
        )
    if not row.pkg_config:
        return KnownNeed(
            name=row.need, kind="header", looked_for=row.header, packages=packages, note=row.note
        )
    return KnownNeed(
        name=row.need,
        kind="pkg-config module",
        looked_for=row.pkg_config,
        header=row.header,
        packages=packages,
        note=row.note,
    )


def is_there(need: Need, place: Looked) -> bool:
    """Whether a need is met; a module counts by its header where nothing asks pkg-config."""
    if need.program:
        return _asked(need, place, "sh", "-c", 'command -v "$1"', "sh", need.program) == 0
    if need.pkg_config:
        code = _asked(need, place, "sh", "-c", _MODULE, "sh", need.pkg_config)
        if code != _NO_PKG_CONFIG or not need.header:
            return code == 0
    return _asked(need, place, "sh", "-c", _HEADER, "sh", need.header) == 0


def _asked(need: Need, place: Looked, *argv: str) -> int:
    look = f"look for {need.name}"
    command = Command(argv=argv, purpose=look, cwd="/", ok_codes=_ANY_CODE, quiet=True)
    return place.run(command).code


def why_not(need: Need) -> str:
    """How it shows that a need is not met."""
    if need.program:
        return f"no program {need.program} on PATH"
    if need.pkg_config:
        return f"pkg-config does not know {need.pkg_config}, or is not there itself"
    return f"no header {need.header}"
