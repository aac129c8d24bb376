"""Why wishes cannot hold together: the smallest sets of wishes and facts that collide."""

from collections import defaultdict, deque
from collections.abc import Sequence

from tfbuild.facts.fact import Fact
from tfbuild.facts.ranges import exact
from tfbuild.facts.rules import Facts, label
from tfbuild.resolver.problem import Clause, Problem, axis_of
from tfbuild.resolver.resolution import Conflict, Constraint

_MOST = 4  # conflicts that are told at once
_MOST_STEPS = 16
# A conflict that can be told with different wishes is told with those that come first here.
_IMPORTANCE = (
    "tensorflow", "runtime", "cuda", "python", "bazel", "gcc", "clang", "numpy", "protobuf",
    "cudnn", "gpu", "platform", "nccl", "driver", "glibc", "os",
)  # fmt: skip
_MANY = 3  # facts of one kind that are told as one


def find_conflicts(problem: Problem, wishes: Sequence[Constraint]) -> tuple[Conflict, ...]:
    """Conflicts of different wishes, each as small as it gets; empty where there is none.

    After one is found, each of its wishes in turn is left out, and what still collides is the
    next (the hitting set tree of Reiter's diagnosis, cut off early).
    """
    clauses = {clause.rule.fact.id: clause for clause in problem.binding}
    found: list[Conflict] = []
    queue: deque[frozenset[str]] = deque([frozenset()])
    seen: set[frozenset[str]] = set()
    ordered = sorted(wishes, key=lambda wish: _IMPORTANCE.index(axis_of(wish.axis)))
    while queue and len(found) < _MOST and len(seen) < _MOST_STEPS:
        dropped = queue.popleft()
        if dropped in seen:
            continue
        seen.add(dropped)
        wanted = {_name(wish): wish for wish in ordered if _name(wish) not in dropped}
        terms = {name: wish.term for name, wish in wanted.items()}
        core = problem.solver.conflict(terms, clauses)
        if core is None:
            continue
        colliding = [wish for wish in wishes if _name(wish) in core]
        behind = [clause for name, clause in clauses.items() if name in core]
        conflict = _conflict(colliding, [c.rule.fact for c in behind], _reasons(behind))
        if conflict.axes not in {other.axes for other in found}:
            found.append(conflict)
        queue.extend(dropped | {_name(wish)} for wish in colliding)
    return tuple(found)


def _name(wish: Constraint) -> str:
    return f"wish {wish.axis} {wish.spec} {wish.origin}"


def absent_conflict(wish: Constraint, facts: Facts) -> Conflict | None:
    """The conflict of a wish with a version that never was, or None."""
    for row in facts.absent.get(wish.axis, ()):
        if f"{exact(wish.spec)}.".startswith(f"{row.version}."):
            fact = Fact(
                id=f"{wish.axis}-{row.version}-absent",
                kind="absent",
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


def _conflict(
    wishes: Sequence[Constraint], facts: Sequence[Fact], reasons: Sequence[str]
) -> Conflict:
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
