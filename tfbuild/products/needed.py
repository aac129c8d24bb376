"""Which packages of a system have the libraries that a product needs and does not hold."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Runner
from tfbuild.core.records import Command
from tfbuild.core.safe_files import read_bytes
from tfbuild.products.folder import LARGEST, elf_files, files_below
from tfbuild.recipes.records import NeededPackage
from tfbuild.wheels.elf import read_elf

# Where Debian keeps libraries; the linker of the place looks there, and so is looked here.
_FIND = """command -v dpkg-query >/dev/null || exit 0
for name; do for at in /usr/lib/*-linux-gnu* /lib/*-linux-gnu* /usr/lib /lib; do
  if [ -e "$at/$name" ]; then
    package=$(dpkg-query -S "/usr${at#/usr}/$name" "${at#/usr}/$name" 2>/dev/null |
      grep -v '^diversion ' | head -n 1 | cut -d: -f1)
    echo "$name $package"; break
  fi
done; done"""


def needed_packages(folder: Path, place: Runner | None) -> tuple[NeededPackage, ...]:
    """Each library that the product needs from outside, with the place's package that has it.

    Without a name of a package where there is no place to ask, where it has no dpkg, and where no
    package of it has the library.
    """
    there = {PurePosixPath(name).name for name in files_below(folder)}
    needed = sorted(_needed(folder) - there)
    if not needed or place is None:
        return tuple(NeededPackage(library=name) for name in needed)
    found = _ask(place, "which package has a library", "sh", "-c", _FIND, "sh", *needed)
    owners = _pairs(found)
    versions = _versions(sorted(set(owners.values())), place)
    return tuple(
        NeededPackage(
            library=name,
            package=owners.get(name, ""),
            version=versions.get(owners.get(name, ""), ""),
        )
        for name in needed
    )


def libraries_here(place: Runner) -> frozenset[str]:
    """The libraries that the loader of a place finds, by name; none where it cannot be asked."""
    ask = 'PATH="$PATH:/usr/sbin:/sbin"; ldconfig -p'
    lines = _ask(place, "which libraries are there", "sh", "-c", ask)
    return frozenset(line.split()[0] for line in lines if " => " in line)


# --- inside ------------------------------------------------------------------------------------


def _needed(folder: Path) -> set[str]:
    needed: set[str] = set()
    for name in elf_files(folder):
        try:
            needed |= set(read_elf(name, read_bytes(folder / name, LARGEST)).needed)
        except ValueError:  # the audit says so
            continue
    return {name for name in needed if re.fullmatch(r"[\w.+-]+", name)}


def _versions(packages: Sequence[str], place: Runner) -> dict[str, str]:
    if not packages:
        return {}
    argv = ("dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *packages)
    return _pairs(_ask(place, "ask for versions", *argv))


def _pairs(lines: Sequence[str]) -> dict[str, str]:
    """The lines that have two words."""
    return {words[0]: words[1] for line in lines if len(words := line.split()) == 2}


def _ask(place: Runner, purpose: str, *argv: str) -> list[str]:
    command = Command(argv=argv, purpose=purpose, cwd="/", quiet=True, timeout=60.0)
    try:
        return place.run(command).stdout.splitlines()
    except (CommandFailed, EnvironmentFailed):
        return []
