"""The frozen records of what the stages make: configured, built, packed."""

from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.build_course import NO_COURSE, BuildCourse
from tfbuild.core.rebuilds import NO_REBUILD, Rebuild
from tfbuild.core.records import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The rc file that the source tree's configure wrote."""

    rc_file: Path  # where configure.py wrote it
    settings: Pairs  # name of what configure.py asks -> answer that it got
    digest: str  # SHA-256 of what it wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOutput:
    """What Bazel made: name below bazel-bin -> file."""

    files: tuple[tuple[str, Path], ...]  # name below bazel-bin -> where it is kept
    seconds: float  # how long the call of Bazel took
    actions: int = 0  # executed in this build, cache hits left out
    cache_hits: int = 0  # actions whose results were cached
    actions_elsewhere: int = 0  # of the executed actions, those that ran on other machines
    remote_hits: int = 0  # of the cache hits, those that came from another machine's cache
    reused_from: str = ""  # the run that has built this; empty: this one
    rebuild: Rebuild = NO_REBUILD  # what changed since the last build, and what that cost
    course: BuildCourse = NO_COURSE  # how the build went


NO_OUTPUT = BuildOutput(files=(), seconds=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A finished wheel."""

    path: Path  # in the work folder; what was delivered has the same name
    distribution: str  # Name of its METADATA
    version: str  # Version of its METADATA
    tags: tuple[str, ...]  # of its file name, each alone: cp311-cp311-manylinux_2_36_x86_64
    size: int  # of the file, in bytes
    installed_size: int  # of all that it unpacks to, in bytes
    sha256: str  # of the file
    reused_from: str = ""  # the run that has packed it; empty: this one
    seconds: float = 0.0  # how long the run that packed it took for it; 0: this run did


NO_WHEEL = Wheel(
    path=Path(), distribution="", version="", tags=(), size=0, installed_size=0, sha256=""
)
