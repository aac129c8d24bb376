"""Combinations that tfbuild itself has built and tried: what they cover, and what they say."""

from collections.abc import Collection, Iterable, Mapping

from tfbuild.core.axes import is_word, label
from tfbuild.facts.fact import Fact
from tfbuild.facts.ranges import NONE, select
from tfbuild.facts.rows import TestedRow
from tfbuild.facts.rules import Facts, tested_values
from tfbuild.facts.targets import range_of_tested

_COMPILERS = ("gcc", "clang")
_ON_GPU = frozenset({"cuda", "cudnn"})  # proven only by kernels that ran
# What a row says of the place where it was proven: as good elsewhere, but not proven there.
_PLACE = ("os", "glibc", "numpy")


def find_proof(facts: Facts, best: Mapping[str, str]) -> TestedRow | None:
    """The proven row that covers the choice and has most in common with it, or None."""
    covering = [row for row in facts.tested if row.is_proven and _holds(row, best)]
    return max(covering, key=lambda row: (len(proven_axes(row, best)), row.checked), default=None)


def proven_axes(row: TestedRow, best: Mapping[str, str]) -> frozenset[str]:
    """The axes on which a row that covers the choice proves the chosen value."""
    axes = {row.target, *(axis for axis, _ in tested_values(row))}
    axes |= {axis for axis in _PLACE if getattr(row, axis) == best.get(axis, NONE)}
    return frozenset(axes - (frozenset() if row.gpu else _ON_GPU))


def proof_fact(row: TestedRow) -> Fact:
    """What a proven row says, as a sentence."""
    system = f" on {row.os}" if row.os else ""
    beside = [(axis, getattr(row, axis)) for axis in ("python", "numpy", "bazel", "gcc", "clang")]
    beside += [("cuda", row.cuda), ("cudnn", row.cudnn)]
    words = [f"{label(axis)} {value}" for axis, value in beside if value]
    text = (
        f"{label(row.target)} {row.version} was built, audited and smoke-tested by tfbuild{system} "
        f"with {', '.join(words)}"
    )
    if row.device == "cuda":
        ran = f"its GPU kernels ran on {row.gpu}"
        text += f"; {ran if row.gpu else 'its GPU kernels were compiled and audited, not run'}"
    marks = (row.target, row.version, row.platform, row.device, row.os, *(v for _, v in beside))
    return Fact(
        id="-".join(("proven", *(mark.replace(" ", "-") for mark in marks if mark))),
        kind="proven",
        text=text,
        source="; ".join(row.source),
        checked=row.checked,
        evidence=row.evidence,
    )


def continuing(facts: Facts, axis: str, allowed: Mapping[str, Collection[str]]) -> frozenset[str]:
    """The values of an axis that some proven row has, and with it only values that are allowed."""
    found: frozenset[str] = frozenset()
    for row in facts.tested:
        if row.is_proven:
            system = [("os", row.os)] if axis == "os" and row.os else []
            common = {
                name: select(spec, sorted(allowed.get(name, ())), words=is_word(name))
                for name, spec in (*_values(row), *system)
            }
            if all(common.values()):
                found |= common.get(axis, frozenset())
    return found


def _holds(row: TestedRow, best: Mapping[str, str]) -> bool:
    """Whether the choice is, on every axis that the row speaks of, what was built."""
    return all(
        select(spec, [best.get(axis, NONE)], words=is_word(axis)) for axis, spec in _values(row)
    )


def _values(row: TestedRow) -> Iterable[tuple[str, str]]:
    """The row as ranges: also that there was no CUDA, and no second compiler."""
    found = dict(tested_values(row))
    yield row.target, f"=={row.version}"
    yield "platform", range_of_tested(row.platform)
    yield "cuda", found.get("cuda", NONE)
    yield from ((axis, spec) for axis, spec in found.items() if axis != "cuda")
    yield from ((axis, NONE) for axis in _COMPILERS if axis not in found)
