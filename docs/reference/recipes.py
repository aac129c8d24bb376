"""Recipes: the keys of their files, and those that come with tfbuild."""

from docs.reference.markdown import block, code, codes, heading, page, prose, table
from tfbuild.core.paths import data_folder
from tfbuild.recipes.catalogue import all_recipes
from tfbuild.recipes.fields import Key, all_keys
from tfbuild.recipes.recipe import Option, Recipe


def recipe_pages() -> dict[str, str]:
    """The page of the keys, and that of the recipes."""
    return {"reference/recipe-file.md": _keys(), "reference/recipes.md": _recipes()}


# --- inside ------------------------------------------------------------------------------------


def _keys() -> str:
    groups: dict[str, list[Key]] = {}
    for key in all_keys():
        groups.setdefault(key.path.partition(".")[0], []).append(key)
    plain = [group[0] for group in groups.values() if len(group) == 1]
    parts = ["## Keys of the file itself\n", _table(plain)]
    for name, group in groups.items():
        if len(group) > 1:
            parts += [heading(2, code(name), name), f"{_sentence(group[0])}\n", _table(group[1:])]
    example = (data_folder("recipes") / "zstd.yaml").read_text(encoding="utf-8")
    return page(
        "Recipe file",
        "A recipe is a YAML file that says how something is built with CMake, configure and make,"
        " Meson or Bazel. `tfbuild recipes new NAME` writes one to fill in. The"
        " [JSON Schema](schemas/recipe.md), printed by `tfbuild recipes fields --schema`, lets an"
        " editor check it.",
        *parts,
        "## Example\n",
        "The recipe of zstd, which comes with tfbuild:\n",
        block(example, "yaml"),
        summary="Every key of a recipe's YAML file, with its type.",
    )


def _table(keys: list[Key]) -> str:
    rows = [
        (code(key.path), prose(key.form), "yes" if key.is_required else "", prose(key.says))
        for key in keys
    ]
    return table(("Key", "Type", "Required", "Meaning"), rows)


def _sentence(key: Key) -> str:
    must = "Required." if key.is_required else "Optional."
    return f"{prose(key.says)} Type: {prose(key.form)}. {must}"


def _recipes() -> str:
    parts = [part for recipe in all_recipes() for part in _recipe(recipe)]
    return page(
        "Recipes that come with tfbuild",
        "`tfbuild build NAME` builds one of these, `tfbuild recipes show NAME` prints it. Your own"
        " recipe is a [YAML file](recipe-file.md), built by `tfbuild build ./NAME.yaml`.",
        *parts,
        summary="What `tfbuild build NAME` can build, with the options of each recipe.",
    )


def _recipe(recipe: Recipe) -> list[str]:
    source, product = recipe.source, recipe.product
    rows = [
        ("Homepage", f"<{recipe.homepage}>" if recipe.homepage else ""),
        ("Licence", prose(recipe.license)),
        ("Releases", codes(release.version for release in source.releases)),
        ("Debian source package", code(source.debian)),
        ("Build system", code(recipe.build.system)),
        ("Systems of the container", codes(recipe.systems)),
        ("Needs", codes(recipe.needs)),
        ("Delivers", codes((*product.libraries, *product.programs, *product.headers))),
    ]
    found = [heading(2, recipe.name, recipe.name), f"{prose(recipe.summary)}.\n"]
    found.append(table(("Of the recipe", ""), [row for row in rows if row[1]]))
    if recipe.options:
        options = map(_option, recipe.options)
        found.append(table(("Option", "Values", "Default", "What it does"), options))
    return found


def _option(option: Option) -> tuple[str, ...]:
    values = codes(choice.value for choice in option.choices)
    return code(option.name), values, code(option.default), prose(option.help)
