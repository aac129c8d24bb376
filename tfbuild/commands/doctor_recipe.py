"""What `tfbuild doctor --for RECIPE` looks at: what the recipe needs, and what its build takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.commands.buildable.product import part_options
from tfbuild.commands.recipes import OWN
from tfbuild.core.environments import EnvironmentKind
from tfbuild.core.errors import BadRequest
from tfbuild.core.interfaces import Tools
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.facts.installed import open_tables
from tfbuild.places.needs import read_needs
from tfbuild.places.place import Place
from tfbuild.places.survey import needs_inside, survey_needs
from tfbuild.recipes.catalogue import find_recipe, names_recipe
from tfbuild.recipes.choices import choose, need_names
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.decide import jobs_of

_TREES = ("tensorflow", "tensorflow-cc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The lines on what a recipe needs, and by what else this machine is judged."""

    checks: tuple[Check, ...]
    needs: BuildNeeds
    groups: tuple[str, ...]  # of doctor's checks that concern it


def without_own(words: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The words, and whether the first one names a recipe of a file.

    What is built by code of its own becomes the versions that are asked of it: tensorflow is
    any release of it. BadRequest for a workspace, of which nothing is known.
    """
    if not words or not names_recipe(words[0]):
        return words, False
    first, *others = words
    if first == "workspace":
        raise BadRequest(
            "what a workspace needs is not known",
            code="workspace-needs-unknown",
            why="only its own rules say it",
            hint="`tfbuild plan --workspace DIR` says what would run; name a recipe, or AXIS=SPEC",
        )
    if first in _TREES:
        is_said = any(word.startswith("tensorflow") for word in others)
        return (*(() if is_said else ("tensorflow>=0",)), *others), False
    return (tuple(others), False) if first in dict(OWN) else (words, True)


def judge_recipe(words: Sequence[str], tools: Tools) -> Judged:
    """What a recipe needs, the options as they were named, else as usual, and what it takes.

    Raises BadRequest where there is no such recipe or option, and BadRecipe.
    """
    recipe = find_recipe(words[0])
    axes, options, version = part_options(words[1:], recipe)
    if axes or version:
        raise BadRequest(
            f"{' '.join(axes) or 'version=' + version} says nothing of what {recipe.name} needs",
            code="needs-same-anyway",
            hint="leave it out; its options are understood: `tfbuild recipes show`",
        )
    env: EnvironmentKind = "docker" if recipe.systems else "host"
    needs = read_needs(need_names(recipe, choose(options, recipe), env), open_tables())
    count = jobs_of(ProductRequest(recipe=words[0]), recipe, tools.host)
    if recipe.systems:
        checks = needs_inside(needs, recipe.systems[0], of_tree=bool(recipe.tree))
    else:
        checks = survey_needs(needs, Place(runner=tools.runner, words={}))
    is_bazel = recipe.build.system == "bazel"
    groups = [
        "host",
        *(["bazel"] if is_bazel else []),
        *(["container"] if recipe.systems else []),
        *(["network"] if any(check.state == "warning" for check in checks) else []),
    ]
    judged = BuildNeeds(
        title=recipe.name,
        fetches=("bazel",) if is_bazel else (),
        container=bool(recipe.systems),
        disk_mb=recipe.costs.disk_mb,
        memory_mb=count.memory_mb,
        jobs=count.jobs,
        jobs_because=count.because,
    )
    return Judged(checks=checks, needs=judged, groups=tuple(groups))


def verdict_line(title: str, checks: Sequence[Check]) -> str:
    """Whether this machine can build it as it is, in one sentence."""
    failed = [f"{check.group}.{check.name}" for check in checks if check.state == "failure"]
    if failed:
        return f"This machine cannot build {title} as it is: {', '.join(failed)}."
    return f"This machine can build {title}."
