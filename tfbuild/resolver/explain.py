"""Why this version and not that one: a verdict on every value of an axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.conflicts import find_conflicts
from tfbuild.resolver.problem import Problem
from tfbuild.resolver.question import CompiledQuestion, Question, pose
from tfbuild.resolver.ranking import Preferences, choose_best
from tfbuild.resolver.resolution import Constraint
from tfbuild.resolver.warnings import find_cautions

_LATER = "nothing speaks against it; another one comes first in the order of preference"
ValueVerdict = Literal["chosen", "tested", "possible", "impossible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One value of an axis: what becomes of it, and the reason with its source."""

    value: str
    verdict: ValueVerdict
    reason: str
    sources: tuple[str, ...] = ()


def explain(axis: str, question: Question, facts: Facts) -> tuple[Explained, ...]:
    """A verdict for each known value of the axis, newest first, without a wish on that axis.

    BadRequest where the question has no such axis.
    """
    posed = pose(question, facts)
    if axis not in posed.problem.domains:
        raise BadRequest(
            f"--explain: there is no axis '{axis}' in this question",
            hint=did_you_mean(axis, [name for name in posed.problem.domains if "#" not in name]),
        )
    chosen = choose_best(posed.problem, [wish.term for wish in posed.wishes], posed.taste)
    taken = chosen[axis] if chosen else ""
    others = [wish for wish in posed.wishes if wish.axis != axis]
    return tuple(
        _judge(posed, others, axis, value, is_chosen=value == taken)
        for value in posed.problem.domains[axis]
        if value != NONE
    )


def _judge(
    posed: CompiledQuestion, others: Sequence[Constraint], axis: str, value: str, *, is_chosen: bool
) -> Explained:
    problem, taste = posed.problem, posed.taste
    wish = Constraint(axis=axis, spec=f"{value}", origin="considered", values=frozenset((value,)))
    best = choose_best(problem, [w.term for w in (*others, wish)], taste)
    if best is None:
        conflict = find_conflicts(problem, [*others, wish])[0]
        return Explained(
            value=value,
            verdict="impossible",
            reason="; ".join(fact.text for fact in conflict.facts),
            sources=tuple(dict.fromkeys(fact.source for fact in conflict.facts)),
        )
    standing = _standing(problem, best, axis, taste)
    if is_chosen:
        return replace(standing, verdict="chosen")
    return replace(standing, reason=standing.reason or _LATER)


def _standing(problem: Problem, best: dict[str, str], axis: str, taste: Preferences) -> Explained:
    """What is to be said for or against a value that is possible."""
    possible = Explained(value=best[axis], verdict="possible", reason="")
    cautions = [c for c in find_cautions(problem, best) if axis in c.axes and c.facts]
    if cautions:
        fact = cautions[0].facts[0]
        first = "outside what was tested: " if cautions[0].kind == "untested" else ""
        return replace(possible, reason=f"{first}{fact.text}", sources=(fact.source,))
    speaking = [
        clause.rule.fact
        for clause in (*problem.telling, *problem.binding)
        if clause.needs == axis and clause.applies(best)
    ]
    speaking.sort(key=lambda fact: fact.kind not in {"tested", "coverage"})
    if speaking:
        fact = speaking[0]
        verdict: ValueVerdict = "tested" if fact.kind == "tested" else "possible"
        return replace(possible, verdict=verdict, reason=fact.text, sources=(fact.source,))
    where = taste.machine.where(axis, best[axis])
    return replace(possible, reason=f"{taste.machine.name} has it" if where else "")
