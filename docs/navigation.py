"""The navigation: sections in their order, and in each the pages that lie in its folder."""

import re
from collections.abc import Iterable
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
_Place = tuple[int, list[tuple[bool, int, str]]]


def navigation(written: Iterable[str], generated: Iterable[str]) -> list[Any]:
    """What mkdocs takes as `nav`, out of paths: written pages by name, generated as they come."""
    tree: dict[str, Any] = {}
    for path in (*sorted(written, key=_place), *generated):
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


def _place(path: str) -> _Place:
    """By the section, and then by the name, in which 2-x.md stands before 10-x.md."""
    section = path.partition("/")[0] if "/" in path else ""
    known = ["", *SECTIONS]
    words = re.split(r"(\d+)", path)
    name = [(word.isdigit(), int(word) if word.isdigit() else 0, word) for word in words]
    return known.index(section) if section in known else len(known), name
