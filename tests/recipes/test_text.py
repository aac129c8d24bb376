"""Recipes as people read them."""

from pathlib import Path

from tests.sample_recipes import A_RECIPE, written
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.fields import all_keys
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.text import keys_text, list_text, recipe_text


def test_the_list_has_a_line_for_each() -> None:
    assert list_text([("a", "one"), ("long", "two")]) == "a     one\nlong  two\n"
    assert list_text([]) == ""


def test_a_recipe_shows_its_options_with_their_values(tmp_path: Path) -> None:
    text = recipe_text(read_recipe(written(tmp_path, A_RECIPE)))
    assert "loud=on|off (usually on)" in text
    assert "releases  1.10" in text
    assert "delivers  lib/libgreet.so.1" in text
    text = A_RECIPE.replace("homepage: https://example.org/greet\n", "")
    text = text.replace("source:\n", "source:\n  debian: greet-src\n")
    text = recipe_text(read_recipe(written(tmp_path, text)))
    assert "homepage" not in text
    assert "containers" not in text
    assert "in        containers of debian:forky, debian" in recipe_text(find_recipe("tflite"))
    assert "debian    greet-src: --source debian" in text


def test_keys_say_their_form() -> None:
    text = keys_text(all_keys())
    assert "build.system (cmake or configure or meson or bazel, must be there)" in text
