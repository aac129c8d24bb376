"""What a tree says of its TensorFlow Lite."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.lite_trees import lite_tree
from tfbuild.lite.tree import includes, read_lite_tree


def test_a_tree_is_read_from_its_own_files(tmp_path: Path) -> None:
    tree = read_lite_tree(lite_tree(tmp_path))
    assert tree.version_file == "tensorflow/core/public/version.h"
    assert tree.options == ("TFLITE_ENABLE_GPU", "TFLITE_ENABLE_XNNPACK")
    asked = {d.name: d.conditions for d in tree.dependencies}
    assert asked["absl"] == ()
    assert "x86" in asked["NEON_2_SSE"][0]
    assert asked["opencl_headers"] == ("TFLITE_ENABLE_GPU",)
    assert asked["ruy"] == ("unless TFLITE_ENABLE_GPU",)


def test_what_would_be_fetched_is_known(tmp_path: Path) -> None:
    (absl,) = (d for d in read_lite_tree(lite_tree(tmp_path)).dependencies if d.name == "absl")
    assert (absl.url, absl.revision) == ("https://example.org/abseil", "20230125.2")


def test_the_headers_are_all_that_the_library_reaches(tmp_path: Path) -> None:
    tree = read_lite_tree(lite_tree(tmp_path))
    assert [Path(name).name for name in tree.headers] == ["c_api.h", "c_api.h", "c_api_types.h"]
    assert "TfLiteInterpreterOptionsCreate" in tree.functions  # declared over two lines
    assert len(tree.functions) == 18


def test_what_is_included_is_found(tmp_path: Path) -> None:
    tree = read_lite_tree(lite_tree(tmp_path))
    assert includes(tree, "ml_dtypes/") == ""
    (tmp_path / "tensorflow/lite/a.cc").write_text("#include <ml_dtypes/float8.h>\n")
    assert includes(tree, "ml_dtypes/") == "tensorflow/lite/a.cc"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("tensorflow/lite/CMakeLists.txt", "lite-cmake-missing"),
        ("tensorflow/core/public/version.h", "source-version-missing"),
        ("tensorflow/lite/core/c/c_api.h", "lite-interface-missing"),
    ],
)
def test_a_tree_that_is_not_whole(tmp_path: Path, name: str, code: str) -> None:
    (lite_tree(tmp_path) / name).unlink()
    with fails(code, str(tmp_path)):
        read_lite_tree(tmp_path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (lite_tree(tmp_path) / "tensorflow/lite/CMakeLists.txt").write_bytes(b"\xff\xfe\x00")
    with fails("source-file-unreadable", "CMakeLists.txt"):
        read_lite_tree(tmp_path)


def test_newer_trees_say_their_release_elsewhere(tmp_path: Path) -> None:
    tree = lite_tree(tmp_path)
    newer = tree / "tensorflow/core/public/release_version.h"
    (tree / "tensorflow/core/public/version.h").rename(newer)
    (tree / "tensorflow/core/public/version.h").write_text('#include "release_version.h"\n')
    found = read_lite_tree(tree).version_file
    assert found == "tensorflow/core/public/release_version.h"


def test_headers_stay_in_their_folder(tmp_path: Path) -> None:
    tree = lite_tree(tmp_path / "tree")
    with (tree / "tensorflow/lite/c/c_api.h").open("a") as header:
        header.write('#include "tensorflow/../../tree/tensorflow/lite/c/c_api.h"\n')
    assert not any(".." in name for name in read_lite_tree(tree).headers)
