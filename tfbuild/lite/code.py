"""The code that the recipe of TensorFlow Lite names: completes it, and proves its library."""

from pathlib import Path

from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.reports import SmokeReport
from tfbuild.facts.tables import Tables
from tfbuild.lite.completion import complete
from tfbuild.lite.smoke import find_reference, reference_python, try_models
from tfbuild.products.trial import OpenPlace, Trial
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan


class LiteCode:
    """What a TensorFlow tree decides of its TensorFlow Lite, and models beside LiteRT."""

    proves = "the tree's own models beside LiteRT"

    def complete(self, recipe: Recipe, source: Path, tables: Tables) -> Recipe:
        """The recipe with what a tree says; BadRequest or NoSolution where it cannot be built."""
        return complete(recipe, source, tables)

    def require(self, tools: Tools) -> None:
        """Raise EnvironmentFailed where this machine has no Python for LiteRT."""
        reference_python(tools)

    def depends_on(self, plan: ProductPlan, tools: Tools) -> list[str]:
        """Digests of the user's models and of LiteRT; FetchFailed where that cannot be had."""
        models = [f"{model.name} {file_digest(model)}" for model in plan.models]
        return models + [artifact.sha256 for artifact in find_reference(tools)]

    def prove(
        self, plan: ProductPlan, trial: Trial, open_bare: OpenPlace, source: Path, tools: Tools
    ) -> SmokeReport:
        """How the tree's own models and the user's run, beside LiteRT."""
        return try_models(plan, trial, open_bare, source, tools)
