"""What `tfbuild doctor --for RECIPE` looks at: what the recipe needs, and what its build takes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.buildable.product import read_product
from tfbuild.core.build_kinds import OWN_RECIPES
from tfbuild.core.errors import BadRequest, EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Host
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.facts.installed import open_tables
from tfbuild.places.place import Place
from tfbuild.places.survey import GROUP, needs_inside, survey_needs
from tfbuild.recipes.catalogue import names_recipe
from tfbuild.recipes.choices import find_release
from tfbuild.run.decide import outline, require_target

_LIBRARY = "tensorflow-cc"
_TREES = ("tensorflow", _LIBRARY)
_SAID = re.compile(r"(tensorflow|tf)\s*[=<>!~]")


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
        is_said = any(_SAID.match(word) for word in others)
        return (*(() if is_said else ("tensorflow>=0",)), *others), False
    return (tuple(others), False) if first in dict(OWN_RECIPES) else (words, True)


def recipe_of(words: Sequence[str]) -> str:
    """The recipe with which a build of these words begins; empty where it is that of the wheel."""
    return _LIBRARY if words[:1] == (_LIBRARY,) else ""


def judge_recipe(words: Sequence[str], tools: Tools) -> Judged:
    """What a recipe needs and takes, by what its plan says of the same words.

    Raises BadRequest where there is no such recipe, option, release, platform or system, and
    BadRecipe.
    """
    asked = read_product(Asked(words=tuple(words), flags={}), tools.reporter)
    recipe, request = asked.recipe, asked.request
    if request.version and recipe.source.releases:
        find_release(request.version, recipe)
    made = outline(request, recipe, open_tables(), tools.host)
    inside, is_bazel = made.env == "docker", recipe.build.system == "bazel"
    if inside:
        checks = needs_inside(made.needs, made.system.image, of_tree=bool(recipe.tree))
    else:
        checks = survey_needs(made.needs, Place(runner=tools.runner, words={}))
    groups = [
        "host",
        *(["bazel"] if is_bazel and not inside else []),
        *(["container"] if inside else []),
        *(["network"] if any(check.state == "warning" for check in checks) else []),
    ]
    judged = BuildNeeds(
        title=recipe.name,
        fetches=("bazel",) if is_bazel else (),
        container=inside,
        disk_mb=made.estimate.disk_mb,
        memory_mb=made.estimate.memory_mb,
        jobs=made.count.jobs,
        jobs_because=made.count.because,
    )
    checks = (*_platform(made.target, tools.host), *checks)
    return Judged(checks=checks, needs=judged, groups=tuple(groups))


def _platform(target: str, host: Host) -> tuple[Check, ...]:
    """That it is to be built for another platform than this machine's, as a build says it."""
    try:
        require_target(target, host)
    except EnvironmentFailed as error:
        detail = f"{error.message}: {error.why}"
        return (
            Check(group=GROUP, name="platform", state="failure", detail=detail, fix=error.hint),
        )
    return ()


def verdict_line(title: str, checks: Sequence[Check]) -> str:
    """Whether this machine can build it as it is, in one sentence."""
    failed = [f"{check.group}.{check.name}" for check in checks if check.state == "failure"]
    if failed:
        return f"This machine cannot build {title} as it is: {', '.join(failed)}."
    return f"This machine can build {title}."
