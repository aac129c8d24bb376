"""From a question to the best set of versions, or to the smallest conflict and the ways out."""

from collections.abc import Sequence

from tfbuild.facts.facts import Facts, label
from tfbuild.facts.ranges import NONE, by_age
from tfbuild.facts.resolutions import Caution, Resolution, Wish
from tfbuild.resolver.alternatives import find_alternatives
from tfbuild.resolver.cautions import find_cautions
from tfbuild.resolver.conflicts import absent_conflict, find_conflicts
from tfbuild.resolver.grounds import describe
from tfbuild.resolver.problem import Problem, axis_of
from tfbuild.resolver.questions import Question, pose
from tfbuild.resolver.ranking import choose_best


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


def _unlisted(wishes: Sequence[Wish]) -> tuple[Caution, ...]:
    return tuple(
        Caution(
            axes=(wish.axis,),
            message=f"{label(wish.axis)} {wish.spec} is not in matrices/{wish.axis}.yaml; it is "
            "judged by the limits that other versions state",
            facts=(),
        )
        for wish in wishes
    )


def _unknown(wish: Wish, problem: Problem) -> Caution:
    values = [value for value in by_age(problem.domains[wish.axis]) if value != NONE]
    values = values or ["nothing"]
    return Caution(
        axes=(axis_of(wish.axis),),
        message=f"no fact covers {wish.text}: {values[0]} is the newest and {values[-1]} the "
        "oldest known",
        facts=(),
    )
