"""Why constraints cannot hold together: the smallest sets of constraints and facts that collide."""

from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count

from tfbuild.core.axes import by_importance, label
from tfbuild.core.counts import counted
from tfbuild.facts.fact import Fact
from tfbuild.facts.ranges import exact
from tfbuild.facts.rules import Facts
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.problem import Clause, Problem, axis_of
from tfbuild.resolver.resolution import Conflict, Constraint

_MOST = 4  # conflicts that are shown at once
_MOST_STEPS = 16
_MANY = 3  # facts of one kind that are shown as one


def find_conflicts(
    problem: Problem, constraints: Sequence[Constraint], patience: Patience
) -> tuple[Conflict, ...]:
    """Conflicts of different constraints, each as small as it gets; empty where there is none.

    After one is found, each of its constraints in turn is left out, and what still collides is the
    next (the hitting set tree of Reiter's diagnosis, cut off early). What is built is left out
    last: what else is wrong with it matters more than what collides without it. Where the patience
    ends, those that were found until then: one at least.
    """
    clauses = {clause.rule.fact.id: clause for clause in problem.binding}
    found: list[Conflict] = []
    queue: list[tuple[bool, int, int, frozenset[str]]] = [(False, 0, 0, frozenset())]
    seen: set[frozenset[str]] = set()
    counter = count(1)
    ordered = sorted(
        constraints, key=lambda constraint: by_importance().index(axis_of(constraint.axis))
    )
    while queue and len(found) < _MOST and len(seen) < _MOST_STEPS:
        if found and patience.is_over("looking for what else collides"):
            break
        is_without_target, depth, _, dropped = heappop(queue)
        if dropped in seen:
            continue
        seen.add(dropped)
        wanted = {
            _name(constraint): constraint
            for constraint in ordered
            if _name(constraint) not in dropped
        }
        terms = {name: constraint.term for name, constraint in wanted.items()}
        core = problem.solver.conflict(terms, clauses)
        if core is None:
            continue
        colliding = [constraint for constraint in constraints if _name(constraint) in core]
        behind = [clause for name, clause in clauses.items() if name in core]
        about = [c for c in ordered if c.axis == problem.target and _speak_of(behind, c.axis)]
        conflict = _conflict(colliding, [c.rule.fact for c in behind], _reasons(behind), about)
        if conflict.axes not in {other.axes for other in found}:
            found.append(conflict)
        for constraint in colliding:
            is_target = is_without_target or constraint.axis == problem.target
            order = next(counter)
            heappush(queue, (is_target, depth + 1, order, dropped | {_name(constraint)}))
    return tuple(found)


def _speak_of(clauses: Sequence[Clause], axis: str) -> bool:
    """Whether a rule is about an axis, though whatever stands there would not help."""
    return any(axis in dict(clause.rule.when) for clause in clauses)


def _name(constraint: Constraint) -> str:
    return f"constraint {constraint.axis} {constraint.spec} {constraint.origin}"


def absent_conflict(constraint: Constraint, facts: Facts) -> Conflict | None:
    """The conflict of a constraint with a version that never was, or None."""
    for row in facts.absent.get(constraint.axis, ()):
        if f"{exact(constraint.spec)}.".startswith(f"{row.version}."):
            fact = Fact(
                id=f"{constraint.axis}-{row.version}-absent",
                kind="absent",
                text=row.says.rstrip("."),
                source="; ".join(row.source),
                checked=row.checked,
                evidence=row.evidence,
            )
            return _conflict([constraint], [fact], [fact.text])
    return None


def _reasons(clauses: Sequence[Clause]) -> list[str]:
    """The facts in words; many of one kind, such as one per release of numpy, in one sentence."""
    kinds: dict[tuple[str, str], list[Clause]] = defaultdict(list)
    for clause in clauses:
        kinds[clause.terms[0][0], clause.needs].append(clause)
    found = []
    for (axis, needs), members in kinds.items():
        texts = [clause.rule.fact.text for clause in members]
        if len(texts) < _MANY or not needs:
            found += texts
        else:
            found.append(
                f"no {label(axis)} that is left goes with this {label(needs)}: {texts[0]}, and "
                f"{counted(len(texts) - 1, 'fact')} of that kind"
            )
    return found


def _conflict(
    constraints: Sequence[Constraint],
    facts: Sequence[Fact],
    reasons: Sequence[str],
    about: Sequence[Constraint] = (),
) -> Conflict:
    """The conflict in words; about is what its rules speak of and no change would help."""
    involved = (*about, *constraints)
    axes = tuple(dict.fromkeys(axis_of(constraint.axis) for constraint in involved))
    named = " and ".join(constraint.text for constraint in constraints)
    why = "; ".join(reasons) or "the constraints contradict each other"
    verb = "cannot be" if len(constraints) == 1 else "cannot go together"
    return Conflict(
        axes=axes,
        message=f"{named} {verb}: {why}",
        constraints=tuple(constraint.text for constraint in constraints),
        facts=tuple(facts),
    )
