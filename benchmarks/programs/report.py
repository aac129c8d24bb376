"""What the runs of all programs come to: a line for each, and the two totals."""

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.programs.comparing import Outcome
from benchmarks.programs.running import Run

Results = Mapping[Path, tuple[Run, Run, Outcome]]


def program_line(program: Path, reference: Run, ours: Run, outcome: Outcome) -> str:
    """One program: runs on the reference, runs here, values equal, and why not."""
    if not outcome.on_reference:
        why = f"reference {reference.ending}: {reference.detail[:100]}"
        return f"{'no':>9} {'-':>4} {'-':>9}  {program}  {why}"
    here = "yes" if outcome.here else "no"
    line = f"{'yes':>9} {here:>4} {f'{outcome.equal}/{outcome.values}':>9}  {program}"
    if not outcome.here:
        return f"{line}  {ours.ending}: {ours.detail[:160]}"
    return f"{line}  {outcome.first_difference}".rstrip()


def heading() -> str:
    """What stands above the lines of the programs."""
    return f"{'reference':>9} {'here':>4} {'equal':>9}  program"


def summary(results: Results) -> str:
    """The two totals: programs that run, and fetched values that are equal."""
    outcomes = [outcome for _, _, outcome in results.values() if outcome.on_reference]
    here = [outcome for outcome in outcomes if outcome.here]
    values, equal = (sum(getattr(one, name) for one in here) for name in ("values", "equal"))
    same = sum(one.equal == one.values for one in here)
    unsteady = sum(one.unsteady for one in here)
    return "\n".join([
        f"\n{len(results)} programs tried, {len(outcomes)} run on the reference",
        f"run here: {len(here)} of {len(outcomes)} ({_share(len(here), len(outcomes))})",
        f"fetched values equal: {equal} of {values} ({_share(equal, values)})",
        f"all of them in {same} programs; not counted: {unsteady} that differ on the reference too",
    ])  # fmt: skip


def document(results: Results) -> str:
    """All outcomes as JSON: program -> both endings, counts and the first difference."""
    rows = {
        str(program): {
            "reference": {"ending": reference.ending, "detail": reference.detail},
            "here": {"ending": ours.ending, "detail": ours.detail},
            "runs_on_reference": outcome.on_reference,
            "runs_here": outcome.here,
            "values": outcome.values,
            "equal": outcome.equal,
            "unsteady": outcome.unsteady,
            "first_difference": outcome.first_difference,
        }
        for program, (reference, ours, outcome) in sorted(results.items())
    }
    return json.dumps(rows, indent=1)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
