"""What `--matrix` does: every cell is placed before any is built, and one summary kept for all."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from tfbuild.builds.build_matrix import (
    Build,
    Subject,
    cells_document,
    count_states,
    exit_code,
    mark_twins,
    refused,
    run_cells,
)
from tfbuild.builds.delivery import require_output
from tfbuild.builds.timeline import Timeline
from tfbuild.commands.context import open_tools
from tfbuild.core.errors import BadRequest, Interrupted, NoSolution
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Pairs
from tfbuild.core.reports import Cell, StageRecord
from tfbuild.facts.installed import open_tables
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.reporting.matrix_html import matrix_outcome, matrix_page
from tfbuild.reporting.text import finished_cells, planned_cells, troubles_text

_STYLES = ("text", "json")
Request = TypeVar("Request")


class Matrix(Protocol[Request]):
    """What a matrix is of: reads what its cells ask for, plans one of them, and builds it."""

    @property
    def subject(self) -> Subject:
        """What the cells are of, in words."""

    def requests(self, reporter: ConsoleReporter) -> tuple[Path, Mapping[Pairs, Request]]:
        """The output folder of all, and what each cell asks for; BadRequest where it cannot be."""

    def place(self, cell: Cell, request: Request, tables: Tables, tools: Tools) -> Cell:
        """The cell with its system, versions and plan; NoSolution where it is impossible."""

    def build(
        self, cell: Cell, request: Request, tables: Tables, tools: Tools, timeline: Timeline
    ) -> Cell:
        """The cell with what was made; raises the TfbuildError of the stage that failed."""


def build_matrix(matrix: Matrix[Request], *, as_json: bool, verbosity: int) -> int:
    """Build every cell that can be, into a folder of its own; the matrix's exit code.

    Raises BadRequest before anything is built, and Interrupted once what was finished is kept.
    """
    started_at, subject = _now(), matrix.subject
    with ConsoleReporter(verbosity) as reporter:
        output, requests = matrix.requests(reporter)
        require_output(output)
        cells = place_cells(matrix, requests, reporter)
        reporter.outlook(*planned_cells(cells))
        for line in troubles_text(cells).splitlines():
            reporter.note(line)
        found = run_cells(
            cells,
            _builder(matrix, requests, reporter),
            tell=reporter.note,
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
        stop.is_told = as_json
        raise stop
    return code


def show_cells(matrix: Matrix[Request], *, style: str) -> int:
    """Print what would be built where; 3 where a cell cannot be, else 0."""
    if style not in _STYLES:
        raise BadRequest(
            f"--format {style} is not for a matrix", hint="leave it out, or write --format json"
        )
    with ConsoleReporter() as reporter:
        _, requests = matrix.requests(reporter)
        cells = place_cells(matrix, requests, reporter)
    if style == "json":
        print_json(cells_document(cells, _now(), matrix.subject))
    else:
        ConsoleReporter().table("", *planned_cells(cells))
        possible = sum(cell.state != "impossible" for cell in cells)
        print_text(f"{troubles_text(cells)}{possible} of {len(cells)} cells can be built")
    return exit_code(cells)


def place_cells(
    matrix: Matrix[Request], requests: Mapping[Pairs, Request], reporter: ConsoleReporter
) -> tuple[Cell, ...]:
    """Each cell with its system and versions, or why it cannot be; nothing is built."""
    found = []
    with open_tools(reporter) as tools:
        tables = open_tables()
        for axes, request in requests.items():
            cell = Cell(axes=axes)
            try:
                found.append(matrix.place(cell, request, tables, tools))
            except NoSolution as error:
                found.append(refused(cell, error, "impossible"))
    return mark_twins(found)


def write_cells(document: Mapping[str, object], output: Path) -> None:
    """Write matrix.json and matrix.html beside the cells' folders."""
    write_aside(output / "matrix.json", json.dumps(document, indent=1) + "\n")
    write_aside(output / "matrix.html", matrix_page(document, output))


def _builder(
    matrix: Matrix[Request], requests: Mapping[Pairs, Request], reporter: ConsoleReporter
) -> Build:
    """The whole chain for a cell, in a run of its own."""

    def build(cell: Cell, stages: list[StageRecord]) -> Cell:
        with open_tools(reporter, keep=True) as tools:
            timeline = Timeline(reporter=tools.reporter, stages=stages)
            return matrix.build(cell, requests[cell.axes], open_tables(), tools, timeline)

    return build


def _summary(cells: Sequence[Cell]) -> str:
    counts = count_states(cells)
    said = ", ".join(f"{number} {state}" for state, number in counts.items())
    return f"{len(cells)} cells: {said}"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
