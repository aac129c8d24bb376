"""Which test files of a TensorFlow source tree are run."""

from fnmatch import fnmatch
from pathlib import Path

# Folders of tensorflow/python whose tests are of graphs and ops: neither Keras nor TPUs nor eager.
_FOLDERS = (
    "client", "data/kernel_tests", "feature_column", "framework", "kernel_tests", "layers",
    "lib/io", "ops", "saved_model", "summary", "training", "util",
)  # fmt: skip
_LEFT_OUT = ("*/ops/ragged/*", "*/ops/parallel_for/*", "*/training/tracking/*", "*/eager/*")


def test_files(tree: Path, only: str = "*") -> tuple[Path, ...]:
    """The test files, relative to the tree and in order, whose path or name fits the pattern."""
    found = {
        path.relative_to(tree)
        for folder in _FOLDERS
        for path in (tree / "tensorflow" / "python" / folder).rglob("*_test.py")
    }
    return tuple(
        path
        for path in sorted(found)
        if (fnmatch(str(path), only) or fnmatch(path.stem, only))
        and not any(fnmatch(str(path), pattern) for pattern in _LEFT_OUT)
    )
