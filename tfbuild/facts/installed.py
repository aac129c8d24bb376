"""The facts of this installation."""

from tfbuild.core.layout import MATRICES
from tfbuild.core.paths import cache_folder, data_folder
from tfbuild.facts.tables import Tables


def open_tables() -> Tables:
    """The matrices and recipes of this installation; the cache keeps the matrices in one file."""
    return Tables(
        matrices=data_folder("matrices"),
        recipes=data_folder("recipes"),
        kept=MATRICES.path(cache_folder()),
    )
