"""Whether this machine can have the compiler and the Python that a build on it needs."""

from dataclasses import replace

from tfbuild.containers.system_choice import choose_system
from tfbuild.core.axes import label
from tfbuild.core.errors import NoSolution
from tfbuild.core.records import Host, Pin, Request, Versions
from tfbuild.facts.names import version_word
from tfbuild.facts.ranges import asked
from tfbuild.facts.rules import load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import Machine, read_machine


def require_obtainable(request: Request, versions: Versions, tables: Tables, host: Host) -> None:
    """NoSolution where a tool is neither here nor in the packages of this machine's system.

    A container has what its image is made of. Where the packages of the system are not known,
    nothing is refused.
    """
    if request.env != "host":
        return
    machine = read_machine(host, load_facts(tables))
    pins = {pin.axis: version_word(pin.axis, pin.spec) for pin in request.pins}
    wanted = {"gcc": pins.get("gcc", ""), "python": pins.get("python") or _chosen(versions)}
    for axis, spec in wanted.items():
        if not spec or asked(spec, tuple(machine.has.get(axis, ()))):
            continue
        if machine.packages.lacks(axis, spec):
            pin = Pin(axis=axis, spec=spec)
            way = container_way(replace(request, pins=(*request.pins, pin)), tables, host)
            raise _unobtainable(pin, machine, way)


def _chosen(versions: Versions) -> str:
    """The Python that was chosen; of compilers any does where none was asked for."""
    return next((choice.value for choice in versions.choices if choice.axis == "python"), "")


def container_way(request: Request, tables: Tables, host: Host) -> str:
    """The remedy where a container could be built in; else an empty text."""
    try:
        system = choose_system(replace(request, env="docker"), tables, host)
    except NoSolution:
        return ""
    return f"give --env docker: a container of {system.name} has it"


def _unobtainable(pin: Pin, machine: Machine, way: str) -> NoSolution:
    axis, own = pin.axis, machine.packages.of(pin.axis)
    asking = f"ask for {', or '.join(f'{axis}={version}' for version in own)}"
    return NoSolution(
        f"this machine has no {label(axis)} {pin.spec}, and its system has no package of it",
        code="version-not-obtainable",
        why=f"{machine.packages.system} has {label(axis)} {', '.join(own)}",
        hint=f"{way or asking}; or put one on this machine by other means",
    )
