"""Runs the children that make the calls, and goes on behind a call that ends its process."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_CHILD = Path(__file__).with_name("in_wheel") / "child.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that the reference takes, and how it went here: equal, differs, refused, crashed."""

    name: str
    given: dict[str, Any] = field(hash=False)
    ending: str
    what: str


def names_on_both(reference: Path, wheel: Path) -> tuple[str, ...]:
    """The public functions of the reference that the wheel has too, in order."""
    listed = _last(_rows(reference, "reference", "list"))
    with tempfile.TemporaryDirectory(prefix="calls-") as scratch:
        names = Path(scratch, "names")
        names.write_text("\n".join(listed["names"]))
        return tuple(_last(_rows(wheel, "ours", "have", names))["names"])


def compare_calls(
    reference: Path, wheel: Path, names: Sequence[str], seed: int, wanted: int
) -> Iterator[Call]:
    """Make up to so many calls of each function that the reference takes, and make them here."""
    with tempfile.TemporaryDirectory(prefix="calls-") as scratch:
        calls = [*_found(reference, names, seed, wanted, Path(scratch, "names"))]
        path = Path(scratch, "calls")
        path.write_text("".join(json.dumps(call) + "\n" for call in calls))
        for number, ending, what in _made(wheel, path, len(calls)):
            call = calls[number]
            yield Call(name=call["name"], given=call["given"], ending=ending, what=what)


def _found(
    reference: Path, names: Sequence[str], seed: int, wanted: int, path: Path
) -> Iterator[dict[str, Any]]:
    """The calls that the reference takes; a function that ends its process is left out."""
    left = list(names)
    while left:
        path.write_text("\n".join(left))
        begun = None
        for row in _rows(reference, "reference", "search", path, seed, wanted):
            begun = row.get("begin", begun)
            if "name" in row:
                yield row
        if begun is None:
            raise RuntimeError(f"{reference} ends before the first call")
        left = left[left.index(begun) + 1 :]


def _made(wheel: Path, path: Path, count: int) -> Iterator[tuple[int, str, str]]:
    """The number of each call, how it went here, and what differs or is refused."""
    first = 0
    while first < count:
        done = first
        for row in _rows(wheel, "ours", "run", path, first):
            if "ending" in row:
                yield row["number"], row["ending"], row["what"]
                done = row["number"] + 1
        if done < count:
            yield done, "crashed", "the process ended"
        first = done + 1


def _rows(python: Path, *words: object) -> Iterator[dict[str, Any]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    child = subprocess.Popen(
        [str(python), str(_CHILD), *map(str, words)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=kept, text=True,
    )  # fmt: skip
    with child:
        for line in child.stdout or ():
            if line.startswith("{"):
                yield json.loads(line)


def _last(rows: Iterator[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"names": []}
    for row in rows:
        found = row
    return found
