"""Finds recipes: those of this installation by their names, anybody's by the path of its file."""

from collections.abc import Collection
from pathlib import Path

from tfbuild.core.build_kinds import OWN_RECIPES
from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.paths import data_folder, named_path, names_file, real_path
from tfbuild.core.versions import did_you_mean
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Recipe

_SUFFIXES = (".yaml", ".yml")


def names_recipe(word: str) -> bool:
    """Whether a word of a command names a recipe, and not a version: AXIS=SPEC has a sign in it."""
    return word.endswith(_SUFFIXES) or not any(sign in word for sign in "=<>!~")


def find_recipe(word: str) -> Recipe:
    """The recipe of that name, or of that file.

    Raises BadRequest for a name that there is none of, BadRecipe for a file that names code of
    ours, and what read_recipe does.
    """
    found = _files()
    if word.endswith(_SUFFIXES):
        return _of_anybody(named_path(word).absolute(), found.values())
    if word in found:
        return read_recipe(found[word])
    hint = did_you_mean(word, dict.fromkeys((*dict(OWN_RECIPES), *found)))
    if names_file(Path(f"{word}.yaml")):
        hint = f"name the file: ./{word}.yaml"
    elif named_path(word).is_dir():
        hint = "a folder is named with --source, behind the name of a recipe"
    raise BadRequest(
        f"there is no recipe '{word}'",
        code="recipe-unknown",
        hint=f"{hint} (see `tfbuild recipes list`)",
    )


def all_recipes() -> tuple[Recipe, ...]:
    """Those of this installation, by their names; BadRecipe for the first that is wrong."""
    return tuple(read_recipe(path) for path in _files().values())


def _of_anybody(path: Path, ours: Collection[Path]) -> Recipe:
    """The recipe of a file; BadRecipe for one that names code, and is none of ours."""
    recipe = read_recipe(path)
    if recipe.tree and real_path(path) not in map(real_path, ours):
        raise BadRecipe(
            f"{path.name}: tree: it names code of tfbuild",
            code="recipe-names-code",
            why="that knows the recipe that comes with tfbuild alone",
            hint="leave it out; `tfbuild recipes fields` explains the other keys",
        )
    return recipe


def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(data_folder("recipes").glob("*.yaml"))}
