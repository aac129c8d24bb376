"""Why this version and not that one: a verdict on every value of an axis."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfbuild.core.axes import axes
from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.conflicts import find_conflicts
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.problem import Problem
from tfbuild.resolver.question import CompiledQuestion, Question, compile_question
from tfbuild.resolver.ranking import Preferences, choose_best
from tfbuild.resolver.resolution import Constraint
from tfbuild.resolver.understanding import understand
from tfbuild.resolver.warnings import find_warnings

_LATER = "no known limit speaks against it; another one comes first in the order of preference"
ValueVerdict = Literal["chosen", "tested", "possible", "impossible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One value of an axis: what becomes of it, and the reason with its source."""

    value: str  # a version, or a word
    verdict: ValueVerdict  # what becomes of it
    reason: str  # in words; empty: nothing is known for or against it
    sources: tuple[str, ...] = ()  # documents that say it


def explain(axis: str, question: Question, facts: Facts) -> tuple[Explained, ...]:
    """A verdict for each known value of the axis, newest first, without a constraint on that axis.

    BadRequest where the question has no such axis.
    """
    pins, _ = understand(question.pins, facts)
    asked = replace(question, pins=pins, beside=frozenset({axis} & axes().keys()))
    compiled = compile_question(asked, facts)
    if axis not in compiled.problem.domains:
        raise BadRequest(
            f"--explain: there is no axis '{axis}' in this question",
            code="axis-not-in-question",
            hint=did_you_mean(axis, [name for name in compiled.problem.domains if "#" not in name]),
        )
    best = choose_best(
        compiled.problem,
        [constraint.term for constraint in compiled.constraints],
        compiled.preferences,
    )
    taken = best[axis] if best else ""
    others = [constraint for constraint in compiled.constraints if constraint.axis != axis]
    return tuple(
        _judge(compiled, others, axis, value, is_chosen=value == taken)
        for value in compiled.problem.domains[axis]
        if value != NONE
    )


def _judge(
    compiled: CompiledQuestion,
    others: Sequence[Constraint],
    axis: str,
    value: str,
    *,
    is_chosen: bool,
) -> Explained:
    problem, preferences = compiled.problem, compiled.preferences
    constraint = Constraint(
        axis=axis, spec=f"{value}", origin="considered", values=frozenset((value,))
    )
    best = choose_best(problem, [w.term for w in (*others, constraint)], preferences)
    if best is None:
        first_one = Patience(seconds=0)
        conflict = find_conflicts(problem, [*others, constraint], first_one)[0]
        return Explained(
            value=value,
            verdict="impossible",
            reason="; ".join(fact.text for fact in conflict.facts),
            sources=tuple(dict.fromkeys(fact.source for fact in conflict.facts)),
        )
    confidence = _verdict_on(problem, best, axis, preferences)
    if is_chosen:
        return replace(confidence, verdict="chosen")
    return replace(confidence, reason=confidence.reason or _LATER)


def _verdict_on(
    problem: Problem, best: dict[str, str], axis: str, preferences: Preferences
) -> Explained:
    """What is to be said for or against a value that is possible."""
    possible = Explained(value=best[axis], verdict="possible", reason="")
    warnings = [c for c in find_warnings(problem, best) if axis in c.axes and c.facts]
    if warnings:
        fact = warnings[0].facts[0]
        first = "outside what was tested: " if warnings[0].kind == "untested" else ""
        return replace(possible, reason=f"{first}{fact.text}", sources=(fact.source,))
    speaking = [
        clause.rule.fact
        for clause in (*problem.advisory, *problem.binding)
        if clause.needs == axis and clause.applies(best)
    ]
    speaking.sort(key=lambda fact: fact.kind not in {"tested", "coverage"})
    if speaking:
        fact = speaking[0]
        verdict: ValueVerdict = "tested" if fact.kind == "tested" else "possible"
        return replace(possible, verdict=verdict, reason=fact.text, sources=(fact.source,))
    where = preferences.machine.where(axis, best[axis])
    return replace(possible, reason=f"{preferences.machine.name} has it" if where else "")
