"""What recipes of YAML files build."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tfbuild.builds.build_matrix import Axes, Subject
from tfbuild.builds.run import Build
from tfbuild.ci.pipeline import split_word
from tfbuild.commands.buildable.archive import BuildableArchive
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.context import read_settings
from tfbuild.commands.kinds import require_typed
from tfbuild.core.build_kinds import Kind, kind_of_recipe, obeys
from tfbuild.core.deadline import read_deadline
from tfbuild.core.environments import NO_SERVICES, EnvironmentKind
from tfbuild.core.errors import BadRequest
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import read_lock_file
from tfbuild.core.paths import named_path
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import Reporter
from tfbuild.core.reports import Cell
from tfbuild.core.settings import Settings, part_words
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.installed import open_tables
from tfbuild.facts.targets import target_of
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan, ProductRequest

_TYPED = ("flag", "command line")
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+:-]*")  # it is a part of a folder's name


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildableProduct(BuildableArchive):
    """An archive, by a recipe."""

    recipe: Recipe
    request: ProductRequest

    @property
    def output(self) -> Path:
        """The folder of the archive."""
        return self.request.output

    @property
    def subject(self) -> Subject:
        """The recipe by its name."""
        return Subject(title=self.recipe.name, noun="archive")

    def axes(self, matrix: Sequence[str]) -> Axes:
        """The axes of `zlib=on,off version=1.5.4,1.5.6`: options, version and system."""
        return _recipe_axes(matrix, self.recipe)

    def plan(self, tools: Tools) -> ProductPlan:
        """The plan; raises what decide_product raises."""
        from tfbuild.run.decide import decide_product

        return decide_product(self.request, self.recipe, open_tables(), tools)

    def plan_script(self, plan: ProductPlan) -> str:
        """The plan as a POSIX script."""
        from tfbuild.run.text import plan_script

        return plan_script(plan, self.request.recipe)

    def plan_text(self, plan: ProductPlan, tools: Tools) -> str:
        """The plan as a person reads it on this machine."""
        from tfbuild.run.text import plan_text

        return plan_text(plan, target_of(tools.host).version)

    def build(self, tools: Tools) -> Build[Any]:
        """The build of the archive."""
        from tfbuild.run.product_build import ProductBuild

        return ProductBuild(self.request, open_tables(), tools, self.recipe)

    def placed(self, cell: Cell, tools: Tools) -> Cell:
        """The cell with its system, version and plan; NoSolution where it is impossible."""
        plan = self.plan(tools)
        host = f"{tools.host.distribution} {tools.host.distribution_version}".strip()
        return replace(
            cell,
            system=plan.system.name or host,
            versions=(("version", plan.version),),
            plan=plan.id,
        )


def read_product(asked: Asked, reporter: Reporter) -> BuildableProduct:
    """The recipe that is asked for, and what is asked of it; BadRequest where it cannot be."""
    from tfbuild.builds.services import read_services
    from tfbuild.builds.stages.request import limits_of, pids_of

    recipe = find_recipe(asked.words[0])
    kind = kind_of_recipe(recipe.tree, recipe.build.system)
    if kind == "cc":
        raise BadRequest(
            f"{recipe.name} is not built by its file alone",
            code="recipe-asked-by-file",
            why="the versions of a TensorFlow tree are chosen as those of its wheel",
            hint=f"ask for it by its name: `tfbuild build {recipe.name} --source TREE`",
        )
    axes, options, version = part_options(asked.words[1:], recipe)
    settings = read_settings(axes, asked.flags, reporter)
    require_typed(kind, settings, asked.more)
    services = read_services(settings) if obeys(kind, "remote-cache") else NO_SERVICES
    jobs, cpus, memory_mb = limits_of(settings)
    request = ProductRequest(
        recipe=asked.words[0],
        version=version,
        options=options,
        target=settings.text("platform"),
        source=_typed(settings, "source"),
        output=named_path(settings.text("output") or "dist").absolute(),
        models=tuple(named_path(model).absolute() for model in asked.models),
        env=_env(settings, kind, recipe),
        system=_typed(settings, "os"),
        jobs=jobs,
        cpus=cpus,
        memory_mb=memory_mb,
        pids=pids_of(settings),
        services=services,
        lock=read_lock_file(named_path(lock)) if (lock := _typed(settings, "lock")) else None,
        deadline=read_deadline(settings.text("deadline"), dt.datetime.now().astimezone()),
    )
    return BuildableProduct(recipe=recipe, request=request)


def part_options(words: Sequence[str], recipe: Recipe) -> tuple[tuple[str, ...], Pairs, str]:
    """The words of axes, the recipe's options, and the version, out of NAME=VALUE words.

    Raises BadRequest for a word that is none of them, or stands there twice.
    """
    known = {option.name for option in recipe.options}
    others, options, version = [], {}, ""
    for word in words:
        name, equals, value = word.partition("=")
        if name != "version" and name not in known:
            others.append(word)
            continue
        if not equals or not value or name in options or (name == "version" and version):
            raise BadRequest(
                f"'{word}' is not one {name}=VALUE",
                code="option-value-not-one",
                hint="write each of them once",
            )
        if name == "version":
            version = value
        else:
            options[name] = value
    axes, strange = part_words(tuple(others))
    if strange:
        name = strange[0].partition("=")[0]
        raise BadRequest(
            f"the recipe {recipe.name} has no option '{name}'",
            code="recipe-option-unknown",
            hint=did_you_mean(name, [*known, "version", "os", "platform"]),
        )
    return axes, tuple(options.items()), version


# --- inside ------------------------------------------------------------------------------------


def _env(settings: Settings, kind: Kind, recipe: Recipe) -> EnvironmentKind | Literal[""]:
    """Where it is to be built; empty where the recipe may take a container by itself."""
    from tfbuild.builds.stages.request import read_env

    if recipe.systems and not settings.text("env"):
        return ""
    # Variables and files may name a container for builds of other kinds.
    return read_env(settings) if obeys(kind, "env") else "host"


def _typed(settings: Settings, name: str) -> str:
    """A constraint of the command line: what files and variables say may be meant for a wheel."""
    setting = settings.get(name)
    return setting.value if setting and setting.origin in _TYPED else ""


def _recipe_axes(words: Sequence[str], recipe: Recipe) -> Axes:
    """The axes of `zlib=on,off version=1.5.4,1.5.6`; BadRequest where a word is none.

    Whether an option has a value, and the recipe a version, is found when the cells are planned.
    """
    known = (*(option.name for option in recipe.options), "version", "os")
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, values = split_word(word)
        if not values or not all(map(_VALUE.fullmatch, values)):
            raise BadRequest(
                f"'{word}' is not NAME=VALUE,VALUE",
                code="not-axis-values",
                hint="write for example version=1.5.4,1.5.6, or an option of the recipe",
            )
        if name not in known:
            raise BadRequest(
                f"'{name}' is no axis of a matrix of {recipe.name}",
                code="matrix-axis-unknown",
                hint=did_you_mean(name, known),
            )
        if name in found or len(set(values)) < len(values):
            raise BadRequest(
                f"'{word}' says something twice",
                code="matrix-value-twice",
                hint="say each value once",
            )
        found[name] = values
    return tuple(found.items())
