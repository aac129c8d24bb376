"""The facts as a problem for one target: the values of each axis, and what cannot be together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from tfbuild.core.axes import TARGETS, axes, beside, is_word, solving_order
from tfbuild.facts.ranges import NONE, newest_values_first, select
from tfbuild.facts.rules import Facts, Rule
from tfbuild.facts.tree_days import rules_of_day
from tfbuild.resolver.solver import Solver

Assignment = Mapping[str, str]

_NO_VALUES: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A rule on the values of this problem: it is broken where every term holds."""

    rule: Rule
    terms: tuple[tuple[str, frozenset[str]], ...]
    needs: str = ""  # the axis whose wrong values the last term holds

    def is_broken(self, assignment: Assignment) -> bool:
        """Whether the assignment is what the rule speaks against."""
        return all(assignment[axis] in values for axis, values in self.terms)

    def wrong(self, axis: str, assignment: Assignment) -> frozenset[str]:
        """The values of the axis that the rule speaks against, given what is chosen elsewhere.

        Empty where the rule does not apply, or where it depends on what is not chosen yet.
        """
        found: frozenset[str] | None = None
        for name, values in self.terms:
            if name == axis:  # there may be two: any CUDA, but this one
                found = values if found is None else found & values
            elif name not in assignment or assignment[name] not in values:
                return _NO_VALUES
        return found or _NO_VALUES

    def applies(self, assignment: Assignment) -> bool:
        """Whether the rule speaks about the assignment at all."""
        terms = self.terms[:-1] if self.needs else self.terms
        return all(assignment[axis] in values for axis, values in terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Values per axis, newest first, and the clauses over them; and a solver that holds them."""

    facts: Facts
    target: str
    domains: Mapping[str, tuple[str, ...]]
    binding: tuple[Clause, ...]  # what must hold
    advisory: tuple[Clause, ...]  # what only warns
    by_axis: Mapping[str, tuple[Clause, ...]]  # binding clauses of each axis
    weighing: Mapping[str, tuple[Clause, ...]]  # tested and soft clauses of each axis
    solver: Solver

    def broken(self, assignment: Assignment) -> tuple[Clause, ...]:
        """The binding clauses that the assignment breaks: found without the solver."""
        return tuple(clause for clause in self.binding if clause.is_broken(assignment))

    def swaps(self, assignment: Assignment, axis: str) -> tuple[str, ...]:
        """Values that may take the place of the chosen one with all else as it is."""
        barred = self.barred(assignment, axis) | {assignment[axis], NONE}
        return tuple(value for value in self.domains[axis] if value not in barred)

    def barred(self, assignment: Assignment, axis: str) -> frozenset[str]:
        """Values of the axis that a single rule forbids beside what is chosen elsewhere."""
        clauses = self.by_axis[axis]
        return frozenset().union(*(clause.wrong(axis, assignment) for clause in clauses))


def axis_of(name: str) -> str:
    """The axis that a variable stands for: gpu for gpu#2."""
    return name.partition("#")[0]


def as_axes(assignment: Assignment) -> dict[str, str]:
    """The values by axis, without what is done without; several GPUs stand as one, with commas."""
    found: dict[str, list[str]] = {}
    for name, value in assignment.items():
        if value != NONE and value not in found.setdefault(axis_of(name), []):
            found[axis_of(name)].append(value)
    return {axis: ",".join(values) for axis, values in found.items() if values}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a problem is made for, beside the facts; equal frames share one problem."""

    target: str  # tensorflow, runtime, tools
    platforms: tuple[str, ...] = ()  # empty: all
    extra: tuple[tuple[str, str], ...] = ()  # values that the request or the machine adds
    gpus: int = 1  # how many are asked for at once: each becomes a variable of its own
    levels: frozenset[str] = frozenset(("hard",))  # of the rules that forbid; changed: fewer do
    named: frozenset[str] = frozenset()  # of the axes that count only where they are named
    day: str = ""  # of the development tree that is asked for


@cache
def axes_of(target: str) -> frozenset[str]:
    """What a question may be about: a build of a target, or tools beside each other alone."""
    if target == "tools":
        return frozenset(axes()) - {*TARGETS}
    return frozenset(name for name, row in axes().items() if target in row.of)


def optional_axes(target: str) -> frozenset[str]:
    """The axes that count only where they are named."""
    return axes_of("tools") - {"platform"} if target == "tools" else beside()


def with_meeting(named: Iterable[str]) -> frozenset[str]:
    """The axes, and those through which they bear on each other: a GPU and a GCC through CUDA.

    Of tools alone nothing else is chosen that nobody named.
    """
    wanted = frozenset(named)
    return wanted | {row.meets for name, row in axes().items() if name in wanted and row.meets}


@lru_cache(maxsize=8)
def make_problem(facts: Facts, frame: Frame) -> Problem:
    """The problem of a frame; rules about wheels are left out where they do not forbid."""
    domains = {}
    for axis in solving_order():
        counts = axis in frame.named or axis not in optional_axes(frame.target)
        if axis in axes_of(frame.target) and counts:
            values = [*facts.versions(axis), *(v for name, v in frame.extra if name == axis)]
            if axis == "platform" and frame.platforms:
                values = list(frame.platforms)
            values += [NONE] if axes()[axis].is_optional else []
            domains[axis] = tuple(newest_values_first(list(dict.fromkeys(values))))
    for number in range(2, frame.gpus + 1):
        domains[f"gpu#{number}"] = domains["gpu"]
    others = {"build" if "wheel" in frame.levels else "wheel"}
    if "changed" in frame.levels:
        others = {"build", "wheel"}
    idle = {"wheel", "packages"} - frame.levels  # of these, not even a warning is given
    spoken = rules_of_day(facts.rules, frame.day)
    rules = [r for r in spoken if r.level not in idle and r.only not in others]
    clauses = [clause for rule in rules for clause in _clauses(rule, domains)]
    binding = tuple(c for c in clauses if _binds(c, frame.levels))
    weighing = tuple(c for c in clauses if c.rule.level in {"tested", "soft"})
    solver = Solver(domains)
    solver.forbid((c.rule.fact.id, c.terms) for c in binding)
    return Problem(
        facts=facts,
        target=frame.target,
        domains=domains,
        binding=binding,
        advisory=tuple(c for c in clauses if c.rule.level not in frame.levels),
        by_axis=_index(binding, domains),
        weighing=_index(weighing, domains),
        solver=solver,
    )


def _binds(clause: Clause, levels: frozenset[str]) -> bool:
    """Whether it forbids: with what a wheel was made is no question to who takes it as it is."""
    as_it_is = "wheel" in levels and any(axes()[axis_of(axis)].makes for axis, _ in clause.terms)
    return clause.rule.level in levels and not as_it_is


def _index(clauses: Iterable[Clause], names: Iterable[str]) -> dict[str, tuple[Clause, ...]]:
    """The clauses of each axis."""
    found: dict[str, list[Clause]] = {axis: [] for axis in names}
    for clause in clauses:
        for axis in dict(clause.terms):
            found[axis].append(clause)
    return {axis: tuple(members) for axis, members in found.items()}


def _clauses(rule: Rule, domains: Mapping[str, tuple[str, ...]]) -> Iterable[Clause]:
    """The rule over these values, once per GPU where it speaks of GPUs; none where it is idle."""
    mentioned = {axis for axis, _ in rule.when} | set(rule.needs[:1])
    if not mentioned <= set(domains):
        return
    names = [name for name in domains if axis_of(name) == "gpu"] if "gpu" in mentioned else ["gpu"]
    for name in names:
        clause = _clause(rule, domains, name)
        if all(values for _, values in clause.terms):
            yield clause


def _clause(rule: Rule, domains: Mapping[str, tuple[str, ...]], gpu: str) -> Clause:
    terms = []
    for axis, spec in rule.when:
        name = gpu if axis == "gpu" else axis
        terms.append((name, _select(spec, domains[name], axis)))
    if not rule.needs:
        return Clause(rule=rule, terms=tuple(terms))
    axis, spec = rule.needs
    name = gpu if axis == "gpu" else axis
    allowed = _select(spec, domains[name], axis)
    if spec != "any" and not is_word(axis) and rule.level != "tested":
        allowed |= {NONE}  # what is not there needs no version; what was tested was there
    terms.append((name, frozenset(domains[name]) - allowed))
    return Clause(rule=rule, terms=tuple(terms), needs=name)


@lru_cache(maxsize=4096)
def _select(spec: str, values: tuple[str, ...], axis: str) -> frozenset[str]:
    return select(spec, values, words=is_word(axis))
