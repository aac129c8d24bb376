"""The pieces of HTML that reports share: a page that needs nothing else, sections, tables."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

_STYLE = Path(__file__).with_name("report.css")
_MARKS = {"passed": "✓", "failed": "✗", "skipped": "-", "reused": "↺", "impossible": "⊘"}


def page(title: str, body: str) -> str:
    """A whole page: no script, no font, no network."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n"
        f"<style>{_STYLE.read_text()}</style></head>\n"
        f"<body><main>\n{body}</main></body></html>\n"
    )


def section(title: str, body: str) -> str:
    """A card with a heading."""
    return f"<section><h2>{escape(title)}</h2>\n{body}</section>\n"


def tile(name: str, value: str, state: str) -> str:
    """A figure that is seen first, with its name below."""
    size = ' style="font-size:1rem"' if len(value) > 12 else ""
    return (
        f'<div class="tile {state}"><b{size}>{escape(value)}</b><span>{escape(name)}</span></div>'
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 99) -> str:
    """A table of cells that are HTML already."""

    def css(column: int) -> str:
        return ' class="number"' if column >= numbers_from else ""

    head = "".join(f"<th{css(i)}>{escape(text)}</th>" for i, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{css(i)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def state_badge(state: str) -> str:
    """A state as a coloured word."""
    words = f"{_MARKS.get(state, '')} {state}".strip()
    return f'<span class="state {escape(state)}">{escape(words)}</span>'


def long_text(text: str) -> str:
    """Text with a line for each of its parts."""
    return escape(text).replace("; ", ";<br>")


def note(text: str) -> str:
    """A small paragraph, or nothing for an empty text."""
    return f'<p class="note">{escape(text)}</p>' if text else ""
