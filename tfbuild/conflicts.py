"""Why wishes cannot hold together: the smallest sets of wishes and facts that collide."""

from collections import defaultdict
from collections.abc import Sequence

from tfbuild.facts import Facts, label
from tfbuild.problem import Clause, Problem, axis_of
from tfbuild.ranges import exact
from tfbuild.resolutions import Conflict, Fact, Wish

_MOST = 4  # conflicts that are told at once
_MANY = 3  # facts of one kind that are told as one


def find_conflicts(problem: Problem, wishes: Sequence[Wish]) -> tuple[Conflict, ...]:
    """Conflicts that do not share a fact, each as small as it gets; empty where there is none."""
    clauses_by_id = {clause.rule.fact.id: clause for clause in problem.binding}
    wanted = {f"wish {number}": wish for number, wish in enumerate(wishes)}
    terms = {name: wish.term for name, wish in wanted.items()}
    left = list(clauses_by_id)
    found: list[Conflict] = []
    while len(found) < _MOST:
        core = problem.solver.conflict(terms, left)
        if core is None:
            break
        colliding = [wish for name, wish in wanted.items() if name in core]
        clauses = [clause for name, clause in clauses_by_id.items() if name in core]
        behind = [clause.rule.fact for clause in clauses]
        conflict = _conflict(colliding, behind, _reasons(clauses))
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
            return _conflict([wish], [fact], [fact.text])
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
                f"{len(texts) - 1} facts of that kind"
            )
    return found


def _conflict(wishes: Sequence[Wish], facts: Sequence[Fact], reasons: Sequence[str]) -> Conflict:
    axes = tuple(dict.fromkeys(axis_of(wish.axis) for wish in wishes))
    named = " and ".join(wish.text for wish in wishes)
    why = "; ".join(reasons) or "the wishes contradict each other"
    verb = "cannot be" if len(wishes) == 1 else "cannot go together"
    return Conflict(
        axes=axes,
        message=f"{named} {verb}: {why}",
        wishes=tuple(wish.text for wish in wishes),
        facts=tuple(facts),
    )
