"""What `--matrix` does: every cell is placed before any is built, and one summary kept for all."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.build_matrix import (
    BuildCell,
    cells_document,
    count_states,
    cross,
    exit_code,
    mark_twins,
    refused,
    run_cells,
)
from tfbuild.builds.delivery import require_output
from tfbuild.builds.timeline import Timeline
from tfbuild.commands.buildable.base import Asked, Buildable
from tfbuild.commands.buildable.read import read_buildable
from tfbuild.commands.choices import MATRIX_FORMATS
from tfbuild.commands.context import open_tools
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, Interrupted, NoSolution
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Pairs
from tfbuild.core.reporter import Reporter, SilentReporter
from tfbuild.core.reports import Cell, StageRecord, cell_name
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.reporting.matrix_html import matrix_outcome, matrix_page
from tfbuild.reporting.text import finished_cells, planned_cells, troubles_text
from tfbuild.run.execute import execute


def build_matrix(asked: Asked, *, as_json: bool, verbosity: int) -> int:
    """Build every cell that can be, into a folder of its own; the matrix's exit code.

    Raises BadRequest before anything is built, and Interrupted once what was finished is kept.
    """
    started_at = _now()
    with ConsoleReporter(verbosity) as reporter:
        shared, requests = read_cells(asked, reporter)
        subject, output = shared.subject, shared.output
        assert output, "axes() refuses a matrix that has none"
        require_output(output)
        cells = place_cells(requests, reporter)
        reporter.outlook(*planned_cells(cells))
        for line in troubles_text(cells).splitlines():
            reporter.note(line)
        found = run_cells(
            cells,
            _builder(requests, reporter),
            report=reporter.note,
            keep=lambda now: write_cells(cells_document(now, started_at, subject), output),
        )
    document = cells_document(found, started_at, subject)
    if as_json:
        print_json(document)
    else:
        ConsoleReporter().table("", *finished_cells(found))
        command = matrix_outcome(document).command
        lines = (_summary(found), f"report  {output / 'matrix.html'}", f"next    {command}")
        print_text(troubles_text(found) + "\n".join(lines[: 3 if command else 2]))
    code = exit_code(found)
    if code == Interrupted.exit_code:
        stop = Interrupted("stopped", hint="run the same command again: finished work is kept")
        stop.is_printed = as_json
        raise stop
    return code


def show_cells(asked: Asked, *, style: str) -> int:
    """Print what would be built where; 3 where a cell cannot be, else 0."""
    if style not in MATRIX_FORMATS:
        raise BadRequest(
            f"--format {style} is not for a matrix",
            code="format-not-for-matrix",
            hint="leave it out, or write --format json",
        )
    with ConsoleReporter() as reporter:
        shared, requests = read_cells(asked, reporter)
        cells = place_cells(requests, reporter)
    if style == "json":
        print_json(cells_document(cells, _now(), shared.subject))
    else:
        ConsoleReporter().table("", *planned_cells(cells))
        possible = sum(cell.state != "impossible" for cell in cells)
        print_text(
            f"{troubles_text(cells)}{possible} of {counted(len(cells), 'cell')} can be built"
        )
    return exit_code(cells)


def read_cells(asked: Asked, reporter: Reporter) -> tuple[Buildable, dict[Pairs, Buildable]]:
    """What all cells share, and what each asks for; odd settings are reported once.

    Raises BadRequest where a cell cannot be.
    """
    shared = read_buildable(asked, reporter)
    found = {}
    for axes in cross(shared.axes(asked.matrix)):
        assert shared.output, "axes() refuses a matrix that has none"
        flags = {**asked.flags, "output": str(shared.output / cell_name(axes))}
        words = (*asked.words, *(f"{axis}={value}" for axis, value in axes))
        found[axes] = read_buildable(replace(asked, words=words, flags=flags), SilentReporter())
    return shared, found


def place_cells(requests: Mapping[Pairs, Buildable], reporter: ConsoleReporter) -> tuple[Cell, ...]:
    """Each cell with its system and versions, or why it cannot be; nothing is built."""
    found = []
    with open_tools(reporter) as tools:
        for axes, buildable in requests.items():
            cell = Cell(axes=axes)
            try:
                found.append(buildable.placed(cell, tools))
            except NoSolution as error:
                found.append(refused(cell, error, "impossible"))
    return mark_twins(found)


def write_cells(document: Mapping[str, object], output: Path) -> None:
    """Write matrix.json and matrix.html beside the cells' folders."""
    write_aside(output / "matrix.json", json.dumps(document, indent=1) + "\n")
    write_aside(output / "matrix.html", matrix_page(document, output))


def _builder(requests: Mapping[Pairs, Buildable], reporter: ConsoleReporter) -> BuildCell:
    """The whole chain for a cell, in a run of its own."""

    def build(cell: Cell, stages: list[StageRecord]) -> Cell:
        buildable = requests[cell.axes]
        with open_tools(reporter, keep=True) as tools:
            timeline = Timeline(reporter=tools.reporter, stages=stages)
            report = execute(buildable.build(tools), tools, timeline)
            return buildable.finished(cell, report, tools)

    return build


def _summary(cells: Sequence[Cell]) -> str:
    counts = count_states(cells)
    said = ", ".join(f"{number} {state}" for state, number in counts.items())
    return f"{counted(len(cells), 'cell')}: {said}"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
