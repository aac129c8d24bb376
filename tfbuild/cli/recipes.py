"""The commands `tfbuild recipes`."""

from typing import Annotated

import typer

from tfbuild.cli.completion import found_by, one_of
from tfbuild.cli.groups import shows
from tfbuild.cli.options import Json
from tfbuild.commands.choices import BUILD_SYSTEMS

recipes_app = typer.Typer(help="List, show and write recipes, which say what tfbuild can build.")


@recipes_app.command("list")
def list_recipes(as_json: Json = False) -> None:
    """List everything that `tfbuild build` can build."""
    from tfbuild.commands import recipes

    recipes.list_recipes(as_json=as_json)


@recipes_app.command("show")
def show(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            help="A name, or a YAML file.",
            autocompletion=found_by("recipe_names"),
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show what a recipe builds, its source and its options."""
    from tfbuild.commands import recipes

    recipes.show_recipe(recipe, as_json=as_json)


@recipes_app.command("new")
def new(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The name of the library or program, such as zlib-ng."),
    ],
    system: Annotated[
        str,
        typer.Option(
            "--build-system",
            help="cmake, configure, meson or bazel.",
            autocompletion=one_of(*BUILD_SYSTEMS),
        ),
    ] = "cmake",
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write (default: NAME.yaml)."
        ),
    ] = "",
) -> None:
    """Write a template of a recipe, with comments on each key."""
    from tfbuild.commands import recipes

    recipes.new_recipe(name, system, output)


@recipes_app.command("needs")
def needs(as_json: Json = False) -> None:
    """List the tools and libraries that a recipe can need, and their packages."""
    from tfbuild.commands import recipes

    recipes.list_needs(as_json=as_json)


@recipes_app.command("fields")
def fields(
    as_schema: Annotated[
        bool, typer.Option("--schema", help="Print a JSON Schema for editors.")
    ] = False,
) -> None:
    """List every key of a recipe file."""
    from tfbuild.commands import recipes

    recipes.show_keys(as_schema=as_schema)


shows(recipes_app, list_recipes)
