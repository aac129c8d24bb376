"""The records of a recipe file. Their comments are the documentation of its keys.

`recipes/reader` makes them of YAML, `recipes/fields` makes the documentation and the JSON Schema.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tfbuild.core.identity import BESIDE_ID
from tfbuild.core.records import Pairs

BuildSystem = Literal["cmake", "configure", "meson", "bazel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release of the source code, as an archive."""

    version: str  # 1.5.7
    sha256: str  # of the archive
    url: str = ""  # where this one is not at the source's `url`


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the source code comes from: an archive by its hash, or a Debian source package."""

    url: str = ""  # of the archive; {version} stands for the version
    releases: tuple[Release, ...] = ()  # newest first
    debian: str = ""  # the source package of Debian and Ubuntu that has it
    recognize: tuple[str, ...] = ()  # files that every tree of it has
    version_file: str = ""  # the file in which a tree says its version
    version_pattern: str = ""  # expression for it; groups are joined by points, -rc1 as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What one value of an option adds."""

    value: str  # on, off, or a word
    arguments: tuple[str, ...] = ()  # for the build system
    needs: tuple[str, ...] = ()  # names of matrices/needs.yaml
    expect: Pairs = ()  # what the build system must have understood
    conflicts: tuple[str, ...] = ()  # NAME=VALUE of other options


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice that the user has, as NAME=VALUE on the command line."""

    name: str  # threads
    help: str  # what it does, in one line
    default: str  # one of its values
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """How the source code is built and installed."""

    system: BuildSystem  # cmake (with Ninja), configure (and make), meson, or bazel
    folder: str = ""  # of the tree, where the build files lie; empty: its top folder
    arguments: tuple[str, ...] = ()  # for cmake, configure, meson setup, or bazel build
    targets: tuple[str, ...] = ()  # what is built; empty: what the build system builds by itself
    environment: Pairs = ()  # variables of the build
    files: Pairs = ()  # name -> text: small files that arguments name as {files}/name
    expect: Pairs = ()  # what the build system must have understood, by its own names
    patches: tuple[str, ...] = ()  # unified diffs beside the recipe, applied to the copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What is delivered: an archive with lib/, include/, bin/ and the licences."""

    libraries: tuple[str, ...] = ()  # lib/libzstd.so.1: must be there
    programs: tuple[str, ...] = ()  # bin/zstd: must be there, and be executable
    headers: tuple[str, ...] = ()  # include/zstd.h: must be there
    pkg_config: tuple[str, ...] = ()  # modules that pkg-config must find
    cmake: tuple[str, ...] = ()  # packages that find_package must find
    package_version: str = ""  # what modules and packages call it; empty: the version itself
    cmake_version: str = ""  # what CMake packages call it; empty: package_version
    licenses: tuple[str, ...] = ()  # files of the tree
    leave_out: tuple[str, ...] = ()  # patterns of installed files: share/man/**
    files: Pairs = ()  # place in the product -> file, folder or pattern of the build or the tree
    max_size_mb: int = 2000  # of all its files together, before they are stripped


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the libraries and programs are held against, beyond what every product is."""

    needed: tuple[str, ...] = ()  # libraries that may be needed, beside the product's and system's
    opened: tuple[str, ...] = ()  # libraries that may be opened at run time
    exports: tuple[str, ...] = ()  # symbols that some library must export
    cpu_level: str = "x86-64"  # the most that may be used without asking the processor
    dispatched: tuple[str, ...] = ()  # patterns of libraries whose callers ask the processor first
    glibc: str = ""  # the newest glibc that may be needed; empty: that of the place


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A trial of the delivered archive, unpacked into a folder of its own."""

    name: str  # of the trial, as the report shows it
    run: tuple[str, ...] = ()  # a program of the product and its arguments: bin/zstd, --version
    program: str = ""  # C or C++ source code that is compiled against the product, and run
    language: Literal["c", "c++"] = "c"  # of program
    pkg_config: str = ""  # the module that it is compiled with
    cmake: str = ""  # PACKAGE TARGET: it is built by CMake, too, with find_package
    prints: str = ""  # what must be in its output; {version} stands for the version
    input: str = ""  # what it reads from its standard input


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a build takes, about."""

    disk_mb: int = 500  # of source, build and product together
    memory_mb_per_job: int = 500  # of one compiler
    seconds_on_two_cores: int = 60  # from the source to the archive


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRecipe:
    """What code of tfbuild's own builds, and what it is asked for by."""

    name: str  # by which `tfbuild build` knows it
    summary: str  # what it is, in a few words
    axes: tuple[str, ...]  # what can be asked of it as AXIS=SPEC
    options: tuple[str, ...]  # of `tfbuild build` that it obeys, without the hyphens before them
    file: str = ""  # path of the recipe that says what is delivered; empty: none does


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How something is built: what tfbuild must know of it, and nothing of any machine."""

    name: str  # of the command: tfbuild build NAME; it is the name of the file, too
    summary: str  # what it is, in a few words
    homepage: str = ""  # where people read about it
    license: str = ""  # an SPDX expression of what is delivered
    tree: str = ""  # code of tfbuild that reads the rest; for tfbuild's own recipes
    systems: tuple[str, ...] = ()  # debian:forky, debian: only in their containers, the first usual
    source: Source
    options: tuple[Option, ...] = ()
    needs: tuple[str, ...] = ()  # names of matrices/needs.yaml, beyond those of the build system
    build: Build
    product: Product
    audit: Audit = Audit()
    probes: tuple[Probe, ...] = ()
    costs: Costs = Costs()
    path: Path = field(default=Path(), metadata=BESIDE_ID)  # where it was read from
    sha256: str = ""  # of the file
