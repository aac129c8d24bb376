"""Recipes as plain text: the list, one of them, and the keys of their files."""

from collections.abc import Iterable
from textwrap import fill

from tfbuild.recipes.fields import Key
from tfbuild.recipes.recipe import OwnRecipe, Recipe


def list_text(rows: Iterable[tuple[str, str]]) -> str:
    """A line for each recipe: its name and what it builds."""
    found = list(rows)
    width = max((len(name) for name, _ in found), default=0)
    return "".join(f"{name:{width}}  {summary}\n" for name, summary in found)


def recipe_text(recipe: Recipe) -> str:
    """What a person wants to know before building it."""
    source, product = recipe.source, recipe.product
    lines = [f"{recipe.name}: {recipe.summary}"]
    lines += [f"homepage  {recipe.homepage}"] if recipe.homepage else []
    lines += [f"license   {recipe.license}"] if recipe.license else []
    lines += [f"releases  {' '.join(r.version for r in source.releases) or 'none: name --source'}"]
    lines += [f"debian    {source.debian}: --source debian"] if source.debian else []
    lines += [f"built by  {recipe.build.system}"]
    lines += [f"in        containers of {', '.join(recipe.systems)}"] if recipe.systems else []
    lines += [f"needs     {' '.join(recipe.needs)}"] if recipe.needs else []
    delivered = (*product.libraries, *product.programs, *product.headers)
    lines += [f"delivers  {name}" for name in delivered]
    for option in recipe.options:
        values = "|".join(choice.value for choice in option.choices)
        lines += ["", f"{option.name}={values} (usually {option.default})", f"  {option.help}"]
    lines += ["", f"file      {recipe.path}", f"next      tfbuild plan {recipe.name}"]
    return "\n".join(lines) + "\n"


def own_recipe_text(recipe: OwnRecipe) -> str:
    """What a person wants to know of what code of tfbuild's own builds."""
    options = [f"--{name}" for name in recipe.options]
    file = f"file      {recipe.file}: what is delivered and how it is tried\n"
    return (
        f"{recipe.name}: {recipe.summary}\n"
        f"built by  code of tfbuild's own{'' if recipe.file else ': no file describes it'}\n"
        f"{_filled('versions', recipe.axes)}          each is asked for as AXIS=SPEC\n"
        f"{_filled('options', options)}          `tfbuild build --help` explains them\n"
        + (file if recipe.file else "")
    )


def _filled(title: str, words: Iterable[str]) -> str:
    """The words behind a title, on as many lines as they take."""
    text = " ".join(words)
    lines = fill(
        text, 90, initial_indent=f"{title:10}", subsequent_indent=" " * 10, break_on_hyphens=False
    )
    return f"{lines}\n"


def keys_text(keys: Iterable[Key]) -> str:
    """Every key of a recipe file, with its form and what it means."""
    lines = []
    for key in keys:
        must = ", must be there" if key.is_required else ""
        lines.append(f"{key.path} ({key.form}{must})")
        lines += [f"    {key.says}"] if key.says else []
    return "\n".join(lines) + "\n"
