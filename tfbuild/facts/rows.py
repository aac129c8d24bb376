"""The rows of matrices/, one record per kind of file; CONTRIBUTING explains their fields."""

from dataclasses import dataclass, field

from tfbuild.core.records import Pairs

_CAPABILITY = {"form": r"\d{1,2}\.\d"}
_VERSION = {"form": r"(\d{1,4}(\.\d{1,4})*)?"}  # or nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRow:
    """One version on an axis, what it requires of other axes, and what is usual beside it.

    Outside `requires` it cannot work; outside `expects` it is merely unheard of.
    """

    version: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    requires: Pairs = ()
    expects: Pairs = ()
    note: str = ""
    # Of one axis only:
    architectures: tuple[str, ...] = field(default=(), metadata={"form": r"sm_\d{2,3}"})  # cuda
    ptx: str = ""  # runtime: what the machine code of its newer architectures is made from
    sha256: Pairs = ()  # bazel: file name -> hash of the official release
    offers: Pairs = ()  # os: axis -> versions in its own packages
    aliases: tuple[str, ...] = ()  # os: other names; cpu: patterns of products
    ends: str = ""  # os: the last day of its updates
    cuda: str = ""  # driver: the toolkit release that it came with
    c_api: str = ""  # numpy: number of its C interface
    target: str = ""  # numpy: the oldest that extensions built with it run on; empty: itself
    free_threaded: tuple[str, ...] = ()  # numpy, python
    glibcxx: str = ""  # gcc: the newest symbol version of its C++ library
    hermetic_python: bool = False  # tensorflow: Bazel fetches the Python
    hermetic_cuda: bool = False  # tensorflow: Bazel fetches CUDA
    wheel_target: str = ""  # tensorflow: the Bazel target that makes the wheel
    wheels: Pairs = ()  # tensorflow: platform -> published Pythons
    build_numpy: Pairs = ()  # tensorflow: Python -> the numpy that it is compiled against


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(AxisRow):
    """A platform; a name that is empty is one that the tool in question does not have for it."""

    family: str = ""  # of processors: x86, arm
    uname: tuple[str, ...] = ()  # what `uname -s -m` says on it
    tested_as: str = ""  # what tested rows call it: linux, macos, windows
    debian: str = ""  # the architecture of packages and of container images: amd64
    multiarch: str = ""  # of folders with libraries, and of extension modules: x86_64-linux-gnu
    conda: str = ""  # linux-64
    bazel: str = ""  # in the names of released files: linux-x86_64
    wheel_tags: str = ""  # a pattern of the platform tags of wheels
    elf: str = ""  # what its libraries say that they are for
    oldest_manylinux: str = ""  # the first glibc that a tag of wheels speaks of: 2.17
    emulator: str = ""  # the program of QEMU that runs single programs of it

    @property
    def system(self) -> str:
        """linux, macos or windows."""
        return self.version.partition("-")[0]

    @property
    def machine(self) -> str:
        """The processor, as wheels and Linux call it: x86_64."""
        return self.version.partition("-")[2]

    @property
    def wheel_platform(self) -> str:
        """The tag of wheels for it that promise no more: linux_x86_64."""
        return f"{self.system}_{self.machine}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """When the first release of a series appeared: 11.2 on cuda, 9 on gcc."""

    axis: str
    series: str
    began: str = field(metadata={"form": r"\d{4}-(0[1-9]|1[0-2])"})  # year and month
    source: tuple[str, ...]
    checked: str
    evidence: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelFlagRow:
    """A flag that makes Bazel tell how a build goes, and the releases that know it."""

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
class AbsentRow:
    """A version that people ask for and that never was."""

    version: str
    says: str
    source: tuple[str, ...]
    checked: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """Where all of `when` holds, `requires` must hold; without it, `when` itself cannot be."""

    id: str
    when: Pairs
    effect: str  # conflict, warning
    says: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    requires: Pairs = ()
    only: str = ""  # build, wheel: where it says nothing about the other
    days: str = ""  # of the development tree that it speaks of alone: 2019-09-01..2019-10-20
    fix: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedRow:
    """One tested build: of a published table, where values stand side by side, or proven by builds.

    What was proven also says on what: the system, its glibc, the NumPy of the smoke test, and the
    architecture of the GPU that GPU kernels ran on, empty where there was none.
    """

    platform: str = field(metadata={"form": "linux|macos|windows"})
    device: str = field(metadata={"form": "cpu|cuda"})
    python: str
    bazel: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    tensorflow: str = ""
    runtime: str = ""
    gcc: str = ""
    clang: str = ""
    compiler: str = ""  # any other, in words
    cuda: str = field(default="", metadata=_VERSION)
    cudnn: str = field(default="", metadata=_VERSION)
    os: str = ""
    glibc: str = ""
    numpy: str = ""
    gpu: str = ""
    note: str = ""

    @property
    def target(self) -> str:
        """The axis of what was built: tensorflow or runtime."""
        return "tensorflow" if self.tensorflow else "runtime"

    @property
    def version(self) -> str:
        """The release of what was built."""
        return self.tensorflow or self.runtime

    @property
    def is_proven(self) -> bool:
        """Whether it was proven by tfbuild, all of it together."""
        return self.evidence == "proven"


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
class GpuRow:
    """One GPU product and its compute capability."""

    name: str
    capability: str = field(metadata=_CAPABILITY)
    source: tuple[str, ...]
    checked: str
    evidence: str
    category: str = ""
    note: str = ""

    @property
    def architecture(self) -> str:
        """The name that compilers use: sm_86 for 8.6."""
        return "sm_" + self.capability.replace(".", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFamilyRow:
    """How products of a family are called, and what they compute with."""

    pattern: str  # a regular expression, found in the upper-case name
    says: str
    capability: str = field(metadata=_CAPABILITY)
    source: tuple[str, ...]
    checked: str
    evidence: str


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
    """A way in which a build, an installation or an import fails, and how its log tells it."""

    id: str
    phase: str  # where it is met: configure, fetch, analyse, compile, link, ...
    kind: str  # cause, general, vague, weak, messenger; CONTRIBUTING says what each is
    patterns: tuple[str, ...]  # regular expressions of RE2, each for one line
    cause: str  # may name the groups of the patterns, as {version}
    fix: str
    source: tuple[str, ...]
    checked: str
    evidence: str
    failure: str = ""  # memory, disk, configure or fetch: what a build that fails so ends with
    versions: str = ""  # where it is met; empty: anywhere
    unless: tuple[str, ...] = ()  # expressions; a line in which one fits does not tell it


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
