"""The matrix of a recipe: its axes are the recipe's options, its version and the system."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.build_matrix import Axes, Subject, cross
from tfbuild.builds.timeline import Timeline
from tfbuild.ci.pipeline import split_word
from tfbuild.commands.context import log_of
from tfbuild.commands.recipes import Asked, read_product_request
from tfbuild.core.errors import BadRequest
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import archive_lock_path
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.reports import Cell, cell_name
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.tables import Tables
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.reporting.console import ConsoleReporter
from tfbuild.reporting.summary import unpack_command

_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+:-]*")  # it is a part of a folder's name


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeMatrix:
    """What `--matrix` asks of a recipe, beside what all cells share."""

    matrix: tuple[str, ...]  # NAME=V,V
    asked: Asked

    @property
    def subject(self) -> Subject:
        """The recipe by its name."""
        return Subject(title=find_recipe(self.asked.words[0]).name, noun="archive")

    def requests(
        self, reporter: ConsoleReporter
    ) -> tuple[Path, dict[Pairs, tuple[Recipe, ProductRequest]]]:
        """The output folder of all, and what each cell asks for; odd settings are told of once."""
        recipe, shared = read_product_request(self.asked, reporter)
        found = {}
        for axes in cross(recipe_axes(self.matrix, recipe)):
            flags = {**self.asked.flags, "output": str(shared.output / cell_name(axes))}
            words = (*self.asked.words, *(f"{axis}={value}" for axis, value in axes))
            asked = replace(self.asked, words=words, flags=flags)
            found[axes] = read_product_request(asked, SilentReporter())
        return shared.output, found

    def place(
        self, cell: Cell, request: tuple[Recipe, ProductRequest], tables: Tables, tools: Tools
    ) -> Cell:
        """The cell with its system, version and plan; NoSolution where it is impossible."""
        from tfbuild.run.decide import decide_product

        recipe, asked = request
        plan = decide_product(asked, recipe, tables, tools)
        host = f"{tools.host.distribution} {tools.host.distribution_version}".strip()
        return replace(
            cell,
            system=plan.system.name or host,
            versions=(("version", plan.version),),
            plan=plan.id,
        )

    def build(
        self,
        cell: Cell,
        request: tuple[Recipe, ProductRequest],
        tables: Tables,
        tools: Tools,
        timeline: Timeline,
    ) -> Cell:
        """The cell with its archive; raises the TfbuildError of the stage that failed."""
        from tfbuild.run.decide import decide_product, require_target
        from tfbuild.run.execute import execute

        recipe, asked = request
        plan = decide_product(asked, recipe, tables, tools)
        require_target(plan, tools.host)
        report = execute(plan, tools, timeline)
        archive = report.archive
        return replace(
            cell,
            state="passed",
            product=str(archive),
            beside=(("lock", str(archive_lock_path(archive))), ("bill", f"{archive}.cdx.json")),
            command=unpack_command(str(archive)),
            tag=plan.target,
            size=report.size,
            report=f"{archive}.report.html",
            log=log_of(tools),
        )


def recipe_axes(words: Sequence[str], recipe: Recipe) -> Axes:
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
                hint="write for example version=1.5.4,1.5.6, or an option of the recipe",
            )
        if name not in known:
            raise BadRequest(
                f"'{name}' is no axis of a matrix of {recipe.name}", hint=did_you_mean(name, known)
            )
        if name in found or len(set(values)) < len(values):
            raise BadRequest(f"'{word}' says something twice", hint="say each value once")
        found[name] = values
    return tuple(found.items())
