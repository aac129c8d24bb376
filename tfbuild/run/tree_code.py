"""The code that some recipes of ours name: what only their trees decide, what else proves them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tfbuild.core.errors import BadRecipe
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import SmokeReport
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.tables import Tables
from tfbuild.lite.code import LiteCode
from tfbuild.products.trial import OpenPlace, Trial
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan


class TreeCode(Protocol):
    """What code can do for a recipe that names it with `tree`."""

    @property
    def proves(self) -> str:
        """What `prove` tries, in a few words."""

    def complete(self, recipe: Recipe, source: Path, tables: Tables) -> Recipe:
        """The recipe with what a tree says; BadRequest or NoSolution where it cannot be built."""

    def require(self, tools: Tools) -> None:
        """Raise EnvironmentFailed where this machine lacks what `prove` needs."""

    def depends_on(self, plan: ProductPlan, tools: Tools) -> list[str]:
        """Digests of all that a proof hangs on, beside product, source code and tools."""

    def prove(
        self, plan: ProductPlan, trial: Trial, open_bare: OpenPlace, source: Path, tools: Tools
    ) -> SmokeReport:
        """What else was tried, and with what.

        trial compiles; open_bare opens a place that has what the product needs, and nothing else.
        """


_CODES: Mapping[str, TreeCode] = {"tflite": LiteCode()}


def code_of(name: str) -> TreeCode:
    """The code of that name; BadRecipe where there is none."""
    if name not in _CODES:
        raise BadRecipe(
            f"there is no code for trees '{name}'",
            code="recipe-tree-code-unknown",
            hint=did_you_mean(name, _CODES),
        )
    return _CODES[name]
