"""Which needs of a recipe are here, and how the others are got."""

from collections.abc import Mapping

import pytest

from tests.fakes import FakeRunner, says
from tests.shared_libraries import needs
from tfbuild.core.process import ProcessRunner
from tfbuild.doctor.checks.model import Check
from tfbuild.facts.tables import Tables
from tfbuild.places import needs as needs_module
from tfbuild.places.needs import read_needs
from tfbuild.places.place import Place
from tfbuild.places.survey import needs_inside, survey_needs
from tfbuild.recipes.records import Need

HERE = Place(runner=ProcessRunner(), words={})
ABSENT = Need(name="frob", program="frob-cc", package="frob libfrob-dev")


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs_module, "find_program", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("os.geteuid", lambda: 1000)


def look(need: Need, place: Place = HERE) -> Check:
    (check,) = survey_needs((need,), place)
    assert (check.group, check.name) == ("needs", need.name)
    return check


def answering(said: Mapping[str, str]) -> Place:
    """A place whose programs are there, and say this."""
    answers = {name: says(text) for name, text in said.items()}
    return Place(runner=FakeRunner({"sh": says("/opt/x"), **answers}), words={})


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("cc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
        ("GNU strip (GNU Binutils for Debian) 2.40", "2.40"),
        ("cmake version 3.25.1\n\nCMake suite", "3.25.1"),
        ("\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for x", "5.36.0"),
        ("it says nothing of it", ""),
    ],
)
def test_a_program_is_reported_with_version_and_place(said: str, version: str) -> None:
    found = look(Need(name="tool", program="tool"), answering({"tool": said}))
    assert found.state == "pass"
    assert found.detail == f"{version} at /opt/x".strip()


def test_a_header_is_reported_with_its_place() -> None:
    needs("cc", "c++")
    found = look(Need(name="c", header="stdio.h", package="libc6-dev"))
    assert (found.state, found.fix) == ("pass", "")
    assert found.detail.endswith("/stdio.h")


def test_a_module_is_reported_with_version_and_place() -> None:
    place = answering({"pkg-config": "1.2.13"})
    found = look(Need(name="zlib", pkg_config="zlib"), place)
    assert found.state == "pass"
    assert found.detail.startswith("1.2.13 at ")


def test_what_is_missing_comes_with_the_command() -> None:
    found = look(ABSENT)
    assert found.state == "failure"
    assert found.detail == "no program frob-cc on PATH"
    assert found.fix == "sudo apt-get install frob libfrob-dev"
    found = look(Need(name="bar", header="no/such/bar.h", package="libbar-dev"))
    assert (found.state, found.fix) == ("failure", "sudo apt-get install libbar-dev")


def test_without_apt_it_says_what_debian_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs_module, "find_program", lambda _: "")
    assert "Debian calls frob libfrob-dev" in look(ABSENT).fix


def test_what_the_index_has_is_fetched_by_itself() -> None:
    found = look(Need(name="frob", program="frob-cc", package="frob", index="frob>=3,<4"))
    assert found.state == "warning"
    assert "tfbuild fetches frob>=3,<4 from the package index" in found.detail
    assert "apt-get install frob" in found.fix


def test_in_a_container_packages_have_it(tables: Tables) -> None:
    wanted = read_needs(("cmake", "zlib"), tables)
    (line,) = needs_inside(wanted, "debian:forky", of_tree=False)
    assert line.detail.endswith("debian:forky: cmake zlib1g-dev")
    (line,) = needs_inside(wanted, "debian:forky", of_tree=True)
    assert "source tree" in line.detail
