"""A new recipe can be read as it is, and names every key."""

from pathlib import Path
from typing import get_args

import pytest

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
    assert missing == []
