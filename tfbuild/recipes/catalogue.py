"""Finds recipes: those of this installation by their names, anybody's by the path of its file."""

from pathlib import Path

from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import data_folder, named_path, names_file
from tfbuild.core.versions import did_you_mean
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Recipe

_SUFFIXES = (".yaml", ".yml")


def names_recipe(word: str) -> bool:
    """Whether a word of a command names a recipe, and not a version: AXIS=SPEC has a sign in it."""
    return word.endswith(_SUFFIXES) or not any(sign in word for sign in "=<>!~")


def find_recipe(word: str) -> Recipe:
    """The recipe of that name, or of that file.

    Raises BadRequest for a name that there is none of, and what read_recipe does.
    """
    if word.endswith(_SUFFIXES):
        return read_recipe(named_path(word).absolute())
    found = _files()
    if word in found:
        return read_recipe(found[word])
    hint = did_you_mean(word, found)
    if names_file(Path(f"{word}.yaml")):
        hint = f"name the file: ./{word}.yaml"
    elif named_path(word).is_dir():
        hint = "a folder is named with --source, behind the name of a recipe"
    raise BadRequest(f"there is no recipe '{word}'", hint=f"{hint} (see `tfbuild recipes list`)")


def all_recipes() -> tuple[Recipe, ...]:
    """Those of this installation, by their names; BadRecipe for the first that is wrong."""
    return tuple(read_recipe(path) for path in _files().values())


def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(data_folder("recipes").glob("*.yaml"))}
