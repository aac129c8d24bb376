"""All of matrices/ as one set of rules: rows of one mind are merged, every rule keeps its fact."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Literal

from tfbuild.core.axes import TARGETS, is_word, label, with_matrix
from tfbuild.core.counts import counted
from tfbuild.core.records import Pairs
from tfbuild.core.versions import minor
from tfbuild.core.yaml_rows import EVIDENCE
from tfbuild.facts.fact import Fact
from tfbuild.facts.own_packages import package_facts
from tfbuild.facts.published_wheels import never_published, published_pythons, wheel_libraries
from tfbuild.facts.ranges import NONE, span
from tfbuild.facts.rows import (
    AbsentRow,
    AxisRow,
    GpuFamilyRow,
    GpuRow,
    RuleRow,
    SeriesRow,
    TestedRow,
)
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import range_of_tested

Level = Literal["hard", "soft", "tested", "wheel", "packages"]
_MARKS: Mapping[str, str] = {"hard": "", "soft": "-usual", "wheel": "-libraries"}
# In which order tested rows are distinguished: that in which the axes are settled.
_BRANCHES = ("cuda", "cudnn", "python", "bazel", "clang", "gcc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where all of `when` holds, axis `needs[0]` must lie in `needs[1]`; else `when` cannot be.

    A hard rule forbids, a soft one warns, a tested one forbids only under --strict, one of a wheel
    only where the published wheel is to be used, one of packages only where a system's own must do.
    """

    fact: Fact
    level: Level
    when: Pairs
    needs: tuple[str, str] | tuple[()] = ()
    only: str = ""  # build, wheel
    days: str = ""  # of the development tree; else it speaks of releases


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """Everything known: the rows of each axis, the rules, the GPUs, the versions that never were.

    Two are equal only if they are the same object, so that what is made of them can be kept.
    """

    rows: Mapping[str, tuple[AxisRow, ...]]
    rules: tuple[Rule, ...]
    gpus: tuple[GpuRow, ...]
    absent: Mapping[str, tuple[AbsentRow, ...]]
    tested: tuple[TestedRow, ...]
    series: tuple[SeriesRow, ...] = ()
    families: tuple[GpuFamilyRow, ...] = ()

    def versions(self, axis: str) -> tuple[str, ...]:
        """The values of an axis that have a row, newest first; for gpu, its capabilities."""
        if axis == "gpu":
            known = [row.capability for row in self.gpus]
            return tuple(dict.fromkeys((*known, *(row.capability for row in self.families))))
        return tuple(row.version for row in self.rows.get(axis, ()))


@cache
def load_facts(tables: Tables) -> Facts:
    """The facts of the data folders; BadRecipe points at what is wrong in them."""
    rows = {axis: tables.axis(axis) for axis in with_matrix()}
    rules = [rule for axis, known in rows.items() for rule in _row_rules(axis, known)]
    rules += [rule for row in tables.rules() for rule in _written_rules(row)]
    tested = tables.tested()
    rules += _tested_rules(tested, rows)
    rules += _coverage_rules([rule for rule in rules if rule.level == "tested"], rows)
    rules += [
        Rule(fact=fact, level="packages", when=when, needs=needs)
        for fact, when, needs in package_facts(rows["os"])
    ]
    for fact, when, needs in published_pythons(rows["tensorflow"]):
        rules.append(Rule(fact=fact, level="wheel", when=when, needs=needs))
    for fact, when in never_published(rows["tensorflow"]):
        rules.append(Rule(fact=fact, level="wheel", when=when))
    return Facts(
        rows=rows,
        rules=tuple(rules),
        gpus=tables.gpus(),
        absent={axis: tables.absent(axis) for axis in rows},
        tested=tested,
        series=tables.series(),
        families=tables.gpu_families(),
    )


# --- rows of one axis --------------------------------------------------------------------------


def _row_rules(axis: str, rows: Sequence[AxisRow]) -> Iterable[Rule]:
    """One rule per requirement; rows that require the same make one rule together."""
    groups: dict[tuple[str, str, Level, str], list[AxisRow]] = defaultdict(list)
    for row in rows:
        for other, spec in row.requires:
            groups[other, spec, "hard", row.evidence].append(row)
        for other, spec in row.expects:
            groups[other, spec, "soft", row.evidence].append(row)
        if row.architectures:
            groups["gpu", _capabilities(row.architectures), "hard", row.evidence].append(row)
            groups["gpu", _served(row.architectures), "wheel", row.evidence].append(row)
    for (other, spec, level, _), members in groups.items():
        versions = [row.version for row in rows]
        yield _row_rule(axis, members, (other, spec), level, versions)


def _row_rule(
    axis: str, rows: Sequence[AxisRow], needs: tuple[str, str], level: Level, known: Sequence[str]
) -> Rule:
    (other, spec), versions = needs, [row.version for row in rows]
    text = f"{_named(axis, versions, known)} {_relation(rows, other, spec, level)}"
    fact = Fact(
        id=f"{axis}-{versions[-1]}-{other}{_MARKS[level]}",
        kind="usual" if level == "soft" else "requirement",
        text=text,
        source="; ".join(dict.fromkeys(word for row in rows for word in row.source)),
        checked=min(row.checked for row in rows),
        evidence=rows[0].evidence,
        short=_short(axis, rows[0], needs, level),
    )
    # Whoever compiles says for which GPU; what others have compiled runs on later ones of its kind.
    only = "build" if level == "hard" and rows[0].architectures and other == "gpu" else ""
    when = ((axis, _either(axis, versions)),)
    return Rule(fact=fact, level=level, when=when, needs=needs, only=only)


def _short(axis: str, row: AxisRow, needs: tuple[str, str], level: Level) -> str:
    """The sentence without what stands beside it anyway: `TensorFlow needs >=1.19.2,<1.20`."""
    subject = "the system" if axis == "os" else label(axis)
    if row.architectures and needs[0] == "gpu":
        return f"this {subject} compiles for it"
    spec = "one" if needs[1] == "any" else needs[1].replace(" | ", " or ").removeprefix("==")
    return f"{subject} {'is known with' if level == 'soft' else 'needs'} {spec}"


def _named(axis: str, versions: Sequence[str], known: Sequence[str]) -> str:
    if is_word(axis):
        many = counted(len(versions), "known system")
        return versions[0] if len(versions) == 1 else f"each of {many}"
    return f"{label(axis)} {span(versions, known)}"


def _relation(rows: Sequence[AxisRow], other: str, spec: str, level: Level) -> str:
    """The verb and what follows it: `needs GCC <11`."""
    many = len(rows) > 1 and not rows[0].offers
    if level == "wheel":
        return f"{'have' if many else 'has'} libraries for compute capability {spec}"
    if rows[0].architectures and other == "gpu":
        return f"{'compile' if many else 'compiles'} for {', '.join(rows[0].architectures)}"
    if spec == "none":
        return f"{'go' if many else 'goes'} without {label(other)}"
    wanted = label(other) if spec == "any" else f"{label(other)} {spec.replace(' | ', ' or ')}"
    if level == "hard":
        return f"{'need' if many else 'needs'} {wanted}"
    return f"{'are' if many else 'is'} known with {wanted}"


def _either(axis: str, versions: Sequence[str]) -> str:
    """The range that means exactly these rows."""
    return " | ".join(versions if is_word(axis) else [f"=={version}" for version in versions])


def _capabilities(architectures: Sequence[str]) -> str:
    """The range over compute capabilities for names such as sm_86."""
    numbers = [name.removeprefix("sm_") for name in architectures]
    return " | ".join(f"=={number[:-1]}.{number[-1]}" for number in numbers)


def _served(architectures: Sequence[str]) -> str:
    """The GPUs that libraries of a toolkit run on: all of a major version that they know."""
    numbers = [name.removeprefix("sm_") for name in architectures]
    oldest = min(numbers, key=int)
    return f">={oldest[:-1]}.{oldest[-1]},<{max(int(number[:-1]) for number in numbers) + 1}"


# --- rules written by hand ---------------------------------------------------------------------


def _written_rules(row: RuleRow) -> Iterable[Rule]:
    fact = Fact(
        id=row.id,
        kind="rule",
        text=row.says.rstrip("."),
        source="; ".join(row.source),
        checked=row.checked,
        evidence=row.evidence,
        fix=row.fix,
    )
    level: Level = "hard" if row.effect == "conflict" else "soft"
    for pair in row.requires or ((),):
        yield Rule(fact=fact, level=level, when=row.when, needs=pair, only=row.only, days=row.days)


# --- tables of tested builds -------------------------------------------------------------------


def _tested_rules(tested: Sequence[TestedRow], rows: Mapping[str, Sequence[AxisRow]]) -> list[Rule]:
    """A row speaks for its release, and, less surely, for patch releases without a row."""
    groups: dict[tuple[str, str, str, str], list[TestedRow]] = defaultdict(list)
    for row in tested:
        groups[row.target, row.platform, row.device, row.version].append(row)
    own = {(target, platform, version) for target, platform, _, version in groups}
    lines: dict[tuple[str, str], list[AxisRow]] = defaultdict(list)
    for target in TARGETS:
        for release in rows.get(target, ()):
            lines[target, minor(release.version)].append(release)
    rules: list[Rule] = []
    for (target, platform, _, version), members in groups.items():
        patches = [
            row.version
            for row in lines[target, minor(version)]
            if (target, platform, row.version) not in own
            and (target == "runtime" or row.wheels)  # a tag without wheels was never released
        ]
        rules += _group_rules(members, [version])
        if patches:
            rules += _group_rules([replace(row, evidence="derived") for row in members], patches)
    return rules


def _group_rules(rows: Sequence[TestedRow], versions: Sequence[str]) -> list[Rule]:
    """The rules of all rows of one release, platform and device."""
    first = rows[0]
    device = "any" if first.device == "cuda" else "none"
    release = (first.target, _either(first.target, versions))
    when = (release, ("platform", range_of_tested(first.platform)))
    wheels = _wheel_rules(first, when, versions) if len(rows) == 1 else []
    said = tuple((row, dict(tested_values(row))) for row in rows)
    branch = _Branch(rows=said, when=(*when, ("cuda", device)), versions=tuple(versions))
    return [*wheels, *_branch_rules(branch, _BRANCHES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Branch:
    """The rows that agree on some axes, beside which they speak of the next."""

    rows: tuple[tuple[TestedRow, Mapping[str, str]], ...]  # with what each says of the axes
    when: Pairs
    versions: tuple[str, ...]
    beside: Pairs = ()


def _branch_rules(branch: _Branch, axes: Sequence[str]) -> Iterable[Rule]:
    """What the rows say of the first axis; then of the later ones, beside each value of it.

    So a value is tested beside those of its own row, not beside those of another one.
    """
    if not axes:
        return
    axis, *later = axes
    shares = _shares(branch.rows, axis)
    sure = [spec for spec, rows in shares.items() if any(_is_sure(row) for row, _ in rows)]
    values = sure or list(shares)
    if list(shares) != [NONE]:
        yield _tested_rule(branch, (axis, " | ".join(values)))
    when = tuple(pair for pair in branch.when if pair[0] != axis)
    for spec, rows in shares.items():
        inner = replace(branch, rows=rows)
        if len(shares) > 1:
            inner = replace(
                inner, when=(*when, (axis, spec)), beside=(*branch.beside, (axis, spec))
            )
        elif axis == "cuda" and spec != NONE:  # said even of a single row
            inner = replace(inner, beside=((axis, spec),))
        yield from _branch_rules(inner, later)


def _shares(
    rows: Sequence[tuple[TestedRow, Mapping[str, str]]], axis: str
) -> dict[str, tuple[tuple[TestedRow, Mapping[str, str]], ...]]:
    """Value of the axis -> the rows that hold for it; values with the same rows stand together."""
    by_value: dict[str, list[int]] = defaultdict(list)
    for place, (_, said) in enumerate(rows):
        for value in said.get(axis, NONE).split(" | "):
            by_value[value].append(place)
    found: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for value, places in by_value.items():
        found[tuple(places)].append(value)
    return {" | ".join(values): tuple(rows[n] for n in places) for places, values in found.items()}


def _is_sure(row: TestedRow) -> bool:
    return row.evidence != "derived"


def _coverage_rules(
    tested: Sequence[Rule], rows: Mapping[str, Sequence[AxisRow]]
) -> Iterable[Rule]:
    """Of which releases there is a tested row at all, for each platform, with CUDA and without."""
    days = {rule.fact.checked for rule in tested} or {max(r.checked for r in rows["platform"])}
    covered: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for rule in tested:
        when = dict(rule.when)
        target = "tensorflow" if "tensorflow" in when else "runtime"
        device = "none" if when["cuda"] == "none" else "any"
        for platform in when["platform"].split(" | "):
            covered[target, platform, device].update(when[target].split(" | "))
    for target, platform, device in product(
        TARGETS, (row.version for row in rows["platform"]), ("any", "none")
    ):
        of, known = (target, platform, device), [row.version for row in rows[target]]
        releases = [version for version in known if f"=={version}" in covered[of]]
        yield _coverage_rule(of, releases, known, max(days))


def _coverage_rule(
    of: tuple[str, str, str], releases: Sequence[str], known: Sequence[str], checked: str
) -> Rule:
    target, platform, device = of
    with_cuda = "without CUDA" if device == "none" else "with CUDA"
    where = f"{label(target)} on {platform} {with_cuda}"
    fact = Fact(
        id=f"tested-{target}-{platform}-{'cpu' if device == 'none' else 'cuda'}",
        kind="coverage",
        text=f"tables of tested builds have {where} for {span(releases, known)}"
        if releases
        else f"no table of tested builds has {where}",
        source="matrices/tested.yaml, all rows",
        checked=checked,
        evidence="derived",
    )
    when = (("platform", platform), ("cuda", device))
    if not releases:
        return Rule(fact=fact, level="tested", when=(*when, (target, "any")))
    needs = (target, _either(target, releases))
    return Rule(fact=fact, level="tested", when=when, needs=needs)


def _wheel_rules(row: TestedRow, when: Pairs, versions: Sequence[str]) -> list[Rule]:
    """What the published wheels open at run time, by what their releases were tested with."""
    found = []
    for axis, spec in wheel_libraries(row.cuda, row.cudnn).items():
        built = f"CUDA {row.cuda} and cuDNN {row.cudnn}"
        fact = Fact(
            id=f"wheel-{versions[-1]}-{row.platform}-{axis}",
            kind="wheel",
            text=f"the wheels of TensorFlow {span(versions)} were built with {built}: they open "
            f"{label(axis)} {spec} and no other",
            source="; ".join(row.source),
            checked=row.checked,
            evidence="derived",
        )
        found.append(
            Rule(fact=fact, level="wheel", when=(*when, ("cuda", "any")), needs=(axis, spec))
        )
    return found if row.tensorflow else []


def _tested_rule(branch: _Branch, needs: tuple[str, str]) -> Rule:
    axis, spec = needs
    known = [row for row, _ in branch.rows]
    rows = list(filter(_is_sure, known)) or known
    row, versions = rows[0], branch.versions
    beside = [f"{label(name)} {value.replace(' | ', ', ')}" for name, value in branch.beside]
    text = (
        f"{label(row.target)} {row.version} on {row.platform} "
        f"({', '.join((row.device, *beside))}) was tested with "
        f"{label(axis)} {spec.replace(' | ', ', ')}"
    )
    if row.version not in versions:
        text += f"; its line holds for {span(versions)} as well"
    device = row.device + dict(branch.beside).get("cuda", "")
    marks = [f"{n}{v}".replace(" | ", "+") for n, v in branch.beside if n != "cuda"]
    kinds = {member.evidence for member in rows}
    fact = Fact(
        id="-".join(("tested", versions[-1], row.platform, device, *marks, axis)),
        kind="tested",
        text=text,
        source="; ".join(dict.fromkeys(word for member in rows for word in member.source)),
        checked=min(member.checked for member in rows),
        evidence=next(word for word in reversed(EVIDENCE) if word in kinds),
    )
    return Rule(fact=fact, level="tested", when=branch.when, needs=needs)


def tested_values(row: TestedRow) -> list[tuple[str, str]]:
    """What a tested row says of each axis, as ranges over the axis' rows."""
    found = [("python", " | ".join(row.python.split()))] if row.python else []
    if row.gcc:
        found.append(("gcc", minor(row.gcc)))
    if row.clang:
        found.append(("clang", row.clang.split(".")[0]))
    found += [(axis, spec) for axis in ("bazel", "cuda", "cudnn") if (spec := getattr(row, axis))]
    return found
