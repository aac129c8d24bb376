"""What the runs of all files come to: a table of reasons, missing names, what is wrong."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.tensorflow_tests.endings import REASONS
from benchmarks.tensorflow_tests.explained import Judged
from benchmarks.tensorflow_tests.running import Ended

Results = Mapping[Path, tuple[Ended, ...]]


def file_line(file: Path, ended: tuple[Ended, ...]) -> str:
    """One file: how many of its methods passed, and the rest by reason."""
    counts = Counter(one.reason for one in ended)
    rest = ", ".join(f"{reason}: {counts[reason]}" for reason in REASONS[1:] if counts[reason])
    return f"{counts['passed']:>5} of {len(ended):>5}  {file}  {rest}".rstrip()


def summary(results: Results, names: int) -> str:
    """Reasons with their counts, and the most frequent missing names."""
    every = [(file, one) for file in sorted(results) for one in results[file]]
    counts = Counter(one.reason for _, one in every)
    lines = [f"\n{'reason':<16} {'methods':>8}"]
    lines += [f"{reason:<16} {counts[reason]:>8}" for reason in REASONS]
    lines.append(f"{'all':<16} {len(every):>8}  ({counts['passed']} passed)")
    for reason in ("missing name", "not implemented", "refused"):
        details = Counter(_key(one) for _, one in every if one.reason == reason)
        lines.append(f"\n{reason}: {len(details)} of them, the most frequent first")
        ordered = sorted(details.items(), key=lambda row: (-row[1], row[0]))
        lines += [f"{count:>6}  {detail}" for detail, count in ordered[:names]]
    return "\n".join(lines)


def verdict(judged: Judged) -> str:
    """Every fault, those with an explanation apart, and explanations that fit nothing."""
    lines = [f"\nexplained: {len(judged.explained)}, unexplained: {len(judged.unexplained)}"]
    lines += [
        f"explained: {why.file.stem}:{one.name}: {why.because}" for why, one in judged.explained
    ]
    lines += [
        f"{one.reason}: {file.stem}:{one.name}: {one.detail}" for file, one in judged.unexplained
    ]
    lines += [
        f"stale explanation: {why.file.stem}:{why.method}: now {now}" for why, now in judged.stale
    ]
    return "\n".join(lines)


def _key(ended: Ended) -> str:
    """What methods that ended for the same cause have in common."""
    return ended.detail.rsplit(" (line ", 1)[0][:120]


def document(results: Results) -> str:
    """All endings as JSON: file -> method -> reason and detail."""
    rows = {
        str(file): {one.name: {"reason": one.reason, "detail": one.detail} for one in ended}
        for file, ended in sorted(results.items())
    }
    return json.dumps(rows, indent=1)
