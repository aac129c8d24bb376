"""Why wishes cannot hold together: the smallest sets of wishes and facts that collide."""

from collections.abc import Sequence

from tfbuild.facts import Facts
from tfbuild.problem import Problem, axis_of
from tfbuild.ranges import exact
from tfbuild.resolutions import Conflict, Fact, Wish

_MOST = 4  # conflicts that are told at once


def find_conflicts(problem: Problem, wishes: Sequence[Wish]) -> tuple[Conflict, ...]:
    """Conflicts that do not share a fact, each as small as it gets; empty where there is none."""
    facts = {clause.rule.fact.id: clause.rule.fact for clause in problem.binding}
    wanted = {f"wish {number}": wish for number, wish in enumerate(wishes)}
    terms = {name: wish.term for name, wish in wanted.items()}
    left = list(facts)
    found: list[Conflict] = []
    while len(found) < _MOST:
        core = problem.solver.conflict(terms, left)
        if core is None:
            break
        colliding = [wish for name, wish in wanted.items() if name in core]
        behind = [fact for name, fact in facts.items() if name in core]
        conflict = _conflict(colliding, behind)
        if conflict.axes not in {other.axes for other in found}:
            found.append(conflict)
        if not behind:
            break
        left = [name for name in left if name not in core]
    return tuple(found)


def absent_conflict(wish: Wish, facts: Facts) -> Conflict | None:
    """The conflict of a wish with a version that never was, or None."""
    for row in facts.absent.get(wish.axis, ()):
        if row.version == exact(wish.spec):
            fact = Fact(
                id=f"{wish.axis}-{row.version}-absent",
                text=row.says.rstrip("."),
                source="; ".join(row.source),
                checked=row.checked,
                evidence=row.evidence,
            )
            return _conflict([wish], [fact])
    return None


def _conflict(wishes: Sequence[Wish], facts: Sequence[Fact]) -> Conflict:
    axes = tuple(dict.fromkeys(axis_of(wish.axis) for wish in wishes))
    named = " and ".join(wish.text for wish in wishes)
    why = "; ".join(fact.text for fact in facts) or "the wishes contradict each other"
    verb = "cannot be" if len(wishes) == 1 else "cannot go together"
    return Conflict(
        axes=axes,
        message=f"{named} {verb}: {why}",
        wishes=tuple(wish.text for wish in wishes),
        facts=tuple(facts),
    )
