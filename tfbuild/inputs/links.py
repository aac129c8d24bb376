"""Where the links of a folder lead to, read from their words alone and in time for each once.

Asking the system for each takes as many steps as there are links behind it: of some thousand links
to a chain of links, minutes.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

MOST_IN_A_ROW = 40  # as many as Linux follows in one path
LONGEST_TARGET = 1000  # letters of what a link leads to


@dataclass(frozen=True, slots=True)
class End:
    """The place below the folder that a link leads to, or why there is none."""

    place: str = ""
    fault: str = ""
    is_outside: bool = False
    count: int = 0  # of the links on the way


_ENDLESS = End(fault=f"leads in a circle, or by more than {MOST_IN_A_ROW} links")


class Links:
    """The links of a folder, by their places in it: a/b -> ../c."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets
        self._ends: dict[str, End] = {}

    def end(self, place: str) -> End:
        """Where the link at that place leads to; whether something is there is not looked at."""
        walks = [] if place in self._ends else [(place, self._walk(place))]
        while walks:
            name, walk = walks[-1]
            try:
                further = next(walk)
            except StopIteration as ended:
                found: End = ended.value
                self._ends[name] = _ENDLESS if found.count > MOST_IN_A_ROW else found
                walks.pop()
            else:
                self._ends[further] = _ENDLESS  # until it is known: who comes back goes in a circle
                walks.append((further, self._walk(further)))
        return self._ends[place]

    def _walk(self, place: str) -> Generator[str, None, End]:
        """Go its way, and yield the links on it whose ends are not known."""
        target, count = self._targets[place], 1
        self._ends[place] = _ENDLESS
        outside = End(fault=f"leads out, to '{target[:200]}'", is_outside=True)
        if target.startswith("/") or len(target) > LONGEST_TARGET:
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
                if here not in self._ends:
                    yield here
                further = self._ends[here]
                if further.fault:
                    return further
                here, count = further.place, count + further.count
        return End(place=here, count=count)
