"""What a pipeline's machines have, and whether each of its cells can be built there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tfbuild.builds.decide import decide_on
from tfbuild.containers.systems import read_system
from tfbuild.core.counts import counted
from tfbuild.core.errors import NoSolution
from tfbuild.core.records import Host, Interpreter, Pairs, Pin, Program, Request
from tfbuild.facts.build_rows import RunnerRow
from tfbuild.facts.names import version_word
from tfbuild.facts.ranges import asked
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import usual_target

_PYTHON_IMAGE = re.compile(r"python:([0-9.]+)-")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSite:
    """What one cell asks for, and the runner or image that its job runs on."""

    request: Request
    runner: str


def require_possible(sites: Mapping[Pairs, CellSite], tables: Tables) -> None:
    """Raise NoSolution where a cell cannot be built on its runner: which, why, what would work."""
    refused: dict[str, NoSolution] = {}
    for cell, site in sites.items():
        try:
            _judge(site, tables)
        except NoSolution as error:
            refused[" ".join(f"{axis}={value}" for axis, value in cell)] = error
    if refused:
        runners = dict.fromkeys(site.runner for site in sites.values())
        raise NoSolution(
            f"{len(refused)} of {counted(len(sites), 'cell')} cannot be built on "
            f"{' or '.join(runners)}",
            code="cells-not-on-runner",
            why="\n".join(f"{cell}: {error.message}" for cell, error in refused.items()),
            hint="\n".join(f"for {cell} {error.hint}" for cell, error in refused.items()),
        )


def runner_host(name: str, python: str, tables: Tables) -> Host:
    """A runner or image as a machine: its system, its compilers and the Python of the cell."""
    row = next((row for row in tables.runners() if row.name == _plain(name)), None)
    pythons = (
        Interpreter(
            path="python",
            version=python,
            tag="cp" + "".join(python.split(".")[:2]),
            headers="include",
        ),
    )
    machine = usual_target("linux").machine  # as those of all known runners
    known = Host(machine=machine, distribution="", distribution_version="", glibc="")
    if row is None:
        return replace(known, pythons=pythons)
    system = read_system(row.os, tables.axis("os"))
    return replace(
        known,
        distribution=system.family,
        distribution_version=system.name.partition(" ")[2],
        glibc=system.glibc,
        compilers=_compilers(row),
        pythons=pythons,
    )


def _judge(site: CellSite, tables: Tables) -> None:
    """Raise NoSolution where there are no versions for the cell on its runner, or no plan."""
    request = site.request
    python = next((pin.spec for pin in request.pins if pin.axis == "python"), "")
    host = runner_host(site.runner, python, tables)
    if request.env == "host" and host.glibc:
        installed = _installed(site.runner, host)
        _require_installed(request, installed)
        request = replace(request, pins=(*request.pins, *installed))
    elif request.env == "host":  # which C library an unknown machine has is not known
        pins = tuple(pin for pin in request.pins if pin.axis != "glibc")
        request = replace(request, pins=pins)
    decide_on(request, tables, host)


def _installed(runner: str, host: Host) -> tuple[Pin, ...]:
    """That a job takes what is there: nothing installs another compiler, or Python in an image."""
    versions = " | ".join(program.version for program in host.compilers)
    image = _PYTHON_IMAGE.match(runner)
    pythons = (Pin(axis="python", spec=image[1], origin=runner),) if image else ()
    return Pin(axis="gcc", spec=versions, origin=runner), *pythons


def _require_installed(request: Request, installed: tuple[Pin, ...]) -> None:
    """Raise NoSolution for a constraint that none of the installed versions fulfils."""
    requested = {pin.axis: pin.spec for pin in request.pins if pin.spec != "any"}
    for pin in installed:
        spec, versions = requested.get(pin.axis, ""), pin.spec.split(" | ")
        if spec and not asked(version_word(pin.axis, spec), versions):
            raise NoSolution(
                f"{pin.axis} {spec} is not installed there: it has {', '.join(versions)}",
                code="runner-lacks-version",
                why=f"no step of a job on {pin.origin} installs another one",
                hint=f"ask for {pin.axis}={versions[-1]}",
            )


def _compilers(row: RunnerRow) -> tuple[Program, ...]:
    return tuple(
        Program(name="g++", path=f"g++-{version.split('.')[0]}", version=version)
        for version in row.gcc.split()
    )


def _plain(name: str) -> str:
    """The name in the rows: of the images of Python, whatever their version, there is one."""
    return _PYTHON_IMAGE.sub("python:", name)
