"""The frozen records of a build of any Bazel workspace: request, plan, what came out of it."""

from dataclasses import dataclass, field
from pathlib import Path

from tfbuild.core.build_course import NO_COURSE, BuildCourse
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.identity import BESIDE_ID
from tfbuild.core.plans import BazelPlan, BuildPlan
from tfbuild.core.rebuilds import NO_REBUILD, Rebuild
from tfbuild.core.records import Pairs
from tfbuild.core.reports import BuildReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A folder in the place of a repository that Bazel would fetch."""

    name: str  # of the repository
    path: Path = field(metadata=BESIDE_ID)  # of the folder


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRequest:
    """What was asked of a workspace, complete."""

    workspace: Path
    targets: tuple[str, ...]
    bazel: str = ""  # a release or a range; empty: what the workspace names
    bazel_origin: str = ""
    configs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()
    stand_ins: bool = False
    offline: bool = False
    jobs: int = 0  # 0: as many as there are processors
    collect: bool = False
    output: Path = Path("dist")
    services: Services = NO_SERVICES
    deadline: str = ""  # when to stop, as a time in UTC; empty: when it is done


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePlan(BuildPlan):
    """The plan of a Bazel workspace."""

    workspace: Path = field(metadata=BESIDE_ID)  # its top folder
    bazel: BazelPlan  # how Bazel is called
    bazel_because: str = field(metadata=BESIDE_ID)  # who says which Bazel will do
    configs: tuple[str, ...]  # names of --config, in this order
    asked_flags: tuple[str, ...]  # options that were asked for; they come last, and win
    overrides: tuple[Override, ...]  # folders in the place of repositories
    # whether rule sets that are here take the place of those that Bazel would fetch
    stand_ins: bool
    offline: bool  # whether Bazel may download nothing
    collect: bool = False  # whether what was built is copied to the output folder


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltFile:
    """A file that a target which was asked for brings."""

    target: str  # label of the target
    path: str  # where Bazel keeps it
    name: str  # its place below bazel-bin or the like
    size: int  # in bytes
    sha256: str  # of the file


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedArchive:
    """Something from elsewhere without which Bazel could not go on, or may not get further."""

    name: str  # of the repository or the module
    urls: tuple[str, ...] = ()  # addresses that have it; empty where none is known
    sha256: str = ""  # as it is declared: in hexadecimal, or as sha256-BASE64; empty: it is not
    is_asked_for: bool = True  # whether Bazel asked for it; else it is declared, and may be next


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceReport(BuildReport):
    """The report of a workspace."""

    plan: WorkspacePlan  # what was decided before anything was done
    tools: Pairs = ()  # name -> version and origin: Bazel, compiler
    targets: int = 0  # how many were built
    actions: int = 0  # executed in this build, cache hits left out
    cache_hits: int = 0  # actions whose results were cached
    actions_elsewhere: int = 0  # of the executed actions, those that ran on other machines
    remote_hits: int = 0  # of the cache hits, those that came from another machine's cache
    seconds: float = 0.0  # how long the call of Bazel took
    course: BuildCourse = NO_COURSE  # how the build went
    rebuild: Rebuild = NO_REBUILD  # what changed since the last build, and what that cost
    files: tuple[BuiltFile, ...] = ()  # what the targets brought
    wanted: tuple[WantedArchive, ...] = ()  # what was missing, where the build ended for that
