"""The frozen records of what is decided before anything is done: plans, and what is in them."""

from dataclasses import dataclass, field
from pathlib import Path

from tfbuild.core.environments import NO_SERVICES, EnvironmentPlan, Services
from tfbuild.core.identity import BESIDE_ID, options_without_places
from tfbuild.core.records import Artifact, Command, Device, Pairs, Versions
from tfbuild.core.reporter import CodedWarning


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerPlan:
    """Which g++ compiles: `preferred` where it is there, else one in the range `accepted`."""

    preferred: str  # the GCC that was chosen: 12.2
    accepted: str  # range of versions that will do


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinePlan:
    """What perf compares with: a requirement, or the path of a wheel and what was in it."""

    name: str  # the requirement (tensorflow-cpu==2.21.0), or the path of a wheel
    sha256: str = ""  # of the wheel; empty: it is a requirement

    def key_parts(self) -> str:
        """A wheel is known by its content."""
        return self.sha256 or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelPlan:
    """How Bazel is called; `accepted` is a version range, `preferred` the release to fetch."""

    preferred: str  # the release that was chosen
    accepted: str  # range of releases that will do
    startup_flags: tuple[str, ...]  # options before the command `build`
    flags: tuple[str, ...]  # options behind the command `build`, without those for jobs
    targets: tuple[str, ...]  # labels of what is built
    outputs: tuple[str, ...]  # files below bazel-bin that are taken out; a workspace names none
    sha256: Pairs = ()  # file name -> SHA-256 of the official release

    def key_parts(self) -> dict[str, object]:
        """All of it, without where the user keeps what stands in a repository's place."""
        return {
            "preferred": self.preferred, "accepted": self.accepted, "sha256": self.sha256,
            "startup_flags": self.startup_flags, "flags": options_without_places(self.flags),
            "targets": self.targets, "outputs": self.outputs,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPlan:
    """What the wheel must say about itself and hold."""

    distribution: str  # its name, as pip installs it
    package: str  # what Python imports
    version: str  # of the wheel
    python_tag: str  # of the Pythons that it is for: cp311
    abi_tag: str  # of their binary interface: cp311
    platform: str  # tag before auditwheel names the manylinux level: linux_x86_64
    build_tag: str = ""  # of its file name: 1cu130 with CUDA 13.0; empty without CUDA
    summary: str = ""  # the one line of its metadata
    requires_python: str = ""  # range of Pythons in its metadata
    requires: tuple[str, ...] = ()  # requirements that pip installs with it
    extras: tuple[tuple[str, tuple[str, ...]], ...] = ()  # name of an extra -> its requirements
    frontend: str = ""  # folder with its Python files, below the source tree
    extension: str = ""  # file name of its extension module; empty: the tree packs it


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPolicy:
    """What the finished wheel is held against."""

    # what the wheel must call its version; empty without a plan, and for an archive
    version: str = ""
    python_tag: str = ""  # what its name must have: cp311; empty for an archive
    # GPU code that it must hold: sm_90, compute_120; empty: none at all
    architectures: tuple[str, ...] = ()
    glibc_ceiling: str = ""  # the newest glibc that its code may need; empty: left open
    libstdcxx_ceiling: str = ""  # newest symbols of libstdc++ that it may need: GLIBCXX_3.4.30
    cpu_level: str = "x86-64"  # the most of x86-64 that code may use without asking the processor
    max_size_mb: float = 0.0  # of the file of the wheel, in MB; 0: no limit
    # libraries of the environment, which it may need and not hold
    excluded_libraries: tuple[str, ...] = ()
    runtime_libraries: tuple[str, ...] = ()  # libraries that it may open at run time
    folders: tuple[str, ...] = ()  # folders that it installs, beside its .dist-info
    packed_by_tree: bool = False  # whether the rules of a source tree pack it, as they like


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the plan is expected to take on this machine."""

    # what is fetched of the package index with an empty cache, in MB; 0 for a recipe
    download_mb: int = 0
    disk_mb: int = 0  # what the build needs on the disk, in MB
    memory_mb: int = 0  # of all jobs together, in MB
    seconds: int = 0  # of the whole build


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPlan:
    """A unified diff that the source tree gets before it is configured."""

    name: str  # as the build file has it
    path: str = field(metadata=BESIDE_ID)  # where it was read from
    sha256: str  # of its content
    strip: int = 1  # leading folders that are taken off the names in it


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePlan:
    """What is decided of a TensorFlow source tree beyond what every plan has."""

    release: str = ""  # version of TensorFlow; empty: the tree is the bundled runtime
    said_by: str = ""  # the file of the tree that says the release
    written: tuple[str, ...] = ()  # options that configure.py must write
    # options that must hold when Bazel has read every rc file: those written, and its own
    holding: tuple[str, ...] = field(default=(), metadata=BESIDE_ID)
    # answer of configure.py -> the kind of path it is: program, compiler, folder(s)
    places: Pairs = ()
    # diffs that are applied before it is configured, in this order
    patches: tuple[PatchPlan, ...] = ()
    # how a line of the rc file begins -> what takes its place; empty: nothing
    rc_changes: Pairs = ()
    needs: tuple[str, ...] = ()  # programs that actions look for on their PATH
    # of the system, in an image that is made for the tree
    packages: tuple[str, ...] = field(default=(), metadata=BESIDE_ID)
    # what the build takes and no package of a distribution has
    unpackaged: tuple[str, ...] = field(default=(), metadata=BESIDE_ID)
    numpy: str = ""  # version that the Python must have; empty: the tree's rules fetch it
    # path of the file that says how to build it; empty: none
    build_file: str = field(default="", metadata=BESIDE_ID)
    product: str = ""  # what is built of it: wheel or cc, the C++ library
    # what the tree, its answers and the plan have that may surprise
    warnings: tuple[CodedWarning, ...] = field(default=(), metadata=BESIDE_ID)


NO_TREE = TreePlan()


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """What every plan says, whatever is built. `id` is made of all that counts in a plan."""

    id: str = field(metadata=BESIDE_ID)  # digest of all that counts in it; equal plans have one
    output: Path = field(default=Path("dist"), metadata=BESIDE_ID)  # folder of what is delivered
    # those of the build systems, in order, with {placeholders}
    commands: tuple[Command, ...] = field(default=(), metadata=BESIDE_ID)
    jobs: int = field(default=1, metadata=BESIDE_ID)  # actions that run at once on this machine
    jobs_because: str = field(default="", metadata=BESIDE_ID)  # why so many, in words
    # caches, executors and servers that may help Bazel
    services: Services = field(default=NO_SERVICES, metadata=BESIDE_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(BuildPlan):
    """The plan of a wheel, or of a TensorFlow tree's C++ library."""

    recipe: str  # the preset of the wheel: cpu, cuda, tensorflow_cpu or tensorflow_cuda
    device: Device  # what it computes on
    source: Path = field(metadata=BESIDE_ID)  # top folder of the source tree
    versions: Versions
    environment: EnvironmentPlan
    artifacts: tuple[Artifact, ...]  # files of the package index that the build takes
    configure_answers: Pairs  # name of what configure.py asks -> answer
    compiler: CompilerPlan
    bazel: BazelPlan
    wheel: WheelPlan
    audit: AuditPolicy
    smoke_probes: tuple[str, ...]  # scripts that try the wheel, in this order
    smoke_requirements: tuple[str, ...]  # what is installed beside the wheel to try it
    perf_probes: tuple[str, ...]  # scripts that measure the wheel; empty: nothing is measured
    # [measurement, compared with, least ratio]: what is slower fails the build
    perf_bars: tuple[tuple[str, str, float], ...] = ()
    # what it is measured against, NumPy left out, which always is
    baselines: tuple[BaselinePlan, ...] = ()
    # files of the index that a lock names for smoke and perf
    held: tuple[Artifact, ...] = field(default=(), metadata=BESIDE_ID)
    # GPU architectures that it has code for: sm_90; empty without CUDA
    architectures: tuple[str, ...] = ()
    estimate: Estimate = field(default=Estimate(), metadata=BESIDE_ID)
    tree: TreePlan = NO_TREE
