"""What `--matrix` does: every cell is placed before any is built, and one summary kept for all."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.build_matrix import (
    Build,
    cells_document,
    count_states,
    cross,
    exit_code,
    mark_twins,
    refused,
    run_cells,
)
from tfbuild.builds.delivery import require_output
from tfbuild.ci.wheels import wheel_axes
from tfbuild.commands.context import log_of, open_tools, read_request
from tfbuild.core.errors import BadRequest, Interrupted, NoSolution
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Pairs, Request
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.reports import Cell, StageRecord, cell_name, is_gpu_untried
from tfbuild.core.settings import axis_name
from tfbuild.facts.installed import open_tables
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.reporting.matrix_html import matrix_outcome, matrix_page
from tfbuild.reporting.text import finished_cells, planned_cells, troubles_text

_STYLES = ("text", "json")


def build_matrix(
    matrix: Sequence[str],
    words: tuple[str, ...],
    flags: Mapping[str, str],
    *,
    as_json: bool,
    verbosity: int,
) -> int:
    """Build every cell that can be, into a folder of its own; the matrix's exit code.

    Raises BadRequest before anything is built, and Interrupted once what was finished is kept.
    """
    started_at = _now()
    with ConsoleReporter(verbosity) as reporter:
        output = read_request(words, flags, reporter).output
        require_output(output)
        requests = _requests(matrix, words, flags, output)
        cells = place_cells(requests, reporter)
        reporter.outlook(*planned_cells(cells))
        for line in troubles_text(cells).splitlines():
            reporter.note(line)
        found = run_cells(
            cells,
            _builder(requests, reporter),
            tell=reporter.note,
            keep=lambda now: write_cells(now, started_at, output),
        )
    if as_json:
        print_json(cells_document(found, started_at))
    else:
        ConsoleReporter().table("", *finished_cells(found))
        command = matrix_outcome(cells_document(found, started_at)).command
        lines = (_summary(found), f"report  {output / 'matrix.html'}", f"next    {command}")
        print_text(troubles_text(found) + "\n".join(lines[: 3 if command else 2]))
    code = exit_code(found)
    if code == Interrupted.exit_code:
        stop = Interrupted("stopped", hint="run the same command again: finished work is kept")
        stop.is_told = as_json
        raise stop
    return code


def show_cells(
    matrix: Sequence[str], words: tuple[str, ...], flags: Mapping[str, str], *, style: str
) -> int:
    """Print what would be built where; 3 where a cell cannot be, else 0."""
    if style not in _STYLES:
        raise BadRequest(
            f"--format {style} is not for a matrix", hint="leave it out, or write --format json"
        )
    with ConsoleReporter() as reporter:
        output = read_request(words, flags, reporter).output
        cells = place_cells(_requests(matrix, words, flags, output), reporter)
    if style == "json":
        print_json(cells_document(cells, _now()))
    else:
        ConsoleReporter().table("", *planned_cells(cells))
        possible = sum(cell.state != "impossible" for cell in cells)
        print_text(f"{troubles_text(cells)}{possible} of {len(cells)} cells can be built")
    return exit_code(cells)


def place_cells(requests: Mapping[Pairs, Request], reporter: ConsoleReporter) -> tuple[Cell, ...]:
    """Each cell with its system and versions, or why it cannot be; nothing is built."""
    with open_tools(reporter) as tools:
        tables = open_tables()
        return mark_twins([_placed(axes, r, tables, tools) for axes, r in requests.items()])


def write_cells(cells: Sequence[Cell], started_at: str, output: Path) -> None:
    """Write matrix.json and matrix.html beside the cells' folders."""
    document = cells_document(cells, started_at)
    write_aside(output / "matrix.json", json.dumps(document, indent=1) + "\n")
    write_aside(output / "matrix.html", matrix_page(document, output))


def _requests(
    matrix: Sequence[str], words: tuple[str, ...], flags: Mapping[str, str], output: Path
) -> dict[Pairs, Request]:
    """What each cell asks for; odd settings were told of once, with the request of all."""
    named = {axis_name(word.partition("=")[0]) for word in matrix}
    found = {}
    for axes in cross(tuple(pair for pair in wheel_axes(matrix) if pair[0] in named)):
        mine = {**flags, "output": str(output / cell_name(axes))}
        wishes = (*words, *(f"{axis}={value}" for axis, value in axes))
        found[axes] = read_request(wishes, mine, SilentReporter())
    return found


def _placed(axes: Pairs, request: Request, tables: Tables, tools: Tools) -> Cell:
    from tfbuild.builds.decide import decide

    cell = Cell(axes=axes)
    try:
        decision = decide(request, tables, tools)
    except NoSolution as error:
        return refused(cell, error, "impossible")
    host, plan = decision.host, decision.plan
    return replace(
        cell,
        system=f"{host.distribution} {host.distribution_version}".strip(),
        versions=tuple((choice.axis, choice.value) for choice in plan.versions.choices),
        plan=plan.id,
    )


def _builder(requests: Mapping[Pairs, Request], reporter: ConsoleReporter) -> Build:
    """The whole chain for a cell, in a run of its own."""

    def build(cell: Cell, stages: list[StageRecord]) -> Cell:
        from tfbuild.builds.pipeline import build as run
        from tfbuild.builds.timeline import Timeline
        from tfbuild.wheels.wheel_file import parse_name

        with open_tools(reporter, keep=True) as tools:
            timeline = Timeline(reporter=tools.reporter, stages=stages)
            made = run(requests[cell.axes], open_tables(), tools, timeline)
        return replace(
            cell,
            state="passed",
            wheel=str(made.wheel),
            tag=parse_name(made.wheel.name).tag,
            size=made.report.wheel.size,
            is_gpu_untried=is_gpu_untried(made.report),
            report=str(made.wheel.with_name("report.html")),
            log=log_of(tools),
        )

    return build


def _summary(cells: Sequence[Cell]) -> str:
    counts = count_states(cells)
    said = ", ".join(f"{number} {state}" for state, number in counts.items())
    return f"{len(cells)} cells: {said}"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
