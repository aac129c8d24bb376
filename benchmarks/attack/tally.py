"""Counts by kind, and faults with what makes them again."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that must not happen, and the input that makes it happen again."""

    kind: str
    number: int
    seed: int
    what: str  # traceback, hang, signal N, exit N, wrong wheel, left running ...
    kept: str  # the folder with the input and what was said

    @property
    def again(self) -> str:
        """The command that makes it again."""
        words = f"--seed {self.seed} --kinds '{self.kind}' --only {self.number}"
        return f"python -m benchmarks.attack {words}"


@dataclass(slots=True)
class Tally:
    """What was tried of one kind: how many, how they ended, for how many seconds."""

    kind: str
    seconds: float = 0.0
    endings: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """How many inputs there were."""
        return self.endings.total()

    def add(self, other: "Tally") -> None:
        """Add what another process has counted, at the same time."""
        self.endings += other.endings
        self.faults += other.faults
        self.seconds = max(self.seconds, other.seconds)


def table(tallies: Sequence[Tally]) -> str:
    """A line per kind, what its inputs ended with, and how to make each fault again."""
    wide = max([len(tally.kind) for tally in tallies] or [0])
    lines = [f"{'kind':<{wide}}  {'tried':>7}  {'faults':>6}  {'per s':>6}  endings"]
    for tally in tallies:
        rate = tally.tried / tally.seconds if tally.seconds else 0.0
        ends = ", ".join(f"{name}: {count}" for name, count in sorted(tally.endings.items()))
        lines.append(
            f"{tally.kind:<{wide}}  {tally.tried:>7}  {len(tally.faults):>6}  {rate:>6.1f}  {ends}"
        )
    found = [fault for tally in tallies for fault in tally.faults]
    tried = sum(tally.tried for tally in tallies)
    lines.append(f"{'all':<{wide}}  {tried:>7}  {len(found):>6}")
    for fault in found:
        lines.append(f"\n{fault.kind} {fault.number}: {fault.what}; kept in {fault.kept}")
        lines.append(f"  {fault.again}")
    return "\n".join(lines)


def document(tallies: Sequence[Tally]) -> str:
    """The same as JSON."""
    rows = [
        {
            "kind": tally.kind,
            "tried": tally.tried,
            "seconds": round(tally.seconds, 1),
            "endings": dict(tally.endings),
            "faults": [asdict(fault) | {"again": fault.again} for fault in tally.faults],
        }
        for tally in tallies
    ]
    return json.dumps({"kinds": rows}, indent=1)
