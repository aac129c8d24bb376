"""How well a combination is known that nothing forbids: tested, likely or doubtful, and why."""

from collections.abc import Iterable, Sequence

from tfbuild.core.versions import known_version
from tfbuild.facts.ages import began
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import label
from tfbuild.resolver.problem import Assignment, Problem, axis_of
from tfbuild.resolver.resolution import Constraint, ResolutionWarning, Standing

# What decides whether sources compile. A system's libraries count where somebody named them: the
# resolver's own choice of a system is no wish.
_TOOLS = ("cuda", "cudnn", "python", "bazel", "gcc", "clang")
_GROUND = frozenset({"glibc", "os"})
_WHOLE = frozenset({"gcc", "clang", "bazel", "cudnn"})  # tested as major versions, so to speak
_HARMLESS = frozenset({"driver", "platform", "os", "numpy", "protobuf", "nccl"})


def find_doubts(
    problem: Problem,
    best: Assignment,
    constraints: Sequence[Constraint],
    told: Sequence[ResolutionWarning],
) -> tuple[ResolutionWarning, ...]:
    """What of the versions lies beyond what anybody tried; an advisory that is one stands in told.

    A tool that is younger than the release was not there when its makers tried it, one that is
    older than all that they tried may lack what the sources take for granted.
    """
    found = []
    named = {axis_of(constraint.axis) for constraint in constraints}
    axes = (*_TOOLS, *(("glibc",) if named & _GROUND else ()))
    for axis in axes:
        value = best.get(axis, NONE)
        why = "" if value == NONE else _doubt(problem, best, axis)
        if why:
            pair = tuple(dict.fromkeys((problem.target, axis)))
            found.append(ResolutionWarning(kind="doubt", axes=pair, message=why, facts=()))
    return (*found, *_advised(told))


def standing_of(warnings: Iterable[ResolutionWarning]) -> Standing:
    """The worst that the warnings say of the versions."""
    kinds = {warning.kind for warning in warnings}
    if "doubt" in kinds:
        return "doubtful"
    return "likely" if kinds & {"untested", "uncovered", "unlisted", "read"} else "tested"


# --- inside ------------------------------------------------------------------------------------


def _advised(told: Sequence[ResolutionWarning]) -> Iterable[ResolutionWarning]:
    """The advisories as doubts, where they are about what decides whether sources compile."""
    for warning in told:
        if warning.kind == "advisory" and not set(warning.axes) & _HARMLESS:
            axes, facts = warning.axes, warning.facts
            yield ResolutionWarning(
                kind="doubt", axes=axes, message=f"{warning.message}", facts=facts
            )


def _doubt(problem: Problem, best: Assignment, axis: str) -> str:
    """Why the value of an axis is doubtful beside the release, or an empty string."""
    value, target = best[axis], problem.target
    tested = _tested(problem, best, axis)
    if value in tested:
        return ""
    what = f"{label(axis)} {value}"
    release = f"{label(target)} {best[target]}"
    own, its = began(problem.facts, axis, value), began(problem.facts, target, best[target])
    if own and its and own > its and axis != "cudnn":
        return f"{what} ({own}) is younger than {release} ({its}): nobody is known to have tried it"
    numbers = [_numbers(axis, one) for one in tested]
    mine = _numbers(axis, value)
    if numbers and mine < min(numbers):
        return f"{what} is older than all that {release} was tested with ({_oldest(tested)})"
    if numbers and axis == "cudnn" and mine > max(numbers):
        return f"{what} is of a later series than {release} was tested with"
    return ""


def _tested(problem: Problem, best: Assignment, axis: str) -> frozenset[str]:
    """The values that tables of tested builds name for what is chosen; empty where none does."""
    found: frozenset[str] = frozenset()
    for clause in problem.weighing[axis]:
        if clause.needs == axis and clause.rule.level == "tested":
            wrong = clause.wrong(axis, best)
            if wrong:
                found |= frozenset(problem.domains[axis]) - wrong - {NONE}
    return found


def _numbers(axis: str, value: str) -> tuple[int, ...]:
    version = known_version(value)
    numbers = version.release if version else ()
    return numbers[: 1 if axis in _WHOLE and numbers[:1] > (0,) else 2]


def _oldest(values: Iterable[str]) -> str:
    return min(values, key=lambda value: _numbers("", value))
