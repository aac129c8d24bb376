"""Markdown out of plain texts: headings with anchors, tables, code."""

import json
import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(`[^`]+`)")
_MEANS_SOMETHING = re.compile(r"([\\*_\[\]<>])")


def prose(text: str) -> str:
    """A text as it reads: only its `code` is Markdown, all other signs stand for themselves."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if n % 2 else _escaped(part) for n, part in enumerate(parts))


def code(text: str) -> str:
    """A text as code; nothing for nothing."""
    return f"`{text}`" if text else ""


def codes(texts: Iterable[str]) -> str:
    """Several texts as code, behind one another."""
    return ", ".join(code(text) for text in texts)


def heading(level: int, text: str, anchor: str) -> str:
    """A heading that is linked to by its anchor."""
    return f"{'#' * level} {text} {{ #{anchor} }}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; nothing where it has no rows. Cells are Markdown."""
    found = [_row(row) for row in rows]
    return "".join([_row(head), _row(["---"] * len(head)), *found]) if found else ""


def block(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def page(title: str, about: str, *parts: str, summary: str = "") -> str:
    """A page: its title, a paragraph about it, and the parts; the summary is for lists of pages."""
    # What people wrote stands before what is generated where both are found.
    head = f"---\ndescription: {_quoted(summary or about)}\nsearch: {{boost: 0.3}}\n---\n\n"
    head += f"# {title}\n\n{about}\n"
    return "\n".join([head, *(part for part in parts if part)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |\n"


def _cell(text: str) -> str:
    """Markdown in which a line between cells is only a sign; in code it is none anyway."""
    parts = _CODE.split(text)
    return "".join(part if n % 2 else part.replace("|", "&#124;") for n, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MEANS_SOMETHING.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


def _quoted(text: str) -> str:
    """A text without marks, for YAML."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("\\", "")
    return json.dumps(" ".join(plain.split()), ensure_ascii=False)
