"""Where the links of a folder lead to, told from their words alone and in time for each once.

Asking the system for each takes as many steps as there are links behind it: of some thousand links
to a chain of links, minutes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MOST_IN_A_ROW = 40  # as many as Linux follows in one path
LONGEST_TARGET = 1000  # letters of what a link leads to


@dataclass(frozen=True, slots=True)
class End:
    """The place below the folder that a link leads to, or why there is none."""

    place: str = ""
    fault: str = ""
    count: int = 0  # of the links on the way


class Links:
    """The links of a folder, by their places in it: a/b -> ../c."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets
        self._ends: dict[str, End] = {}

    def end(self, place: str) -> End:
        """Where the link at that place leads to; whether something is there is not looked at."""
        return self._end(place, 0)

    def _end(self, place: str, depth: int) -> End:
        if (known := self._ends.get(place)) is not None:
            return known
        endless = End(fault=f"leads in a circle, or by more than {MOST_IN_A_ROW} links")
        if depth >= MOST_IN_A_ROW:
            return endless
        self._ends[place] = endless  # until it is known: who comes back here goes in a circle
        found = self._walked(place, depth)
        self._ends[place] = endless if found.count > MOST_IN_A_ROW else found
        return self._ends[place]

    def _walked(self, place: str, depth: int) -> End:
        target, count = self._targets[place], 1
        outside = End(fault=f"leads out, to '{target[:200]}'")
        if len(target) > LONGEST_TARGET:
            return End(fault=f"leads to a place of more than {LONGEST_TARGET} letters")
        if target.startswith("/"):
            return outside
        here = place.rpartition("/")[0]
        for word in target.split("/"):
            if word in {"", "."}:
                continue
            if word == "..":
                if not here:
                    return outside
                here = here.rpartition("/")[0]
                continue
            here = f"{here}/{word}" if here else word
            if here in self._targets:
                further = self._end(here, depth + 1)
                if further.fault:
                    return further
                here, count = further.place, count + further.count
        return End(place=here, count=count)
