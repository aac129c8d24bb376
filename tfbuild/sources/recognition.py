"""What kind of source tree a folder holds."""

from pathlib import Path
from typing import Literal

from tfbuild.core.errors import BadRequest

TreeKind = Literal["runtime", "tensorflow"]
_RUNTIME = ("WORKSPACE", "configure.py", "version.txt")
_TENSORFLOW = ("tensorflow/tensorflow.bzl", "tensorflow/tf_version.bzl")


def is_tensorflow(folder: Path) -> bool:
    """Whether a folder has the names of a TensorFlow source tree."""
    return any((folder / name).exists() for name in _TENSORFLOW)


def recognise(folder: Path) -> TreeKind:
    """What can be built from a folder; BadRequest where it is none that tfbuild knows.

    It looks at names alone: `tensorflow_tree.read_tree` says what is missing in a TensorFlow tree.
    """
    if not folder.is_dir():
        raise BadRequest(
            f"the source tree {folder} is {'no folder' if folder.exists() else 'not there'}",
            code="source-tree-missing",
            hint="name a folder with --source",
        )
    if is_tensorflow(folder) or _looks_like(folder):
        return "tensorflow"
    missing = [name for name in _RUNTIME if not (folder / name).exists()]
    if not missing:
        return "runtime"
    below = next((p for p in sorted(folder.glob("*/tensorflow/tensorflow.bzl"))), None)
    raise BadRequest(
        f"{folder} is not a source tree that tfbuild can build",
        code="source-tree-unknown",
        why=f"for the bundled runtime it lacks {', '.join(missing)}, "
        f"for TensorFlow {_TENSORFLOW[0]}",
        hint=f"name {below.parents[1]}, which holds a TensorFlow tree"
        if below
        else "name the top folder of a TensorFlow tree, or leave --source out",
    )


def _looks_like(folder: Path) -> bool:
    """A TensorFlow tree without the files that say its release: truncated."""
    return (folder / "tensorflow").is_dir() and (folder / "configure.py").exists()
