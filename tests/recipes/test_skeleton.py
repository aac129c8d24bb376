"""A new recipe can be read as it is, and names every key."""

from pathlib import Path
from typing import get_args

import pytest

from tfbuild.inputs.recognition import version_of
from tfbuild.recipes.fields import all_keys
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import BuildSystem
from tfbuild.recipes.skeleton import new_recipe


@pytest.mark.parametrize("system", get_args(BuildSystem))
def test_it_is_read_without_an_error(tmp_path: Path, system: BuildSystem) -> None:
    path = tmp_path / "zlib-ng.yaml"
    path.write_text(new_recipe("zlib-ng", system))
    assert read_recipe(path).build.system == system


def test_it_names_every_part() -> None:
    text = new_recipe("x", "cmake")
    missing = [key.path for key in all_keys() if "." not in key.path and f"{key.path}:" not in text]
    assert missing == ["tree"], "which recipes of tfbuild alone name"


_SAID = {
    "cmake": "project(x\n  VERSION 1.2.3\n  LANGUAGES C)\n",
    "configure": "PACKAGE_NAME='x'\nPACKAGE_VERSION='1.2.3'\n",
    "meson": "project('x', 'c',\n  version: '1.2.3',\n  meson_version: '>= 0.5')\n",
    "bazel": 'module(\n    name = "x",\n    version = "1.2.3",\n)\n',
}


@pytest.mark.parametrize("system", get_args(BuildSystem))
def test_it_finds_the_version_where_such_trees_say_it(tmp_path: Path, system: BuildSystem) -> None:
    path = tmp_path / "libx.yaml"
    path.write_text(new_recipe("libx", system))
    recipe = read_recipe(path)
    (tmp_path / recipe.source.version_file).write_text(_SAID[system])
    assert version_of(recipe.source, tmp_path) == "1.2.3"
    assert recipe.product.libraries == ("lib/libx.so" if system == "bazel" else "lib/libx.so.1",)
