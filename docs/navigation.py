"""The navigation: sections in their order, and in each the pages that lie in its folder."""

import re
from collections.abc import Iterable
from typing import Any

# The sections, by their folders; other folders come behind them.
SECTIONS = {
    "tutorial": "Tutorial",
    "how-to": "How-to guides",
    "explanation": "Explanation",
    "reference": "Reference",
    "reference/commands": "Commands",
    "reference/schemas": "JSON documents",
}
_INDEX = "index.md"


def navigation(written: Iterable[str], generated: Iterable[str]) -> list[Any]:
    """What mkdocs takes as `nav`, out of paths: written pages by name, generated as they come."""
    tree: dict[str, Any] = {}
    for path in (*sorted(written, key=_as_numbered), *generated):
        *folders, name = path.split("/")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = path
    return _entries(tree, "")


def _entries(tree: dict[str, Any], above: str) -> list[Any]:
    """The pages of a folder, its index first, and then the folders in it, known ones first."""
    known = list(SECTIONS)
    found: list[Any] = [tree[_INDEX]] if _INDEX in tree else []
    found += [path for name, path in tree.items() if isinstance(path, str) and name != _INDEX]
    folders = [name for name, inner in tree.items() if not isinstance(inner, str)]
    folders.sort(key=lambda n: known.index(above + n) if above + n in known else len(known))
    for name in folders:
        title = SECTIONS.get(above + name, name.replace("-", " ").capitalize())
        found.append({title: _entries(tree[name], f"{above}{name}/")})
    return found


def _as_numbered(path: str) -> list[Any]:
    """A key by which 2-x.md stands before 10-x.md."""
    return [(word.isdigit(), int(word) if word.isdigit() else word) for word in re.split(r"(\d+)", path)]
