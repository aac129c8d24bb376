"""What is asked of a recipe, held against it: its options, its releases, what it then needs."""

from collections.abc import Sequence

from tfbuild.core.environments import EnvironmentKind
from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean
from tfbuild.recipes.recipe import BuildSystem, Choice, Recipe, Release

_NEEDS_OF: dict[BuildSystem, tuple[str, ...]] = {
    "cmake": ("cmake", "ninja", "cc", "c++", "strip", "pkg-config"),
    "configure": ("make", "cc", "c++", "strip", "pkg-config"),
    "meson": ("meson", "ninja", "cc", "c++", "strip", "pkg-config"),
    "bazel": ("cc", "c++", "strip", "pkg-config"),
}
# A container has its system's own; on a machine that lacks it, a Bazel is fetched.
_MORE_INSIDE: dict[BuildSystem, tuple[str, ...]] = {"bazel": ("bazel", "python3")}


def choose(asked: Pairs, recipe: Recipe) -> tuple[Choice, ...]:
    """The choice of each option, in the recipe's order.

    Raises BadRequest for an option or a value that there is none of, and NoSolution for values
    that do not go together.
    """
    names = [option.name for option in recipe.options]
    for name, _ in asked:
        if name not in names:
            raise BadRequest(
                f"the recipe {recipe.name} has no option '{name}'",
                code="recipe-option-unknown",
                hint=did_you_mean(name, names)
                if names
                else "it has none; platform=, os= and version= are understood by every recipe",
            )
    values = {option.name: option.default for option in recipe.options} | dict(asked)
    held = {f"{name}={value}" for name, value in values.items()}
    found = []
    for option in recipe.options:
        known = {choice.value: choice for choice in option.choices}
        value = values[option.name]
        if value not in known:
            raise BadRequest(
                f"{option.name} is '{value}'",
                code="recipe-choice-unknown",
                hint=did_you_mean(value, known),
            )
        if against := held.intersection(known[value].conflicts):
            raise NoSolution(
                f"{option.name}={value} does not go with {', '.join(sorted(against))}",
                code="recipe-choices-conflict",
                hint="change one of them",
            )
        found.append(known[value])
    return tuple(found)


def find_release(version: str, recipe: Recipe) -> Release:
    """The release of that version, or the newest one; BadRequest where the recipe names none."""
    releases = recipe.source.releases
    versions = [release.version for release in releases]
    if not versions:
        raise BadRequest(
            f"the recipe {recipe.name} names no release",
            code="recipe-without-release",
            hint="name a tree with --source"
            + (", or take Debian's package: --source debian" if recipe.source.debian else ""),
        )
    wanted = version or versions[0]
    if wanted in versions:
        return releases[versions.index(wanted)]
    raise BadRequest(
        f"the recipe {recipe.name} knows no release {wanted}",
        code="recipe-release-unknown",
        why=f"it has {', '.join(versions)}",
        hint=f"{did_you_mean(wanted, versions)} (or name a tree of it with --source)",
    )


def need_names(recipe: Recipe, choices: Sequence[Choice], env: EnvironmentKind) -> tuple[str, ...]:
    """Rows of matrices/needs.yaml that a build needs: for its build system, and for the recipe."""
    system = recipe.build.system
    more = _MORE_INSIDE.get(system, ()) if env == "docker" else ()
    chosen = (name for choice in choices for name in choice.needs)
    return tuple(dict.fromkeys((*_NEEDS_OF[system], *more, *recipe.needs, *chosen)))
