"""Recipes are found by their names, and anybody's by its file."""

import os
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, written
from tfbuild.recipes.catalogue import all_recipes, find_recipe, names_recipe
from tfbuild.recipes.recipe import Recipe


@pytest.mark.parametrize("word", ["zstd", "./mine.yaml", "a b.yml", "/x=1/mine.yaml"])
def test_words_that_name_a_recipe(word: str) -> None:
    assert names_recipe(word)


@pytest.mark.parametrize("word", ["python=3.11", "cuda>=13.0", "a=b", "gcc!=12", "tf~=2.6"])
def test_words_that_name_a_version(word: str) -> None:
    assert not names_recipe(word)


def test_a_recipe_of_the_installation() -> None:
    assert "lib/libzstd.so.1" in find_recipe("zstd").product.libraries
    with fails("recipe-unknown", "'zst'", "'zstd'"):
        find_recipe("zst")


def test_a_file_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, A_RECIPE)
    assert find_recipe(str(path)).name == "greet"
    monkeypatch.chdir(tmp_path)
    assert find_recipe("greet.yaml").path == Path(os.path.realpath(path))
    with fails("recipe-unknown", "./greet.yaml"):
        find_recipe("greet")
    with fails("recipe-unknown", "--source"):
        find_recipe(str(tmp_path))


def test_code_of_ours_is_named_by_our_recipes_alone(tmp_path: Path) -> None:
    ours = find_recipe("tflite")
    assert ours.tree
    assert find_recipe(str(ours.path)) == ours
    copied = tmp_path / ours.path.name
    copied.write_text(ours.path.read_text())
    with fails("recipe-names-code", "tflite.yaml: tree:"):
        find_recipe(str(copied))


@pytest.mark.parametrize("recipe", all_recipes(), ids=lambda recipe: str(recipe.name))
def test_every_recipe_of_the_installation_is_short_and_complete(recipe: Recipe) -> None:
    programs = sum(len(probe.program.splitlines()) for probe in recipe.probes)
    assert len(recipe.path.read_text().splitlines()) - programs <= 60
    assert recipe.license
    assert recipe.homepage
    assert recipe.source.releases or recipe.tree
    assert recipe.product.licenses
    assert any(probe.program for probe in recipe.probes), "nothing is linked against it"
