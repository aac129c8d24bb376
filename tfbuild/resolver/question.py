"""A question to the resolver: words and pins on one side, sets of values on the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tfbuild.core.axes import TARGETS, axes, is_word, label
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pin
from tfbuild.core.versions import parse_version
from tfbuild.facts.names import read_capability, read_spec
from tfbuild.facts.ranges import NONE, asked, exact, select
from tfbuild.facts.rules import Facts
from tfbuild.facts.targets import all_targets, systems_tested, usual_target
from tfbuild.resolver.machine import NO_MACHINE, Machine
from tfbuild.resolver.problem import (
    Frame,
    Problem,
    axes_of,
    axis_of,
    make_problem,
    optional_axes,
    with_meeting,
)
from tfbuild.resolver.ranking import PREFERENCES, Preferences
from tfbuild.resolver.resolution import Constraint


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of the resolver."""

    pins: tuple[Pin, ...]
    machine: Machine = NO_MACHINE
    prefer: tuple[str, ...] = PREFERENCES
    strict: bool = False  # only what was tested
    published: bool = False  # the wheel that its makers published, instead of a build
    changed: bool = False  # a release that its maker has changed: only what holds anyway
    day: str = ""  # of a development tree, whose demands were not those of the release it led to
    packaged: bool = False  # with what the system's own packages give, as in a container
    beside: frozenset[str] = frozenset()  # axes that count although no pin names them
    unsaid: str = "runtime"  # what it is about where no pin says so; empty: what its words fit

    @property
    def target(self) -> str:
        """What is to be built: tensorflow where it is asked for, else the bundled runtime.

        Where that may stay open and the runtime has no such axis, it is about the tools alone.
        """
        requested = {pin.axis for pin in self.pins if pin.spec != NONE}
        for named in TARGETS:
            if named in requested:
                return named
        is_runtime = requested | self.beside <= axes_of("runtime")
        return self.unsaid or ("runtime" if is_runtime else "tools")

    @property
    def levels(self) -> frozenset[str]:
        """The levels of the rules that forbid."""
        asked = {
            "tested": self.strict,
            "wheel": self.published,
            "changed": self.changed,
            "packages": self.packaged,
        }
        return frozenset(("hard", *(level for level, is_asked in asked.items() if is_asked)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledQuestion:
    """A question on the values of its problem; what it names that no fact covers stands apart."""

    problem: Problem
    preferences: Preferences
    constraints: tuple[Constraint, ...]
    unknown: tuple[Constraint, ...]
    unlisted: tuple[Constraint, ...]  # judged by ranges, without a row of their own


def compile_question(question: Question, facts: Facts) -> CompiledQuestion:
    """The problem of a question, its constraints as sets of values, and its unknown constraints.

    BadRequest where a constraint names an axis, a GPU, a system or a range that there is not.
    """
    read = [
        constraint for pin in question.pins for constraint in _read(pin, facts, question.machine)
    ]
    unlisted = frozenset(_unlisted(read, facts))
    problem = make_problem(facts, _frame(question, read, unlisted, facts))
    constraints = []
    for constraint in read:
        if constraint.axis not in problem.domains:
            if constraint.spec == NONE:  # it is not there anyway
                continue
            raise BadRequest(
                f"{constraint.text}: {label(problem.target)} has nothing to do with "
                f"{constraint.axis}",
                code="axis-not-of-target",
                hint="leave it out, or ask for tensorflow=... as well",
            )
        constraints.append(replace(constraint, values=_values(constraint, problem)))
    preferences = Preferences(
        machine=question.machine if _is_there(question.machine, constraints) else NO_MACHINE,
        prefer=question.prefer,
        pinned=frozenset(
            axis_of(constraint.axis) for constraint in constraints if constraint.spec != NONE
        ),
    )
    return CompiledQuestion(
        problem=problem,
        preferences=preferences,
        constraints=tuple(constraint for constraint in constraints if constraint.values),
        unknown=tuple(constraint for constraint in constraints if not constraint.values),
        unlisted=tuple(constraint for constraint in constraints if _key(constraint) in unlisted),
    )


# --- inside ------------------------------------------------------------------------------------


def _is_there(machine: Machine, constraints: Sequence[Constraint]) -> bool:
    """Whether the question may be about the machine; what it has says nothing of another system."""
    return all(
        machine.bound.get(constraint.axis) in constraint.values
        for constraint in constraints
        if is_word(constraint.axis) and constraint.axis in machine.bound
    )


def _read(pin: Pin, facts: Facts, machine: Machine) -> Iterable[Constraint]:
    """The pin in the facts' own words; each of several GPUs has a variable of its own."""
    if pin.axis == "gpu" and pin.spec not in {NONE, "any"}:
        yield from _gpus(pin, facts, machine)
        return
    spec = read_spec(pin.axis, pin.spec, facts)
    row = axes().get(pin.axis)  # without one it is refused later
    if spec != "any" or row is None or row.any_asks:
        yield Constraint(
            axis=pin.axis, spec=spec, origin=pin.origin, kind=pin.kind, values=frozenset()
        )


def _gpus(pin: Pin, facts: Facts, machine: Machine) -> Iterable[Constraint]:
    found: dict[str, str] = {}
    if pin.spec == "native" and not machine.gpus:
        raise BadRequest(
            "gpu=native: this machine has no GPU that its driver shows",
            code="native-gpu-missing",
            hint="name one: gpu=sm_90 or gpu='RTX 3090'",
        )
    if pin.spec[:1] in "<>!~":
        yield Constraint(
            axis="gpu", spec=pin.spec, origin=pin.origin, kind=pin.kind, values=frozenset()
        )
        return
    named = pin.spec.removeprefix("==").split(",")
    if not any(word.strip() for word in named):
        raise BadRequest(
            f"gpu={pin.spec} names no GPU",
            code="gpu-not-named",
            hint="write gpu=sm_90 or gpu='RTX 3090'",
        )
    for word in (word.strip() for word in named if word.strip()):
        capability, name = read_capability(word, facts.gpus)
        found.setdefault(capability, name or word)
    for number, (capability, words) in enumerate(found.items(), 1):
        yield Constraint(
            axis="gpu" if number == 1 else f"gpu#{number}",
            spec=f"=={capability}",
            origin=pin.origin,
            kind=pin.kind,
            words=words,
            values=frozenset(),
        )


def _values(constraint: Constraint, problem: Problem) -> frozenset[str]:
    """The values that it allows; of releases, a version that is not there means no other."""
    domain, axis = problem.domains[constraint.axis], axis_of(constraint.axis)
    if axes()[axis].patches:
        return frozenset((exact(constraint.spec),)) & set(domain) or select(constraint.spec, domain)
    return asked(constraint.spec, domain, words=is_word(axis))


def _key(constraint: Constraint) -> tuple[str, str]:
    return constraint.axis, constraint.spec if is_word(constraint.axis) else exact(constraint.spec)


def _unlisted(constraints: Sequence[Constraint], facts: Facts) -> Iterable[tuple[str, str]]:
    """Versions without a row that lie between known ones; systems of which nothing is known."""
    for constraint in constraints:
        known, (_, version) = facts.versions(axis_of(constraint.axis)), _key(constraint)
        row = axes().get(constraint.axis)
        if constraint.axis == "os":
            if " | " not in version and version not in {*known, "any", NONE}:
                yield constraint.axis, version
        elif row and row.between and version and not asked(constraint.spec, known):
            numbers = [parse_version(value) for value in known]
            if numbers and min(numbers) <= parse_version(version) <= max(numbers):
                yield constraint.axis, version


def _frame(
    question: Question,
    constraints: Sequence[Constraint],
    unlisted: frozenset[tuple[str, str]],
    facts: Facts,
) -> Frame:
    """What the problem must hold for this question."""
    has = question.machine.has
    own = {(axis, value) for axis, values in has.items() for value in values if axis != "platform"}
    extra = {(axis, value) for axis, value in own | unlisted if value not in facts.versions(axis)}
    named = {axis_of(constraint.axis) for constraint in constraints}
    return Frame(
        target=question.target,
        platforms=_platforms(constraints),
        extra=tuple(sorted(extra)),
        gpus=sum(axis_of(constraint.axis) == "gpu" for constraint in constraints),
        levels=question.levels,
        named=optional_axes(question.target) & with_meeting(named | question.beside),
        day=question.day,
    )


def _platforms(constraints: Sequence[Constraint]) -> tuple[str, ...]:
    """The platforms in question: Linux on x86-64 where neither platform nor system says another."""
    named = {
        constraint.axis: constraint.spec for constraint in constraints if is_word(constraint.axis)
    }
    # The facts know which go together.
    if "platform" in named or named.get("os") in systems_tested():
        return ()
    asked_of = {constraint.axis for constraint in constraints if constraint.spec != NONE}
    # An axis that only some platforms have decides the platform where nothing else does.
    own = (row.only_on for axis, row in axes().items() if row.only_on and axis in asked_of)
    system = next(own, "") if "os" not in named else ""
    found = (t.version for t in all_targets() if system and system in {t.tested_as, t.version})
    return tuple(found) or (usual_target("linux").version,)
