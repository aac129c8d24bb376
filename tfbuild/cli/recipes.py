"""The commands `tfbuild recipes`, and the recipe that `build` and `plan` are told."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tfbuild.cli.options import BuildOptions, Json, leave, typed_alone
from tfbuild.core.errors import BadRequest

if TYPE_CHECKING:
    from tfbuild.commands.recipes import Asked

recipes_app = typer.Typer(help="What can be built, and how to say it.", no_args_is_help=True)

_TREES = {"tensorflow": "wheel", "tensorflow-cc": "C++ library"}


def told_recipe(
    asked: BuildOptions, flags: dict[str, str]
) -> tuple[str, BuildOptions, dict[str, str]]:
    """The recipe of a file that the first word names; options and flags without the word.

    It is empty where there is none, or one that is built by code of its own: that one is asked for
    by options. BadRequest where such a one lacks what it is built from.
    """
    from tfbuild.recipes.catalogue import names_recipe

    words = asked.words or []
    if not words or not names_recipe(words[0]):
        return "", asked, flags
    name, others = words[0], replace(asked, words=words[1:])
    if name == "runtime":
        return "", others, flags
    if name == "workspace":
        if "workspace" not in flags:
            raise BadRequest("which workspace?", hint="name its folder with --workspace")
        return "", others, flags
    if name not in _TREES:
        return name, asked, flags
    if "source" not in flags:
        raise BadRequest(
            f"TensorFlow's {_TREES[name]} is built of a source tree",
            hint="name its top folder with --source",
        )
    return "", others, flags | ({"cc": "true"} if name == "tensorflow-cc" else {})


def plan_recipe(asked: BuildOptions, flags: dict[str, str], *, style: str, as_json: bool) -> None:
    """Show the plan of a recipe's build, or of every cell of its matrix."""
    what = _asked(asked, flags, as_json=as_json)
    if asked.matrix:
        from tfbuild.commands.build_matrix import show_cells
        from tfbuild.commands.recipe_matrix import RecipeMatrix

        leave(show_cells(RecipeMatrix(matrix=tuple(asked.matrix), asked=what), style=style))
    else:
        from tfbuild.commands.recipes import show_recipe_plan

        show_recipe_plan(what, style=style)


def build_recipe(
    asked: BuildOptions, flags: dict[str, str], *, as_json: bool, verbosity: int
) -> None:
    """Build a recipe, or every cell of its matrix."""
    what = _asked(asked, flags, as_json=as_json)
    if asked.matrix:
        from tfbuild.commands.build_matrix import build_matrix
        from tfbuild.commands.recipe_matrix import RecipeMatrix

        matrix = RecipeMatrix(matrix=tuple(asked.matrix), asked=what)
        leave(build_matrix(matrix, as_json=as_json, verbosity=verbosity))
    else:
        from tfbuild.commands.recipes import build_recipe as run

        run(what, as_json=as_json, verbosity=verbosity)


def _asked(asked: BuildOptions, flags: dict[str, str], *, as_json: bool) -> "Asked":
    from tfbuild.commands.recipes import Asked

    return Asked(
        words=tuple(asked.words or ()),
        flags=flags,
        models=asked.model or (),
        more=typed_alone(asked, json=as_json),
    )


@recipes_app.command("list")
def list_recipes(as_json: Json = False) -> None:
    """Name everything that `tfbuild build` can build."""
    from tfbuild.commands import recipes

    recipes.list_recipes(as_json=as_json)


@recipes_app.command("show")
def show(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="A name, or a YAML file.")],
    as_json: Json = False,
) -> None:
    """Tell what a recipe builds, from which source, with which options."""
    from tfbuild.commands import recipes

    recipes.show_recipe(recipe, as_json=as_json)


@recipes_app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of what is built: zlib-ng.")],
    system: Annotated[
        str, typer.Option("--build-system", help="cmake, configure, meson or bazel.")
    ] = "cmake",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Default: NAME.yaml, here.")
    ] = "",
) -> None:
    """Write a recipe to be filled in, with what each key means."""
    from tfbuild.commands import recipes

    recipes.new_recipe(name, system, output)


@recipes_app.command("needs")
def needs(as_json: Json = False) -> None:
    """List every tool and library that a recipe may need, and which packages have it."""
    from tfbuild.commands import recipes

    recipes.list_needs(as_json=as_json)


@recipes_app.command("fields")
def fields(
    as_schema: Annotated[
        bool, typer.Option("--schema", help="As JSON Schema, for editors.")
    ] = False,
) -> None:
    """List every key of a recipe file."""
    from tfbuild.commands import recipes

    recipes.show_keys(as_schema=as_schema)
