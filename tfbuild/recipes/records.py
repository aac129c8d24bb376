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

    source_sha256: str = ""
    tools: Pairs = ()
    artifacts: tuple[Artifact, ...] = ()  # of the package index
    environment: EnvironmentLock = NO_ENVIRONMENT


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

    kind: InputKind
    place: str = field(metadata=BESIDE_ID)  # a folder, an archive's address, or a package's name
    version: str
    sha256: str = ""  # of the archive, or over the folder's files; empty: told when it is fetched
    otherwise: str = field(default="", metadata=BESIDE_ID)  # what else --source could name


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A tool or a library that the place must have: a row of matrices/needs.yaml."""

    name: str
    program: str = ""  # that is on PATH
    pkg_config: str = ""  # a module of pkg-config
    header: str = ""  # zlib.h
    package: str = ""  # of the place's system, or several with blanks between
    index: str = ""  # what pip installs to have the program: cmake>=3.20,<4
    sonames: tuple[str, ...] = ()  # of the library at run time; libx264.so.* where it changes


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNeed:
    """A need that a recipe may name: what it is, and which packages of each system have it."""

    name: str
    kind: Literal["program", "pkg-config module", "header"]  # by which it is looked for
    looked_for: str  # cmake, libzstd, bzlib.h
    header: str = ""  # by which a module counts, too, where there is no pkg-config
    packages: Pairs  # system -> packages; `index` is the package index
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A unified diff that the copy of the tree gets."""

    name: str
    path: Path = field(metadata=BESIDE_ID)
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """Configure, build and install with one build system; the kinds differ by their type."""

    folder: str
    arguments: tuple[str, ...]
    targets: tuple[str, ...]
    environment: Pairs
    expect: Pairs  # what must hold when it is configured, by the build system's own names
    files: Pairs = ()  # name -> text, below {files}


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeBuild(BuildStep):
    """CMake with Ninja."""

    system: Literal["cmake"] = "cmake"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigureMake(BuildStep):
    """A configure script, and make."""

    system: Literal["configure"] = "configure"


@dataclass(frozen=True, slots=True, kw_only=True)
class MesonBuild(BuildStep):
    """Meson with Ninja."""

    system: Literal["meson"] = "meson"


@dataclass(frozen=True, slots=True, kw_only=True)
class BazelBuild(BuildStep):
    """Bazel; `files` of the product say what is taken out of bazel-bin."""

    system: Literal["bazel"] = "bazel"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeBuild:
    """A TensorFlow tree: its own script configures it, and Bazel builds it, as a plan decides."""

    plan: Plan  # with its versions, which the facts choose
    system: Literal["tensorflow"] = "tensorflow"


Step = Patch | CMakeBuild | ConfigureMake | MesonBuild | BazelBuild | TreeBuild


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductPlan(BuildPlan):
    """The plan of what a recipe builds."""

    recipe: str
    recipe_sha256: str = field(metadata=BESIDE_ID)  # what it says is in all else
    summary: str = field(metadata=BESIDE_ID)
    license: str
    version: str
    target: str  # linux-x86_64
    options: Pairs
    source: Input
    env: EnvironmentKind
    system: System = NO_SYSTEM  # of the container
    needs: tuple[Need, ...]
    steps: tuple[Step, ...]
    product: Product
    audit: AuditPolicy
    exports: tuple[str, ...]
    dispatched: tuple[str, ...] = ()  # libraries whose callers ask the processor first
    probes: tuple[Probe, ...]
    tree: str = ""  # the code of our own that tries the product further
    models: tuple[Path, ...] = field(default=(), metadata=BESIDE_ID)  # with these of the user
    archive: str  # its file name
    cpus: float = field(default=0.0, metadata=BESIDE_ID)
    pids: int = field(default=0, metadata=BESIDE_ID)  # processes and threads; 0: as usual
    memory_mb: int = field(default=0, metadata=BESIDE_ID)
    held: Held = field(default=NOT_HELD, metadata=BESIDE_ID)
    deadline: str = field(default="", metadata=BESIDE_ID)
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

    name: str
    size: int
    sha256: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededPackage:
    """A library that the product needs and does not hold, and the package that has it."""

    library: str
    package: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductReport(BuildReport):
    """The report of what a recipe builds."""

    plan: ProductPlan
    source_sha256: str = ""
    tools: Pairs = ()  # compiler, build system: what they say that they are
    artifacts: tuple[Artifact, ...] = ()  # tools that came from the package index
    environment: EnvironmentLock = NO_ENVIRONMENT  # of a container; empty for this machine
    read_back: Pairs = ()  # what the build system has understood, of what was asked
    build: BuildOutput = NO_OUTPUT  # how Bazel went, of a TensorFlow tree
    archive: Path = Path()  # where it was delivered
    sha256: str = ""
    size: int = 0
    files: tuple[ProductFile, ...] = ()
    needs: tuple[NeededPackage, ...] = ()
    audit: AuditReport = NO_AUDIT
    smoke: SmokeReport = NO_SMOKE
