"""What a wheel is made of: its libraries, and what became in it of each package it was built of."""

import hashlib
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.core.errors import BadRequest
from tfbuild.core.layout import ARTIFACTS
from tfbuild.core.records import Artifact, Pairs
from tfbuild.wheels.elf import MAGIC, is_elf, read_elf
from tfbuild.wheels.licences import licence_of_package, stated_licence
from tfbuild.wheels.wheel_archive import open_archive
from tfbuild.wheels.wheel_file import WheelContent, main_package
from tfbuild.wheels.wheel_texts import LARGEST_DESCRIPTION, read_limited

# shared: its library is a file of the wheel; static: its sources were compiled in; headers: only
# those were; beside: its library is opened from its own package; tool: nothing of it is in the
# wheel; unknown: its file is no longer in the cache.
Linkage = Literal["shared", "static", "headers", "beside", "tool", "unknown"]
_GRAFTED = re.compile(r"(?P<stem>.+?)-[0-9a-f]{8}(?P<rest>\.so(\.\d+)*)$")
_LIBRARY = re.compile(r"\.so(\.\d+)*$")
_SOURCE = re.compile(r"\.(c|cc|cpp|cxx|a)$")
_HEADER = re.compile(r"\.(h|hh|hpp|hxx|cuh|inl)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryFile:
    """One library in a wheel; name is the one it had before it was copied in."""

    path: str
    name: str
    sha256: str
    is_own: bool
    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelComponent:
    """A package that the wheel was built with."""

    artifact: Artifact
    linkage: Linkage
    libraries: tuple[str, ...] = ()  # names of the shared libraries that it brings
    licence: str = ""  # as an SPDX expression; empty where it is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """A wheel, and what is known of its making."""

    wheel: Path
    plan_id: str = ""
    versions: Pairs = ()
    tools: Pairs = ()  # name, version: what it was made with
    artifacts: tuple[Artifact, ...] = ()
    environment: EnvironmentLock = NO_ENVIRONMENT


def sbom_name(wheel: Path) -> str:
    """The name of a wheel's SBOM, which lies beside it."""
    return wheel.with_suffix(".cdx.json").name


def first_name(name: str) -> str:
    """The file name that a library had before it was copied in."""
    grafted = _GRAFTED.fullmatch(name)
    return grafted["stem"] + grafted["rest"] if grafted else name


def read_binaries(content: WheelContent) -> tuple[BinaryFile, ...]:
    """The libraries of a wheel, in order of their paths."""
    return tuple(_binaries(content))


def read_parts(
    artifacts: Sequence[Artifact], cache: Path, binaries: Sequence[BinaryFile]
) -> tuple[WheelComponent, ...]:
    """What became of each package; cache is the folder of downloaded files."""
    return tuple(_part(artifact, cache, binaries) for artifact in artifacts)


# --- inside ------------------------------------------------------------------------------------


def _binaries(content: WheelContent) -> Iterator[BinaryFile]:
    package = main_package(content)
    named = [path for path, begin in content.beginnings(len(MAGIC)) if is_elf(begin)]
    for path, raw in content.read_all(named):
        yield BinaryFile(
            path=path,
            name=first_name(PurePosixPath(path).name),
            sha256=hashlib.sha256(raw).hexdigest(),
            is_own=path.split("/")[0] == package,
            needed=_needed(path, raw),
        )


def _needed(path: str, raw: bytes) -> tuple[str, ...]:
    """What a library needs; what only begins like one needs nothing."""
    try:
        return read_elf(path, raw).needed
    except ValueError:
        return ()


def _part(artifact: Artifact, cache: Path, binaries: Sequence[BinaryFile]) -> WheelComponent:
    path = cache / ARTIFACTS.below / artifact.sha256 / artifact.filename
    try:
        with open_archive(path) as archive:
            names = archive.namelist()
            licence = _licence(archive, names)
    except (OSError, ValueError, BadRequest):
        return WheelComponent(artifact=artifact, linkage="unknown")
    libraries = {PurePosixPath(name).name for name in names if _LIBRARY.search(name)}
    return WheelComponent(
        artifact=artifact,
        linkage=_linkage(names, libraries, binaries),
        libraries=tuple(sorted(libraries)),
        licence=licence_of_package(artifact.distribution, licence),
    )


def _linkage(names: Sequence[str], libraries: set[str], binaries: Sequence[BinaryFile]) -> Linkage:
    """What the files of a package say about how it was used."""
    if libraries & {binary.name for binary in binaries if not binary.is_own}:
        return "shared"
    if libraries & {name for binary in binaries for name in binary.needed}:
        return "beside"
    if any("/bin/" in name for name in names):
        return "tool"
    if any(_SOURCE.search(name) for name in names):
        return "static"
    return "headers" if any(_HEADER.search(name) for name in names) else "tool"


def _licence(archive: zipfile.ZipFile, names: Sequence[str]) -> str:
    for name in names:
        if name.endswith(".dist-info/METADATA"):
            return stated_licence(read_limited(archive, name, LARGEST_DESCRIPTION))
    return ""
