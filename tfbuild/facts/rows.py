"""The rows of matrices/ that the resolver reasons with, one record per kind of file.

CONTRIBUTING explains their fields; `facts/build_rows` has the rows of the other files.
"""

from dataclasses import dataclass, field

from tfbuild.core.records import Pairs

_CAPABILITY = {"form": r"\d{1,2}\.\d"}
_VERSION = {"form": r"(\d{1,4}(\.\d{1,4})*)?"}  # or nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisRow:
    """One version on an axis, what it requires of other axes, and what is usual beside it.

    Outside `requires` it cannot work; outside `expects` it is merely unheard of.
    """

    version: str  # a version, or a word
    source: tuple[str, ...]  # documents that say it
    checked: str  # the day on which they were last read: 2026-11-20
    # documented by its maker, metadata of an index or image, measured, or derived from other facts
    evidence: str
    requires: Pairs = ()  # axis -> range outside of which it cannot work
    expects: Pairs = ()  # axis -> range outside of which it is unheard of
    note: str = ""  # anything else, in words
    # Of one axis only, which is named first:

    # cuda: the GPU architectures that the toolkit compiles for
    architectures: tuple[str, ...] = field(default=(), metadata={"form": r"sm_\d{2,3}"})
    ptx: str = ""  # runtime: the architecture that code for newer GPUs is made from: compute_80
    sha256: Pairs = ()  # bazel: file name -> SHA-256 of the official release
    offers: Pairs = ()  # os: axis -> versions in its own packages
    aliases: tuple[str, ...] = ()  # os: other names; cpu: patterns of products
    ends: str = ""  # os: the last day of its updates: 2026-08-31
    cuda: str = ""  # driver: the toolkit release that it came with
    c_api: str = ""  # numpy: number of its C interface: 0x16
    target: str = ""  # numpy: the oldest that extensions built with it run on; empty: itself
    # numpy, python: the free-threaded Pythons that there are of it: 3.14t
    free_threaded: tuple[str, ...] = ()
    glibcxx: str = ""  # gcc: the newest symbol version of its C++ library
    hermetic_python: bool = False  # tensorflow: whether Bazel fetches the Python
    hermetic_cuda: bool = False  # tensorflow: whether Bazel fetches CUDA
    wheel_target: str = ""  # tensorflow: the Bazel target that makes the wheel
    wheels: Pairs = ()  # tensorflow: platform -> Pythons of the published wheels
    build_numpy: Pairs = ()  # tensorflow: Python -> the numpy that it is compiled against


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(AxisRow):
    """A platform; a name that is empty is one that the tool in question does not have for it."""

    family: str = ""  # of processors: x86, arm
    uname: tuple[str, ...] = ()  # what `uname -s -m` prints on it
    tested_as: str = ""  # what tested rows call it: linux, macos, windows
    debian: str = ""  # architecture of packages and of container images: amd64
    # name of folders with its libraries, and in names of modules: x86_64-linux-gnu
    multiarch: str = ""
    conda: str = ""  # what conda calls it: linux-64
    bazel: str = ""  # in the file names of releases of Bazel: linux-x86_64
    wheel_tags: str = ""  # pattern of the platform tags of its wheels
    elf: str = ""  # machine of its libraries, as pyelftools calls it: x64
    oldest_manylinux: str = ""  # glibc of the first manylinux tag that it has: 2.17
    emulator: str = ""  # program of QEMU that runs single programs of it

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

    platform: str = field(metadata={"form": "linux|macos|windows"})  # linux, macos or windows
    device: str = field(metadata={"form": "cpu|cuda"})  # what it computes on
    python: str  # one or more, with blanks between
    bazel: str  # the release that built it
    source: tuple[str, ...]  # documents that say it
    checked: str  # the day on which they were last read, or it was built
    evidence: str  # proven: by tfbuild, all of it together; else documented, measured or derived
    tensorflow: str = ""  # its release; empty: the bundled runtime was built
    runtime: str = ""  # its release; empty: TensorFlow was built
    gcc: str = ""  # the version that compiled it; empty: another compiler did
    clang: str = ""  # the version that compiled it; empty: another compiler did
    compiler: str = ""  # any other compiler, in words; empty: one of these
    cuda: str = field(default="", metadata=_VERSION)  # the toolkit; empty without CUDA
    cudnn: str = field(default="", metadata=_VERSION)  # its version; empty without CUDA
    os: str = ""  # the system it was built on: debian 12; empty: none is named
    glibc: str = ""  # of that system; empty: none is named
    numpy: str = ""  # of the smoke test; empty: none is named
    gpu: str = ""  # the GPU that ran its kernels; empty: none did
    note: str = ""  # anything else, in words

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
class GpuRow:
    """One GPU product and its compute capability."""

    name: str  # of the product, as its maker calls it
    capability: str = field(metadata=_CAPABILITY)  # compute capability: 8.6
    source: tuple[str, ...]  # documents that say it
    checked: str  # the day on which they were last read: 2026-11-20
    # documented by its maker, metadata of an index or image, measured, or derived from other facts
    evidence: str
    category: str = ""  # datacenter, workstation, ...; empty: not known
    note: str = ""  # anything else, in words

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
