"""The door to Jinja2: pages out of templates/, where every value is text until it is escaped.

A page needs nothing else: no script, no font, no network.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tfbuild.reporting.charts import number

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A figure that is seen first, with its name below."""

    name: str
    value: str
    state: str = ""


def render(template: str, **values: object) -> str:
    """The text of a template with these values in it; a name that is missing is an error."""
    return _environment().get_template(template).render(values)


def megabytes(size: int) -> str:
    """A number of bytes as one reads it: 2.5 MB."""
    return f"{size / 1e6:.1f} MB"


@cache
def _environment() -> "Environment":
    # Only who writes a page waits for the library.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., str]] = {
        "megabytes": megabytes,
        "number": number,
        "unbroken": _unbroken,
    }
    environment.filters |= filters
    return environment


def _unbroken(text: str) -> str:
    """The text with blanks at which no line ends."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
