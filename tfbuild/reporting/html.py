"""The adapter for Jinja2: pages out of templates/, where every value is text until it is escaped.

A page needs nothing else: no font, no network, and no script but the one that copies a command,
which is named by its digest, so that a browser runs no other.
"""

import hashlib
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from tfbuild.core.durations import clock
from tfbuild.core.printable import printable
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a page says first: how it ended, in one sentence and a second, and what to type next.

    unproven: all that was looked at is good, and something that matters was not.
    """

    state: Literal["passed", "unproven", "failed"]
    title: str
    says: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A way from a page to a file."""

    name: str
    target: str


def card(title: str, outcome: Outcome, facts: Iterable[tuple[str, str]]) -> str:
    """What a page says in short, as Markdown that stands alone in a message or a file."""
    lines = [f"**{title}**: {outcome.title}", *([f"\n{outcome.says}"] if outcome.says else []), ""]
    return "\n".join([*lines, *(f"- {name}: {value}" for name, value in facts if value)])


def link_to(name: str, path: str, folder: Path) -> Link:
    """A link to a file from a page in folder, whatever is in its name."""
    # Quoted, a colon makes no scheme of what stands before it.
    return Link(name=name, target=quote(os.path.relpath(path, folder)))


def numbered(
    groups: Iterable[Sequence[str]],
) -> tuple[list[tuple[int, ...]], tuple[str, ...]]:
    """The numbers of each group's sentences, and the sentences, each once: number 1 comes first."""
    notes: dict[str, int] = {}
    found = [tuple(notes.setdefault(text, len(notes) + 1) for text in group) for group in groups]
    return found, tuple(notes)


def grouped(entries: Sequence[Mapping[str, Any]], key: str) -> dict[str, list[str]]:
    """The names of what was skipped, by the reason that stands under the key."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        if entry["state"] == "skipped":
            groups.setdefault(str(entry[key]), []).append(str(entry["name"]))
    return groups


def utc(moment: str) -> str:
    """The time of an ISO date as pages say it: 2026-11-30 23:15 UTC; other text stays."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return moment


def render(template: str, **values: object) -> str:
    """The text of a template with these values in it; a name that is missing is an error."""
    return _environment().get_template(template).render(values)


def megabytes(size: int) -> str:
    """A number of bytes as one reads it: 2.5 MB; of small files 2.5 kB."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


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
        finalize=_harmless,
    )
    filters: dict[str, Callable[..., str]] = {
        "clock": clock,
        "megabytes": megabytes,
        "number": number,
        "run_time": _run_time,
        "unbroken": _unbroken,
    }
    environment.filters |= filters
    script = environment.get_template("copy.js").render().encode()
    environment.globals["script_digest"] = b64encode(hashlib.sha256(script).digest()).decode()
    return environment


def _run_time(run: str) -> str:
    """When a run was begun, as its name says it; empty where the name is none of a run."""
    try:
        moment = datetime.strptime(run[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return ""
    return utc(moment.isoformat())


def _harmless(value: object) -> object:
    """What a page shows of a value: letters that steer or hide nothing."""
    if not isinstance(value, str):
        return value
    return type(value)(printable(value))  # what is markup already stays markup


def _unbroken(text: str) -> str:
    """The text with blanks at which no line ends."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
