"""From a question to the best set of versions, or to the smallest conflict and the ways out."""

from collections.abc import Sequence

from tfbuild.facts.ranges import NONE, newest_first
from tfbuild.facts.rules import Facts, label
from tfbuild.resolver.alternatives import find_alternatives
from tfbuild.resolver.conflicts import absent_conflict, find_conflicts
from tfbuild.resolver.problem import Problem, axis_of
from tfbuild.resolver.question import Question, pose
from tfbuild.resolver.ranking import choose_best
from tfbuild.resolver.reasons import describe
from tfbuild.resolver.resolution import Constraint, Resolution, ResolutionWarning
from tfbuild.resolver.warnings import find_cautions


def resolve(question: Question, facts: Facts) -> Resolution:
    """The answer: ok with versions, conflict with alternatives, or unknown.

    BadRequest where a wish names an axis, a GPU, a system or a range that there is not.
    """
    posed = pose(question, facts)
    problem, wishes = posed.problem, posed.wishes
    found = (absent_conflict(wish, facts) for wish in posed.unknown)
    absent = tuple(conflict for conflict in found if conflict is not None)
    best = None if absent else choose_best(problem, [w.term for w in wishes], posed.taste)
    told = tuple(wish.text for wish in (*wishes, *posed.unknown))
    if best is not None and not posed.unknown:
        choices, behind = describe(problem, best, wishes, posed.taste)
        cautions = (*_unlisted(posed.unlisted), *find_cautions(problem, best))
        return Resolution(
            status="ok", wishes=told, choices=choices, warnings=cautions, facts=behind
        )
    conflicts = (*absent, *(find_conflicts(problem, wishes) if best is None else ()))
    return Resolution(
        status="conflict" if conflicts else "unknown",
        wishes=told,
        conflicts=conflicts,
        alternatives=find_alternatives(problem, wishes, posed.unknown, posed.taste),
        warnings=tuple(
            _unknown(wish, problem) for wish in posed.unknown if not absent_conflict(wish, facts)
        ),
    )


def _unlisted(wishes: Sequence[Constraint]) -> tuple[ResolutionWarning, ...]:
    return tuple(
        ResolutionWarning(
            kind="unlisted",
            axes=(wish.axis,),
            message=f"{label(wish.axis)} {wish.spec} is not in matrices/{wish.axis}.yaml; it is "
            "judged by the limits that other versions state",
            facts=(),
        )
        for wish in wishes
    )


def _unknown(wish: Constraint, problem: Problem) -> ResolutionWarning:
    values = [value for value in newest_first(problem.domains[wish.axis]) if value != NONE]
    values = values or ["nothing"]
    return ResolutionWarning(
        kind="unknown",
        axes=(axis_of(wish.axis),),
        message=f"no fact covers {wish.text}: {values[0]} is the newest and {values[-1]} the "
        "oldest known",
        facts=(),
    )
