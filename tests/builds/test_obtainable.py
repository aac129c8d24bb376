"""What this machine has, can install, and cannot have at all."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host, a_request
from tfbuild.builds.obtainable import require_obtainable
from tfbuild.core.records import Choice, Interpreter, Pin, Program, Request, Versions
from tfbuild.facts.tables import Tables

PYTHON = Interpreter(path="/usr/bin/python3", version="3.11.2", tag="cp311", headers="/include")


def requested(folder: Path, **pins: str) -> Request:
    return a_request(folder, pins=tuple(Pin(axis=axis, spec=spec) for axis, spec in pins.items()))


def chosen(python: str) -> Versions:
    choice = Choice(axis="python", value=python, evidence="documented", because=("it is",))
    return Versions(choices=(choice,))


@pytest.mark.parametrize(
    "pins",
    [{}, {"gcc": "12"}, {"gcc": "11"}, {"gcc": ">=9"}, {"gcc": "any"}, {"python": "3.11.2"},
     {"python": "py311"}],
)  # fmt: skip
def test_what_is_here_or_in_a_package_can_be_had(
    tables: Tables, tmp_path: Path, pins: dict[str, str]
) -> None:
    host = a_host(pythons=(PYTHON,))
    require_obtainable(requested(tmp_path, **pins), chosen("3.11"), tables, host)


def test_what_no_package_brings_is_refused_with_the_system_that_has_it(
    tables: Tables, tmp_path: Path
) -> None:
    host = a_host(pythons=(PYTHON,))
    with fails("version-not-obtainable", "GCC 9", "11.3, 12.2", "--env docker", "debian 11"):
        require_obtainable(requested(tmp_path, gcc="9"), chosen("3.11"), tables, host)
    with fails("version-not-obtainable", "Python 3.13", "--env docker", "debian 13"):
        require_obtainable(requested(tmp_path), chosen("3.13"), tables, host)
    with fails("version-not-obtainable", "gcc=11.3", "gcc=12.2") as both:
        require_obtainable(
            requested(tmp_path, gcc="9", python="3.11"), chosen("3.11"), tables, host
        )
    assert "--env docker" not in both.value.hint


def test_what_was_installed_by_hand_counts(tables: Tables, tmp_path: Path) -> None:
    old = Program(name="g++-9", path="/opt/bin/g++-9", version="9.5.0")
    new = Interpreter(path="/opt/bin/python3.13", version="3.13.1", tag="cp313", headers="/include")
    host = a_host(compilers=(old,), pythons=(new,))
    require_obtainable(requested(tmp_path, gcc="9"), chosen("3.13"), tables, host)


def test_where_nothing_is_known_nothing_is_refused(tables: Tables, tmp_path: Path) -> None:
    arch = a_host(distribution="arch", distribution_version="")
    require_obtainable(requested(tmp_path, gcc="9"), chosen("3.9"), tables, arch)
    docker = a_request(tmp_path, env="docker", pins=(Pin(axis="gcc", spec="9"),))
    require_obtainable(docker, chosen("3.9"), tables, a_host())
