"""What `tfbuild build --matrix` does: builds every cell, prints and keeps one summary."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfbuild.cells import Cell, cell_name, cross, run_cells
from tfbuild.ci_files import read_axes
from tfbuild.codec import to_plain
from tfbuild.console import ConsoleReporter, clock, print_json, print_text
from tfbuild.front import open_tables, open_tools, read_request
from tfbuild.paths import write_aside
from tfbuild.records import Pairs

_SCHEMA = "tfbuild.cells/1"


def build_matrix(
    matrix: Sequence[str],
    words: tuple[str, ...],
    flags: Mapping[str, str],
    *,
    as_json: bool,
    verbosity: int,
) -> int:
    """Build every cell into a folder of its own; the exit code of the first that failed, or 0."""
    named = {word.partition("=")[0] for word in matrix}
    cells = cross(tuple(pair for pair in read_axes(matrix) if pair[0] in named))
    output = Path(flags.get("output") or "dist")
    with ConsoleReporter(verbosity) as reporter:

        def build(axes: Pairs) -> str:
            from tfbuild.pipeline import build as run

            mine = {**flags, "output": str(output / cell_name(axes))}
            request = read_request((*words, *(f"{a}={v}" for a, v in axes)), mine, reporter)
            with open_tools(reporter, keep=True) as tools:
                return str(run(request, open_tables(), tools).wheel)

        found = run_cells(cells, build, reporter.note)
    summary = cells_document(found)
    write_aside(output / "matrix.json", json.dumps(summary, indent=1) + "\n")
    if as_json:
        print_json(summary)
    else:
        rows = [(c.state, c.name, clock(c.seconds), c.wheel or c.message) for c in found]
        ConsoleReporter().table("", ("", "cell", "time", "wheel, or why not"), rows)
        print_text(f"{sum(c.state == 'passed' for c in found)} of {len(found)} cells passed")
    return next((cell.exit_code for cell in found if cell.exit_code), 0)


def cells_document(cells: Sequence[Cell]) -> dict[str, Any]:
    """The summary as the JSON document tfbuild.cells/1."""
    plain = [{**to_plain(cell), "axes": dict(cell.axes)} for cell in cells]
    return {"schema": _SCHEMA, "cells": plain}
