"""The order of preference among the values of an axis, given what is chosen before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfbuild.errors import BadRequest
from tfbuild.machine import Machine
from tfbuild.problem import Assignment, Clause, Problem, axis_of
from tfbuild.ranges import NONE, is_prerelease
from tfbuild.versions import did_you_mean

# In which order axes are settled: what others depend on comes first.
ORDER = (
    "platform", "tensorflow", "runtime", "gpu", "cuda", "cudnn", "python", "numpy", "protobuf",
    "bazel", "clang", "gcc", "nccl", "os", "glibc", "driver",
)  # fmt: skip
PREFERENCES = ("evidence", "here", "newest")
_SOFT, _UNTESTED = 100, 1000  # how much worse a value is for a warning, and outside the tables
_TARGETS = frozenset({"tensorflow", "runtime"})
_GPU_LIBRARIES = ("cudnn", "nccl", "driver")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taste:
    """What makes one possible value better than another.

    prefer: documented before derived (evidence), what the machine has before what must be fetched
    (here), newer before older (newest). near: values that a changed wish should stay close to.
    """

    machine: Machine
    prefer: tuple[str, ...] = PREFERENCES
    pinned: frozenset[str] = frozenset()  # axes on which something is wished for
    near: Mapping[str, str] = field(default_factory=dict)


def read_preferences(text: str) -> tuple[str, ...]:
    """The order that `here,newest` means; what is left out follows in the usual order."""
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in PREFERENCES:
            raise BadRequest(f"--prefer: '{word}' is unknown", hint=did_you_mean(word, PREFERENCES))
    return tuple(dict.fromkeys((*words, *PREFERENCES)))


def ranked(axis: str, problem: Problem, chosen: Assignment, taste: Taste) -> list[str]:
    """All values of the axis, best first."""
    values = problem.domains[axis]
    evidence = _evidence(axis, problem, chosen)
    none_first = _none_comes_first(axis, problem, chosen, taste)

    def key(value: str) -> tuple[object, ...]:
        if value == NONE:
            return (0 if none_first else 2,)
        return (1, is_prerelease(value), *_criteria(axis, value, problem, evidence, taste))

    return sorted(values, key=key)


def _criteria(
    axis: str, value: str, problem: Problem, evidence: Mapping[str, int], taste: Taste
) -> list[int]:
    age = problem.domains[axis].index(value)
    near = taste.near.get(axis)
    distance = abs(age - problem.domains[axis].index(near)) if near else 0
    scores = {
        "evidence": evidence.get(value, 0),
        "here": 0 if taste.machine.where(axis, value) else 1,
        "newest": age,
    }
    order = list(taste.prefer)
    if axis in _TARGETS:  # every release is known; a patch release is better than its first one
        order.remove("evidence")
    criteria = [scores[name] for name in order]
    if near:  # a changed wish: well known first, then close to what was wished
        criteria.insert(order.index("evidence") + 1 if "evidence" in order else 0, distance)
    return criteria


def _evidence(axis: str, problem: Problem, chosen: Assignment) -> dict[str, int]:
    """Value -> how badly it is known beside what is chosen: 0 is tested, more is worse."""
    if axis == "os":
        return {value: -_offered(problem, value, chosen) for value in problem.domains[axis]}
    if axis == "driver":
        return {value: _driver_gap(problem, value, chosen) for value in problem.domains[axis]}
    worth = dict.fromkeys(problem.domains[axis], 0)
    for clause in (*problem.telling, *problem.binding):
        if clause.rule.level == "hard" or not _speaks(clause, axis, chosen):
            continue
        wrong = dict(clause.terms)[axis]
        if clause.rule.level == "tested" and clause.needs == axis:
            _add_distance(worth, wrong, is_derived=clause.rule.fact.evidence == "derived")
        else:
            for value in wrong:
                worth[value] += _SOFT
    return worth


def _speaks(clause: Clause, axis: str, chosen: Assignment) -> bool:
    """Whether the rule says something about the axis, given what is chosen already."""
    others = [(name, values) for name, values in clause.terms if name != axis]
    if len(others) == len(clause.terms):
        return False
    return all(name in chosen and chosen[name] in values for name, values in others)


def _add_distance(worth: dict[str, int], wrong: frozenset[str], *, is_derived: bool) -> None:
    """Outside a tested row, the closer to it the better; inside, the row itself may be derived."""
    order = list(worth)
    tested = [place for place, value in enumerate(order) if value not in wrong and value != NONE]
    for place, value in enumerate(order):
        if value not in wrong:
            worth[value] += is_derived
        elif tested:
            worth[value] += _UNTESTED + min(abs(place - other) for other in tested)


def _offered(problem: Problem, system: str, chosen: Assignment) -> int:
    """How many of the chosen tools the system has in its own packages, by major version."""
    row = next((row for row in problem.facts.rows["os"] if row.version == system), None)
    if row is None:
        return 0
    found = 0
    for axis, listed in row.offers:
        wanted, offered = chosen.get(axis, NONE), listed.split()
        if axis != "python":  # another GCC 12 will do, another Python 3 will not
            wanted = wanted.partition(".")[0]
            offered = [version.partition(".")[0] for version in offered]
        found += wanted in offered
    return found


def _driver_gap(problem: Problem, driver: str, chosen: Assignment) -> int:
    """0 for the driver that came with the chosen toolkit, 1 for any other."""
    cuda = chosen.get("cuda", NONE)
    row = next((row for row in problem.facts.rows["driver"] if row.version == driver), None)
    return 0 if row and f"{row.cuda}.".startswith(f"{cuda}.") else 1


def _none_comes_first(axis: str, problem: Problem, chosen: Assignment, taste: Taste) -> bool:
    """Whether to do without the axis where that is possible."""
    if axis_of(axis) == "gpu":
        return True
    if axis == "cuda":
        return not taste.pinned & {"cuda", "cudnn", "nccl", "gpu"}
    if axis in _GPU_LIBRARIES:
        return chosen.get("cuda", NONE) == NONE
    if axis == "clang":  # taken where the release was tested with it, unless GCC is asked for
        return "gcc" in taste.pinned or not _is_tested(problem, axis, chosen)
    if axis == "gcc":
        return chosen.get("clang", NONE) != NONE
    return False


def _is_tested(problem: Problem, axis: str, chosen: Assignment) -> bool:
    """Whether a table of tested builds names a version of the axis for what is chosen."""
    return any(
        clause.rule.level == "tested"
        and clause.needs == axis
        and all(name in chosen and chosen[name] in values for name, values in clause.terms[:-1])
        for clause in (*problem.telling, *problem.binding)
    )


def choose_best(
    problem: Problem, pins: Sequence[tuple[str, frozenset[str]]], taste: Taste
) -> dict[str, str] | None:
    """The best assignment that obeys the pins, axis by axis in ORDER, or None."""
    model = problem.solver.model(pins)
    if model is None:
        return None
    chosen: dict[str, str] = {}
    fixed = list(pins)
    allowed: dict[str, frozenset[str]] = {}
    for name, values in pins:
        allowed[name] = allowed.get(name, values) & values
    for axis in sorted(problem.domains, key=lambda name: ORDER.index(axis_of(name))):
        for value in ranked(axis, problem, chosen, taste):
            if value not in allowed.get(axis, problem.domains[axis]):
                continue
            if model[axis] != value:
                found = problem.solver.model([*fixed, (axis, frozenset((value,)))])
                if found is None:
                    continue
                model = found
            chosen[axis] = value
            fixed.append((axis, frozenset((value,))))
            break
    return chosen
