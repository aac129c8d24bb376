"""All generated pages, in the order of the navigation."""

import json
import re

from docs.reference.axes import axis_pages
from docs.reference.commands import command_pages
from docs.reference.errors import error_pages
from docs.reference.markdown import page, prose, table
from docs.reference.recipes import recipe_pages
from docs.reference.runtime import runtime_pages
from docs.reference.schemas import schema_pages
from docs.reference.settings import setting_pages

_SUMMARY = re.compile(r"\A---\ndescription: (.*)\nsearch: .*\n---\n\n# (.+)\n")


def generated_pages() -> dict[str, str]:
    """Each page's text by its path below `pages/`."""
    pages = (
        command_pages()
        | setting_pages()
        | axis_pages()
        | recipe_pages()
        | error_pages()
        | schema_pages()
        | runtime_pages()
    )
    return {"reference/index.md": _index(pages)} | pages


def _index(pages: dict[str, str]) -> str:
    rows = []
    for path, text in pages.items():
        below = path.removeprefix("reference/")
        if "/" in below and not below.endswith("/index.md"):
            continue  # it is in the list of its folder
        found = _SUMMARY.match(text)
        assert found, f"{path} has no summary"
        rows.append((f"[{found[2]}]({below})", prose(json.loads(found[1]))))
    return page(
        "Reference",
        "Every command, setting, code and file format. These pages are made from the code of this"
        " version, so they hold for it.",
        table(("Page", "What it lists"), rows),
        summary="Every command, setting, code and file format.",
    )
