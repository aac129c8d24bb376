"""The nearest without a known conflict: which constraints to change, and to what."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, takewhile

from tfbuild.core.axes import axes, is_word
from tfbuild.core.versions import parse_version
from tfbuild.facts.ranges import NONE, exact
from tfbuild.resolver.problem import Problem, as_axes, axis_of
from tfbuild.resolver.ranking import Preferences, choose_best
from tfbuild.resolver.resolution import Alternative, Constraint

_MOST = 5
_LARGEST = 3  # constraints changed at once
_OF_THE_MACHINE = 3  # more, where a constraint is what a machine has


def find_alternatives(
    problem: Problem,
    constraints: Sequence[Constraint],
    unknown: Sequence[Constraint],
    preferences: Preferences,
) -> tuple[Alternative, ...]:
    """Up to five, each checked against every rule without the solver; the least change first."""
    found: list[tuple[tuple[int, int], Alternative]] = []
    for changed in _smallest_sets(problem, constraints, bool(unknown)):
        kept = [constraint for constraint in constraints if constraint not in changed]
        alternative = _alternative(problem, kept, [*changed, *unknown], preferences)
        if alternative is not None:
            found.append(alternative)
        if len(found) == _MOST:
            break
    found.sort(key=lambda pair: pair[0])
    return tuple(alternative for _, alternative in found)


def cost(constraint: Constraint) -> int:
    """What it costs to give up a constraint."""
    extra = _OF_THE_MACHINE if constraint.kind == "machine" else 0
    return axes()[axis_of(constraint.axis)].cost + extra


def _smallest_sets(
    problem: Problem,
    constraints: Sequence[Constraint],
    is_empty_enough: bool,  # noqa: FBT001
) -> Iterator[tuple[Constraint, ...]]:
    """Sets without which the other constraints can hold, none within another, cheap ones first."""
    found: list[set[Constraint]] = []
    for size in range(0 if is_empty_enough else 1, _LARGEST + 1):
        sets = sorted(combinations(constraints, size), key=lambda group: sum(map(cost, group)))
        for group in sets:
            if any(smaller <= set(group) for smaller in found):
                continue
            if problem.solver.is_possible([w.term for w in constraints if w not in group]):
                found.append(set(group))
                yield group
        if found and size:
            return


def _alternative(
    problem: Problem,
    kept: Sequence[Constraint],
    changed: Sequence[Constraint],
    preferences: Preferences,
) -> tuple[tuple[int, int], Alternative] | None:
    """The best answer with some constraints changed, and how much that is."""
    near = {constraint.axis: _nearest(constraint, problem) for constraint in changed}
    close = {axis: value for axis, value in near.items() if value and not is_word(axis)}
    closer = replace(preferences, near=close)
    some = [
        (constraint.axis, frozenset(problem.domains[constraint.axis]) - {NONE})
        for constraint in changed
        if constraint.spec != NONE
    ]
    terms = [constraint.term for constraint in kept]
    best = choose_best(problem, [*terms, *some], closer) or choose_best(problem, terms, closer)
    if best is None or problem.broken(best):
        return None
    distance = sum(_distance(problem, axis, best[axis], value) for axis, value in near.items())
    versions = as_axes(best)
    names = dict.fromkeys(axis_of(constraint.axis) for constraint in changed)
    alternative = Alternative(
        change=tuple((axis, versions.get(axis, NONE)) for axis in names),
        versions=tuple(versions.items()),
    )
    return (sum(map(cost, changed)), distance), alternative


def _nearest(constraint: Constraint, problem: Problem) -> str:
    """The known value closest to what was asked for: the start of the way to another one."""
    values = [value for value in problem.domains[constraint.axis] if value != NONE]
    if constraint.values - {NONE}:
        return next(value for value in values if value in constraint.values)
    version = exact(constraint.spec)
    if not version or not values:
        return ""
    wanted = parse_version(version)
    newer = [value for value in values if parse_version(value) >= wanted]
    older = [value for value in values if parse_version(value) < wanted]
    neighbours = [*newer[-1:], *older[:1]]  # both lists are newest first
    return max(neighbours, key=lambda value: _shared(value, version))


def _shared(value: str, version: str) -> int:
    """How many numbers two versions have in common, from the left."""
    pairs = zip(parse_version(value).release, parse_version(version).release, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _distance(problem: Problem, axis: str, value: str, wanted: str) -> int:
    values = problem.domains[axis]
    return abs(values.index(value) - values.index(wanted)) if wanted in values else 0
