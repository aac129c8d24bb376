"""What entry points name: commands, as each installer reads them, and what other programs load."""

import re
from configparser import ConfigParser, Error
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import Distribution, EntryPoints
from os import PathLike
from typing import NoReturn

from packaging.utils import canonicalize_name

from tfbuild.core.counts import counted
from tfbuild.facts.build_rows import LoadedGroupRow
from tfbuild.facts.installed import open_tables

_COMMAND_GROUPS = ("console_scripts", "gui_scripts")
# The readers of installers look at a run of blanks once for each of its blanks, and again.
_MANY_BLANKS = re.compile(r"[^\S\n]{60}")
_MOST_LINES = 10_000  # the longest lists have a tenth of that; parsers take their time for each
# The only heading in which all installers see the same name: some strip more brackets or spaces.
_HEADING = re.compile(r"\[[^\[\]\s]+\]")


def list_text(raw: bytes | None) -> str:
    """The text of an entry_points.txt; ValueError where it is no UTF-8, or was too large."""
    if raw is None:
        raise ValueError("it is larger than any list of entry points")
    return raw.decode()


def read_commands(text: str) -> tuple[set[str], str]:
    """The commands that any installer makes of an entry_points.txt, and why not all make the same.

    The reason is empty where they agree. Raises ValueError where one of them cannot read the text.
    """
    lines = _lines(text)
    odd = [line for line in lines if line.startswith("[") and not _HEADING.fullmatch(line)]
    modern, classic = _of_metadata(text), _of_parser("\n".join(lines))
    if odd:
        doubt = f"the heading {odd[0][:80]!a} is another to each installer"
    elif modern != classic:
        doubt = f"some installers see the command {min(modern ^ classic)!a}, others do not"
    else:
        doubt = ""
    return modern | classic, doubt


def loaded_unasked(text: str, own: str = "") -> tuple[tuple[str, str], ...]:
    """The groups of an entry_points.txt that programs load without being asked, each with whose
    program it is, in order; empty where it is the distribution's own.

    Raises ValueError where one reader cannot read the text.
    """
    lines = _lines(text)
    points, parser = _points(text), _parsed("\n".join(lines))
    groups = {point.group for point in points} | set(parser.sections())
    found = [(group, row) for group in sorted(groups) if (row := _loader(group))]
    return tuple((group, "" if _is_of(own, group, row) else row.program) for group, row in found)


# --- inside ------------------------------------------------------------------------------------


def _lines(text: str) -> list[str]:
    """The lines as a parser of settings gets them; ValueError for one with blanks by the dozen."""
    lines = [line.strip() for line in text.splitlines()]
    if len(lines) > _MOST_LINES:
        raise ValueError(f"it has {counted(len(lines), 'line')}, {_MOST_LINES} at most")
    if any(_MANY_BLANKS.search(line) for line in lines):
        raise ValueError("a line of it has 60 blanks in a row")
    return lines


class _Text(Distribution):
    """A distribution that consists of one text: so importlib.metadata reads it, as pip does."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        """The text, as the file of entry points; there are no others."""
        return self._text if filename == "entry_points.txt" else None

    def locate_file(self, path: str | PathLike[str]) -> NoReturn:
        """Never asked for: a text has no files."""
        raise FileNotFoundError(path)


@cache
def _loaders() -> dict[str, LoadedGroupRow]:
    """The programs that load groups, or all that begin so, by these."""
    return {group: row for row in open_tables().loaded_groups() for group in row.groups}


def _loader(group: str) -> LoadedGroupRow | None:
    """The program that loads a group unasked; None where none is known."""
    known = _loaders()
    begins = (row for n, row in known.items() if n[-1] in "._" and group.startswith(n))
    return known.get(group) or next(begins, None)


def _is_of(own: str, group: str, row: LoadedGroupRow) -> bool:
    """Whether a distribution is the program that loads a group, or a part that has its name."""
    names = (row.program, *row.also, canonicalize_name(group.partition(".")[0]))
    return any(fnmatchcase(own, name) for name in names)


def _of_metadata(text: str) -> set[str]:
    """As pip reads it where Python has the module: all brackets around a heading are dropped."""
    return {point.name for point in _points(text) if point.group in _COMMAND_GROUPS}


def _points(text: str) -> EntryPoints:
    try:
        return _Text(text).entry_points
    except TypeError as error:  # what it raises for a line without a value
        raise ValueError("a line of it has no value") from error


def _of_parser(text: str) -> set[str]:
    """As older installers read it, where [DEFAULT] belongs to each group."""
    parser = _parsed(text)
    groups = [group for group in _COMMAND_GROUPS if parser.has_section(group)]
    return {name.strip() for group in groups for name in parser.options(group)}


def _parsed(text: str) -> ConfigParser:
    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(str(error)) from error
    return parser
