"""The order of preference among the values of an axis, given what is chosen before it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tfbuild.core.axes import TARGETS, axes, solving_order
from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.ages import months_younger
from tfbuild.facts.proven_builds import continuing
from tfbuild.facts.ranges import NONE, is_prerelease
from tfbuild.resolver.machine import Machine
from tfbuild.resolver.problem import Assignment, Problem, axis_of

# What a release is built with, and its makers could try only where it was there before it.
BUILT_WITH = ("python", "bazel", "gcc", "clang", "cuda", "cudnn")
PREFERENCES = ("evidence", "here", "newest")
# How much worse a value is for a warning, outside the tables, and for a CUDA that it does not know.
_SOFT, _UNTESTED, _MISFIT = 100, 1000, 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What makes one possible value better than another.

    prefer: proven before documented before derived, and where nothing is known what was there
    when the release was made (evidence); what the machine has before what
    must be fetched (here), newer before older (newest). near: values that a changed
    constraint should stay close to.
    """

    machine: Machine
    prefer: tuple[str, ...] = PREFERENCES
    pinned: frozenset[str] = frozenset()  # axes on which there is a constraint
    near: Mapping[str, str] = field(default_factory=dict)


def read_preferences(text: str) -> tuple[str, ...]:
    """The order that `here,newest` means; what is left out follows in the usual order."""
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in PREFERENCES:
            raise BadRequest(
                f"--prefer: '{word}' is unknown",
                code="preference-unknown",
                hint=did_you_mean(word, PREFERENCES),
            )
    return tuple(dict.fromkeys((*words, *PREFERENCES)))


def ranked(
    axis: str,
    problem: Problem,
    assignment: Assignment,
    preferences: Preferences,
    allowed: Mapping[str, frozenset[str]] | None = None,
) -> list[str]:
    """All values of the axis, best first; allowed are those that are left on each axis."""
    values = problem.domains[axis]
    ages = {value: age for age, value in enumerate(values)}
    evidence = _evidence(axis, problem, assignment)
    era = _era(axis, problem, assignment)
    left = _likely(allowed or problem.domains, preferences)
    left |= {name: frozenset((value,)) for name, value in assignment.items()}
    proven = continuing(problem.facts, axis, left)
    evidence = {v: worth + bool(proven and v not in proven) for v, worth in evidence.items()}
    none_first = _none_comes_first(axis, problem, assignment, preferences)

    def key(value: str) -> tuple[object, ...]:
        if value == NONE:
            return (0 if none_first else 2,)
        return (
            1,
            is_prerelease(value),
            *_criteria(axis, value, ages, (evidence, era), preferences),
        )

    return sorted(values, key=key)


def _likely(
    allowed: Mapping[str, Collection[str]], preferences: Preferences
) -> dict[str, frozenset[str]]:
    """What may yet be taken: where the machine's own comes first, that or none of such an axis."""
    left = {axis: frozenset(values) for axis, values in allowed.items()}
    if preferences.prefer.index("here") < preferences.prefer.index("evidence"):
        for axis in left.keys() & preferences.machine.has.keys():
            if own := left[axis] & preferences.machine.has[axis].keys():
                left[axis] = own | (left[axis] & {NONE})
    return left


def _criteria(
    axis: str,
    value: str,
    ages: Mapping[str, int],
    known: tuple[Mapping[str, int], Mapping[str, int]],
    preferences: Preferences,
) -> list[int]:
    evidence, era = known
    age, near = ages[value], preferences.near.get(axis)
    distance = abs(age - ages[near]) if near else 0
    scores = {
        "evidence": evidence.get(value, 0),
        "here": 0 if preferences.machine.where(axis, value) else 1,
        "newest": age,
    }
    order = list(preferences.prefer)
    if axis in TARGETS:  # every release is known; a patch release is better than its first one
        order.remove("evidence")
    criteria = [scores[name] for name in order]
    if "evidence" in order:  # where nothing is known of either, what its makers could have tried
        criteria.insert(order.index("evidence") + 1, era.get(value, 0))
    if near:  # a changed constraint: well known first, then close to what was asked
        criteria.insert(order.index("evidence") + 1 if "evidence" in order else 0, distance)
    return criteria


def _evidence(axis: str, problem: Problem, assignment: Assignment) -> dict[str, int]:
    """Value -> how badly it is known beside what is chosen: 0 is tested, more is worse."""
    if axis == "os":
        return _offered(problem, assignment)
    if axis == "driver":
        return _driver_gap(problem, assignment)
    worth = dict.fromkeys(problem.domains[axis], 0)
    for clause in problem.weighing[axis]:
        wrong = clause.wrong(axis, assignment)
        if wrong and clause.rule.level == "tested" and clause.needs == axis:
            _add_distance(worth, wrong, is_derived=clause.rule.fact.evidence == "derived")
        else:
            # Tested beside another toolkit, it is no part of any build with this one.
            weight = _MISFIT if axes()[axis_of(axis)].meets in dict(clause.terms) else _SOFT
            for value in wrong:
                worth[value] += weight
    return worth


def _era(axis: str, problem: Problem, assignment: Assignment) -> Mapping[str, int]:
    """Value -> by how many months it is younger than the release, of what that is built with."""
    release = assignment.get(problem.target, "")
    if axis not in BUILT_WITH or not release:
        return {}
    facts, values = problem.facts, problem.domains[axis]
    return months_younger(facts.series, axis, values, (problem.target, release))


def _add_distance(worth: dict[str, int], wrong: frozenset[str], *, is_derived: bool) -> None:
    """Outside a tested row, the closer to it the better; inside, the row itself may be derived."""
    order = list(worth)
    tested = [place for place, value in enumerate(order) if value not in wrong and value != NONE]
    for place, value in enumerate(order):
        if value not in wrong:
            worth[value] += is_derived
        elif tested:
            worth[value] += _UNTESTED + min(abs(place - other) for other in tested)


def _offered(problem: Problem, assignment: Assignment) -> dict[str, int]:
    """System -> how much of the chosen tools its own packages do not have, by major version.

    A compiler weighs more than a Python: its libraries are the system's.
    """
    wanted = {axis: value for axis, value in assignment.items() if value != NONE}
    missing = dict.fromkeys(problem.domains["os"], sum(row.offered for row in axes().values()))
    for row in problem.facts.rows["os"]:
        for axis, listed in row.offers:
            value, offered = wanted.get(axis, ""), listed.split()
            if axis != "python":  # another GCC 12 will do, another Python 3 will not
                value = value.partition(".")[0]
                offered = [version.partition(".")[0] for version in offered]
            if row.version in missing and value in offered:
                missing[row.version] -= axes()[axis].offered
    return missing


def _driver_gap(problem: Problem, assignment: Assignment) -> dict[str, int]:
    """Driver -> 0 for the one that came with the chosen toolkit, 1 for any other."""
    cuda = assignment.get("cuda", NONE)
    own = {
        row.version for row in problem.facts.rows["driver"] if f"{row.cuda}.".startswith(f"{cuda}.")
    }
    return {value: int(value not in own) for value in problem.domains["driver"]}


def _none_comes_first(
    axis: str, problem: Problem, assignment: Assignment, preferences: Preferences
) -> bool:
    """Whether to do without the axis where that is possible."""
    without_cuda = assignment.get("cuda", NONE) == NONE
    elsewhere = not assignment.get("platform", "linux").startswith("linux")  # Xcode or MSVC compile
    tested = axis == "clang" and _is_tested(problem, axis, assignment)
    doing_without = {
        "gpu": True,
        "cuda": not preferences.pinned & {"cuda", "cudnn", "nccl", "gpu"},
        "cudnn": without_cuda,
        "driver": without_cuda,
        "nccl": without_cuda or elsewhere,
        # Clang is taken where the release was tested with it, unless GCC is asked for.
        "clang": elsewhere or "gcc" in preferences.pinned or not tested,
        "gcc": elsewhere or assignment.get("clang", NONE) != NONE,
    }
    name = axis_of(axis)
    return doing_without.get(name, axes()[name].role == "beside")


def _is_tested(problem: Problem, axis: str, assignment: Assignment) -> bool:
    """Whether a table of tested builds names a version of the axis for what is chosen."""
    return any(
        clause.needs == axis and clause.rule.level == "tested" and clause.wrong(axis, assignment)
        for clause in problem.weighing[axis]
    )


def _place(name: str, first: frozenset[str]) -> tuple[bool, int]:
    return axis_of(name) not in first, solving_order().index(axis_of(name))


def choose_best(
    problem: Problem, pins: Sequence[tuple[str, frozenset[str]]], preferences: Preferences
) -> dict[str, str] | None:
    """The best assignment that obeys the pins, axis by axis in the order of solving, or None.

    Of tools alone those that were asked for come first: what they meet in follows from them.
    """
    model = problem.solver.model(pins)
    if model is None:
        return None
    assignment: dict[str, str] = {}
    fixed = list(pins)
    allowed = {axis: frozenset(values) for axis, values in problem.domains.items()}
    for name, values in pins:
        allowed[name] &= values
    first = frozenset() if problem.target in problem.domains else preferences.pinned
    for axis in sorted(problem.domains, key=lambda name: _place(name, first)):
        open_values = allowed[axis] - problem.barred(assignment, axis)  # no need to ask the solver
        by_rank = ranked(axis, problem, assignment, preferences, allowed)
        for value in (value for value in by_rank if value in open_values):
            term = (axis, frozenset((value,)))
            if model.get(axis) == value or problem.solver.is_possible([*fixed, term]):
                model = model if model.get(axis) == value else {}
                assignment[axis] = value
                fixed.append(term)
                break
    return assignment
