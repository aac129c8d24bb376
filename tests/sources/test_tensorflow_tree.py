"""A tree as its own files describe it; what is missing or broken is named."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import ERAS, make_tree
from tfbuild.sources.tensorflow_tree import read_tree


@pytest.mark.parametrize("release", ERAS)
def test_release_and_bazel_are_read_from_the_tree(tmp_path: Path, release: str) -> None:
    tree = read_tree(make_tree(tmp_path, release))
    era = ERAS[release]
    assert (tree.release, tree.bazel, tree.warnings) == (release, era.bazel, ())
    assert tree.pythons == era.pythons
    assert tree.fetches_python == bool(era.pythons)
    assert tree.fetches_cuda == era.hermetic
    assert set(era.configs) <= set(tree.rc.configs)
    assert tree.system_libs == ("curl", "zlib")
    assert "absl-py >= 1.0.0" in tree.requirements
    assert tree.configure.takes_sm == era.takes_sm
    assert tree.configure.bazel == era.limits


def test_what_the_rules_can_fetch_is_listed(tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.19.0"))
    assert tree.cuda_releases == ("12.5.0", "12.5.1", "12.6.3")
    assert tree.cudnn_releases == ("9.3.0", "9.6.0")
    assert tree.python_variables == ("TF_PYTHON_VERSION", "HERMETIC_PYTHON_VERSION")


def test_locked_pythons_go_before_a_list(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.19.0")
    for number in (9, 13):
        (folder / f"requirements_lock_3_{number}.txt").write_text("")
    assert read_tree(folder).pythons == ("3.9", "3.13")


def test_what_is_no_version_is_passed_over(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.19.0")
    for path in folder.glob("requirements_lock_3_*.txt"):
        path.unlink()
    (folder / "requirements_lock_3_evil.txt").write_text("")
    (rules,) = folder.rglob("python_repo.bzl")
    text = rules.read_text().replace("VERSIONS = [", f'VERSIONS = ["3.x", "{"9" * 5000}", ')
    rules.write_text(text)
    (lists,) = folder.rglob("cuda_redist_versions.bzl")
    lists.write_text(lists.read_text().replace('"12.5.0"', f'"{"9" * 5000}.0"'))
    tree = read_tree(folder)
    assert tree.pythons == ERAS["2.19.0"].pythons
    assert tree.cuda_releases == ("12.5.1", "12.6.3")


@pytest.mark.parametrize(
    "said",
    ["9" * 5000 + ".0", "2.19.0+" + "a." * 1000 + "a", "2.19.0/../x"],
    ids=["digits", "letters", "path"],
)
def test_a_release_that_is_none_is_refused(tmp_path: Path, said: str) -> None:
    folder = make_tree(tmp_path, "2.19.0")
    for name in ("tensorflow/tensorflow.bzl", "tensorflow/tf_version.bzl"):
        (folder / name).write_text(f'VERSION = "{said}"\nTF_VERSION = "{said}"\n')
    (folder / "RELEASE.md").unlink()
    (folder / "tensorflow/tools/pip_package/setup.py").unlink(missing_ok=True)
    (folder / "tensorflow/tools/pip_package/setup.py.tpl").unlink(missing_ok=True)
    with fails("source-version-missing", str(folder)):
        read_tree(folder)


def test_the_earlier_configuration_and_that_of_the_user_are_not_the_trees(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    (folder / ".tf_configure.bazelrc").write_text("build:stale --copt=-g\n")
    (folder / ".bazelrc.user").write_text("build:mine --copt=-g\n")
    assert {"stale", "mine"} & set(read_tree(folder).rc.configs) == set()


@pytest.mark.parametrize(
    ("name", "is_hidden"), [(".bazelrc", True), ("configure.py", False), ("WORKSPACE", False)]
)
def test_a_truncated_tree_names_what_it_lacks(tmp_path: Path, name: str, is_hidden: bool) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    (folder / name).unlink()
    with fails("source-tree-incomplete", str(folder), name) as caught:
        read_tree(folder)
    assert ("`cp *`" in caught.value.hint) is is_hidden


def test_a_tree_without_any_version_is_refused(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    for name in ("tensorflow/tensorflow.bzl", "RELEASE.md"):
        (folder / name).write_text("nothing\n")
    (folder / "tensorflow/tools/pip_package/setup.py").write_text("nothing\n")
    with fails("source-version-missing", str(folder)):
        read_tree(folder)


def test_versions_that_differ_are_reported(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    (folder / "tensorflow/tools/pip_package/setup.py").write_text("_VERSION = '2.7.0'\n")
    (warning,) = read_tree(folder).warnings
    assert warning.code == "tree-release-unclear"
    assert "2.6.5" in warning.text
    assert "2.7.0" in warning.text


@pytest.mark.parametrize(
    "broken", [b"\xff\xfe\x00", b"def main(:\n", b"#" * 5_000_000], ids=["utf8", "syntax", "size"]
)
def test_a_broken_file_is_named(tmp_path: Path, broken: bytes) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    (folder / "configure.py").write_bytes(broken)
    with fails("source-file-unreadable", "configure.py"):
        read_tree(folder)


def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    import os

    folder = make_tree(tmp_path, "2.6.5")
    (folder / ".bazelrc").unlink()
    os.mkfifo(folder / ".bazelrc")
    with fails("source-file-unreadable", ".bazelrc"):
        read_tree(folder)


def test_no_bazel_is_called_by_thousands_of_digits(tmp_path: Path) -> None:
    tree = make_tree(tmp_path, "2.19.0")
    (tree / ".bazelversion").write_text("7" * 5000)
    assert read_tree(tree).bazel == ""
