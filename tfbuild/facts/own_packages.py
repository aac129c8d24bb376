"""What a distribution offers in its own packages, and which others offer what it lacks."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from tfbuild.core.axes import label
from tfbuild.core.records import Pairs
from tfbuild.facts.fact import Fact
from tfbuild.facts.ranges import NONE, asked
from tfbuild.facts.rows import AxisRow

_TOOLS = frozenset({"gcc", "python", "bazel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPackages:
    """A system, and the versions in the packages of every system that is known, by axis."""

    system: str = ""  # debian 12; empty where it is not known
    offers: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def of(self, axis: str) -> tuple[str, ...]:
        """The versions that this system's package manager can install."""
        return self.offers.get(self.system, {}).get(axis, ())

    def lacks(self, axis: str, spec: str) -> bool:
        """Whether no package of this system is in the range; False where they are not known."""
        known = self.of(axis)
        return bool(known and spec not in {"", NONE} and not asked(spec, known))

    def elsewhere(self, axis: str, spec: str) -> tuple[str, ...]:
        """The systems that a container can be of whose packages have a version in the range."""
        return tuple(
            system
            for system, offers in self.offers.items()
            if offers.keys() >= _TOOLS and asked(spec, offers.get(axis, ()))
        )


NO_PACKAGES = OwnPackages()


def read_own_packages(system: str, rows: Sequence[AxisRow]) -> OwnPackages:
    """What the rows of the axis os say of a system and of the others."""
    offers = {
        row.version: {axis: tuple(listed.split()) for axis, listed in row.offers} for row in rows
    }
    return OwnPackages(system=system, offers=offers)


def complete_systems(rows: Sequence[AxisRow], tools: AbstractSet[str] = _TOOLS) -> tuple[str, ...]:
    """The systems whose packages are known to have the tools: a compiler, a Python and a Bazel."""
    return tuple(row.version for row in rows if {axis for axis, _ in row.offers} >= tools)


def package_facts(rows: Iterable[AxisRow]) -> Iterable[tuple[Fact, Pairs, tuple[str, str]]]:
    """What a system's own packages give is all that there is in a container of it."""
    for row in rows:
        for axis, listed in row.offers:
            versions = listed.split()
            fact = Fact(
                id=f"os-{row.version.replace(' ', '-')}-{axis}-packages",
                kind="packages",
                text=f"{row.version} has {label(axis)} {', '.join(versions)} in its own packages",
                source="; ".join(row.source),
                checked=row.checked,
                evidence=row.evidence,
            )
            when: Pairs = (("os", row.version),)
            # A tree of TensorFlow takes the Bazel that it names, wherever that comes from.
            when += (("runtime", "any"),) if axis == "bazel" else ()
            yield fact, when, (axis, " | ".join(versions))
