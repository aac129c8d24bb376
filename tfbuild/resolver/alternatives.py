"""The nearest without a known conflict: which constraints to change, and to what."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, takewhile

from tfbuild.core.axes import axes, is_word
from tfbuild.core.versions import parse_version
from tfbuild.facts.ranges import NONE, exact
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.problem import Problem, as_axes, axis_of
from tfbuild.resolver.ranking import Preferences, choose_best
from tfbuild.resolver.resolution import Alternative, Constraint
from tfbuild.resolver.solver import Term

_MOST = 5
_LARGEST = 3  # constraints changed at once, where so few are enough
_OF_THE_MACHINE = 3  # more, where a constraint is what a machine has


def find_alternatives(
    problem: Problem,
    constraints: Sequence[Constraint],
    unknown: Sequence[Constraint],
    preferences: Preferences,
    patience: Patience,
) -> tuple[Alternative, ...]:
    """Up to five, each checked against every rule without the solver; the least change first.

    What a person has stays as it is: a GPU, a processor, a platform. Empty where it alone is in
    the way. Where the patience ends, those that were found until then.
    """
    if any(is_given(constraint) for constraint in unknown):
        return ()
    found: list[tuple[tuple[int, int], Alternative]] = []
    held = _held(problem, constraints)
    for changed in _smallest_sets(problem, constraints, held, bool(unknown), patience):
        kept = [constraint.term for constraint in constraints if constraint not in changed]
        change = [*changed, *unknown]
        alternative = _alternative(problem, [*kept, *held], change, preferences)
        if alternative is not None:
            found.append(alternative)
        if len(found) == _MOST:
            break
    found.sort(key=lambda pair: pair[0])
    return tuple(alternative for _, alternative in found)


def is_given(constraint: Constraint) -> bool:
    """Whether it is about something that nobody changes for a build."""
    return axes()[axis_of(constraint.axis)].given


def cost(constraint: Constraint) -> int:
    """What it costs to give up a constraint."""
    extra = _OF_THE_MACHINE if constraint.kind == "machine" else 0
    return axes()[axis_of(constraint.axis)].cost + extra


def _held(problem: Problem, constraints: Sequence[Constraint]) -> list[Term]:
    """The platforms that the system means which is asked for: another system is on one of them."""
    systems = [constraint.term for constraint in constraints if constraint.axis == "os"]
    platforms = problem.domains.get("platform", ())
    if not systems or len(platforms) < 2:
        return []
    fitting = (
        value
        for value in platforms
        if any(
            problem.solver.is_possible([system, ("platform", frozenset((value,)))])
            for system in systems
        )
    )
    values = frozenset(fitting)
    return [("platform", values)] if values else []


def _smallest_sets(
    problem: Problem,
    constraints: Sequence[Constraint],
    held: Sequence[Term],
    is_empty_enough: bool,  # noqa: FBT001
    patience: Patience,
) -> Iterator[tuple[Constraint, ...]]:
    """Sets without which the other constraints can hold, none within another, cheap ones first.

    Whatever helps must leave out one of each group that is known to collide, so the solver is
    asked only of sets that do (Reiter's hitting sets). Where no small set helps, a larger one.
    """
    found: list[set[Constraint]] = []
    colliding: list[set[Constraint]] = []
    free = [constraint for constraint in constraints if not is_given(constraint)]
    if _collision(problem, constraints, free, held) is not None:
        return
    for size in range(0 if is_empty_enough else 1, _LARGEST + 1):
        sets = sorted(combinations(free, size), key=lambda group: sum(map(cost, group)))
        for group in map(set, sets):
            if any(smaller <= group for smaller in found):
                continue
            if any(group.isdisjoint(core) for core in colliding):
                continue
            if patience.is_over("looking for the nearest without a conflict"):
                break
            core = _collision(problem, constraints, group, held)
            if core is None:
                found.append(group)
                yield tuple(constraint for constraint in free if constraint in group)
            else:
                colliding.append(core)
        if found and size:
            return
    if not found:
        yield _larger_set(problem, constraints, free, held)


def _larger_set(
    problem: Problem,
    constraints: Sequence[Constraint],
    free: Sequence[Constraint],
    held: Sequence[Term],
) -> tuple[Constraint, ...]:
    """What is left out where one constraint after another is kept that can be, dear ones first."""
    dropped = list(free)
    for constraint in sorted(free, key=cost, reverse=True):
        rest = [one for one in dropped if one != constraint]
        if _collision(problem, constraints, rest, held) is None:
            dropped = rest
    return tuple(dropped)


def _collision(
    problem: Problem,
    constraints: Sequence[Constraint],
    dropped: Collection[Constraint],
    held: Sequence[Term],
) -> set[Constraint] | None:
    """Constraints that collide although these are dropped; None where the others can hold."""
    kept = [constraint for constraint in constraints if constraint not in dropped]
    terms = [constraint.term for constraint in kept]
    core = problem.solver.collision([*terms, *held])
    if core is None:
        return None
    return {constraint for constraint in kept if constraint.term in core}


def _alternative(
    problem: Problem,
    kept: Sequence[Term],
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
    best = choose_best(problem, [*kept, *some], closer) or choose_best(problem, kept, closer)
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
