"""The recipe of TensorFlow Lite, completed by what a tree says."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.lite_trees import CMAKE, lite_tree
from tfbuild.facts.tables import Tables
from tfbuild.inputs.recognition import version_of
from tfbuild.lite.completion import complete, stand_in_text
from tfbuild.places.needs import packages_of, read_needs
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.recipe import Recipe


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lite_tree(tmp_path / "tree")


def completed(tree: Path, tables: Tables) -> Recipe:
    return complete(find_recipe("tflite"), tree, tables)


def test_each_dependency_is_a_need(tree: Path, tables: Tables) -> None:
    recipe = completed(tree, tables)
    assert recipe.needs == ("abseil", "neon2sse", "ruy", "pthreadpool"), "no GPU, no opencl_headers"
    assert packages_of(read_needs(recipe.needs, tables)) == (
        "libabsl-dev", "libneon-2-sse-dev", "libruy-dev", "libpthreadpool-dev",
    )  # fmt: skip


def test_every_row_has_a_need_or_stands_for_what_nobody_includes(tables: Tables) -> None:
    rows = tables.lite()
    read_needs([row.need for row in rows if row.need], tables)
    assert all(row.need or row.stands_for for row in rows)


def test_what_no_source_includes_has_a_stand_in(tree: Path, tables: Tables) -> None:
    build = completed(tree, tables).build
    ((name, text),) = build.files
    assert "add_library(ml_dtypes INTERFACE)" in text
    assert f"-DCMAKE_PROJECT_INCLUDE={{files}}/{name}" in build.arguments
    assert stand_in_text(("a", "b")).count("INTERFACE") == 2


def test_a_stand_in_is_refused_where_its_headers_are_used(tree: Path, tables: Tables) -> None:
    used = tree / "tensorflow/lite/kernels/cast.cc"
    used.parent.mkdir()
    used.write_text('#include "ml_dtypes/include/float8.h"\n')
    with fails("lite-dependency-unknown", "ml_dtypes"):
        completed(tree, tables)


def test_options_are_those_of_the_tree(tree: Path, tables: Tables) -> None:
    arguments = completed(tree, tables).build.arguments
    assert "-DTFLITE_ENABLE_XNNPACK=OFF" in arguments
    assert "-DSYSTEM_PTHREADPOOL=ON" in arguments
    assert not any("NNAPI" in word for word in arguments), "the tree has no such option"
    assert "-DCMAKE_SKIP_RPATH=ON" in arguments


def test_a_dependency_without_a_package_is_named(tree: Path, tables: Tables) -> None:
    lite_tree(tree, cmake=CMAKE + "find_package(kleidiai REQUIRED)\n")
    with fails("lite-dependency-unknown", "kleidiai"):
        completed(tree, tables)


def test_headers_are_delivered_and_their_functions_must_be_exported(
    tree: Path, tables: Tables
) -> None:
    recipe = completed(tree, tables)
    files = dict(recipe.product.files)
    assert files["lib/libtensorflow-lite.so"] == "libtensorflow-lite.so"
    header = "tensorflow/lite/core/c/c_api_types.h"
    assert files[f"include/{header}"] == header
    assert len(recipe.audit.exports) == 18


@pytest.mark.parametrize(("suffix", "said"), [("", "2.14.1"), ("-rc0", "2.14.1-rc0")])
def test_the_release_is_what_the_tree_says(
    tree: Path, tables: Tables, suffix: str, said: str
) -> None:
    lite_tree(tree, suffix=suffix)
    assert version_of(completed(tree, tables).source, tree) == said


@pytest.mark.parametrize(
    "suffix", ["/../../../PWN", "\\\\x", " a", "-rc0\\n", "9" * 300, "-\u0663"]
)
def test_a_release_holds_nothing_that_leads_to_another_folder(
    tree: Path, tables: Tables, suffix: str
) -> None:
    lite_tree(tree, suffix=suffix)
    with fails("source-version-invalid", "version.h"):
        version_of(completed(tree, tables).source, tree)
