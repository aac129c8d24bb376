"""From wishes to the best complete set of versions, or to the smallest conflict and ways out."""

from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.alternatives import find_alternatives
from tfbuild.cautions import find_cautions
from tfbuild.conflicts import absent_conflict, find_conflicts
from tfbuild.facts import WORDS, Facts, label
from tfbuild.grounds import describe
from tfbuild.machine import NO_MACHINE, Machine
from tfbuild.names import read_capability, read_spec
from tfbuild.problem import Problem, make_problem
from tfbuild.ranges import NONE, asked, by_age, exact
from tfbuild.ranking import PREFERENCES, Taste, choose_best
from tfbuild.records import Pin
from tfbuild.resolutions import Caution, Resolution, Wish
from tfbuild.versions import parse_version

# Axes whose facts are ranges: a version between two known ones can be judged without a row.
_OPEN = frozenset({"bazel", "gcc", "clang", "driver", "glibc", "nccl", "protobuf"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of the resolver."""

    pins: tuple[Pin, ...]
    machine: Machine = NO_MACHINE
    prefer: tuple[str, ...] = PREFERENCES
    strict: bool = False

    @property
    def target(self) -> str:
        """What is to be built: tensorflow where it is asked for, else the bundled runtime."""
        wished = {pin.axis for pin in self.pins if pin.spec != NONE}
        return "tensorflow" if "tensorflow" in wished else "runtime"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A question on the values of its problem; what it names that no fact covers stands apart."""

    problem: Problem
    taste: Taste
    wishes: tuple[Wish, ...]
    unknown: tuple[Wish, ...]
    unlisted: tuple[Wish, ...]  # judged by ranges, without a row of their own


def resolve(question: Question, facts: Facts) -> Resolution:
    """The answer: ok with versions, conflict with alternatives, or unknown.

    BadRequest where a wish names an axis, a GPU, a system or a range that there is not.
    """
    posed = pose(question, facts)
    problem, wishes = posed.problem, posed.wishes
    absent = tuple(
        conflict for wish in posed.unknown if (conflict := absent_conflict(wish, facts)) is not None
    )
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
        warnings=tuple(_unknown(wish, problem) for wish in posed.unknown if not absent),
    )


def pose(question: Question, facts: Facts) -> Posed:
    """The problem of a question, its wishes as sets of values, and its unknown wishes."""
    pins = _expanded(question.pins, facts)
    extra, unlisted = _extra(pins, question.machine, facts)
    gpus = sum(1 for name, _ in pins if name.partition("#")[0] == "gpu")
    problem = make_problem(facts, question.target, extra, gpus, strict=question.strict)
    wishes: list[Wish] = []
    unknown: list[Wish] = []
    for name, pin in pins:
        if name not in problem.domains:
            continue
        values = asked(pin.spec, problem.domains[name], words=pin.axis in WORDS)
        wish = Wish(axis=name, spec=pin.spec, origin=pin.origin, values=values)
        (wishes if values else unknown).append(wish)
    taste = Taste(
        machine=question.machine,
        prefer=question.prefer,
        pinned=frozenset(pin.axis for _, pin in pins if pin.spec != NONE),
    )
    return Posed(
        problem=problem,
        taste=taste,
        wishes=tuple(wishes),
        unknown=tuple(unknown),
        unlisted=tuple(
            wish
            for wish in wishes
            if {(wish.axis, wish.spec), (wish.axis, exact(wish.spec))} & unlisted
        ),
    )


# --- inside ------------------------------------------------------------------------------------


def _expanded(pins: Sequence[Pin], facts: Facts) -> list[tuple[str, Pin]]:
    """Variables and pins in the facts' own words; each of several GPUs is a variable."""
    found: list[tuple[str, Pin]] = []
    for pin in pins:
        if pin.axis == "gpu" and pin.spec not in {NONE, "any"}:
            found += _gpu_pins(pin, facts)
        elif pin.spec != "any" or pin.axis not in {"tensorflow", "runtime", "gpu"}:
            spec = read_spec(pin.axis, pin.spec, facts)
            found.append((pin.axis, Pin(axis=pin.axis, spec=spec, origin=pin.origin)))
    return found


def _gpu_pins(pin: Pin, facts: Facts) -> list[tuple[str, Pin]]:
    words = [word.strip() for word in pin.spec.split(",") if word.strip()]
    capabilities: dict[str, str] = {}
    for word in words:
        capability, name = read_capability(word, facts.gpus)
        capabilities.setdefault(capability, name or word)
    return [
        (
            "gpu" if number == 1 else f"gpu#{number}",
            Pin(axis="gpu", spec=f"=={capability}", origin=f"{pin.origin}: {name}"),
        )
        for number, (capability, name) in enumerate(capabilities.items(), 1)
    ]


def _extra(
    pins: Sequence[tuple[str, Pin]], machine: Machine, facts: Facts
) -> tuple[tuple[tuple[str, str], ...], frozenset[tuple[str, str]]]:
    """Values without a row that may be judged all the same, and which of them were asked for."""
    found = [(axis, value) for axis, values in machine.has.items() for value in values]
    unlisted = []
    for name, pin in pins:
        version, known = exact(pin.spec), facts.versions(pin.axis)
        if pin.axis == "os" and " | " not in pin.spec and pin.spec not in {*known, "any", NONE}:
            unlisted.append((name, pin.spec))
        if pin.axis not in _OPEN or not version or asked(pin.spec, known):
            continue
        numbers = [parse_version(value) for value in known]
        if min(numbers) <= parse_version(version) <= max(numbers):
            unlisted.append((name, version))
    found += unlisted
    missing = {
        (axis, value) for axis, value in found if value and value not in facts.versions(axis)
    }
    return tuple(sorted(missing)), frozenset(unlisted)


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
    covered = f"{values[0]} is the newest and {values[-1]} the oldest known"
    return Caution(
        axes=(wish.axis.partition("#")[0],),
        message=f"no fact covers {wish.text}: {covered}",
        facts=(),
    )
