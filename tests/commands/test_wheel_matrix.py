"""What the cells of a matrix of wheels ask for, and what they bring."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import tfbuild.builds.pipeline
from tests.sample_report import WHEEL, a_report
from tests.shared_libraries import real_tools
from tfbuild.builds.timeline import Timeline
from tfbuild.commands.wheel_matrix import WheelMatrix
from tfbuild.core.errors import NoSolution
from tfbuild.core.reports import Cell
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter


def wheels(*matrix: str, words: tuple[str, ...] = (), **flags: str) -> WheelMatrix:
    return WheelMatrix(matrix=matrix, words=words, flags={"env": "docker", **flags})


def test_only_the_named_axes_are_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_OUTPUT", str(tmp_path / "elsewhere"))
    output, requests = wheels("gcc=12", words=("numpy=2.3",)).requests(ConsoleReporter())
    (request,) = requests.values()
    assert {pin.axis for pin in request.pins} == {"gcc", "numpy"}
    assert (output, request.output) == (tmp_path / "elsewhere", tmp_path / "elsewhere" / "gcc12")


def test_an_odd_setting_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TFBUILD_PYHTON", "3.11")
    wheels("python=3.11,3.13").requests(ConsoleReporter())
    assert capsys.readouterr().err.count("TFBUILD_PYHTON") == 1


def test_an_axis_of_a_matrix_may_have_its_short_name() -> None:
    _, requests = wheels("py=3.11,3.13").requests(ConsoleReporter())
    assert list(requests) == [(("python", "3.11"),), (("python", "3.13"),)]


def test_a_cell_is_placed_where_a_system_has_it(tables: Tables, tmp_path: Path) -> None:
    tools = real_tools(tmp_path / "work")
    matrix = wheels("python=3.9,3.14", "gcc=9")
    _, requests = matrix.requests(ConsoleReporter())
    (old, wanted), (new, other) = requests.items()
    placed = matrix.place(Cell(axes=old), wanted, tables, tools)
    assert (placed.system, dict(placed.versions)["python"]) == ("debian 11", "3.9")
    assert placed.plan
    with pytest.raises(NoSolution):
        matrix.place(Cell(axes=new), other, tables, tools)


def test_a_built_cell_names_what_lies_with_the_wheel(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = SimpleNamespace(wheel=tmp_path / WHEEL, report=a_report(tmp_path))
    monkeypatch.setattr(tfbuild.builds.pipeline, "build", lambda *_: made)
    tools = real_tools(tmp_path / "work")
    matrix = wheels("python=3.11")
    ((axes, request),) = matrix.requests(ConsoleReporter())[1].items()
    timeline = Timeline(reporter=tools.reporter)
    cell = matrix.build(Cell(axes=axes), request, tables, tools, timeline)
    assert (cell.state, cell.product, cell.size) == ("passed", str(tmp_path / WHEEL), 1000)
    assert {name: Path(path).name for name, path in cell.beside} == {
        "lock": WHEEL.removesuffix(".whl") + ".lock.yaml",
        "bill": WHEEL.removesuffix(".whl") + ".cdx.json",
    }
    assert cell.command.endswith(f"pip install {tmp_path / WHEEL}")
