"""The frozen records from a request for a recipe's product to its report."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tfbuild.core.environments import (
    NO_ENVIRONMENT,
    NO_SERVICES,
    NO_SYSTEM,
    EnvironmentKind,
    EnvironmentLock,
    Services,
    System,
)
from tfbuild.core.identity import BESIDE_ID, plan_id
from tfbuild.core.lock_file import LockFile
from tfbuild.core.outputs import NO_OUTPUT, BuildOutput
from tfbuild.core.plans import AuditPolicy, BuildPlan, Estimate, Plan
from tfbuild.core.records import Artifact, Pairs
from tfbuild.core.reports import (
    NO_AUDIT,
    NO_SMOKE,
    AuditReport,
    BuildReport,
    SmokeReport,
)
from tfbuild.recipes.recipe import Probe, Product

InputKind = Literal["folder", "archive", "debian"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a lock file holds a build to; empty where none was named."""

    source_sha256: str = ""  # of the source code
    tools: Pairs = ()  # name -> what it says that it is
    artifacts: tuple[Artifact, ...] = ()  # files of the package index
    environment: EnvironmentLock = NO_ENVIRONMENT  # of a container; all empty for this machine


NOT_HELD = Held()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRequest:
    """What was asked of a recipe, complete."""

    recipe: str  # its name, or the path of its file
    version: str = ""  # empty: the newest
    options: Pairs = ()
    target: str = ""  # linux-aarch64; empty: what this machine is
    source: str = ""  # a tree, or an archive of one, or `debian`; empty: a release of the recipe
    output: Path = Path("dist")
    models: tuple[Path, ...] = ()  # of the user, to try the product with
    env: EnvironmentKind | Literal[""] = ""  # empty: where the recipe says, usually this machine
    system: str = ""  # of the container
    jobs: int = 0
    cpus: float = 0.0
    pids: int = 0
    memory_mb: int = 0
    services: Services = NO_SERVICES  # of Bazel
    lock: LockFile | None = None
    deadline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """The source code: where it is taken from, and what it must be."""

    kind: InputKind  # a tree, an archive, or a source package of Debian
    place: str = field(metadata=BESIDE_ID)  # a folder, an archive's address, or a package's name
    version: str  # of the source code
    # of the archive, or over the folder's files; empty: it is known once it is fetched
    sha256: str = ""
    # what else --source could name; empty: nothing
    otherwise: str = field(default="", metadata=BESIDE_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A tool or a library that the place must have: a row of matrices/needs.yaml."""

    name: str  # of the row in matrices/needs.yaml
    program: str = ""  # program on PATH; empty: it is none
    pkg_config: str = ""  # module of pkg-config; empty: it is none
    header: str = ""  # as C includes it: zlib.h; empty: it has none
    package: str = ""  # packages of the place's system, with blanks between
    index: str = ""  # what pip installs to have the program: cmake>=3.20,<4; empty: nothing
    # of the library at run time; a star stands for any letters: libx264.so.*
    sonames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNeed:
    """A need that a recipe may name: what it is, and which packages of each system have it."""

    name: str  # by which recipes name it
    kind: Literal["program", "pkg-config module", "header"]  # how its presence shows
    looked_for: str  # the program, module or header: cmake, libzstd, bzlib.h
    header: str = ""  # header that counts as well, where there is no pkg-config; empty: none
    packages: Pairs  # system -> packages; `index` is the package index
    note: str = ""  # anything else, in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A unified diff that the copy of the tree gets."""

    name: str  # of its file, beside the recipe
    path: Path = field(metadata=BESIDE_ID)  # where it was read from
    sha256: str  # of its content


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """Configure, build and install with one build system; the kinds differ by their type."""

    folder: str  # of the tree, where the build files lie; empty: its top folder
    arguments: tuple[str, ...]  # for cmake, configure, meson setup, or bazel build
    targets: tuple[str, ...]  # what is built; empty: what the build system builds by itself
    environment: Pairs  # variables of the build
    expect: Pairs  # what must hold when it is configured, by the build system's own names
    files: Pairs = ()  # name below {files} -> text


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeBuild(BuildStep):
    """CMake with Ninja."""

    system: Literal["cmake"] = "cmake"  # the build system


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigureMake(BuildStep):
    """A configure script, and make."""

    system: Literal["configure"] = "configure"  # the build system


@dataclass(frozen=True, slots=True, kw_only=True)
class MesonBuild(BuildStep):
    """Meson with Ninja."""

    system: Literal["meson"] = "meson"  # the build system


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelBuild(BuildStep):
    """Bazel; `files` of the product say what is taken out of bazel-bin."""

    system: Literal["bazel"] = "bazel"  # the build system


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeBuild:
    """A TensorFlow tree: its own script configures it, and Bazel builds it, as a plan decides."""

    plan: Plan  # all that is decided of the tree, with its versions
    system: Literal["tensorflow"] = "tensorflow"  # the build system


Step = Patch | CMakeBuild | ConfigureMake | MesonBuild | BazelBuild | TreeBuild


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductPlan(BuildPlan):
    """The plan of what a recipe builds."""

    recipe: str  # its name
    recipe_sha256: str = field(metadata=BESIDE_ID)  # of the recipe's file
    summary: str = field(metadata=BESIDE_ID)  # what it is, in a few words
    license: str  # an SPDX expression of what is delivered
    version: str  # of the source code, and of what is built of it
    target: str  # platform that it is built for: linux-x86_64
    options: Pairs  # name -> chosen value; none: the recipe has no options
    source: Input  # the source code, and where it is taken from
    env: EnvironmentKind  # where it is built: on this machine, or in a container
    system: System = NO_SYSTEM  # of the container; empty: it is built on this machine
    needs: tuple[Need, ...]  # tools and libraries that the place must have
    steps: tuple[Step, ...]  # what is done with the source code, in this order
    product: Product  # what is delivered, and held against what came out
    audit: AuditPolicy  # what its libraries and programs are held against
    exports: tuple[str, ...]  # symbols that some library must export
    dispatched: tuple[str, ...] = ()  # patterns of libraries whose callers ask the processor first
    probes: tuple[Probe, ...]  # what is tried with it
    tree: str = ""  # name of the code of tfbuild that tries it further; empty: none does
    # paths of the user's models with which that code tries it
    models: tuple[Path, ...] = field(default=(), metadata=BESIDE_ID)
    archive: str  # file name of what is delivered
    cpus: float = field(default=0.0, metadata=BESIDE_ID)  # of the container; 0: all
    # processes and threads of the container, at most; 0: as usual
    pids: int = field(default=0, metadata=BESIDE_ID)
    memory_mb: int = field(default=0, metadata=BESIDE_ID)  # of the container, in MB; 0: all
    held: Held = field(default=NOT_HELD, metadata=BESIDE_ID)  # what a lock holds it to
    # when to stop, as a time in UTC; empty: when it is done
    deadline: str = field(default="", metadata=BESIDE_ID)
    # what it is expected to take
    estimate: Estimate = field(default=Estimate(), metadata=BESIDE_ID)

    @property
    def prefix(self) -> str:
        """Where the build believes that it will be installed."""
        return f"/opt/{self.recipe}"

    @property
    def tree_plan(self) -> Plan | None:
        """How a TensorFlow tree is built; None where no step is of one."""
        return next((step.plan for step in self.steps if isinstance(step, TreeBuild)), None)

    @property
    def versions(self) -> Pairs:
        """The axes of a TensorFlow tree, each with what the facts chose; none of other products."""
        plan = self.tree_plan
        return tuple((one.axis, one.value) for one in plan.versions.choices) if plan else ()

    @property
    def build_id(self) -> str:
        """What the folder of the build is of: nothing that only says how its product is proven."""
        return plan_id((self.recipe, self.target, self.env, self.system, self.steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFile:
    """A file of the product, by its name in the archive; of a link what it leads to."""

    name: str  # its place in the archive, below the top folder
    size: int  # in bytes; of a link 0
    sha256: str = ""  # of the file; empty: it is a link
    target: str = ""  # where the link leads; empty: it is a file


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededPackage:
    """A library that the product needs and does not hold, and the package that has it."""

    library: str  # its soname: libz.so.1
    package: str = ""  # of the place that has it; empty: not known
    version: str = ""  # of that package; empty: not known


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductReport(BuildReport):
    """The report of what a recipe builds."""

    plan: ProductPlan  # what was decided before anything was done
    source_sha256: str = ""  # of the archive, or over the files of the folder, as it was staged
    tools: Pairs = ()  # compiler, build system -> what it says that it is
    artifacts: tuple[Artifact, ...] = ()  # tools that came from the package index
    # the container it was built in; all empty for this machine
    environment: EnvironmentLock = NO_ENVIRONMENT
    read_back: Pairs = ()  # option -> what the build system has understood of it
    build: BuildOutput = NO_OUTPUT  # how Bazel built a TensorFlow tree; empty for other products
    archive: Path = Path()  # path of what was delivered; `.` where nothing was
    sha256: str = ""  # of the archive; empty: nothing was packed
    size: int = 0  # of the archive, in bytes
    files: tuple[ProductFile, ...] = ()  # all that the archive holds
    needs: tuple[NeededPackage, ...] = ()  # libraries that it needs from outside
    audit: AuditReport = NO_AUDIT  # what it is, against what it should be
    smoke: SmokeReport = NO_SMOKE  # what works where it is unpacked
    seal: str = ""  # by which the tfbuild of the user who built it knows it; empty until delivered
