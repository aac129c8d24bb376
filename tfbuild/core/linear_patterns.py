"""Regular expressions for the text of strangers, searched in time proportional to its length.

Python's engine tries one way after the other in which an expression may fit, and a line can be made
for which there are too many. RE2 follows all of them at once; what would need one after the other,
as looking around and back references, it refuses.
"""

from collections.abc import Mapping
from typing import Any, AnyStr, Protocol

_MOST_MEMORY = 1 << 20  # bytes of RE2 for one expression; beyond, it is slower by a factor


class LinearMatch(Protocol[AnyStr]):
    """Where an expression fits."""

    def __getitem__(self, group: int) -> AnyStr:
        """The text of a group that took part."""

    def groups(self) -> tuple[AnyStr | None, ...]:
        """The text of each group; None for one that took no part."""

    def groupdict(self) -> dict[str, AnyStr | None]:
        """The text of each named group; None for one that took no part."""


class LinearPattern(Protocol):
    """An expression of RE2, with ASCII's letters, digits and blanks in its classes."""

    @property
    def groups(self) -> int:
        """How many groups it has."""

    @property
    def groupindex(self) -> Mapping[str, int]:
        """The named groups, each with its number."""

    def search(self, text: AnyStr) -> LinearMatch[AnyStr] | None:
        """The first place where the expression fits; in bytes, which are UTF-8, with less work.

        A text holds no half of a pair.
        """

    def findall(self, text: str) -> list[Any]:
        """The text of the group in each place where it fits, or the texts of several groups."""


def linear_pattern(expression: str) -> LinearPattern:
    """The expression, ready to be searched for; ValueError where RE2 does not know its words."""
    import re2

    options = re2.Options()
    options.log_errors = False  # they would go to stderr, beside what is raised
    options.max_mem = _MOST_MEMORY
    try:
        compiled: LinearPattern = re2.compile(expression, options)
    except re2.error as error:
        said = error.args[0]
        why = said.decode(errors="replace") if isinstance(said, bytes) else said
        raise ValueError(f"RE2 does not take {expression!r}: {why}") from error
    return compiled
