"""What the cells of a matrix of wheels ask for, and what they bring."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_report import WHEEL, a_report
from tests.shared_libraries import real_tools
from tfbuild.commands.build_matrix import read_cells
from tfbuild.commands.buildable.base import Asked, Buildable
from tfbuild.commands.buildable.wheel import BuildableWheel
from tfbuild.core.records import Pairs, Request
from tfbuild.core.reports import Cell
from tfbuild.reporting.console import ConsoleReporter


def cells_of(
    *matrix: str, words: tuple[str, ...] = (), **flags: str
) -> tuple[Buildable, dict[Pairs, Buildable]]:
    asked = Asked(matrix=matrix, words=words, flags={"env": "docker", **flags})
    return read_cells(asked, ConsoleReporter())


def request_of(buildable: Buildable) -> Request:
    assert isinstance(buildable, BuildableWheel)
    return buildable.request


def test_only_the_named_axes_are_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_OUTPUT", str(tmp_path / "elsewhere"))
    shared, cells = cells_of("gcc=12", words=("numpy=2.3",))
    (cell,) = cells.values()
    assert {pin.axis for pin in request_of(cell).pins} == {"gcc", "numpy"}
    output = tmp_path / "elsewhere"
    assert (shared.output, cell.output) == (output, output / "gcc12")


def test_an_odd_setting_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TFBUILD_PYHTON", "3.11")
    cells_of("python=3.11,3.13")
    assert capsys.readouterr().err.count("TFBUILD_PYHTON") == 1


def test_an_axis_of_a_matrix_may_have_its_short_name() -> None:
    _, cells = cells_of("py=3.11,3.13")
    assert list(cells) == [(("python", "3.11"),), (("python", "3.13"),)]


def test_a_cell_is_placed_where_a_system_has_it(tmp_path: Path) -> None:
    tools = real_tools(tmp_path / "work")
    _, cells = cells_of("python=3.9,3.14", "gcc=9")
    (old, wanted), (new, other) = cells.items()
    placed = wanted.placed(Cell(axes=old), tools)
    assert (placed.system, dict(placed.versions)["python"]) == ("debian 11", "3.9")
    assert placed.plan
    with fails("no-system-has-all", "python 3.14", "gcc 9"):
        other.placed(Cell(axes=new), tools)


def test_a_built_cell_names_what_lies_with_the_wheel(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    report = replace(report, plan=replace(report.plan, output=tmp_path))
    tools = real_tools(tmp_path / "work")
    ((axes, buildable),) = cells_of("python=3.11")[1].items()
    cell = buildable.finished(Cell(axes=axes), report, tools)
    assert (cell.state, cell.product, cell.size) == ("passed", str(tmp_path / WHEEL), 1000)
    assert {name: Path(path).name for name, path in cell.beside} == {
        "lock": WHEEL.removesuffix(".whl") + ".lock.yaml",
        "sbom": WHEEL.removesuffix(".whl") + ".cdx.json",
    }
    assert cell.command.endswith(f"pip install {tmp_path / WHEEL}")
