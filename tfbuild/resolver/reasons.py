"""On what each choice stands: its facts, how well it is known, and what else would do."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from tfbuild.core.axes import is_word, label, solving_order
from tfbuild.core.records import Evidence
from tfbuild.facts.fact import Fact
from tfbuild.facts.proven_builds import find_proof, proof_fact, proven_axes
from tfbuild.facts.ranges import NONE
from tfbuild.resolver.implied_facts import implied_facts
from tfbuild.resolver.problem import Assignment, Clause, Problem, axis_of
from tfbuild.resolver.ranking import Preferences
from tfbuild.resolver.resolution import Constraint, ResolvedVersion

_COMPILERS = frozenset({"gcc", "clang"})
_WORTH: tuple[Evidence, ...] = (
    "proven", "documented", "measured", "metadata", "derived", "untested",
)  # fmt: skip


def describe(
    problem: Problem, best: Assignment, constraints: Sequence[Constraint], preferences: Preferences
) -> tuple[tuple[ResolvedVersion, ...], tuple[Fact, ...]]:
    """A version per axis that is there or was asked for, and all the facts that they name."""
    by_axis = {constraint.axis: constraint for constraint in constraints}
    facts: dict[str, Fact] = {}
    choices: dict[str, ResolvedVersion] = {}
    for name in sorted(problem.domains, key=lambda name: solving_order().index(axis_of(name))):
        if best[name] == NONE and name not in by_axis:
            continue
        resolved, behind = _describe_one(problem, best, name, by_axis, preferences)
        facts |= {fact.id: fact for fact in behind}
        axis = axis_of(name)
        choices[axis] = _together(choices[axis], resolved) if axis in choices else resolved
    return tuple(choices.values()), tuple(facts.values())


def _describe_one(
    problem: Problem,
    best: Assignment,
    axis: str,
    by_axis: Mapping[str, Constraint],
    preferences: Preferences,
) -> tuple[ResolvedVersion, list[Fact]]:
    clauses = _speaking(problem, best, axis)
    proof = find_proof(problem.facts, best)
    is_proven = proof is not None and axis in proven_axes(proof, best)
    behind = [clause.rule.fact for clause in clauses]
    behind += [proof_fact(proof)] if proof and is_proven else []
    behind += _of_the_moment(axis, best[axis], by_axis, preferences)
    behind += implied_facts(problem.facts, best, axis)
    edges = [] if axis in by_axis else _edges(problem, best, axis)  # a constraint needs no defence
    resolved = ResolvedVersion(
        axis=axis_of(axis),
        value=best[axis],
        evidence="proven" if is_proven else _evidence(problem, axis, best, clauses),
        because=tuple(dict.fromkeys(fact.id for fact in behind)),
        others=problem.swaps(best, axis),
        against=tuple((value, fact.id) for value, fact in edges),
    )
    return resolved, [*behind, *(fact for _, fact in edges)]


def _edges(problem: Problem, best: Assignment, axis: str) -> list[tuple[str, Fact]]:
    """The nearest newer and the nearest older value that a rule forbids beside the others."""
    barred: dict[str, Fact] = {}
    for clause in problem.by_axis[axis]:
        for value in clause.wrong(axis, best):
            barred.setdefault(value, clause.rule.fact)
    values = [value for value in problem.domains[axis] if value != NONE]
    is_settled = is_word(axis) or axis == "glibc"  # a system has the glibc that it has
    if is_settled or best[axis] not in values:
        return []
    place = values.index(best[axis])
    sides = (reversed(values[:place]), values[place + 1 :])
    nearest = (next((value for value in side if value in barred), "") for side in sides)
    return [(value, barred[value]) for value in nearest if value]


def _together(one: ResolvedVersion, other: ResolvedVersion) -> ResolvedVersion:
    """Two GPUs as one choice: known as well as the worse one; no one value may replace both."""
    worse = max(one.evidence, other.evidence, key=_WORTH.index)
    because = tuple(dict.fromkeys((*one.because, *other.because)))
    value = f"{one.value},{other.value}"
    return ResolvedVersion(axis=one.axis, value=value, evidence=worse, because=because)


def _speaking(problem: Problem, best: Assignment, axis: str) -> list[Clause]:
    """The rules that hold and say something about this axis: tested ones first."""
    found = [
        clause
        for clause in (*problem.advisory, *problem.binding)
        if clause.needs == axis and clause.applies(best) and not clause.is_broken(best)
    ]
    return sorted(found, key=_weight)


def _weight(clause: Clause) -> tuple[bool, bool]:
    """Tested rows first; that something is needed at all says least."""
    return clause.rule.level != "tested", clause.rule.needs[1:] == ("any",)


def _of_the_moment(
    axis: str, value: str, by_axis: Mapping[str, Constraint], preferences: Preferences
) -> list[Fact]:
    """The constraint on this axis and what the machine has, as facts of today."""
    found = []
    today = datetime.now(UTC).date().isoformat()
    if constraint := by_axis.get(axis):
        found.append(
            Fact(id=f"constraint-{axis}", kind="request", text=f"asked for: {constraint.text}",
                 source=constraint.origin, checked=today, evidence="measured")
        )  # fmt: skip
    if where := preferences.machine.where(axis, value):
        has = f"{preferences.machine.name} has {label(axis)} {value}"
        text = has if where == preferences.machine.name else f"{has} ({where})"
        found.append(
            Fact(id=f"here-{axis}", kind="machine", text=text, source=preferences.machine.name,
                 checked=today, evidence="measured")
        )  # fmt: skip
    return found


def _evidence(problem: Problem, axis: str, best: Assignment, clauses: Sequence[Clause]) -> Evidence:
    """How well the value is known beside the others.

    Inside a tested row it is as good as the row; outside one it is untested, however many facts
    fail to forbid it. Where no table speaks, the facts that ask for the axis do.
    """
    tested = [clause for clause in clauses if clause.rule.level == "tested"]
    if tested:
        return _best(tested)
    beside = _COMPILERS if axis in _COMPILERS else {axis}  # another compiler is untested as well
    outside = any(
        clause.rule.level == "tested" and clause.needs in beside and clause.is_broken(best)
        for clause in problem.advisory
    )
    if outside:
        return "untested"
    if clauses:
        return _best(clauses)
    row = next(
        (r for r in problem.facts.rows.get(axis_of(axis), ()) if r.version == best[axis]), None
    )
    return next((word for word in _WORTH if row and row.evidence == word), "untested")


def _best(clauses: Sequence[Clause]) -> Evidence:
    """The best evidence of the rules; what is proven beside other values was merely tried here."""
    known = {clause.rule.fact.evidence for clause in clauses}
    known = known - {"proven"} | ({"measured"} if "proven" in known else set())
    return next(word for word in _WORTH if word in known)
