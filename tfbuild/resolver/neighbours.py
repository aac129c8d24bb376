"""Which known cases lie nearest to a question, how they differ, and what their pairs say.

Nearness is a sum over the axes that either names: the number of series (minor releases of
TensorFlow, CUDA and Python, major ones of compilers and Bazel) that lie between the two, times the
weight of the axis. A case that is silent on what was asked is farther away than one that says more
than was asked, unless what it says more was the cause of its failure. The weights are those with
which, of the cases that are not held out, the nearest other one ended alike most often;
`python -m benchmarks.cases` measures that.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tfbuild.core.axes import axes, is_word, label
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pin
from tfbuild.core.versions import known_version
from tfbuild.facts.cases import Case
from tfbuild.facts.names import read_capability, system_name
from tfbuild.facts.ranges import select
from tfbuild.facts.rules import Facts
from tfbuild.facts.targets import usual_target
from tfbuild.resolver.resolution import Neighbour, Resolution, ResolutionWarning

Place = str | tuple[int, ...]  # a word, or the numbers of a series

_MOST = 3
_FARTHEST = 10  # what is farther away is no neighbour
_MOST_STEPS = 2  # what lies farther apart is no more unlike
_SILENT, _UNASKED, _UNASKED_CAUSE = 4, 2, 4
_VERSION = re.compile(r"\d+(?:\.\d+)*")


def places(words: Mapping[str, str], facts: Facts) -> dict[str, Place]:
    """Where a question or a case lies on each axis that it names; unreadable words are left out."""
    found = {axis: _place(axis, text, facts) for axis, text in words.items() if axis in axes()}
    named = {axis: place for axis, place in found.items() if place is not None}
    return {"platform": _platform(str(named.get("os", ""))), **named}


def with_cases(
    resolution: Resolution, pins: Sequence[Pin], kind: str, cases: Sequence[Case], facts: Facts
) -> Resolution:
    """The answer with the nearest cases, and doubtful where those of a pair mostly failed."""
    asked = places({pin.axis: pin.spec for pin in pins}, facts)
    near = nearest_cases(asked, kind, cases, facts)
    named = {warning.axes for warning in resolution.warnings if warning.kind == "doubt"}
    doubts = doubts_of_cases(asked, kind, cases, facts) if resolution.is_possible else ()
    doubts = tuple(doubt for doubt in doubts if doubt.axes not in named)
    if not doubts:
        return replace(resolution, cases=near)
    warnings = (*doubts, *resolution.warnings)
    return replace(
        resolution, cases=near, warnings=warnings, status="doubtful", confidence="doubtful"
    )


def nearest_cases(
    asked: Mapping[str, Place], kind: str, cases: Sequence[Case], facts: Facts
) -> tuple[Neighbour, ...]:
    """Up to three cases of that kind (build, run), the nearest first; none that lies too far."""
    release = asked.get("tensorflow")
    if not isinstance(release, tuple):
        return ()
    found = []
    for case in cases:
        theirs = _release_of(case)
        if case.kind != kind or _steps("tensorflow", release, theirs, facts) > _MOST_STEPS:
            continue
        neighbour = _compare(asked, case, facts)
        if neighbour.distance <= _FARTHEST:
            found.append(neighbour)
    return tuple(sorted(found, key=_order)[:_MOST])


def doubts_of_cases(
    asked: Mapping[str, Place], kind: str, cases: Sequence[Case], facts: Facts
) -> tuple[ResolutionWarning, ...]:
    """A doubt for each pair of release and axis of which the cases with both mostly failed."""
    release, found = asked.get("tensorflow"), []
    if not isinstance(release, tuple):
        return ()
    beside = [case for case in cases if case.kind == kind and _release_of(case) == release]
    placed = [(case, places(dict(case.tried), facts)) for case in beside]
    for axis, place in asked.items():
        if axis in {"tensorflow", "os", "platform"}:
            continue
        same = [case for case, theirs in placed if theirs.get(axis) == place]
        failed = [case for case in same if set(case.cause) == {"tensorflow", axis}]
        worked = [case for case in same if case.outcome == "worked"]
        if failed and len(failed) > len(worked):
            found.append(_doubt(axis, failed, worked))
    return tuple(found)


# --- inside ------------------------------------------------------------------------------------


def _doubt(axis: str, failed: Sequence[Case], worked: Sequence[Case]) -> ResolutionWarning:
    known = counted(len(failed) + len(worked), "known case")
    return ResolutionWarning(
        kind="doubt",
        axes=("tensorflow", axis),
        message=f"of {known} with this TensorFlow and this {label(axis)} {len(failed)} "
        f"failed: {failed[0].says}",
        facts=(),
    )


def _compare(asked: Mapping[str, Place], case: Case, facts: Facts) -> Neighbour:
    theirs = places(dict(case.tried), facts)
    distance, differs = 0, []
    for axis in dict.fromkeys((*asked, *theirs)):
        mine, other = asked.get(axis), theirs.get(axis)
        if other is None:
            distance += _SILENT * (not is_word(axis))
        elif mine is None:
            is_cause = axis in case.cause
            distance += _UNASKED_CAUSE if is_cause else _UNASKED * (not is_word(axis))
            differs += [axis] if is_cause else []
        elif mine != other:
            distance += axes()[axis].weight * min(_steps(axis, mine, other, facts), _MOST_STEPS)
            differs.append(axis)
    return Neighbour(case=case, distance=distance, differs=tuple(differs))


def _order(neighbour: Neighbour) -> tuple[int, bool, str]:
    """The nearest first; of two those that versions decided; the name makes it certain."""
    return neighbour.distance, not neighbour.case.is_decided, neighbour.case.name


def _release_of(case: Case) -> tuple[int, ...]:
    words = dict(case.tried).get("tensorflow", "")
    match = _VERSION.search(words)
    return _series("tensorflow", match[0]) if match else ()


def _platform(system: str) -> str:
    """The platform that a system means where none is named."""
    if system.startswith(("macos", "mac os", "os x", "osx")):
        return usual_target("macos", "x86").version
    return usual_target("windows" if system.startswith("win") else "linux").version


def _place(axis: str, text: str, facts: Facts) -> Place | None:
    if axis == "os":
        return " ".join(system_name(text).split()[:2])
    if axis == "platform":
        return text.lower()
    if axis == "gpu":
        return _capability(text, facts)
    match = _VERSION.search(text)
    return _series(axis, match[0]) if match else text.lower() if text == "none" else None


@lru_cache(maxsize=4096)
def _capability(text: str, facts: Facts) -> Place | None:
    try:
        capability, _ = read_capability(text.split(",", maxsplit=1)[0], facts.gpus)
    except BadRequest:
        return None
    return _series("gpu", capability)


@lru_cache(maxsize=8192)
def _series(axis: str, text: str) -> tuple[int, ...]:
    """The numbers that make a series: two of Python and of Bazel 0, one of GCC 5."""
    version, minors = known_version(text), axes()[axis].minors
    numbers = version.release if version else ()
    return (*numbers, 0, 0)[: 2 if minors and select(minors, (text,)) else 1]


def _steps(axis: str, one: Place, other: Place, facts: Facts) -> int:
    """How many series lie between two places; words are equal or far apart."""
    if isinstance(one, str) or isinstance(other, str):
        return 0 if one == other else 1
    known = _known_series(axis, facts)
    return abs(bisect_left(known, one) - bisect_left(known, other)) or int(one != other)


@lru_cache(maxsize=64)
def _known_series(axis: str, facts: Facts) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted({_series(axis, value) for value in facts.versions(axis)}))
