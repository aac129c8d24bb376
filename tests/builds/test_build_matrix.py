"""A matrix goes on after a failure, stops when asked to, and says what became of each cell."""

import errno
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.schema_maker import check
from tfbuild.builds.build_matrix import (
    MOST_CELLS,
    Subject,
    cells_document,
    count_states,
    cross,
    exit_code,
    mark_twins,
    refused,
    run_cells,
)
from tfbuild.core.errors import (
    AuditFailed,
    BuildFailed,
    DiskFull,
    Interrupted,
    NoSolution,
)
from tfbuild.core.reports import Cell, StageRecord, cell_name


def cells_of(*pythons: str) -> tuple[Cell, ...]:
    return tuple(Cell(axes=axes) for axes in cross((("python", pythons),)))


class Builder:
    """Builds that pass, or end as they were asked to."""

    def __init__(self, **ends: BaseException) -> None:
        self.ends = {name.replace("py", "3."): error for name, error in ends.items()}
        self.built: list[str] = []
        self.said: list[str] = []
        self.kept: list[list[str]] = []

    def build(self, cell: Cell, stages: list[StageRecord]) -> Cell:
        self.built.append(cell.name)
        stages.append(StageRecord(name="build", started=0, seconds=2, state="passed"))
        if end := self.ends.get(dict(cell.axes)["python"]):
            raise end
        stages.append(
            StageRecord(name="audit", started=2, seconds=1, state="passed", detail="9 passed")
        )
        return replace(cell, state="passed", product=f"/dist/{cell.name}.whl")

    def run(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return run_cells(
            cells,
            self.build,
            report=self.said.append,
            keep=lambda now: self.kept.append([cell.state for cell in now]),
        )


def test_too_many_are_refused_before_they_are_made() -> None:
    many = tuple(map(str, range(400)))
    with fails("matrix-too-large", "64,000,000", str(MOST_CELLS)):
        cross((("python", many), ("gcc", many), ("cuda", many)))
    assert len(cross((("python", many[:MOST_CELLS]),))) == MOST_CELLS


def test_every_combination_once_in_order() -> None:
    cells = cross((("python", ("3.11", "3.13")), ("gcc", ("12", "14"))))
    assert [cell_name(cell) for cell in cells] == [
        "python3.11-gcc12", "python3.11-gcc14", "python3.13-gcc12", "python3.13-gcc14",
    ]  # fmt: skip


def test_names_are_fit_for_folders() -> None:
    assert cell_name((("os", "debian:12"), ("gpu", "RTX 3090"))) == "os_debian_12-gpu_RTX_3090"
    assert cell_name((("urandom", "on"), ("level", "3"))) == "urandom_on-level3"
    assert cell_name((("utf8", "1"), ("zlib", ""))) == "utf8_1-zlib_"
    strange = {cell_name((("version", value),)) for value in ("a/b", "a\\b", "a*b", "a_b", "../b")}
    assert len(strange) == 5
    assert all(re.fullmatch(r"version_[\w.]+", name) for name in strange)


def test_the_next_cell_is_built_after_a_failure() -> None:
    builder = Builder(py12=BuildFailed("it broke", hint="fix it"))
    found = builder.run(cells_of("3.11", "3.12", "3.13"))
    assert [cell.state for cell in found] == ["passed", "failed", "passed"]
    assert (found[1].message, found[1].hint, found[1].exit_code) == ("it broke", "fix it", 6)
    assert [stage.name for stage in found[1].stages] == ["build"]
    assert found[2].product == "/dist/python3.13.whl"
    assert (found[2].audit, found[1].audit) == ("9 passed", "")
    assert builder.said[0] == "cell 1 of 3: python=3.11"
    assert "failed: it broke" in builder.said
    assert exit_code(found) == 6


def test_what_was_finished_is_kept_after_each_cell() -> None:
    builder = Builder()
    builder.run(cells_of("3.11", "3.12"))
    assert builder.kept == [
        ["not begun", "not begun"],
        ["begun", "not begun"],
        ["passed", "not begun"],
        ["passed", "begun"],
        ["passed", "passed"],
    ]


@pytest.mark.parametrize("stop", [Interrupted("stopped during build"), KeyboardInterrupt()])
def test_who_stops_one_stops_all(stop: BaseException) -> None:
    builder = Builder(py10=BuildFailed("it broke"), py12=stop)
    found = builder.run(cells_of("3.10", "3.11", "3.12", "3.13"))
    assert [cell.state for cell in found] == ["failed", "passed", "stopped", "not begun"]
    assert builder.kept[-1] == [cell.state for cell in found]
    assert [stage.name for stage in found[2].stages] == ["build"]
    assert exit_code(found) == 130


def test_what_cannot_be_is_not_begun_and_not_counted() -> None:
    first, second, third = cells_of("3.11", "3.12", "3.13")
    second = refused(second, NoSolution("no system has it"), "impossible")
    builder = Builder()
    found = builder.run((first, second, third))
    assert builder.built == ["python3.11", "python3.13"]
    assert builder.said == ["cell 1 of 2: python=3.11", "cell 2 of 2: python=3.13"]
    assert count_states(found) == {"passed": 2, "impossible": 1}
    assert exit_code(found) == 3
    assert exit_code((*found, refused(third, AuditFailed("no")))) == 7
    assert exit_code(found[:1]) == 0


def test_one_plan_is_built_once() -> None:
    first, second, third = cells_of("3.11", "3.12", "3.13")
    cells = mark_twins(
        [
            replace(first, plan="a", system="debian 12"),
            replace(second, plan="a", system="debian 12"),
            replace(third, plan="a", system="debian 13"),
        ]
    )
    assert [cell.same_as for cell in cells] == ["", "python3.11", ""]
    builder = Builder()
    found = builder.run(cells)
    assert builder.built == ["python3.11", "python3.13"]
    assert (found[1].state, found[1].product) == ("passed", "/dist/python3.11.whl")
    assert (found[1].name, found[1].seconds, found[1].stages) == ("python3.12", 0, ())
    assert "comes out as the plan of python3.11: not built again" in builder.said


def test_what_cannot_be_has_no_plan_and_no_twin() -> None:
    cells = [refused(c, NoSolution("no"), "impossible") for c in cells_of("3.11", "3.12")]
    assert [cell.same_as for cell in mark_twins(cells)] == ["", ""]


def test_a_full_disk_and_a_bug_end_one_cell(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/cache")
    found = Builder(py11=full).run(cells_of("3.11"))
    assert (found[0].state, found[0].exit_code) == ("failed", DiskFull.exit_code)
    found = Builder(py11=RuntimeError("strange")).run(cells_of("3.11", "3.12"))
    assert [cell.state for cell in found] == ["failed", "passed"]
    assert (found[0].message, found[0].exit_code) == (
        "tfbuild itself failed: RuntimeError: strange", 1,
    )  # fmt: skip
    assert "RuntimeError: strange" in (tmp_path / "work" / "crash.txt").read_text()


def test_a_refused_cell_names_its_log_and_the_page_of_its_run(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    (cell,) = cells_of("3.11")
    assert refused(cell, AuditFailed("no", log=str(log))).report == ""
    (tmp_path / "report.html").touch()
    failed = refused(cell, AuditFailed("no", log=str(log)))
    assert (failed.log, failed.report) == (str(log), str(tmp_path / "report.html"))


def test_words_of_a_stage_that_raised_are_no_tally() -> None:
    def build(_cell: Cell, stages: list[StageRecord]) -> Cell:
        stages.append(
            StageRecord(name="smoke", started=0, seconds=1, state="failed", detail="no venv")
        )
        raise BuildFailed("no venv")

    found = run_cells(cells_of("3.11"), build, report=lambda _: None, keep=lambda _: None)
    assert found[0].smoke == ""


def test_the_document_obeys_its_schema() -> None:
    cells = Builder(py12=BuildFailed("it broke")).run(cells_of("3.11", "3.12"))
    first = replace(cells[0], versions=(("gcc", "12.2"),), beside=(("lock", "/a.lock.yaml"),))
    subject = Subject(title="Wheels", noun="wheel")
    document = cells_document((first, *cells[1:]), "2026-01-01T00:00:00+00:00", subject)
    check("cells", document)
    assert document["counts"] == {"passed": 1, "failed": 1}
    assert document["cells"][0]["axes"] == {"python": "3.11"}
    assert document["cells"][0]["versions"] == {"gcc": "12.2"}
    assert document["cells"][0]["beside"] == {"lock": "/a.lock.yaml"}
    assert (document["title"], document["noun"]) == ("Wheels", "wheel")
