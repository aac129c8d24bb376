"""The rows of matrices/ on building: what a build takes, what it meets, what its wheel is held to.

CONTRIBUTING explains their fields; `facts/rows` has those that the resolver reasons with.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelFlagRow:
    """A flag that makes Bazel report how a build goes, and the releases that know it."""

    flag: str
    bazel: str  # a range
    why: str
    source: tuple[str, ...]
    checked: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    """What one action of a kind takes at its peak, in MB: a typical one, and how far others are."""

    kind: str  # as Bazel calls it: CppCompile
    name: str  # C++ compile
    typical_mb: int
    deviation_mb: int
    largest_mb: int
    source: tuple[str, ...]
    checked: str
    evidence: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelRow:
    """One file on a package index that a plan may take."""

    distribution: str
    version: str
    filename: str
    sha256: str
    kind: str
    size: int
    source: tuple[str, ...]
    checked: str
    evidence: str
    cuda: str = ""
    python: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportNameRow:
    """What a distribution brings to import: google/protobuf is a part of a shared package."""

    distribution: str  # as package indexes write it
    names: tuple[str, ...]
    source: tuple[str, ...]
    checked: str
    evidence: str
    also: tuple[str, ...] = ()  # other distributions that bring the same; * stands for any letters
    unasked: tuple[str, ...] = ()  # what it imports wherever it is there, whoever brought it


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCommandRow:
    """Commands that come with a package of the system, which no wheel may take the place of."""

    package: str
    commands: tuple[str, ...]  # * stands for any letters, [0-9] for a digit
    source: tuple[str, ...]
    checked: str
    evidence: str
    wheels: tuple[str, ...] = ()  # distributions that bring them as well, or alone; with * as above


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGroupRow:
    """Groups of entry points of which a program loads all, whether or not anybody names one."""

    program: str  # the distribution, as package indexes write it
    groups: tuple[str, ...]  # where one ends with a dot or a line, all that begin so are meant
    source: tuple[str, ...]
    checked: str
    evidence: str
    also: tuple[str, ...] = ()  # other distributions of the program; * stands for any letters


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRow:
    """A container image with a CUDA toolkit, and what is in it."""

    cuda: str
    os: str
    devel: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    cudnn_devel: tuple[str, ...] = ()
    cudnn: str = ""
    nccl: str = ""
    listed: str = ""  # first and last day on which the list of tags had it
    status: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerRow:
    """A machine of a CI system: its system and the compilers installed there."""

    name: str  # ubuntu-24.04; python:bookworm for python:3.11-bookworm
    os: str
    gcc: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """An action of GitHub workflows, pinned by the commit of a release."""

    name: str
    version: str
    commit: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PitfallRow:
    """A way in which a build, an installation or an import fails, and how its log shows it."""

    id: str
    phase: str  # where it is met: configure, fetch, analyse, compile, link, ...
    kind: str  # cause, general, vague, weak, messenger; CONTRIBUTING says what each is
    patterns: tuple[str, ...]  # regular expressions of RE2, each for one line
    cause: str  # may name the groups of the patterns, as {version}
    fix: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    fix_elsewhere: str = ""  # the same where another build system than Bazel builds; empty: as fix
    failure: str = ""  # memory, disk, configure or fetch: what a build that fails so ends with
    versions: str = ""  # where it is met; empty: anywhere
    unless: tuple[str, ...] = ()  # expressions; a line in which one fits does not show it


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRow:
    """A variable that configure.py of TensorFlow reads, as some releases mean it."""

    name: str
    kind: str  # yes-no, flag, flags, version, capabilities, names, config, or a kind of path
    releases: str  # a range
    answer: str  # of tfbuild, with {words}; empty: none is given
    says: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    always: bool = False  # the empty answer is given, too
    device: str = ""  # cpu, cuda, windows; empty: whatever is built
    writes: str = ""  # the options that the answer becomes; for a question, those of yes


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildToolRow:
    """A program or Python package that building a TensorFlow tree takes, beside the axes."""

    name: str  # on conda-forge, with a range where one is known
    releases: str  # a range
    why: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    platform: str = ""  # how its name begins: linux, macos; empty: any
    debian: str = ""  # the package of Debian and Ubuntu; empty: none has it

    @property
    def is_python(self) -> bool:
        """Whether it is a module of Python, which some trees fetch for themselves."""
        return not self.debian or self.debian.startswith("python3-")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteRow:
    """A dependency of TensorFlow Lite's CMake build, and where a distribution has it."""

    dependency: str  # as find_package has it
    source: tuple[str, ...]
    checked: str
    evidence: str
    need: str = ""  # the row of needs.yaml that has it
    options: tuple[str, ...] = ()  # NAME=VALUE of the CMake build, which make it take that
    stands_for: str = ""  # headers that no source includes: then a target without files will do
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedRow:
    """A tool or a library that recipes need, how its presence shows, and where systems have it."""

    need: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    program: str = ""  # that is on PATH
    pkg_config: str = ""  # a module of pkg-config
    header: str = ""  # as C includes it
    debian: str = ""  # the package, or several with blanks between
    index: str = ""  # what pip must install to have the program, with a range where it counts
    sonames: tuple[str, ...] = ()  # of the library at run time; a star stands for any letters
    note: str = ""
