"""What one should know of a combination that nothing forbids: untested values, soft facts, age."""

from datetime import UTC, date, datetime

from tfbuild.core.axes import label
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.problem import Assignment, Clause, Problem, axis_of
from tfbuild.resolver.resolution import ResolutionWarning, WarningKind

STALE_DAYS = 180


def find_warnings(problem: Problem, assignment: Assignment) -> tuple[ResolutionWarning, ...]:
    """Every warning about the assignment, those of tested tables first."""
    broken = [clause for clause in problem.advisory if clause.is_broken(assignment)]
    broken.sort(key=lambda clause: clause.rule.level != "tested")
    warnings = [_warning(clause, problem, assignment) for clause in broken]
    return (*dict.fromkeys(warnings), *stale(problem.facts))


def stale(facts: Facts, today: date | None = None) -> tuple[ResolutionWarning, ...]:
    """A warning where the newest fact of a file is older than half a year."""
    now = today or datetime.now(UTC).date()
    found = []
    for axis, rows in facts.rows.items():
        newest = max((date.fromisoformat(row.checked) for row in rows), default=now)
        if (now - newest).days > STALE_DAYS:
            found.append(
                ResolutionWarning(
                    kind="stale",
                    axes=(axis,),
                    message=f"the facts about {label(axis)} were last checked on {newest}; "
                    "`tfbuild facts refresh` looks for newer ones",
                    facts=(),
                )
            )
    return tuple(found)


def _warning(clause: Clause, problem: Problem, assignment: Assignment) -> ResolutionWarning:
    fact = clause.rule.fact
    names = dict.fromkeys(axis_of(axis) for axis, _ in clause.terms)
    is_tested = clause.rule.level == "tested"
    if not is_tested or not clause.needs:
        kind: WarningKind = "uncovered" if is_tested else "advisory"
        return ResolutionWarning(kind=kind, axes=tuple(names), message=fact.text, facts=(fact,))
    axis, value = clause.needs, assignment[clause.needs]
    what = f"to go without {label(axis)}" if value == NONE else f"{label(axis)} {value}"
    return ResolutionWarning(
        kind="untested",
        axes=tuple(dict.fromkeys((problem.target, axis))),
        message=f"{what} is outside what was tested: {fact.text}",
        facts=(fact,),
    )
