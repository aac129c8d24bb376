"""The order in which a page shows checks, and what it says of those that were skipped."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Check = Mapping[str, Any]
_ORDER = ("failed", "passed", "reused", "skipped")


def worst_first(entries: Iterable[Check]) -> list[Check]:
    """What failed stands first, what was skipped last; else the order stays."""

    def place(entry: Check) -> int:
        return _ORDER.index(entry["state"]) if entry["state"] in _ORDER else 0

    return sorted(entries, key=place)


def not_skipped(entries: Iterable[Check]) -> list[Check]:
    """The checks that ran, those that failed first."""
    return [entry for entry in worst_first(entries) if entry["state"] != "skipped"]


def skipped_by_reason(entries: Iterable[Check]) -> Sequence[tuple[str, Sequence[str]]]:
    """Each reason for which checks were skipped, and their names; the most frequent one first."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        if entry["state"] == "skipped":
            found.setdefault(str(entry["reason"]), []).append(str(entry["name"]))
    return sorted(found.items(), key=lambda group: -len(group[1]))
