"""What runners have, and which cells cannot be built on them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_request
from tfbuild.ci.runners import CellSite, require_possible, runner_host
from tfbuild.core.records import Pairs, Pin, Request
from tfbuild.facts.ranges import asked
from tfbuild.facts.tables import Tables


def wanted(folder: Path, *words: str) -> Request:
    pairs = (word.partition("=") for word in words)
    pins = tuple(Pin(axis=axis, spec=spec, origin="command line") for axis, _, spec in pairs)
    recipe = "cuda" if any(pin.axis == "cuda" and pin.spec != "none" for pin in pins) else "cpu"
    return a_request(folder, pins=pins, recipe=recipe)


def judge(tables: Tables, runner: str, request: Request) -> None:
    cell = tuple((pin.axis, pin.spec) for pin in request.pins)
    require_possible({cell: CellSite(request=request, runner=runner)}, tables)


def test_each_known_runner_is_a_system_with_known_compilers(tables: Tables) -> None:
    systems = {row.version for row in tables.axis("os")}
    compilers = [row.version for row in tables.axis("gcc")]
    for row in tables.runners():
        assert row.os in systems
        assert row.source
        assert all(asked(version, compilers) for version in row.gcc.split()), row.name
        assert runner_host(row.name, "3.11", tables).glibc


def test_an_image_of_python_is_known_whatever_its_version(tables: Tables) -> None:
    host = runner_host("python:3.13-bookworm", "3.13", tables)
    assert (host.distribution, host.distribution_version, host.glibc) == ("debian", "12", "2.36")
    assert [program.version for program in host.compilers] == ["12.2"]
    assert [python.tag for python in host.pythons] == ["cp313"]
    assert runner_host("somebody/image:1", "3.13", tables).glibc == ""


@pytest.mark.parametrize(
    ("runner", "words"),
    [
        ("ubuntu-24.04", ("python=3.13", "cuda=none")),
        ("ubuntu-24.04", ("python=3.11", "cuda=13.0", "gcc=13")),
        ("python:3.11-bookworm", ("python=3.11", "gcc=12")),
        ("mine", ("python=3.11", "gcc=16")),
        ("mine", ("python=3.11", "glibc=2.41")),
    ],
)
def test_what_can_be_passes(
    tables: Tables, tmp_path: Path, runner: str, words: tuple[str, ...]
) -> None:
    judge(tables, runner, wanted(tmp_path, *words))


@pytest.mark.parametrize(
    ("runner", "words", "named"),
    [
        ("ubuntu-24.04", ("python=3.99",), ("Python >=3.9,<3.15", "python=3.14")),
        ("mine", ("python=3.11", "cuda=12.1"), ("CUDA >=13.0", "cuda=13.0")),
        ("ubuntu-24.04", ("python=3.11", "gcc=16"), ("12.3, 13.3, 14.2", "gcc=14.2")),
        ("python:3.11-bookworm", ("python=3.11", "gcc=13"), ("it has 12.2", "gcc=12.2")),
        ("python:3.11-bookworm", ("python=3.12",), ("it has 3.11", "python=3.11")),
        (
            "ubuntu-22.04",
            ("python=3.11", "glibc=2.39"),
            ("glibc=2.35 (this machine)", "glibc=2.35"),
        ),
    ],
)
def test_what_cannot_be_is_reported_with_cell_reason_and_way_out(
    tables: Tables, tmp_path: Path, runner: str, words: tuple[str, ...], named: tuple[str, str]
) -> None:
    with fails("cells-not-on-runner", "1 of 1", runner) as caught:
        judge(tables, runner, wanted(tmp_path, *words))
    error = caught.value
    assert error.why.startswith(" ".join(words))
    assert named[0] in error.why
    assert named[1] in error.hint


def test_in_a_container_the_runners_own_compilers_do_not_count(
    tables: Tables, tmp_path: Path
) -> None:
    request = replace(wanted(tmp_path, "gcc=16"), env="docker")
    judge(tables, "ubuntu-24.04", request)
    nowhere = replace(wanted(tmp_path, "gcc=16", "python=3.9"), env="docker")
    with fails("cells-not-on-runner", "1 of 1"):
        judge(tables, "ubuntu-24.04", nowhere)


def test_every_cell_that_cannot_be_is_named(tables: Tables, tmp_path: Path) -> None:
    sites: dict[Pairs, CellSite] = {
        (("python", version),): CellSite(
            request=wanted(tmp_path, f"python={version}"), runner="ubuntu-24.04"
        )
        for version in ("3.7", "3.11", "3.99")
    }
    with fails("cells-not-on-runner", "2 of 3") as caught:
        require_possible(sites, tables)
    assert [line.partition(":")[0] for line in caught.value.why.splitlines()] == [
        "python=3.7", "python=3.99",
    ]  # fmt: skip
