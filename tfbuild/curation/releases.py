"""Releases of a project on the package index: which versions, for which Pythons and platforms."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Protocol

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from tfbuild.core.versions import contains, newest_first, parse_version
from tfbuild.facts.targets import find_target, usual_target
from tfbuild.fetch.simple_api import IndexFile
from tfbuild.wheels.manylinux import platform_glibc
from tfbuild.wheels.requirements import is_for_extra, read_requirements


class Index(Protocol):
    """What a refresh asks; the real one is `index.PackageIndex`."""

    def files(self, project: str) -> tuple[IndexFile, ...]:
        """The wheels of a project; none when no index knows it."""

    def metadata(self, file: IndexFile) -> Message | None:
        """What METADATA in a wheel says; None where it cannot be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One final version and its wheels that are not withdrawn."""

    version: str
    files: tuple[IndexFile, ...]

    @property
    def requires_python(self) -> str:
        """What the files ask of Python, where they agree; else an empty string.

        What is no range asks for nothing, as for pip.
        """
        said = {file.requires_python for file in self.files}
        try:
            return ordered(SpecifierSet(said.pop())) if len(said) == 1 else ""
        except InvalidSpecifier:
            return ""

    def pythons(self, platform: str, *, free_threaded: bool = False) -> tuple[str, ...]:
        """CPythons with a wheel for the platform, oldest first: 3.9 or, free-threaded, 3.14t."""
        found = set()
        for tag in (tag for file in self.on(platform) for tag in file.name.tags):
            python = re.fullmatch(r"cp(\d)(\d+)", tag.interpreter)
            if python and (tag.abi == f"{tag.interpreter}t") == free_threaded:
                found.add(f"{python[1]}.{python[2]}" + ("t" if free_threaded else ""))
        return oldest_first(found)

    def on(self, platform: str) -> tuple[IndexFile, ...]:
        """The wheels for a platform; those for any platform count too."""
        pattern = re.compile(f"({find_target(platform).wheel_tags}|any)")
        return tuple(
            file
            for file in self.files
            if any(pattern.fullmatch(tag.platform) for tag in file.name.tags)
        )

    @property
    def glibc(self) -> str:
        """The oldest glibc that one of its wheels for Linux runs with; empty if not said."""
        tags = (tag for file in self.on(usual_target("linux").version) for tag in file.name.tags)
        found = {platform_glibc(tag.platform) for tag in tags} - {""}
        return newest_first(found)[-1] if found else ""


def releases(index: Index, project: str, platforms: Iterable[str]) -> dict[str, Release]:
    """Final releases with a wheel for one of the platforms, by version, newest first."""
    files: dict[str, list[IndexFile]] = {}
    for file in index.files(project):
        if not file.is_yanked and _is_final(file.version):
            files.setdefault(file.version, []).append(file)
    found = {v: Release(version=v, files=tuple(files[v])) for v in newest_first(files)}
    wanted = tuple(platforms)
    return {v: r for v, r in found.items() if any(r.on(platform) for platform in wanted)}


def by_minor(found: Mapping[str, Release], parts: int) -> dict[str, Release]:
    """The newest release of each version cut to so many numbers."""
    cut: dict[str, Release] = {}
    for version, release in found.items():
        cut.setdefault(".".join(version.split(".")[:parts]), release)
    return cut


def covers(known: str, version: str) -> bool:
    """Whether a row of one version speaks of another: 2.5 of 2.5.1, and 13.0.2 of 13.0."""
    same = parse_version(known) == parse_version(version)
    return same or version.startswith(f"{known}.") or known.startswith(f"{version}.")


def allowed(spec: str, version: str) -> bool:
    """Whether a range of a matrix, with its alternatives, allows a version."""
    return any(contains(part.strip(), version) for part in spec.split("|"))


def python_range(pythons: Sequence[str]) -> str:
    """Pythons as a range of a matrix: `2.7 | >=3.5,<3.9`; gaps stay gaps."""
    runs: list[list[tuple[int, int]]] = []
    for python in oldest_first(pythons):
        major, minor = (int(number) for number in python.split("."))
        if runs and runs[-1][-1] == (major, minor - 1):
            runs[-1].append((major, minor))
        else:
            runs.append([(major, minor)])
    return " | ".join(
        f"{run[0][0]}.{run[0][1]}"
        if len(run) == 1
        else f">={run[0][0]}.{run[0][1]},<{run[-1][0]}.{run[-1][1] + 1}"
        for run in runs
    )


def oldest_first(pythons: Iterable[str]) -> tuple[str, ...]:
    """Pythons, oldest first, each once."""
    return tuple(sorted(set(pythons), key=lambda p: [int(n) for n in re.findall(r"\d+", p)]))


def requirement(metadata: Message, project: str) -> str:
    """What a wheel requires of another project, as a range of a matrix; empty if nothing.

    Requirements under different markers become alternatives; those of extras do not count.
    Raises BadRequest where pip would not understand what the wheel requires.
    """
    found = [
        ordered(one.specifier)
        for one in read_requirements(metadata).values()
        if canonicalize_name(one.name) == canonicalize_name(project) and not is_for_extra(one)
    ]
    return " | ".join(dict.fromkeys(spec for spec in found if spec))


def ordered(spec: SpecifierSet) -> str:
    """A range without spaces, its lower bound first."""
    return ",".join(sorted(map(str, spec), key=lambda part: ("=~>!<".find(part[0]), part)))


# --- inside ------------------------------------------------------------------------------------


def _is_final(version: str) -> bool:
    """Whether it is neither a version before the release nor one beside it."""
    parsed = parse_version(version)
    return not parsed.is_prerelease and not parsed.local
