"""Which kind of tree a folder holds."""

from pathlib import Path

from tests.failing import fails
from tests.fakes import TINY
from tests.tensorflow_trees import make_tree
from tfbuild.sources.recognition import recognise


def test_trees_are_distinguished(tmp_path: Path) -> None:
    assert recognise(TINY) == "runtime"
    assert recognise(make_tree(tmp_path / "tf", "2.6.5")) == "tensorflow"


def test_a_truncated_tree_is_still_tensorflow(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tf", "2.6.5")
    (tree / "tensorflow/tensorflow.bzl").unlink()
    assert recognise(tree) == "tensorflow"


def test_what_is_none_names_what_is_near(tmp_path: Path) -> None:
    with fails("source-tree-missing", str(tmp_path / "gone")):
        recognise(tmp_path / "gone")
    make_tree(tmp_path / "tensorflow-2.6.5", "2.6.5")
    with fails("source-tree-unknown", str(tmp_path), "version.txt", "tensorflow-2.6.5"):
        recognise(tmp_path)
