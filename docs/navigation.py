"""The navigation: sections in their order, their pages as the index of each folder has them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# The sections, by their folders, in their order; others come behind them.
SECTIONS = {
    "tutorial": "Tutorial",
    "how-to": "How-to guides",
    "explanation": "Explanation",
    "reference": "Reference",
    "reference/commands": "Commands",
    "reference/schemas": "JSON documents",
}
_INDEX = "index.md"
_LINK = re.compile(r"\]\(([^)#\s]+)")
_Place = tuple[int, int, list[tuple[bool, int, str]]]


def navigation(written: Mapping[str, str], generated: Iterable[str]) -> list[Any]:
    """What mkdocs takes as `nav`: written pages, texts by path, and the paths of generated ones.

    Written pages stand as the index of their folder links to them, the others by name behind those.
    """
    tree: dict[str, Any] = {}
    for path in (*sorted(written, key=lambda path: _place(path, written)), *generated):
        *folders, name = path.split("/")
        inner = tree
        for folder in folders:
            inner = inner.setdefault(folder, {})
        inner[name] = path
    return _entries(tree, "")


def _entries(tree: dict[str, Any], above: str) -> list[Any]:
    """The pages and folders of a folder, its index first."""
    found: list[Any] = [tree[_INDEX]] if _INDEX in tree else []
    for name, inner in tree.items():
        if isinstance(inner, dict):
            title = SECTIONS.get(above + name, name.replace("-", " ").capitalize())
            found.append({title: _entries(inner, f"{above}{name}/")})
        elif name != _INDEX:
            found.append(inner)
    return found


def _place(path: str, written: Mapping[str, str]) -> _Place:
    """By the section, the index, and then by the name, in which 2-x.md stands before 10-x.md."""
    section, _, page = path.rpartition("/")
    linked = _LINK.findall(written.get(f"{section}/{_INDEX}", ""))
    known = ["", *SECTIONS]
    words = re.split(r"(\d+)", path)
    name = [(word.isdigit(), int(word) if word.isdigit() else 0, word) for word in words]
    place = known.index(section) if section in known else len(known)
    return place, linked.index(page) if page in linked else len(linked), name
