"""What was asked, in a person's words, as pins that the solver's side can read."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tfbuild.core.axes import TARGETS
from tfbuild.core.records import Pin
from tfbuild.facts.product_names import (
    read_gpus,
    read_operating_system,
    read_platform,
    read_processor,
)
from tfbuild.facts.rules import Facts
from tfbuild.facts.wording import Reading, development_day, read_version
from tfbuild.resolver.resolution import ResolutionWarning, WarningKind

# Its maker's own build: another list of libraries and Pythons than that of the published wheel,
# which images of TensorFlow's makers hold as well.
_OWN_BUILD = re.compile(
    r"\+(nv|rocm|cu|computecanada)|jetson|jetpack|l4t|conda|nvidia|\bngc\b|nvcr", re.IGNORECASE
)
_OWN_SYSTEM = re.compile("jetson|jetpack|l4t", re.IGNORECASE)
_KINDS: dict[str, WarningKind] = {"read": "read", "open": "open", "meaningless": "meaningless"}


def understand(
    pins: Sequence[Pin], facts: Facts
) -> tuple[tuple[Pin, ...], tuple[ResolutionWarning, ...]]:
    """The pins as ranges, and what is to be said about how they were read.

    A word that means nothing is left out, with a warning. What one pin says of another axis
    (`clang 14` as gcc) yields to what was asked of that axis itself.
    """
    asked = {pin.axis for pin in pins}
    found: dict[tuple[str, str], Pin] = {}
    remarks = []
    for pin in pins:
        if pin.kind != "request":
            found.setdefault((pin.axis, pin.spec), pin)
            continue
        reading = _read(pin, facts)
        for axis, spec in reading.specs:
            if axis == pin.axis or axis not in asked:
                found.setdefault((axis, spec), replace(pin, axis=axis, spec=spec))
        if pin.axis in TARGETS and not reading.specs:  # it is still what the question is about
            found.setdefault((pin.axis, "any"), replace(pin, spec="any"))
        if reading.kind != "plain":
            remarks.append(_remark(pin, reading))
    return tuple(found.values()), tuple(remarks)


def is_of_others(pins: Sequence[Pin]) -> bool:
    """Whether the words speak of a build that is not the one on the package index."""
    return is_changed(pins) or any(
        _OWN_SYSTEM.search(pin.spec) for pin in pins if pin.axis in {"gpu", "os"}
    )


def is_changed(pins: Sequence[Pin]) -> bool:
    """Whether the words speak of a release that its maker has changed, as `1.15.4+nv20.12` does."""
    return any(_OWN_BUILD.search(pin.spec) for pin in pins if pin.axis == "tensorflow")


def tree_day(pins: Sequence[Pin]) -> str:
    """The day of the development tree of TensorFlow that is asked for; empty where none is."""
    days = (development_day(pin.spec) for pin in pins if pin.axis == "tensorflow")
    return next(filter(None, days), "")


def _read(pin: Pin, facts: Facts) -> Reading:
    if pin.axis == "os":
        return read_operating_system(pin.spec, facts)
    if pin.axis == "platform":
        return read_platform(pin.spec, facts)
    if pin.axis == "gpu":
        return read_gpus(pin.spec, facts)
    if pin.axis == "cpu":
        return read_processor(pin.spec, facts)
    return read_version(pin.axis, pin.spec, facts)


def _remark(pin: Pin, reading: Reading) -> ResolutionWarning:
    axes = tuple(dict.fromkeys((pin.axis, *(axis for axis, _ in reading.specs))))
    return ResolutionWarning(kind=_KINDS[reading.kind], axes=axes, message=reading.remark, facts=())
