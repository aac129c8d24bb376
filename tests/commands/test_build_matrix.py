"""--matrix: all is shown before anything is built, a folder per cell, one summary beside them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.sample_report import a_report
from tests.schema_maker import check
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.wheel_build import WheelBuild
from tfbuild.commands import build_matrix as command
from tfbuild.commands.buildable.base import Asked
from tfbuild.core.errors import (
    AuditFailed,
    NoSolution,
)
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Interpreter, Request
from tfbuild.core.reports import Report


def build_matrix(
    matrix: list[str],
    words: tuple[str, ...],
    flags: dict[str, str],
    *,
    as_json: bool,
    verbosity: int,
) -> int:
    asked = Asked(matrix=tuple(matrix), words=words, flags=flags)
    return command.build_matrix(asked, as_json=as_json, verbosity=verbosity)


def show_cells(
    matrix: list[str], words: tuple[str, ...], flags: dict[str, str], *, style: str
) -> int:
    asked = Asked(matrix=tuple(matrix), words=words, flags=flags)
    return command.show_cells(asked, style=style)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Request]:
    """Builds that end at once: Python 3.13 fails its audit, 3.12 is interrupted, others pass."""
    requests: list[Request] = []

    def build(build: WheelBuild, tools: Tools, timeline: Timeline) -> Report:
        request = build.request
        requests.append(request)
        pins = {pin.axis: pin.spec for pin in request.pins}
        timeline.run("audit", lambda: None, lambda _: "9 passed")
        if pins.get("python") == "3.13":
            (tools.folders.run / "log.txt").touch()
            raise AuditFailed("not what was asked for", why="tag: cp1\nsize: 9", hint="fix it")
        if pins.get("python") == "3.12":
            raise KeyboardInterrupt
        report = a_report(tmp_path)
        return replace(report, plan=replace(report.plan, output=request.output))

    monkeypatch.setattr(command, "execute", build)
    return requests


def flags_for(folder: Path) -> dict[str, str]:
    return {"output": str(folder / "dist"), "env": "docker"}


def test_every_cell_has_its_folder_and_the_summary_all(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = flags_for(tmp_path)
    code = build_matrix(["python=3.11,3.13,3.14"], (), flags, as_json=True, verbosity=-1)
    assert code == AuditFailed.exit_code
    assert [request.output.name for request in built] == ["python3.11", "python3.13", "python3.14"]
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    assert document == json.loads((tmp_path / "dist" / "matrix.json").read_text())
    passed, failed, _ = document["cells"]
    assert document["counts"] == {"passed": 2, "failed": 1}
    assert (passed["system"], failed["system"]) == ("debian 12", "debian 13")
    assert passed["versions"]["python"] == "3.11"
    assert (passed["tag"], passed["size"]) == ("cp311-cp311-manylinux_2_34_x86_64", 1000)
    assert (passed["audit"], failed["audit"]) == ("9 passed", "9 passed")
    assert (failed["message"], failed["exit_code"]) == ("not what was asked for", 7)
    assert Path(failed["log"]).is_file()
    assert "python3.13" in (tmp_path / "dist" / "matrix.html").read_text()


def test_what_cannot_be_is_reported_first_and_the_others_are_built(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = ["python=3.9,3.14", "gcc=9,16"]
    code = build_matrix(matrix, (), flags_for(tmp_path), as_json=False, verbosity=0)
    assert code == NoSolution.exit_code
    assert [r.output.name for r in built] == ["python3.9-gcc9", "python3.14-gcc16"]
    out, said = capsys.readouterr()
    before = said.partition("cell 1 of 2: python=3.9 gcc=9")[0]
    assert "debian 11" in before
    assert "python3.9-gcc16 impossible: no system has python 3.9 and gcc 16" in before
    assert "do this: ask for gcc=10.2, or python=3.14" in before
    assert "4 cells: 2 passed, 2 impossible" in out
    assert "manylinux_2_34" in out


def test_what_failed_and_cannot_be_ends_as_what_failed(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = ["python=3.9,3.13", "gcc=14"]
    code = build_matrix(matrix, (), flags_for(tmp_path), as_json=False, verbosity=-1)
    assert (code, len(built)) == (AuditFailed.exit_code, 1)
    out = capsys.readouterr().out
    assert "python3.13-gcc14 failed with exit code 7: not what was asked for" in out
    assert "  why: tag: cp1\n  size: 9\n  do this: fix it\n" in out
    assert "  log: " in out


def test_two_cells_of_one_plan_are_built_once(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = ["gcc=12,12.2"]
    words = ("python=3.11",)
    assert build_matrix(matrix, words, flags_for(tmp_path), as_json=False, verbosity=0) == 0
    assert len(built) == 1
    out, said = capsys.readouterr()
    assert "the plan of gcc12" in said.partition("cell 1 of 2")[0]
    assert "comes out as the plan of gcc12: not built again" in said
    assert "as gcc12" in out


@pytest.mark.parametrize("as_json", [True, False])
def test_an_interrupt_ends_all_and_keeps_what_was_finished(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    flags = flags_for(tmp_path)
    matrix = ["python=3.11,3.12,3.14"]
    with fails("interrupted") as caught:
        build_matrix(matrix, (), flags, as_json=as_json, verbosity=-1)
    assert (caught.value.exit_code, caught.value.is_printed) == (130, as_json)
    assert len(built) == 2
    document = json.loads((tmp_path / "dist" / "matrix.json").read_text())
    assert [cell["state"] for cell in document["cells"]] == ["passed", "stopped", "not begun"]
    out = capsys.readouterr().out
    if as_json:
        assert json.loads(out) == document
    else:
        assert "3 cells: 1 passed, 1 stopped, 1 not begun" in out


def test_a_cell_that_this_machine_cannot_have_is_not_possible_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Interpreter(path="/usr/bin/python3", version="3.11.2", tag="cp311", headers="/include")
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host(pythons=(here,)))
    flags = {"output": str(tmp_path / "dist")}
    assert show_cells(["gcc=9,12"], (), flags, style="text") == NoSolution.exit_code
    out = capsys.readouterr().out
    assert "gcc9 impossible: this machine has no GCC 9" in out
    assert "do this: give --env docker: a container of debian 11 has it" in out
    assert "1 of 2 cells can be built" in out


@pytest.mark.parametrize(
    ("matrix", "words", "code"),
    [
        ("pyhton=3.11", (), "axis-unknown"),
        ("python=3.11,3.13", ("python=3.11",), "axis-given-twice"),
        ("gcc=12,x y", (), "not-a-range"),
    ],
)
def test_nonsense_is_refused_before_anything_is_built(
    matrix: str, words: tuple[str, ...], code: str, built: list[Request], tmp_path: Path
) -> None:
    with fails(code):
        build_matrix([matrix], words, flags_for(tmp_path), as_json=False, verbosity=0)
    assert built == []
    assert not (tmp_path / "dist").exists()


def test_a_plan_of_a_matrix_builds_nothing(
    built: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = flags_for(tmp_path)
    assert show_cells(["python=3.9,3.14"], (), flags, style="text") == 0
    out = capsys.readouterr().out
    assert "debian 11" in out
    assert "debian 14" in out
    assert "2 of 2 cells can be built" in out
    assert show_cells(["python=3.9,3.14", "gcc=16"], (), flags, style="json") == 3
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    assert [cell["state"] for cell in document["cells"]] == ["impossible", "not begun"]
    assert document["cells"][1]["plan"]
    assert built == []
    assert not (tmp_path / "dist").exists()


def test_a_script_is_of_one_plan(tmp_path: Path) -> None:
    with fails("format-not-for-matrix", "--format script", "--format json"):
        show_cells(["python=3.9"], (), flags_for(tmp_path), style="script")


def test_an_output_of_a_matrix_that_cannot_be_written_is_reported_first(
    built: list[Request],
) -> None:
    with fails("folder-not-writable", "/proc/tfbuild"):
        build_matrix(["python=3.11"], (), {"output": "/proc/tfbuild"}, as_json=True, verbosity=-1)
    assert built == []
