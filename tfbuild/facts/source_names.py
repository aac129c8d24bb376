"""Short names of sources: `cuda-relnotes` stands for the document that cuda.yaml calls relnotes."""

import re
from collections.abc import Mapping
from functools import cache

from tfbuild.core.axes import with_matrix
from tfbuild.facts.tables import Tables

_REPO = r"(?P<repo>[\w.-]+/[\w.-]+)"
_THREAD = re.compile(rf"{_REPO} (?P<kind>issue|pull request) (?P<number>\d+)")
_FILE = re.compile(rf"{_REPO} (?P<path>[\w./-]+)@(?P<commit>[0-9a-f]{{7,40}})\b")


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


def source_address(words: str) -> str:
    """Where a document can be read, as far as its words say it; else an empty text."""
    if found := _THREAD.fullmatch(words):
        kind = "pull" if found["kind"] == "pull request" else "issues"
        return f"https://github.com/{found['repo']}/{kind}/{found['number']}"
    if found := _FILE.match(words):
        return f"https://github.com/{found['repo']}/blob/{found['commit']}/{found['path']}"
    return ""


def like_sources(name: str, tables: Tables) -> tuple[str, ...]:
    """The short names that hold the word: cuda-spack, rules-spack for spack."""
    names = names_of_sources(tables).values()
    return tuple(short for short in names if name and name.lower() in short.lower().split("-"))
