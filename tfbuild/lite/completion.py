"""Completes the recipe of TensorFlow Lite by what a tree says: needs, options, headers, exports."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tfbuild.core.errors import NoSolution
from tfbuild.core.safe_files import read_inside
from tfbuild.facts.build_rows import LiteRow
from tfbuild.facts.tables import Tables
from tfbuild.lite.records import LiteDependency, LiteTree
from tfbuild.lite.tree import UNLESS, includes, read_lite_tree
from tfbuild.recipes.recipe import Recipe

_STAND_INS = "stand_ins.cmake"
_OWN = "-DTFLITE_"  # how arguments begin that a tree may not know


def complete(recipe: Recipe, source: Path, tables: Tables) -> Recipe:
    """The recipe for the TensorFlow Lite of a tree.

    Its TFLITE_ options are those that the tree has. Raises BadRequest for a tree that cannot be
    read, NoSolution where the build asks for something of which no package is known.
    """
    tree = read_lite_tree(source)
    arguments = tuple(word for word in recipe.build.arguments if _is_known(word, tree.options))
    off = {word[2:].partition("=")[0] for word in recipe.build.arguments if word.endswith("=OFF")}
    rows = {row.dependency: row for row in tables.lite()}
    taken = _rows_of(tree, [d for d in tree.dependencies if not _is_off(d, off)], rows)
    stand_ins = [row.dependency for row in taken if not row.need]
    arguments += tuple(f"-D{option}" for row in taken for option in row.options)
    files = recipe.build.files
    if stand_ins:
        arguments += (f"-DCMAKE_PROJECT_INCLUDE={{files}}/{_STAND_INS}",)
        files += ((_STAND_INS, stand_in_text(stand_ins)),)
    headers = tuple((f"include/{name}", name) for name in tree.headers)
    return replace(
        recipe,
        source=replace(recipe.source, version_file=tree.version_file),
        needs=(*recipe.needs, *(row.need for row in taken if row.need)),
        build=replace(recipe.build, arguments=arguments, files=files),
        product=replace(recipe.product, files=(*recipe.product.files, *headers)),
        audit=replace(recipe.audit, exports=tree.functions),
    )


def stand_in_text(names: Sequence[str]) -> str:
    """The CMake file that defines targets without files, under the names that the build links."""
    lines = ["# Linked by the build and included by no source of it: a name is enough."]
    for name in names:
        lines += [f"add_library({name} INTERFACE)", f"set({name}_POPULATED ON)"]
    return "\n".join(lines) + "\n"


# --- inside ------------------------------------------------------------------------------------


def _is_known(argument: str, options: Collection[str]) -> bool:
    """Whether an argument means something to the tree: CMake may not know a TFLITE_ option."""
    return not argument.startswith(_OWN) or argument[2:].partition("=")[0] in options


def _is_off(dependency: LiteDependency, off: Collection[str]) -> bool:
    """Whether a dependency is asked for only with an option that is switched off."""
    return any(
        word.removeprefix("_") in off
        for condition in dependency.conditions
        if not condition.startswith(UNLESS)
        for word in re.findall(r"\w+", condition)
    )


def _rows_of(
    tree: LiteTree, needed: Sequence[LiteDependency], rows: Mapping[str, LiteRow]
) -> tuple[LiteRow, ...]:
    """The rows of what the build asks for, and of what options alone ask for."""
    names = dict.fromkeys(d.name for d in needed)
    unknown = [d for d in needed if d.name not in rows or _is_used(tree, rows[d.name])]
    if unknown:
        raise NoSolution(
            "no package is known of "
            + ", ".join(dict.fromkeys(d.name for d in unknown))
            + ", which the TensorFlow Lite of this tree asks for",
            code="lite-dependency-unknown",
            why="\n".join(
                f"{d.name}: its build would fetch {d.url or 'it'} {d.revision}".strip()
                for d in unknown
            ),
            hint="add a row to matrices/lite.yaml once a package is known that does",
        )
    by_option = [name for name, row in rows.items() if row.options and name not in names]
    text = read_inside(tree.source, tree.source / "tensorflow/lite/CMakeLists.txt")
    names |= dict.fromkeys(n for n in by_option if _is_option_of(rows[n], text))
    return tuple(rows[name] for name in names)


def _is_used(tree: LiteTree, row: LiteRow) -> bool:
    """Whether a stand-in would not do: some source includes what it stands for."""
    return bool(row.stands_for and not row.need and includes(tree, row.stands_for))


def _is_option_of(row: LiteRow, text: str) -> bool:
    return any(option.partition("=")[0] in text for option in row.options)
