"""Whether a folder is a tree of a recipe's source code, and of which version."""

from collections.abc import Iterable
from pathlib import Path

from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.paths import names_file
from tfbuild.core.safe_files import read_inside
from tfbuild.recipes.forms import is_version
from tfbuild.recipes.recipe import Source

_NAMING = "name the version on the command line: version=1.2.3"


def is_tree_of(source: Source, folder: Path) -> bool:
    """Whether every file by which the recipe recognizes its source code is in the folder."""
    return all(names_file(folder / name) for name in source.recognize)


def tree_version(source: Source, folder: Path, asked: str) -> str:
    """The version of a tree: what was asked for, where the tree does not say another one.

    With something after the tree's own it is no other one: 1.2.3+mine. Raises BadRequest for
    another one, and without a constraint what version_of does.
    """
    if not asked:
        return version_of(source, folder)
    try:
        said = version_of(source, folder)
    except BadRequest:
        return asked
    if asked == said or (asked.startswith(said) and asked[len(said)] in "+-~_"):
        return asked
    raise BadRequest(
        f"{folder} is version {said}, and {asked} was asked for",
        code="source-version-differs",
        why=f"{source.version_file} says so",
        hint=f"leave version= out, or write what is yours behind it: version={said}+mine",
    )


def version_of(source: Source, folder: Path) -> str:
    """The version that the tree itself says.

    Raises BadRequest, which says how to name it, where the tree does not state it or says something
    that is no version; BadRecipe for an expression that cannot be searched for.
    """
    if not source.version_file or not source.version_pattern:
        raise BadRequest(
            f"the version of {folder} is not known",
            code="recipe-version-place-unknown",
            why="the recipe does not say in which file a tree states its version",
            hint=_NAMING,
        )
    try:
        pattern = linear_pattern(source.version_pattern)
    except ValueError as error:
        raise BadRecipe(
            "the recipe's version_pattern cannot be searched for",
            code="recipe-pattern-broken",
            why=str(error),
            hint="write it without looking around and back references, as RE2 takes it",
        ) from error
    path = folder / source.version_file
    try:
        match = pattern.search(read_inside(folder, path))
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"{path} cannot be read, which states the version",
            code="version-file-unreadable",
            why=str(error),
            hint=_NAMING,
        ) from error
    if match is None:
        raise BadRequest(
            f"{path} does not state the version",
            code="source-version-missing",
            why=f"nothing in it fits {source.version_pattern!r}",
            hint=_NAMING,
        )
    return _checked(_joined([g for g in match.groups() if g]) or match[0], path)


def _joined(groups: Iterable[str]) -> str:
    """The parts of a version, with a point before those that begin with a letter or a digit."""
    text = "".join(group if group[0] in "+-~._" else f".{group}" for group in groups)
    return text.removeprefix(".")


def _checked(version: str, path: Path) -> str:
    if is_version(version):
        return version
    raise BadRequest(
        f"{path} says a version that is none: {version[:60]!r}",
        code="source-version-invalid",
        why="a version is at most 60 letters, digits, dots, plus and minus signs",
        hint=_NAMING,
    )
