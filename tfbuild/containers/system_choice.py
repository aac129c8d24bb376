"""Which system a container is of: one whose own packages have what was asked for."""

from collections.abc import Collection
from dataclasses import replace

from tfbuild.containers.systems import read_system
from tfbuild.core.environments import EnvironmentPlan, System
from tfbuild.core.errors import NoSolution
from tfbuild.core.records import Host, Interpreter, Pin, Program, Request
from tfbuild.core.versions import contains, minor
from tfbuild.facts.names import version_word
from tfbuild.facts.own_packages import complete_systems
from tfbuild.facts.ranges import NONE, select
from tfbuild.facts.rules import load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import HERE, Machine, read_machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.ranking import read_preferences
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve

_PACKAGED = ("python", "gcc", "clang", "bazel")
_PREFER = "here,evidence,newest"  # this machine's own system where it serves: nothing surprises


def choose_system(
    request: Request, tables: Tables, host: Host, *, among: Collection[str] = ()
) -> System:
    """The system for a request; NoSolution names what no system's packages have together.

    A release of this machine's own distribution comes first: its packages come from where this
    machine's do, and its image can be made of them. among names the systems that are possible;
    without it, all that have a Bazel of their own.
    """
    resolution = _placed(request, tables, host, among or _kin(request, tables, host))
    if not resolution.is_possible and not among:
        resolution = _placed(request, tables, host, ())
    if resolution.is_possible:
        return read_system(resolution.value("os"), tables.axis("os"))
    raise _nowhere(resolution, request, tables, among)


def inside_of(system: System, host: Host, request: Request) -> Host:
    """A container of the system on this host, as a machine: its packages count as installed.

    Of compilers only the newest does, which in Debian is the usual one, unless one was asked for
    or nvcc has a word in it.
    """
    family, _, number = system.name.partition(" ")
    offers = dict(system.offers)
    any_gcc = request.recipe.endswith("cuda") or any(pin.axis == "gcc" for pin in request.pins)
    compilers = offers.get("gcc", ()) if any_gcc else offers.get("gcc", ())[-1:]
    return replace(
        host,
        distribution=family,
        distribution_version=number,
        glibc=system.glibc,
        compilers=tuple(
            Program(name="g++", path=f"/usr/bin/g++-{version.split('.')[0]}", version=version)
            for version in compilers
        ),
        pythons=tuple(
            Interpreter(
                path=f"/usr/bin/python{version}",
                version=version,
                tag="cp" + version.replace(".", ""),
                headers=f"/usr/include/python{version}",
            )
            for version in offers.get("python", ())
        ),
        bazels=tuple(
            Program(name="bazel", path="/usr/bin/bazel", version=version)
            for version in offers.get("bazel", ())
        ),
        toolkits=(),
    )


def limited(host: Host, environment: EnvironmentPlan) -> Host:
    """A machine as a container with these limits sees it."""
    cpus = min(host.cpus, max(1, int(environment.cpus))) if environment.cpus else host.cpus
    memory = environment.memory_mb
    return replace(
        host,
        cpus=cpus,
        memory_mb=min(host.memory_mb, memory) if memory else host.memory_mb,
    )


def _placed(request: Request, tables: Tables, host: Host, among: Collection[str]) -> Resolution:
    """The best system among some, or among all where none is named, by its own packages."""
    facts = load_facts(tables)
    machine = read_machine(host, facts)
    question = Question(
        pins=_pins(request, tables, machine.bound.get("platform", ""), among),
        machine=Machine(has=_own(machine, tables), name=machine.name),
        prefer=read_preferences(request.prefer or _PREFER),
        strict=request.strict,
        packaged=True,
    )
    return resolve(question, facts)


def _kin(request: Request, tables: Tables, host: Host) -> tuple[str, ...]:
    """The releases of this machine's distribution whose packages have all tools."""
    complete = _complete(request, tables, ()).split(" | ")
    return tuple(version for version in complete if version.split()[0] == host.distribution)


def _nowhere(
    resolution: Resolution, request: Request, tables: Tables, among: Collection[str]
) -> NoSolution:
    """Why no system serves, and what would."""
    conflict = next(iter(resolution.conflicts), None)
    possible = _complete(request, tables, among).split(" | ")
    others = [
        " ".join(f"{axis}={value}" for axis, value in one.change)
        for one in resolution.alternatives
        if dict(one.versions).get("os") in possible
    ][:3]
    sources = "; ".join(dict.fromkeys(f.source for f in conflict.facts)) if conflict else ""
    apart = _apart(request, tables, among)
    hint = "`tfbuild facts show os` shows what each system has in its own packages"
    if others:
        hint = f"ask for {', or '.join(others)}"
    if apart:
        return NoSolution(apart, code="no-system-has-all", why=resolution.trouble, hint=hint)
    return NoSolution(resolution.trouble, code="no-system-fits", why=sources, hint=hint)


def _own(machine: Machine, tables: Tables) -> dict[str, dict[str, str]]:
    """This machine's own system and what its packages have, whether it is installed or not."""
    name = machine.bound.get("os", "")
    row = next((row for row in tables.axis("os") if row.version == name), None)
    offers = row.offers if row else ()
    own = {axis: dict.fromkeys(listed.split(), name) for axis, listed in offers}
    return {"os": {name: machine.name}, **own} if name else {}


def _pins(
    request: Request, tables: Tables, platform: str, among: Collection[str]
) -> tuple[Pin, ...]:
    """What was asked for, and what the source tree and the recipe mean."""
    pins = list(request.pins)
    device = tables.recipe(request.recipe).device
    meant = {
        tables.recipe(request.recipe).axes[0]: (f"=={request.source_version}", "the source tree"),
        "cuda": ("any" if device == "cuda" else NONE, f"recipe {request.recipe}"),
        "gcc": ("any", f"recipe {request.recipe}"),
        "platform": (platform, HERE),
        "os": (
            _complete(request, tables, among),
            "systems that have all tools in their own packages",
        ),
    }
    taken = {pin.axis for pin in pins}
    pins += [
        Pin(
            axis=axis, spec=spec, origin=origin, kind="machine" if axis == "platform" else "request"
        )
        for axis, (spec, origin) in meant.items()
        if axis not in taken and spec
    ]
    return tuple(pins)


def _apart(request: Request, tables: Tables, among: Collection[str]) -> str:
    """Which systems have each of the requested tools; empty where one system has all of them."""
    rows = [
        row
        for row in tables.axis("os")
        if row.version in _complete(request, tables, among).split(" | ")
    ]
    where = {}
    for pin in request.pins:
        if pin.axis in _PACKAGED and pin.spec not in {"any", NONE}:
            spec = version_word(pin.axis, pin.spec)
            where[f"{pin.axis} {pin.spec}"] = [
                row.version
                for row in rows
                if any(contains(spec, v) for v in dict(row.offers).get(pin.axis, "").split())
            ]
    if not where or set.intersection(*map(set, where.values())):
        return ""
    found = [f"{tool} is in {', '.join(names) or 'none'}" for tool, names in where.items()]
    return f"no system has {' and '.join(where)} in its own packages: {'; '.join(found)}"


def _complete(request: Request, tables: Tables, among: Collection[str]) -> str:
    """The systems whose packages are known to have a compiler, a Python and a Bazel.

    A TensorFlow tree names its Bazel itself, which is no distribution's; its CUDA is that of an
    image, so that only systems of which there is one are possible.
    """
    if "runtime" in tables.recipe(request.recipe).axes:
        systems = complete_systems(tables.axis("os"))
    else:
        systems = _apt_systems(request, tables)
    return " | ".join(system for system in systems if not among or system in among)


def _apt_systems(request: Request, tables: Tables) -> tuple[str, ...]:
    """Debian and Ubuntu with compiler and Python, and an image of CUDA where that is built for."""
    rows = [row for row in tables.axis("os") if row.version.startswith(("debian ", "ubuntu "))]
    systems = complete_systems(rows, {"gcc", "python"})
    if tables.recipe(request.recipe).device == "cpu":
        return systems
    asked = next((pin.spec for pin in request.pins if pin.axis == "cuda"), "any")
    images = {
        row.os
        for row in tables.images()
        if row.cudnn_devel and select(asked, (minor(row.cuda), row.cuda))
    }
    return tuple(system for system in systems if system in images)
