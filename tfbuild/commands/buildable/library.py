"""TensorFlow's C++ library, out of a source tree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfbuild.builds.build_matrix import Axes, Subject
from tfbuild.builds.run import Build
from tfbuild.commands.buildable.archive import BuildableArchive
from tfbuild.commands.buildable.wheel import doubt_of_tree, fact_axes, placed_cell
from tfbuild.commands.context import lock_of, request_of
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import LockFile
from tfbuild.core.records import Request
from tfbuild.core.reporter import Reporter
from tfbuild.core.reports import Cell
from tfbuild.core.settings import Settings
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan

if TYPE_CHECKING:
    from tfbuild.run.library_build import LibraryBuild

NAME = "tensorflow-cc"  # of the recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildableLibrary(BuildableArchive):
    """An archive with the library and its headers: its versions are chosen as for a wheel."""

    recipe: Recipe
    request: Request
    lock: LockFile | None = None
    doubt: str = ""  # why nothing of the source tree is run for a plan

    @property
    def output(self) -> Path:
        """The folder of the archive."""
        return self.request.output

    @property
    def subject(self) -> Subject:
        """Libraries, of whatever cells."""
        return Subject(title="C++ libraries", noun="library")

    def axes(self, matrix: Sequence[str]) -> Axes:
        """Those that are named, of the axes that the facts know."""
        return fact_axes(matrix)

    def plan(self, tools: Tools) -> ProductPlan:
        """The plan; raises what the build's own planning raises."""
        return self._build(tools).planned()

    def plan_script(self, plan: ProductPlan) -> str:
        """The plan as a POSIX script."""
        from tfbuild.run.text import plan_script

        return plan_script(plan, self.recipe.name)

    def plan_text(self, plan: ProductPlan, tools: Tools) -> str:
        """The plan, and what the tree's configure.py writes where it is tried."""
        from tfbuild.builds.configuration import try_configuration
        from tfbuild.facts.targets import target_of
        from tfbuild.reporting.text import trial_text
        from tfbuild.run.text import plan_text

        assert plan.tree_plan, "it is planned by a tree"
        tried = trial_text(try_configuration(plan.tree_plan, tools, self.doubt))
        return plan_text(plan, target_of(tools.host).version) + tried

    def build(self, tools: Tools) -> Build[Any]:
        """The build of the archive."""
        return self._build(tools)

    def placed(self, cell: Cell, tools: Tools) -> Cell:
        """The cell with its system, versions and plan; NoSolution where it is impossible."""
        build = self._build(tools)
        found, plan = placed_cell(self.request, cell, tools)
        return replace(found, plan=build.archive_plan(plan).id)

    def _build(self, tools: Tools) -> "LibraryBuild":
        from tfbuild.run.library_build import LibraryBuild

        return LibraryBuild(self.request, open_tables(), tools, self.recipe, self.lock)


def read_library(settings: Settings, reporter: Reporter) -> BuildableLibrary:
    """The request that settings mean; BadRequest where it cannot be."""
    from tfbuild.run.lock import require_container

    lock, request = lock_of(settings), request_of(settings, reporter, NAME)
    if lock and lock.archive:
        require_container(lock, request.env)
    return BuildableLibrary(
        recipe=find_recipe(NAME),
        request=request,
        lock=lock,
        doubt=doubt_of_tree(settings),
    )
