"""The facts themselves: what there is, where it stands, how old it is, and whether it agrees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from tfbuild.core.axes import axes, is_word, solving_order
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pin
from tfbuild.core.versions import did_you_mean, newest_first
from tfbuild.facts.names import read_capability
from tfbuild.facts.ranges import select
from tfbuild.facts.rows import AxisRow, GpuRow, TestedRow
from tfbuild.facts.rules import Facts, Rule, tested_values
from tfbuild.facts.targets import usual_target
from tfbuild.resolver.machine import NO_MACHINE
from tfbuild.resolver.question import Question, compile_question
from tfbuild.resolver.resolver import resolve

TESTED = "tested"  # in place of an axis: all tested rows
GPU = "gpu"  # the axis whose rows are products


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSummary:
    """One line of `tfbuild facts list`."""

    axis: str  # its name in matrices/axes.yaml
    rows: int  # how many there are
    newest: str  # the newest version of them
    oldest: str  # the oldest version of them
    evidence: str  # how many rows stand on which kind: `documented 84, metadata 3`
    checked: str  # the newest day on which a row was checked
    age_days: int  # days since that day


@dataclass(frozen=True, slots=True, kw_only=True)
class Inconsistency:
    """Something in the facts that does not agree, with the entry it stands in.

    A fault must be fixed; tfbuild reports where two documents differ, and one of them holds.
    """

    where: str  # the file of matrices/, or the id of the fact
    message: str  # what does not agree
    is_fault: bool = True  # whether it must be fixed; else two documents contradict each other


def summarise(facts: Facts, today: date) -> tuple[AxisSummary, ...]:
    """One summary per axis that has facts."""
    found = []
    for axis in solving_order():
        values = facts.versions(axis)
        rows: Sequence[AxisRow] = facts.rows.get(axis, ())
        kinds = [row.evidence for row in (rows or facts.gpus)]
        checked = max((row.checked for row in (rows or facts.gpus)), default="")
        if values:
            counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
            found.append(
                AxisSummary(
                    axis=axis,
                    rows=len(kinds),
                    newest=values[0],
                    oldest=values[-1],
                    evidence=", ".join(f"{kind} {count}" for kind, count in counts.items()),
                    checked=checked,
                    age_days=(today - date.fromisoformat(checked)).days,
                )
            )
    return tuple(found)


def find_rows(facts: Facts, axis: str, version: str) -> tuple[AxisRow, ...]:
    """The rows of an axis, or those of one version; BadRequest where there is none."""
    if axis not in facts.rows:
        known = (*facts.rows, GPU, TESTED)
        raise BadRequest(
            f"there is no axis '{axis}'", code="axis-unknown", hint=did_you_mean(axis, known)
        )
    rows = facts.rows[axis]
    if not version:
        return rows
    wanted = select(version, [row.version for row in rows], words=is_word(axis))
    found = tuple(row for row in rows if row.version in wanted)
    if not found:
        raise BadRequest(
            f"matrices/{axis}.yaml has no {version}",
            code="version-not-in-facts",
            hint=did_you_mean(version, [row.version for row in rows]),
        )
    return found


def known_gpus(facts: Facts, text: str) -> tuple[GpuRow, ...]:
    """The GPU of that name, or those of a capability or a range of them; all for an empty text.

    BadRequest, with the nearest name, where there is none.
    """
    if not text:
        return facts.gpus
    name, known = "", facts.versions(GPU)
    if text[:1] in "<>=!~":
        wanted = select(text, known)
    else:
        capability, name = read_capability(text, facts.gpus)
        wanted = frozenset((capability,))
    found = tuple(row for row in facts.gpus if row.capability in wanted and name in {"", row.name})
    if not found:
        raise BadRequest(
            f"matrices/gpus.yaml has no {text}", code="gpu-unknown", hint=did_you_mean(text, known)
        )
    return found


def rules_about(facts: Facts, axis: str, version: str) -> tuple[Rule, ...]:
    """The rules with this version in their condition.

    Of those that hold for each version of the axis alike, only those that ask for nothing else.
    """
    known = [row.version for row in facts.rows.get(axis, ())]
    return tuple(
        rule
        for rule in facts.rules
        if any(
            a == axis
            and version in _selected(a, spec, [version])
            and (len(rule.when) == 1 or len(_selected(a, spec, known)) < len(known))
            for a, spec in rule.when
        )
    )


def check(facts: Facts) -> tuple[Inconsistency, ...]:
    """Everything that does not agree; an empty tuple where all is well."""
    return (
        *(finding for axis in facts.rows for finding in _order(facts, axis)),
        *(finding for rule in facts.rules for finding in _ranges(facts, rule)),
        *_ids(facts),
        *(finding for row in facts.tested for finding in _tested(facts, row)),
    )


def impossible(facts: Facts, row: TestedRow) -> str:
    """Why the facts say that a tested row cannot be; an empty string where they do not."""
    return _refused(facts, row, " | ".join(row.python.split()))


def find_tested(facts: Facts, axis: str, version: str) -> tuple[TestedRow, ...]:
    """The tested rows of a release, or of all of them; none for an axis that nothing is built of.

    The axis `tested` stands for both, tensorflow and runtime.
    """
    rows = [row for row in facts.tested if axis in {TESTED, row.target}]
    wanted = select(version or "any", [row.version for row in rows])
    return tuple(row for row in rows if row.version in wanted)


# --- inside ------------------------------------------------------------------------------------


def _order(facts: Facts, axis: str) -> Iterable[Inconsistency]:
    """Every version once, newest first."""
    versions = facts.versions(axis)
    where = f"matrices/{axis}.yaml"
    for version in dict.fromkeys(versions):
        if versions.count(version) > 1:
            yield Inconsistency(where=where, message=f"{version} stands there twice")
    if not is_word(axis) and list(versions) != newest_first(versions):
        pairs = zip(versions, newest_first(versions), strict=True)
        wrong = next(mine for mine, right in pairs if mine != right)
        yield Inconsistency(where=where, message=f"{wrong} is not in its place: newest come first")


def _ranges(facts: Facts, rule: Rule) -> Iterable[Inconsistency]:
    """Every axis of a rule is known, and every range says something about a known value."""
    pairs = [*rule.when, *([rule.needs] if rule.needs else [])]
    for axis, spec in pairs:
        if axis not in axes():
            yield Inconsistency(where=rule.fact.id, message=f"there is no axis '{axis}'")
        elif spec not in {"any", "none"} and not _selected(axis, spec, facts.versions(axis)):
            message = f"{axis} {spec} means none of the known versions"
            if rule.level != "tested" or axis in dict(rule.when):
                yield Inconsistency(where=rule.fact.id, message=message)


def _ids(facts: Facts) -> Iterable[Inconsistency]:
    """Rules written by hand have names of their own."""
    seen: dict[str, str] = {}
    for rule in facts.rules:
        text = seen.setdefault(rule.fact.id, rule.fact.text)
        if text != rule.fact.text:
            yield Inconsistency(where=rule.fact.id, message="two facts have this id")


def _tested(facts: Facts, row: TestedRow) -> Iterable[Inconsistency]:
    """A row that was tested cannot be impossible; single Pythons of it can, as findings."""
    pythons = row.python.split()
    whole = " | ".join(pythons)
    for python in dict.fromkeys((whole, *pythons)):
        reason = _refused(facts, row, python)
        if not reason:
            continue
        name = f"{row.tensorflow or row.runtime} {row.platform} {row.device} Python {python}"
        where = f"tested.yaml, {name}"
        yield Inconsistency(where=where, message=reason, is_fault=python == whole)


def _refused(facts: Facts, row: TestedRow, python: str) -> str:
    """Why the whole row, with one of its Pythons, has no answer; empty where it has one."""
    question = Question(pins=_pins(row, python), machine=NO_MACHINE)
    compiled = compile_question(question, facts)
    terms = [constraint.term for constraint in compiled.constraints]
    if not compiled.unknown and compiled.problem.solver.is_possible(terms):
        return ""
    return resolve(question, facts).trouble or "refused"


def _pins(row: TestedRow, python: str) -> tuple[Pin, ...]:
    """The whole row as a request, with one of its Pythons."""
    asked = [("tensorflow", row.tensorflow), ("runtime", row.runtime)]
    asked.append(("platform", usual_target(row.platform, "x86").version))
    asked += [("python", python), ("os", row.os), ("glibc", row.glibc)]
    asked += [(axis, spec) for axis, spec in tested_values(row) if axis != "python"]
    if row.device == "cpu":
        asked.append(("cuda", "none"))
    return tuple(Pin(axis=axis, spec=spec, origin="tested.yaml") for axis, spec in asked if spec)


def _selected(axis: str, spec: str, values: Sequence[str]) -> frozenset[str]:
    return select(spec, values, words=is_word(axis))
