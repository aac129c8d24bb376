"""Distributions as containers: their images and suites, and what their own packages give."""

from collections.abc import Iterable
from datetime import UTC, datetime

from tfbuild.core.environments import System
from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.rows import AxisRow

_FAMILIES = ("debian", "ubuntu")  # apt and bazel-bootstrap are what our Dockerfiles are made of


def is_ended(system: System) -> bool:
    """Whether it gets no updates any more."""
    return bool(system.ends) and system.ends < datetime.now(UTC).date().isoformat()


def match_offer(system: System, axis: str, wanted: str) -> str:
    """The offered version that begins with the same numbers as the wanted one; else empty.

    Of a compiler the first number decides, of anything else the first two.
    """
    count = 1 if axis in {"gcc", "clang"} else 2
    numbers = wanted.split(".")[:count]
    return next((v for v in system.offered(axis) if v.split(".")[:count] == numbers), "")


def read_system(text: str, rows: Iterable[AxisRow]) -> System:
    """The system of `debian 12`, `debian:bookworm`, `debian:12` or `bookworm`.

    Raises BadRequest for one that is not known, or whose packages apt does not handle.
    """
    known: dict[str, System] = {}
    for row in rows:
        family, _, number = row.version.partition(" ")
        if family in _FAMILIES and row.aliases:
            system = _system(row)
            names = (row.version, f"{family}:{number}", system.image, *row.aliases)
            known |= dict.fromkeys(names, system)
    word = " ".join(text.lower().split())
    if word not in known:
        raise BadRequest(
            f"no Debian or Ubuntu is known as '{text}'",
            code="system-unknown",
            hint=did_you_mean(word, list(known)),
        )
    return known[word]


def _system(row: AxisRow) -> System:
    requires = dict(row.requires)
    return System(
        name=row.version,
        suite=row.aliases[0],
        glibc=requires.get("glibc", "").lstrip("="),
        ends=row.ends,
        offers=tuple((axis, tuple(listed.split())) for axis, listed in row.offers),
    )
