"""The frozen records from a tree to a library of TensorFlow Lite."""

from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.environments import System
from tfbuild.core.records import Artifact, Command
from tfbuild.core.reports import AuditReport, SmokeReport

LIBRARY = "libtensorflow-lite.so"
LARGEST = 1 << 30  # bytes of a library, or of a model's outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteDependency:
    """What TensorFlow Lite's CMake build asks for, and what it would fetch where it is missing."""

    name: str  # as find_package has it: absl
    url: str = ""
    revision: str = ""  # a commit, a tag or a digest
    conditions: tuple[str, ...] = ()  # the CMake conditions around it, outermost first


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteTree:
    """What a tree says of its TensorFlow Lite."""

    source: Path
    release: str
    dependencies: tuple[LiteDependency, ...]
    options: tuple[str, ...]  # of its CMake build
    headers: tuple[str, ...]  # of the C interface and all that they include, below the tree
    functions: tuple[str, ...]  # of the C interface, as the headers declare them


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteRequest:
    """What was asked of a tree."""

    source: Path
    output: Path
    system: str = ""
    models: tuple[Path, ...] = ()  # to try the library with, beside the tree's own
    jobs: int = 0
    cpus: float = 0.0
    memory_mb: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LitePlan:
    """Everything decided. `id` is its hash, without paths of this machine and without jobs."""

    id: str
    tree: LiteTree
    system: System
    packages: tuple[str, ...]  # of the system, to build with
    from_packages: tuple[tuple[str, str], ...]  # dependency -> package
    stand_ins: tuple[str, ...]  # dependencies that are linked and that no source includes
    commands: tuple[Command, ...]
    models: tuple[Path, ...]
    output: Path
    archive: str  # its file name
    jobs: int
    cpus: float = 0.0
    memory_mb: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteLibrary:
    """The finished library, its headers beside it, and the packages that it runs with."""

    path: Path
    sha256: str
    size: int
    headers: Path
    needs: tuple[tuple[str, str, str], ...]  # library, package, version
    compiler: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteReport:
    """What happened, for report.json."""

    run_id: str
    tfbuild_version: str
    plan: LitePlan
    library: LiteLibrary
    archive: Path
    archive_sha256: str
    reference: tuple[Artifact, ...]
    audit: AuditReport
    smoke: SmokeReport
