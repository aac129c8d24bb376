"""From a question to the best set of versions, or to the smallest conflict and the ways out."""

from collections.abc import Sequence
from dataclasses import replace

from tfbuild.core.axes import label
from tfbuild.facts.cases import Case
from tfbuild.facts.ranges import NONE, newest_values_first
from tfbuild.facts.rules import Facts
from tfbuild.resolver.alternatives import find_alternatives
from tfbuild.resolver.confidence import confidence_of, with_doubts
from tfbuild.resolver.conflicts import absent_conflict, find_conflicts
from tfbuild.resolver.neighbours import with_cases
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.problem import Problem, axis_of
from tfbuild.resolver.question import CompiledQuestion, Question, compile_question
from tfbuild.resolver.ranking import choose_best
from tfbuild.resolver.reasons import describe
from tfbuild.resolver.resolution import (
    Conflict,
    Constraint,
    Resolution,
    ResolutionWarning,
)
from tfbuild.resolver.understanding import is_changed, is_of_others, tree_day, understand
from tfbuild.resolver.warnings import find_warnings

_ALONE = ResolutionWarning(
    kind="uncovered",
    axes=(),
    message="nothing is named that is built with them: they are judged beside each other alone",
    facts=(),
)


def resolve(
    question: Question,
    facts: Facts,
    cases: Sequence[Case] = (),
    patience: Patience | None = None,
) -> Resolution:
    """The answer: versions and how well they are known, a conflict with alternatives, or unknown.

    With cases, the nearest of them stand in it, and what mostly failed is doubtful. Where the
    patience ends, some seconds without one, a warning says that there may be more to find.

    BadRequest where a constraint is about something that the target has nothing to do with.
    """
    patience = patience or Patience()
    asked, compiled, answer = _answered(question, facts, patience)
    if answer.status in {"conflict", "unknown"}:
        ways_out = find_alternatives(
            compiled.problem,
            compiled.constraints,
            compiled.unknown,
            compiled.preferences,
            patience,
        )
        cut = (_cut(patience),) if patience.was_cut else ()
        answer = replace(answer, alternatives=ways_out, warnings=(*cut, *answer.warnings))
    kind = "run" if question.published else "build"
    return with_cases(answer, asked.pins, kind, cases, facts) if cases else answer


def judge(question: Question, facts: Facts) -> Resolution:
    """As `resolve` answers, but for what a conflict leaves open: looking for that takes longest."""
    _, _, answer = _answered(question, facts, Patience())
    return answer


def _cut(patience: Patience) -> ResolutionWarning:
    return ResolutionWarning(
        kind="cut",
        axes=(),
        message=f"the search was cut after {patience.seconds:.0f} s: there may be a smaller change "
        "than these, or another conflict; name fewer versions",
        facts=(),
    )


def _answered(
    question: Question, facts: Facts, patience: Patience
) -> tuple[Question, CompiledQuestion, Resolution]:
    """The question as it was understood, and its answer.

    Where nothing says what is built and the bundled runtime cannot be, it is about its words.
    """
    asked, remarks = _understood(question, facts)
    compiled = compile_question(asked, facts)
    answer = _answer(asked, compiled, remarks, facts, patience)
    is_said = asked.unsaid or "runtime" in {pin.axis for pin in asked.pins}
    if is_said or answer.is_possible or asked.target != "runtime":
        return asked, compiled, answer
    alone = replace(asked, unsaid="tools")
    compiled = compile_question(alone, facts)
    instead = _answer(alone, compiled, remarks, facts, patience)
    if instead.is_possible and answer.conflicts:
        warnings = (*instead.warnings, _not_the_runtime(answer.conflicts[0]))
        instead = replace(instead, warnings=warnings)
    return alone, compiled, instead


def _not_the_runtime(conflict: Conflict) -> ResolutionWarning:
    return ResolutionWarning(
        kind="advisory",
        axes=tuple(dict.fromkeys(("runtime", *conflict.axes))),
        message=f"the bundled runtime cannot be built so: {conflict.message}",
        facts=conflict.facts,
    )


def _understood(question: Question, facts: Facts) -> tuple[Question, Sequence[ResolutionWarning]]:
    pins, remarks = understand(question.pins, facts)
    asked = replace(
        question,
        pins=pins,
        published=question.published and not is_of_others(question.pins),
        changed=is_changed(question.pins),
        day=tree_day(question.pins),
    )
    return asked, remarks


def _answer(
    question: Question,
    compiled: CompiledQuestion,
    remarks: Sequence[ResolutionWarning],
    facts: Facts,
    patience: Patience,
) -> Resolution:
    problem, constraints = compiled.problem, compiled.constraints
    found = (absent_conflict(constraint, facts) for constraint in compiled.unknown)
    absent = tuple(conflict for conflict in found if conflict is not None)
    best = (
        None
        if absent
        else choose_best(problem, [w.term for w in constraints], compiled.preferences)
    )
    texts = tuple(constraint.text for constraint in (*constraints, *compiled.unknown))
    if best is not None and not compiled.unknown:
        choices, behind = describe(problem, best, constraints, compiled.preferences)
        alone = () if problem.target in best else (_ALONE,)
        given = (*remarks, *alone, *_unlisted(compiled.unlisted), *find_warnings(problem, best))
        as_it_is = question.published or question.changed
        warnings = with_doubts(problem, best, constraints, given, published=as_it_is)
        confidence = confidence_of(warnings)
        return Resolution(
            status="doubtful" if confidence == "doubtful" else "ok",
            confidence=confidence,
            constraints=texts,
            choices=choices,
            warnings=warnings,
            facts=behind,
        )
    conflicts = (*absent, *(find_conflicts(problem, constraints, patience) if best is None else ()))
    return Resolution(
        status="conflict" if conflicts else "unknown",
        constraints=texts,
        conflicts=conflicts,
        warnings=(
            *(
                _unknown(constraint, problem)
                for constraint in compiled.unknown
                if not absent_conflict(constraint, facts)
            ),
            *remarks,
        ),
    )


def _unlisted(constraints: Sequence[Constraint]) -> tuple[ResolutionWarning, ...]:
    return tuple(
        ResolutionWarning(
            kind="unlisted",
            axes=(constraint.axis,),
            message=f"{label(constraint.axis)} {constraint.spec} is not in "
            f"matrices/{constraint.axis}.yaml; it is judged by the limits that other versions "
            "state",
            facts=(),
        )
        for constraint in constraints
    )


def _unknown(constraint: Constraint, problem: Problem) -> ResolutionWarning:
    values = [
        value for value in newest_values_first(problem.domains[constraint.axis]) if value != NONE
    ]
    values = values or ["nothing"]
    return ResolutionWarning(
        kind="unknown",
        axes=(axis_of(constraint.axis),),
        message=f"no fact covers {constraint.text}: {values[0]} is the newest and {values[-1]} the "
        "oldest known",
        facts=(),
    )
