"""What came of each piece: kept from call to call, and as the text that is committed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.gpu_day.pieces import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one piece ended."""

    piece: str
    state: str  # passed, failed
    seconds: float
    lines: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What was tried, and where."""

    commit: str
    gpu: str
    architecture: str
    driver: str
    started: str


def load(path: Path, heading: Heading, pieces: Sequence[Piece]) -> dict[str, Outcome]:
    """The outcomes of this commit on this GPU by the pieces' names; none of others.

    What needs no GPU may have been made on another machine, for the same architecture.
    """
    kept = _kept(path)
    if any(kept.get(name) != getattr(heading, name) for name in ("commit", "architecture")):
        return {}
    here = all(kept[name] == getattr(heading, name) for name in ("gpu", "driver"))
    anywhere = {piece.name for piece in pieces if not piece.needs_gpu}
    outcomes = (Outcome(**{**row, "lines": tuple(row["lines"])}) for row in kept["outcomes"])
    return {each.piece: each for each in outcomes if here or each.piece in anywhere}


def commit_of(path: Path) -> str:
    """The commit whose outcomes are kept there, empty where none are."""
    return str(_kept(path).get("commit", ""))


def _kept(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return {**kept["heading"], "outcomes": kept["outcomes"]}


def save(path: Path, heading: Heading, outcomes: Sequence[Outcome]) -> None:
    """Keep them, written aside and moved."""
    aside = path.with_suffix(".part")
    rows = [asdict(outcome) for outcome in outcomes]
    aside.write_text(json.dumps({"heading": asdict(heading), "outcomes": rows}))
    aside.replace(path)


def text(heading: Heading, pieces: Sequence[Piece], outcomes: dict[str, Outcome]) -> str:
    """The file of results: a head, and a section for each piece, those not run among them."""
    lines = [
        f"{heading.gpu} ({heading.architecture}), driver {heading.driver}",
        f"commit {heading.commit}, {heading.started}",
    ]
    for piece in pieces:
        outcome = outcomes.get(piece.name)
        lines += ["", f"{piece.name}: {piece.does}"]
        if outcome is None:
            lines.append("  not run")
            continue
        why = f": {outcome.why}" if outcome.why else ""
        lines.append(f"  {outcome.state} in {outcome.seconds:.0f} s{why}")
        lines += [f"  {line}" for line in outcome.lines]
    return "\n".join(lines) + "\n"
