"""What the passes made of a plan, for people who ask why a step runs what it runs."""

from __future__ import annotations

from typing import Any, NamedTuple


class PassReport(NamedTuple):
    """One pass over the plan of a step."""

    name: str
    nodes_before: int
    nodes_after: int
    seconds: float
    changes: list[str]
    text: str  # the plan behind it, a line for each node
    graphviz: str  # and as a drawing for Graphviz


def passes_of(rows: Any) -> list[PassReport]:
    """Return the reports of the passes, in the order in which they ran."""
    return [PassReport(*row) for row in rows]
