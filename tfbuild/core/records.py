"""The frozen records that flow from request to wheel; then read `plans`, and `reports`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tfbuild.core.environments import (
    NO_ENVIRONMENT,
    NO_SERVICES,
    EnvironmentKind,
    EnvironmentLock,
    Services,
)
from tfbuild.core.identity import BESIDE_ID

State = Literal["passed", "failed", "skipped", "reused"]
Device = Literal["cpu", "cuda"]
# proven: built, audited and smoke-tested by tfbuild, all of it together; documented: a maintainer's
# table; metadata: package index or image contents; measured: tried; derived: concluded from other
# facts; untested: no fact speaks for it, and none against it.
Evidence = Literal["proven", "documented", "metadata", "measured", "derived", "untested"]
Pairs = tuple[tuple[str, str], ...]
PinKind = Literal["request", "machine"]

# --- request, host, versions ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What the user wants on one axis: `python=3.11`, `cuda>=12.2,<13`, `cuda=none`."""

    axis: str  # python, cuda, gpu, ...: a name of matrices/axes.yaml
    spec: str  # a version, a range, any or none; of gpu also names of products
    # who asks for it: the command line, a variable, a file, a recipe, the machine
    origin: str = "command line"
    kind: PinKind = "request"  # request: it was asked for; machine: this machine has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked, complete: nothing later reads the command line or the environment."""

    recipe: str  # the preset of the wheel: cpu, cuda, tensorflow_cpu or tensorflow_cuda
    source: Path  # top folder of the source tree
    source_version: str  # what the tree calls its own release
    output: Path  # folder of what is delivered
    pins: tuple[Pin, ...] = ()  # what was asked for on each axis
    # GPUs to compile for: sm_90, "RTX 3090", native; empty: all of the toolkit
    architectures: tuple[str, ...] = ()
    jobs: int = 0  # actions at once; 0: decided from processors and memory
    against: tuple[str, ...] = ()  # wheels or requirements that perf compares with
    # whether packages that are missing may be installed on this machine
    install_system_packages: bool = False
    skip_perf: bool = False  # whether nothing is measured
    prefer: str = ""  # order of preference among versions; empty: the usual one
    strict: bool = False  # whether only tested versions may be chosen
    env: EnvironmentKind = "host"  # where it is built: on this machine, or in a container
    image: str = ""  # image of the container; empty: one is made for the plan
    cpus: float = 0.0  # processors of the container; 0: all
    pids: int = 0  # processes and threads of the container, at most; 0: as usual
    memory_mb: int = 0  # of the container, at most; 0: all
    # what a lock holds the container to; all empty: none does
    environment: EnvironmentLock = NO_ENVIRONMENT
    held: tuple["Artifact", ...] = ()  # files of the index that a lock names for smoke and perf
    build_file: str = ""  # path of the file that says how to build a TensorFlow tree; empty: none
    product: str = "wheel"  # what is built of a TensorFlow tree: wheel, or cc, its C++ library
    services: Services = NO_SERVICES  # caches, executors and servers that may help Bazel
    deadline: str = ""  # when to stop, as a time in UTC; empty: when it is done


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program found on the machine; version is empty where it does not say."""

    name: str  # what it is called as: g++-12
    path: str  # of its executable
    version: str = ""  # as the program states it; empty where it does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python found on the machine; headers is empty where Python.h is missing."""

    path: str  # of its executable
    version: str  # all three numbers: 3.11.2
    tag: str  # the tag that its wheels have: cp311, cp313t
    headers: str = ""  # folder of Python.h; empty: it is missing
    can_venv: bool = True  # whether it can make a virtual environment: it has venv and ensurepip


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU as its driver names it."""

    name: str  # of the product, as the driver has it: NVIDIA H200
    architecture: str  # as compilers call it: sm_90
    memory_mb: int = 0  # all of it, in MB; 0 where the driver does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What this machine has."""

    machine: str  # the processor, as uname has it: x86_64
    distribution: str  # ID of /etc/os-release: debian
    distribution_version: str  # VERSION_ID of /etc/os-release: 12; empty where it has none
    glibc: str  # version of the C library: 2.36; empty where it is another one
    cpu_model: str = ""  # product name of the processor; empty where the system does not say
    cpu_level: str = ""  # x86-64-v3: the highest level of x86-64 that the processor has
    cpus: int = 1  # processors that may be used, within affinity and control groups
    memory_mb: int = 0  # in all, in MB, within the limits of the control groups
    memory_free_mb: int = 0  # free for use, in MB, within the limits of the control groups
    disk_free_mb: int = 0  # free on the disk of the cache, in MB
    is_root: bool = False  # whether the user is root
    compilers: tuple[Program, ...] = ()  # g++ and clang++, plain and numbered, g++ first
    pythons: tuple[Interpreter, ...] = ()  # CPython 3.9 and newer, the running one first
    bazels: tuple[Program, ...] = ()  # those on PATH
    toolkits: tuple[Program, ...] = ()  # CUDA toolkits that are installed: their nvcc
    engines: tuple[Program, ...] = ()  # container engines; one without a version does not answer
    gpus: tuple[Gpu, ...] = ()  # those that nvidia-smi lists
    driver: str = ""  # version of the NVIDIA driver; empty: there is none
    system: str = "Linux"  # as uname has it: Linux, Darwin


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The value of one axis, on what ground it stands, and why it was taken."""

    axis: str  # python, cuda, gpu, ...: a name of matrices/axes.yaml
    value: str  # the version or word that was chosen
    # how well it is known beside the other choices: proven by tfbuild, documented by a maintainer,
    # metadata of an index or image, measured, derived from other facts, or untested
    evidence: Evidence = field(metadata=BESIDE_ID)
    # sentences of facts that speak for it, each with its source
    because: tuple[str, ...] = field(metadata=BESIDE_ID)
    # whether the request names this axis
    is_pinned: bool = field(default=False, metadata=BESIDE_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """One choice per axis."""

    choices: tuple[Choice, ...]  # one for each axis of the build

    def value(self, axis: str) -> str:
        """The chosen value; KeyError for an axis that the resolver does not know."""
        for choice in self.choices:
            if choice.axis == axis:
                return choice.value
        raise KeyError(axis)


# --- commands and files ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program call. Words may hold {placeholders} that the environment fills in:

    {source} {bazel} {python} {cache} {work} {cuda} {artifact:NAME}
    """

    argv: tuple[str, ...]  # the program and its arguments
    stage: str = ""  # the stage that it belongs to: configure, build
    purpose: str = ""  # what it is for, in a few words
    cwd: str = ""  # folder in which it runs; empty: that of the caller
    env: Pairs = ()  # variables that are set for it, beside the inherited ones
    unset: tuple[str, ...] = ()  # variables that it does not inherit
    pty: bool = False  # whether it gets a terminal of its own
    timeout: float = 0.0  # seconds until it is ended; 0: no limit
    ok_codes: tuple[int, ...] = (0,)  # exit codes that are no failure
    quiet: bool = False  # whether it only asks: it is not shown, and not in the rerun script

    @property
    def title(self) -> str:
        """What it is for, on one line: a script has it as a comment, which ends with the line."""
        return " ".join(": ".join(filter(None, (self.stage, self.purpose))).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a program ended: stdout is whole, last_lines are of both streams."""

    code: int
    stdout: str = ""
    last_lines: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One file from a package index, pinned by its hash."""

    distribution: str  # its name on the index: numpy
    version: str  # of the distribution
    filename: str  # without a folder
    sha256: str  # of the file
    kind: str  # what it is for: build, cuda, tool, smoke, perf
    size: int = 0  # in bytes; 0: not known before the download


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything fetched for one plan, and what the container held."""

    plan_id: str  # id of the plan it was fetched for
    artifacts: tuple[Artifact, ...]  # files of the package index that the build used
    # the container it was built in; all empty for this machine
    environment: EnvironmentLock = NO_ENVIRONMENT


NO_LOCK = Lock(plan_id="", artifacts=())


# --- environment -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """What an open environment has ready, as paths inside that environment."""

    bazel: str
    bazel_version: str
    bazel_origin: str  # PATH, cache, download, Debian packages
    python: str
    python_version: str
    compiler: str
    compiler_version: str
    source: Path
    cache: Path
    work: Path
    artifacts: tuple[tuple[str, Path], ...] = ()  # distribution -> unpacked folder
    bazel_startup_flags: tuple[str, ...] = ()  # what this Bazel needs beside the plan's own
    bazel_flags: tuple[str, ...] = ()
    bazel_rules: str = ""  # rule sets that come with a Bazel 7 of a distribution
    python_headers: str = ""  # folder of Python.h; empty: the interpreter knows
    cuda: str = ""  # root of the assembled CUDA toolkit
    image: str = ""  # identity of the container's image; empty: this machine itself
    lock: Lock = Lock(plan_id="", artifacts=())
