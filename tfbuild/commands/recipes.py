"""What `recipes` does: list, show, needs, new and fields."""

import shlex
from collections.abc import Mapping
from typing import get_args

from tfbuild.commands.context import write_file
from tfbuild.core.build_kinds import OWN_RECIPES, Kind, obeyed_axes, obeyed_options
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import named_path
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.catalogue import all_recipes, find_recipe
from tfbuild.recipes.forms import NAMES, is_name
from tfbuild.recipes.recipe import BuildSystem, OwnRecipe
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text

_KINDS: Mapping[str, Kind] = {
    "runtime": "runtime",
    "tensorflow": "tree",
    "tensorflow-cc": "cc",
    "workspace": "workspace",
}


def list_recipes(*, as_json: bool) -> None:
    """Print what can be built, by name."""
    from tfbuild.recipes.text import list_text

    others = (one for one in all_recipes() if one.name not in _KINDS)
    rows = (*OWN_RECIPES, *((recipe.name, recipe.summary) for recipe in others))
    if as_json:
        listed = [{"name": name, "summary": summary} for name, summary in rows]
        print_json({"schema": "tfbuild.recipes/1", "recipes": listed})
    else:
        print_text(list_text(rows))


def list_needs(*, as_json: bool) -> None:
    """Print every need that a recipe may name: how it shows, and which packages have it."""
    from tfbuild.places.needs import known_needs, needs_text

    needs = known_needs(open_tables())
    if as_json:
        print_json({"schema": "tfbuild.needs/1", "needs": to_plain(needs)})
    else:
        print_text(needs_text(needs))


def show_recipe(word: str, *, as_json: bool) -> None:
    """Print what a recipe says; BadRequest where there is none of that name."""
    from tfbuild.recipes.text import own_recipe_text, recipe_text

    if word in _KINDS:
        kind = _KINDS[word]
        own = OwnRecipe(
            name=word,
            summary=dict(OWN_RECIPES)[word],
            axes=obeyed_axes(kind),
            options=obeyed_options(kind),
            file=next((str(one.path) for one in all_recipes() if one.name == word), ""),
        )
        if as_json:
            print_json({"schema": "tfbuild.own-recipe/1", **to_plain(own)})
        else:
            print_text(own_recipe_text(own))
        return
    recipe = find_recipe(word)
    if as_json:
        print_json({"schema": "tfbuild.recipe-shown/1", **to_plain(recipe)})
    else:
        print_text(recipe_text(recipe))


def new_recipe(name: str, system: str, output: str) -> None:
    """Write a recipe to be filled in; BadRequest for a name or build system that cannot be."""
    from tfbuild.recipes.skeleton import new_recipe as text_of

    if not is_name(name):
        raise BadRequest(f"'{name}' is no name of a recipe", code="recipe-name-wrong", hint=NAMES)
    known = next((one for one in get_args(BuildSystem) if one == system), None)
    if known is None:
        raise BadRequest(
            f"the build system is '{system}'",
            code="build-system-unknown",
            hint=did_you_mean(system, get_args(BuildSystem)),
        )
    path = named_path(output or f"{name}.yaml").absolute()
    if path.exists():
        raise BadRequest(
            f"{path} is there already",
            code="output-file-exists",
            hint="name another file with --output",
        )
    print_text(f"{write_file(str(path), text_of(name, known))}\n")
    file = shlex.quote(output or f"./{name}.yaml")
    ConsoleReporter().note(f"next: fill it in, then `tfbuild plan {file} --source DIR`")


def show_keys(*, as_schema: bool) -> None:
    """Print every key of a recipe file, or the JSON Schema for editors."""
    from tfbuild.recipes.fields import all_keys, json_schema
    from tfbuild.recipes.text import keys_text

    if as_schema:
        print_json(json_schema())
    else:
        print_text(keys_text(all_keys()))
