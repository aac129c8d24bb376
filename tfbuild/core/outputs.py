"""The frozen records of what the stages make: configured, built, packed."""

from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.build_course import NO_COURSE, BuildCourse
from tfbuild.core.rebuilds import NO_REBUILD, Rebuild
from tfbuild.core.records import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The rc file that the source tree's configure wrote."""

    rc_file: Path
    settings: Pairs
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOutput:
    """What Bazel made: name below bazel-bin -> file."""

    files: tuple[tuple[str, Path], ...]
    seconds: float
    actions: int = 0  # executed now, cache hits left out
    cache_hits: int = 0
    actions_elsewhere: int = 0  # of the executed ones: those that ran on other machines
    remote_hits: int = 0  # of the hits: those that came from another machine's cache
    reused_from: str = ""
    rebuild: Rebuild = NO_REBUILD
    course: BuildCourse = NO_COURSE


NO_OUTPUT = BuildOutput(files=(), seconds=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A finished wheel."""

    path: Path
    distribution: str
    version: str
    tags: tuple[str, ...]
    size: int
    installed_size: int
    sha256: str
    reused_from: str = ""
    seconds: float = 0.0  # what its making took, where it is reused


NO_WHEEL = Wheel(
    path=Path(), distribution="", version="", tags=(), size=0, installed_size=0, sha256=""
)
