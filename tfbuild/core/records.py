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

    axis: str
    spec: str
    origin: str = "command line"
    kind: PinKind = "request"  # machine: what it has, to which a request is held


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked, complete: nothing later reads the command line or the environment."""

    recipe: str
    source: Path
    source_version: str
    output: Path
    pins: tuple[Pin, ...] = ()
    architectures: tuple[str, ...] = ()  # sm_90, "RTX 3090", native; empty: all of the toolkit
    jobs: int = 0  # 0: decided from processors and memory
    against: tuple[str, ...] = ()  # wheels or requirements that perf compares with
    install_system_packages: bool = False
    skip_perf: bool = False
    prefer: str = ""  # order of preference among versions; empty: the usual one
    strict: bool = False  # only what was tested
    env: EnvironmentKind = "host"
    image: str = ""  # of the container; empty: one is made for the plan
    cpus: float = 0.0  # of the container; 0: all
    pids: int = 0
    memory_mb: int = 0
    environment: EnvironmentLock = NO_ENVIRONMENT  # of a lock: the container must be that
    held: tuple["Artifact", ...] = ()  # of a lock: what smoke and perf install is that
    build_file: str = ""  # path of what says how a TensorFlow tree is built; empty: none
    product: str = "wheel"  # wheel or cc: the C++ library of a TensorFlow tree
    services: Services = NO_SERVICES
    deadline: str = ""  # when to stop, as a time in UTC; empty: when it is done


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program found on the machine; version is empty where it does not tell."""

    name: str
    path: str
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python found on the machine; headers is empty where Python.h is missing."""

    path: str
    version: str
    tag: str  # cp311, cp313t
    headers: str = ""
    can_venv: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU as its driver names it."""

    name: str
    architecture: str  # sm_90
    memory_mb: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What this machine has."""

    machine: str
    distribution: str
    distribution_version: str
    glibc: str
    cpu_model: str = ""
    cpu_level: str = ""  # x86-64-v3
    cpus: int = 1
    memory_mb: int = 0
    memory_free_mb: int = 0
    disk_free_mb: int = 0  # where the cache lives
    is_root: bool = False
    compilers: tuple[Program, ...] = ()
    pythons: tuple[Interpreter, ...] = ()
    bazels: tuple[Program, ...] = ()
    toolkits: tuple[Program, ...] = ()  # CUDA toolkits installed on the system
    engines: tuple[Program, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    driver: str = ""
    system: str = "Linux"  # as uname says it: Linux, Darwin


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The value of one axis, on what ground it stands, and why it was taken."""

    axis: str
    value: str
    evidence: Evidence = field(metadata=BESIDE_ID)
    because: tuple[str, ...] = field(metadata=BESIDE_ID)
    is_pinned: bool = field(default=False, metadata=BESIDE_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """One choice per axis."""

    choices: tuple[Choice, ...]

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

    argv: tuple[str, ...]
    stage: str = ""
    purpose: str = ""
    cwd: str = ""
    env: Pairs = ()
    unset: tuple[str, ...] = ()
    pty: bool = False
    timeout: float = 0.0  # seconds; 0: none
    ok_codes: tuple[int, ...] = (0,)
    quiet: bool = False  # keep it out of the rerun script and the screen: it only asks

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

    distribution: str
    version: str
    filename: str
    sha256: str
    kind: str  # build, cuda, tool, smoke, perf
    size: int = 0  # bytes; 0 where it is not known before the download


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything fetched for one plan, and what the container held."""

    plan_id: str
    artifacts: tuple[Artifact, ...]
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
