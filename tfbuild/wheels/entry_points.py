"""The commands that the entry points of a wheel name, as each installer reads them."""

import re
from configparser import ConfigParser, Error
from importlib.metadata import Distribution
from os import PathLike
from typing import NoReturn

_COMMAND_GROUPS = ("console_scripts", "gui_scripts")
# The only heading in which all installers see the same name: some strip more brackets or spaces.
_HEADING = re.compile(r"\[[^\[\]\s]+\]")


def read_commands(text: str) -> tuple[set[str], str]:
    """The commands that any installer makes of an entry_points.txt, and why not all make the same.

    The reason is empty where they agree. Raises ValueError where one of them cannot read the text.
    """
    lines = [line.strip() for line in text.splitlines()]
    odd = [line for line in lines if line.startswith("[") and not _HEADING.fullmatch(line)]
    modern, classic = _of_metadata(text), _of_parser("\n".join(lines))
    if odd:
        doubt = f"the heading {odd[0][:80]!a} is another to each installer"
    elif modern != classic:
        doubt = f"some installers see the command {min(modern ^ classic)!a}, others do not"
    else:
        doubt = ""
    return modern | classic, doubt


# --- inside ------------------------------------------------------------------------------------


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


def _of_metadata(text: str) -> set[str]:
    """As pip reads it where Python has the module: all brackets around a heading are dropped."""
    try:
        return {p.name for p in _Text(text).entry_points if p.group in _COMMAND_GROUPS}
    except TypeError as error:  # what it raises for a line without a value
        raise ValueError("a line of it has no value") from error


def _of_parser(text: str) -> set[str]:
    """As older installers read it, where [DEFAULT] belongs to each group."""
    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(str(error)) from error
    groups = [group for group in _COMMAND_GROUPS if parser.has_section(group)]
    return {name.strip() for group in groups for name in parser.options(group)}
