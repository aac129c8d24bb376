"""Short names of sources: `cuda-relnotes` stands for the document that cuda.yaml calls relnotes."""

from collections.abc import Mapping
from functools import cache

from tfbuild.core.axes import with_matrix
from tfbuild.facts.tables import Tables


@cache
def names_of_sources(tables: Tables) -> Mapping[str, str]:
    """The document in words -> its short name; the first file that has it gives the name."""
    found: dict[str, str] = {}
    for file in ("tested", "rules", *with_matrix(), "gpus"):  # what answers rest on
        for key, words in tables.sources(file).items():
            found.setdefault(words, key if key.startswith(file) else f"{file}-{key}")
    return found


def short_source(source: str, names: Mapping[str, str]) -> str:
    """The short name of the first document that a fact rests on; its first words where none is."""
    if source in names:
        return names[source]
    first = max((words for words in names if source.startswith(f"{words}; ")), key=len, default="")
    return names.get(first, "")


def find_source(name: str, tables: Tables) -> str:
    """The document of a short name, in words; empty where there is none."""
    return next((words for words, short in names_of_sources(tables).items() if short == name), "")


def like_sources(name: str, tables: Tables) -> tuple[str, ...]:
    """The short names that hold the word: cuda-spack, rules-spack for spack."""
    names = names_of_sources(tables).values()
    return tuple(short for short in names if name and name.lower() in short.lower().split("-"))
