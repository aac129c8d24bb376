"""How well a combination is known that nothing forbids: tested, likely or doubtful, and why."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tfbuild.core.axes import label
from tfbuild.core.counts import counted
from tfbuild.core.versions import known_version, parse_version
from tfbuild.facts.ages import months_younger
from tfbuild.facts.ranges import NONE
from tfbuild.resolver.problem import Assignment, Problem, axis_of
from tfbuild.resolver.resolution import Confidence, Constraint, ResolutionWarning

# What decides whether sources compile. A system's libraries count where somebody named them: the
# resolver's own choice of a system is no constraint.
# Of Bazel every release says itself what it takes.
_TOOLS = ("cuda", "cudnn", "python", "gcc", "clang")
_NEAR = 12  # months by which a tool of a tested series may be younger than the release


def with_doubts(
    problem: Problem,
    best: Assignment,
    constraints: Sequence[Constraint],
    warnings: Sequence[ResolutionWarning],
    *,
    published: bool = False,
) -> tuple[ResolutionWarning, ...]:
    """The warnings, what lies beyond what anybody tried in front: a doubt names its axes.

    A tool that is younger than the release was not there when its makers tried it, one that is
    older than all that they tried may lack what the sources take for granted; and a written rule
    may warn of a pair. With which tools a published wheel was built is no question any more.
    """
    named = {axis_of(constraint.axis) for constraint in constraints}
    found = []
    is_built = problem.target in best and not published  # else nothing has makers who tried it
    if is_built:
        named |= {tool for tool in _TOOLS if _is_forced(problem, best, tool)}
    for axis in (tool for tool in _TOOLS if tool in named and is_built):
        why = "" if best.get(axis, NONE) == NONE else _doubt(problem, best, axis)
        if why:
            pair = tuple(dict.fromkeys((problem.target, axis)))
            found.append(ResolutionWarning(kind="doubt", axes=pair, message=why, facts=()))
    advised = [one for one in warnings if _is_doubt(one, problem, best, named)]
    rest = [one for one in warnings if one not in advised]
    return (*(replace(one, kind="doubt") for one in advised), *found, *rest)


def confidence_of(warnings: Iterable[ResolutionWarning]) -> Confidence:
    """The worst that the warnings say of the versions."""
    kinds = {warning.kind for warning in warnings}
    if "doubt" in kinds:
        return "doubtful"
    return "likely" if kinds & {"untested", "uncovered", "unlisted", "read"} else "tested"


# --- inside ------------------------------------------------------------------------------------


def _is_doubt(
    warning: ResolutionWarning, problem: Problem, best: Assignment, named: set[str]
) -> bool:
    """Whether an advisory is a written rule about something that its makers have not tested.

    So is a Python that a release does not name. What nobody asked for can be chosen otherwise.
    """
    kinds = {fact.kind for fact in warning.facts}
    is_written = "rule" in kinds or ("usual" in kinds and "python" in warning.axes)
    if warning.kind != "advisory" or not is_written:
        return False
    if not set(warning.axes) <= named | {problem.target, "platform"}:
        return False
    tools = [axis for axis in warning.axes if axis != problem.target]
    return not tools or any(best.get(a) not in _tested(problem, best, a) for a in tools)


def _doubt(problem: Problem, best: Assignment, axis: str) -> str:
    """Why the value of an axis is doubtful beside the release, or an empty string."""
    value, target = best[axis], problem.target
    tested = _tested(problem, best, axis)
    numbers, mine = {_series(axis, one) for one in tested}, _series(axis, value)
    what, release = f"{label(axis)} {value}", f"{label(target)} {best[target]}"
    months = _younger(problem, best, axis)
    if months > (_NEAR if mine in numbers else 0):
        age = "a month" if months == 1 else counted(months, "month")
        return f"{what} is {age} younger than {release}, whose makers cannot have tried it"
    if numbers and mine < min(numbers):
        return f"{what} is older than all that {release} was tested with ({_oldest(tested)})"
    if axis in {"cuda", "cudnn"} and numbers and mine > max(numbers):
        return f"{what} is of a later series than {release} was tested with"
    return ""


def _is_forced(problem: Problem, best: Assignment, axis: str) -> bool:
    """Whether the chosen one is younger, and every value that could take its place as well."""
    if best.get(axis, NONE) == NONE or not _younger(problem, best, axis):
        return False
    others = ({**best, axis: value} for value in problem.swaps(best, axis))
    return all(_younger(problem, other, axis) for other in others)


def _younger(problem: Problem, best: Assignment, axis: str) -> int:
    """By how many months the series of a tool began after that of the release; 0 where unknown."""
    release = problem.target, best[problem.target]
    return months_younger(problem.facts.series, axis, (best[axis],), release)[best[axis]]


def _tested(problem: Problem, best: Assignment, axis: str) -> frozenset[str]:
    """The values that tables of tested builds name for what is chosen; empty where none does."""
    found: frozenset[str] = frozenset()
    for clause in problem.weighing.get(axis, ()):
        if clause.needs == axis and clause.rule.level == "tested":
            wrong = clause.wrong(axis, best)
            if wrong:
                found |= frozenset(problem.domains[axis]) - wrong - {NONE}
    return found


def _series(axis: str, value: str) -> tuple[int, ...]:
    """What changes little from one release to the next: a major version, and of Python a minor."""
    version = known_version(value)
    numbers = version.release if version else ()
    return numbers[: 2 if axis == "python" else 1]


def _oldest(values: Iterable[str]) -> str:
    return min(values, key=parse_version)
