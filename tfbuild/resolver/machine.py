"""A machine in the resolver's words: which values of each axis it has, and which it is bound to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Host, Pin, Program
from tfbuild.core.versions import minor
from tfbuild.facts.names import read_capability, read_spec
from tfbuild.facts.own_packages import NO_PACKAGES, OwnPackages, read_own_packages
from tfbuild.facts.ranges import NONE, asked
from tfbuild.facts.rules import Facts
from tfbuild.facts.targets import target_of

HERE = "this machine"
_OF_GPUS = frozenset({"cuda", "cudnn", "gpu", "nccl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Values per axis that are there already, with where; and what cannot be changed about it."""

    has: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # axis -> value -> where
    bound: Mapping[str, str] = field(default_factory=dict)  # axis -> value
    gpus: tuple[str, ...] = ()  # capabilities
    packages: OwnPackages = NO_PACKAGES
    name: str = HERE

    def where(self, axis: str, value: str) -> str:
        """Where the machine has that value, or an empty string."""
        return self.has.get(axis, {}).get(value, "")


NO_MACHINE = Machine()


def read_machine(host: Host, facts: Facts, name: str = HERE) -> Machine:
    """What a host means to the resolver."""
    bound = {"platform": target_of(host).version, "glibc": host.glibc, "driver": host.driver}
    bound["os"] = _system(host, facts)
    pythons = [Program(name="python", path=p.path, version=p.version) for p in _ready(host)]
    programs = {
        "python": pythons,
        "gcc": [p for p in host.compilers if p.name.startswith("g++")],
        "clang": [p for p in host.compilers if p.name.startswith("clang")],
        "bazel": host.bazels,
        "cuda": host.toolkits,
    }
    has = {axis: _rows(axis, found, facts) for axis, found in programs.items()}
    has |= {axis: {value: name} for axis, value in bound.items() if value}
    return Machine(
        has={axis: values for axis, values in has.items() if values},
        bound={axis: value for axis, value in bound.items() if value},
        gpus=tuple(dict.fromkeys(read_capability(g.architecture, ())[0] for g in host.gpus)),
        packages=read_own_packages(bound["os"], facts.rows.get("os", ())),
        name=name,
    )


def here_pins(machine: Machine, requested: Sequence[Pin]) -> tuple[Pin, ...]:
    """The machine's facts as pins, for axes that the request leaves open.

    What is installed there counts as well: another Python would have to be installed first. Where
    a pin is about GPUs, its GPUs and its driver are pins too.
    """
    taken = {pin.axis for pin in requested}
    gpu = any(pin.axis in _OF_GPUS and pin.spec != NONE for pin in requested)
    own = dict(machine.bound)
    if not gpu:
        own.pop("driver", None)
    for axis in ("python", "gcc"):
        if axis in machine.has:
            own[axis] = " | ".join(machine.has[axis])
    if gpu and machine.gpus:
        own["gpu"] = ",".join(machine.gpus)
    return tuple(
        Pin(axis=axis, spec=spec, origin=machine.name, kind="machine")
        for axis, spec in own.items()
        if axis not in taken
    )


def _ready(host: Host) -> tuple[Program, ...]:
    """Interpreters with headers; where none has any, those that tfbuild found at all."""
    with_headers = [p for p in host.pythons if p.headers]
    return tuple(
        Program(name="python", path=p.path, version=p.version)
        for p in with_headers or host.pythons[:1]
    )


def _rows(axis: str, programs: Sequence[Program], facts: Facts) -> dict[str, str]:
    """Row of the axis -> path, for every program; a version without a row stands for itself."""
    found: dict[str, str] = {}
    for program in programs:
        if not program.version:
            continue
        rows = asked(program.version, facts.versions(axis))
        if not rows and axis != "bazel":  # a tree that pins one Bazel takes no other
            rows = asked(minor(program.version), facts.versions(axis))
        value = next(iter(rows)) if len(rows) == 1 else _own(axis, program.version)
        found.setdefault(value, f"{program.version} at {program.path}")
    return found


def _own(axis: str, version: str) -> str:
    return version if axis == "bazel" else minor(version)


def _system(host: Host, facts: Facts) -> str:
    """The row of its distribution, or its own words where there is none."""
    if (system := target_of(host).system) != "linux":
        return system  # it has one row, not many
    words = f"{host.distribution} {host.distribution_version}".strip()
    try:
        found = read_spec("os", words, facts)
    except BadRequest:
        return words
    return found if " | " not in found else words
