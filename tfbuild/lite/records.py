"""The frozen records of what a tree says of its TensorFlow Lite."""

from dataclasses import dataclass
from pathlib import Path


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
    version_file: str  # the one of its headers that says its release
    dependencies: tuple[LiteDependency, ...]
    options: tuple[str, ...]  # of its CMake build
    headers: tuple[str, ...]  # of the C interface and all that they include, below the tree
    functions: tuple[str, ...]  # of the C interface, as the headers declare them
