"""The system that a container is of."""

import shutil
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host, a_request
from tfbuild.containers.system_choice import choose_system, inside_of, limited
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.records import Pin
from tfbuild.curation.tested_rows import propose_rows
from tfbuild.facts import rows as records
from tfbuild.facts.tables import Tables


def chosen(tables: Tables, folder: Path, *pins: str, among: tuple[str, ...] = ()) -> str:
    constraints = tuple(Pin(axis=a, spec=s) for a, _, s in (pin.partition("=") for pin in pins))
    return choose_system(a_request(folder, pins=constraints), tables, a_host(), among=among).name


def test_where_nothing_speaks_against_it_it_is_this_machines_own(
    tables: Tables, tmp_path: Path
) -> None:
    assert chosen(tables, tmp_path) == "debian 12"


def test_what_was_proven_elsewhere_does_not_lead_away(tables: Tables, tmp_path: Path) -> None:
    folder = shutil.copytree(tables.matrices, tmp_path / "facts")
    text = (folder / "tested.yaml").read_text()
    proven = [
        records.TestedRow(
            runtime="0.1.0", platform="linux", device="cpu", os=f"debian {number}", python=python,
            gcc=gcc, bazel=bazel, source=("own-build",), checked="2026-02-03", evidence="proven",
        )
        for number, python, gcc, bazel in (
            (14, "3.14", "16.1", "7.7.1"), (12, "3.11", "12.2", "4.2.3"),
        )
    ]  # fmt: skip
    (folder / "tested.yaml").write_text(propose_rows(text, proven)[0].after)
    facts = Tables(matrices=folder, recipes=tables.recipes)
    assert chosen(facts, tmp_path) == "debian 12"
    assert chosen(facts, tmp_path, "python=3.14") == "debian 14"


@pytest.mark.parametrize(
    ("pin", "system"),
    [
        ("python=3.11", "debian 12"),
        ("python=3.13", "debian 13"),
        ("python=3.14", "debian 14"),
        ("gcc=16", "debian 14"),
        ("gcc=11", "debian 12"),
        ("gcc=9", "debian 11"),  # Ubuntu has it with newer Pythons, but is not made here
        ("python=3.12", "ubuntu 24.04"),
        ("bazel=7.7.1", "debian 14"),
        ("os=debian 13", "debian 13"),
    ],
)
def test_it_has_what_was_asked_for(pin: str, system: str, tables: Tables, tmp_path: Path) -> None:
    assert chosen(tables, tmp_path, pin) == system


def test_a_machine_whose_distribution_lacks_the_tools_gets_another(
    tables: Tables, tmp_path: Path
) -> None:
    host = a_host(distribution="fedora", distribution_version="42", glibc="2.41")
    found = choose_system(a_request(tmp_path), tables, host)
    assert found.family in {"debian", "ubuntu"}
    assert found.offered("bazel")


def test_what_no_system_has_together_is_refused(tables: Tables, tmp_path: Path) -> None:
    named = ("python 3.11", "debian 12", "gcc 16", "debian 14", "python=3.14")
    with fails("no-system-has-all", *named):
        chosen(tables, tmp_path, "python=3.11", "gcc=16")


def test_what_one_system_has_is_refused_with_the_facts_against_it(
    tables: Tables, tmp_path: Path
) -> None:
    with fails("no-system-fits", "numpy=1.17"):
        chosen(tables, tmp_path, "python=3.13", "gcc=14", "numpy=1.17")


def test_only_some_systems_may_be_possible(tables: Tables, tmp_path: Path) -> None:
    assert chosen(tables, tmp_path, among=("debian 13", "rocky 9")) == "debian 13"


def test_a_container_is_a_machine_with_the_systems_packages(tables: Tables, tmp_path: Path) -> None:
    system = read_system("debian 13", tables.axis("os"))
    inside = inside_of(system, a_host(), a_request(tmp_path))
    assert (inside.distribution, inside.distribution_version) == ("debian", "13")
    assert inside.glibc == "2.41"
    assert [c.path for c in inside.compilers] == ["/usr/bin/g++-14"]
    assert [p.version for p in inside.pythons] == ["3.13"]
    assert [b.version for b in inside.bazels] == ["4.2.3"]
    assert inside.cpus == a_host().cpus


def test_older_compilers_count_for_who_asks(tables: Tables, tmp_path: Path) -> None:
    system = read_system("debian 13", tables.axis("os"))
    request = a_request(tmp_path, pins=(Pin(axis="gcc", spec="13"),))
    versions = [c.version.split(".")[0] for c in inside_of(system, a_host(), request).compilers]
    assert versions == ["12", "13", "14"]


def test_no_system_is_advised_that_would_be_refused(tables: Tables, tmp_path: Path) -> None:
    with fails("no-system-fits") as caught:
        chosen(tables, tmp_path, "python=3.12", "os=debian 13")
    ways = caught.value.hint.removeprefix("ask for ").split(", or ")
    assert "python=3.13" in ways
    for way in ways:
        constraints = {"python": "3.12", "os": "debian 13"} | dict(w.split("=", 1) for w in [way])
        assert chosen(tables, tmp_path, *(f"{axis}={spec}" for axis, spec in constraints.items()))


def test_limits_make_the_machine_smaller_and_never_larger() -> None:
    host = a_host(cpus=4, memory_mb=8000)
    small = limited(host, EnvironmentPlan(kind="docker", cpus=1.5, memory_mb=2000))
    assert (small.cpus, small.memory_mb) == (1, 2000)
    large = limited(host, EnvironmentPlan(kind="docker", cpus=64, memory_mb=900_000))
    assert (large.cpus, large.memory_mb) == (4, 8000)
