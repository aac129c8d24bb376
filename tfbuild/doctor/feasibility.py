"""Whether a requested build can be made on a machine, and if not, the shortest way to it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfbuild.core.axes import label
from tfbuild.core.records import Device
from tfbuild.doctor.checks.model import BuildNeeds, Check, CheckState, container_remedy
from tfbuild.facts.build_rows import ImageRow
from tfbuild.facts.own_packages import OwnPackages
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rules import Facts
from tfbuild.resolver.documents import images_for, shown
from tfbuild.resolver.machine import here_pins
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Alternative, Resolution
from tfbuild.resolver.resolver import resolve

GROUP = "request"
# What a machine keeps whatever is installed on it: another container brings another system.
_FIXED = frozenset({"platform", "driver", "gpu"})
# Bazel is none of them: a build fetches it, and a check of its own says so.
_INSTALLABLE = ("python", "gcc", "clang", "cuda", "cudnn")


# As it is, in a container on it, or not at all, whatever the machine.
Way = Literal["here", "container", "none"]
# The needs with memory, disk and jobs of the recipe of that name.
Costs = Callable[[BuildNeeds, str], BuildNeeds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feasibility:
    """The verdict: lines for doctor, and the versions by which all other checks judge."""

    checks: tuple[Check, ...]
    needs: BuildNeeds
    answer: Resolution  # the versions of the build, or why there are none
    way: Way = "here"  # how this machine comes to them


def assess(
    question: Question, facts: Facts, images: Sequence[ImageRow], usual: BuildNeeds, costs: Costs
) -> Feasibility:
    """The request on this machine as it is; else in a container on it; else what would work.

    usual carries what versions do not say; costs adds what a recipe takes of the machine.
    """
    here = resolve(_held(question, everything=True), facts)
    inside = resolve(_held(question, everything=False), facts)
    if here.is_possible:
        checks = (*_verdict(here, inside, images), *_missing(here, question))
        needs = costs(*_needs(here, usual, container=False))
        return Feasibility(checks=checks, needs=needs, answer=here)
    if inside.is_possible:
        way = _container_way(inside, images)
        why = f"not with what this machine has: {_trouble(here)}"
        checks = (
            _line("versions", "failure", why, f"take the shortest way, or {_change(here)}"),
            _line("shortest way", "warning", *way),
        )
        needs = costs(*_needs(inside, usual, container=True))
        return Feasibility(checks=checks, needs=needs, answer=inside, way="container")
    line = _line("versions", "failure", _trouble(inside), _change(inside))
    # No versions to judge by; what such a build takes of a machine is known all the same.
    needs = costs(usual, _recipe_asked(question))
    checks = (line, *_ways(inside, question))
    return Feasibility(checks=checks, needs=needs, answer=inside, way="none")


def _verdict(here: Resolution, inside: Resolution, images: Sequence[ImageRow]) -> tuple[Check, ...]:
    """That it can be built here; outside the tables of tested builds, also the tested way."""
    untested = [label(choice.axis) for choice in here.choices if choice.evidence == "untested"]
    if not untested:
        return (_line("versions", "pass", f"can be built here: {_versions(here)}"),)
    line = _line(
        "versions",
        "warning",
        f"nothing known speaks against it here, but {', '.join(untested)} would be untested: "
        f"{_versions(here)}",
        "take the tested way, or try it",
    )
    better = sum(choice.evidence == "untested" for choice in inside.choices) < len(untested)
    if not inside.is_possible or not better:
        return (line,)
    return line, _line("tested way", "warning", *_container_way(inside, images))


def _held(question: Question, *, everything: bool) -> Question:
    """The question, held to the whole machine or to what a container on it cannot change."""
    pins = here_pins(question.machine, question.pins)
    kept = tuple(pin for pin in pins if everything or pin.axis in _FIXED)
    return replace(question, pins=(*question.pins, *kept))


def _versions(resolution: Resolution) -> str:
    return ", ".join(f"{label(c.axis)} {shown(c.axis, c.value)}" for c in resolution.choices)


def _trouble(resolution: Resolution) -> str:
    return resolution.trouble or "no versions go together"


def _change(resolution: Resolution) -> str:
    """The smallest change that helps, in words."""
    if not resolution.alternatives:
        return "nothing that you can change helps"
    return f"take {_changed(resolution.alternatives[0])}"


def _changed(alternative: Alternative) -> str:
    return ", ".join(f"{axis}={shown(axis, value)}" for axis, value in alternative.change)


def _ways(resolution: Resolution, question: Question) -> tuple[Check, ...]:
    """Every alternative as a line with its command, where no machine can do what is asked."""
    return tuple(
        _line(
            "another way",
            "warning",
            f"works with {_changed(alternative)}",
            shlex.join(["tfbuild", "resolve", *_words(alternative, question)]),
        )
        for alternative in resolution.alternatives
    )


def _words(alternative: Alternative, question: Question) -> list[str]:
    """What was asked, as one would type it, with the change."""
    changed = dict(alternative.change)
    kept = (pin for pin in question.pins if pin.axis not in changed)
    return [
        *(f"{pin.axis}{'' if pin.spec[:1] in '<>=!~' else '='}{pin.spec}" for pin in kept),
        *(f"{axis}={shown(axis, value)}" for axis, value in changed.items()),
    ]


def _container_way(resolution: Resolution, images: Sequence[ImageRow]) -> tuple[str, str]:
    """A system whose own packages serve, and an image that has the toolkit already."""
    system, cuda = resolution.value("os"), resolution.value("cuda")
    detail = f"in a container of {system}: {_versions(resolution)}"
    tags = images_for(resolution, images) if cuda not in {"", NONE} else ()
    if tags:
        return detail, f"build with --env docker; by hand, start from the image {tags[0]}"
    return detail, f"build with --env docker; by hand, start from an image of {system}"


def _missing(resolution: Resolution, question: Question) -> tuple[Check, ...]:
    """One line per tool that the machine has not: it must be fetched or installed."""
    found = []
    for axis in _INSTALLABLE:
        value = resolution.value(axis)
        if not value or value == NONE or question.machine.where(axis, value):
            continue
        others = ", ".join(question.machine.has.get(axis, {})) or "none"
        found.append(
            _line(
                axis, "warning", f"{label(axis)} {value} is not here ({others})",
                _bring(axis, value, question.machine.packages),
            )
        )  # fmt: skip
    return tuple(found)


def _bring(axis: str, value: str, packages: OwnPackages) -> str:
    """How to get a version: by the machine's own packages, or by a container where they lack it."""
    if remedy := container_remedy(packages, axis, value):
        return remedy
    return f"install {label(axis)} {value}, or let a container bring it"


def _recipe_asked(question: Question) -> str:
    """The name of the recipe that the constraints alone mean."""
    requested = {pin.axis: pin.spec for pin in question.pins}
    is_cuda = any(requested.get(axis, NONE) != NONE for axis in ("cuda", "cudnn", "gpu"))
    device: Device = "cuda" if is_cuda else "cpu"
    return f"tensorflow_{device}" if requested.get("tensorflow", NONE) != NONE else device


def _needs(resolution: Resolution, usual: BuildNeeds, *, container: bool) -> tuple[BuildNeeds, str]:
    """What the other checks are to judge by: the resolved versions; and the name of the recipe."""
    value = resolution.value
    target = "tensorflow" if value("tensorflow") else "runtime"
    device: Device = "cuda" if value("cuda") not in {"", NONE} else "cpu"
    gpus = shown("gpu", value("gpu")).split(", ") if value("gpu") not in {"", NONE} else ()
    needs = replace(
        usual,
        title=f"{label(target)} {value(target)}",
        device=device,
        platforms=(value("platform"),),
        glibc="",
        gcc=value("gcc") or NONE,
        clang=value("clang") or NONE,
        python=value("python"),
        numpy=value("numpy"),
        bazel=value("bazel"),
        cuda=value("cuda") or NONE,
        cudnn=value("cudnn"),
        driver=f">={value('driver')}" if value("driver") and container else "",
        architectures=tuple(gpus),
        fetches=("bazel",) if target == "tensorflow" else usual.fetches,
        container=container,
    )
    return needs, device if target == "runtime" else f"{target}_{device}"


def _line(name: str, state: CheckState, detail: str, fix: str = "") -> Check:
    return Check(group=GROUP, name=name, state=state, detail=detail, fix=fix)
