"""A matrix of builds: its cells, each built in turn, and what became of every one of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from time import monotonic
from typing import Any

import tfbuild
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, Interrupted, TfbuildError
from tfbuild.core.records import Pairs
from tfbuild.core.reports import Cell, CellState, StageRecord
from tfbuild.core.serialization import to_plain
from tfbuild.core.system_errors import foreseen

Axes = tuple[tuple[str, tuple[str, ...]], ...]
_SCHEMA = "tfbuild.cells/1"
MOST_CELLS = 256  # as many as a matrix of GitHub Actions has


BuildCell = Callable[[Cell, list[StageRecord]], Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the cells of a matrix are of, in words."""

    title: str  # Wheels, zstd
    noun: str  # wheel, archive


def cross(axes: Axes) -> tuple[Pairs, ...]:
    """Every combination of the axes' values, in the order given; BadRequest where it is too many.

    They are counted before any of them is made.
    """
    if (count := prod(len(values) for _, values in axes)) > MOST_CELLS:
        raise BadRequest(
            f"the matrix has {counted(count, 'cell')}",
            code="matrix-too-large",
            why=f"tfbuild crosses at most {MOST_CELLS}",
            hint="name fewer values, or build it in parts",
        )
    names = [name for name, _ in axes]
    return tuple(
        tuple(zip(names, row, strict=True)) for row in product(*(values for _, values in axes))
    )


def mark_twins(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells, those marked that come out as the plan of an earlier one on the same system."""
    first: dict[tuple[str, str], str] = {}
    found = []
    for cell in cells:
        earlier = first.setdefault((cell.plan, cell.system), cell.name) if cell.plan else cell.name
        found.append(replace(cell, same_as=earlier if earlier != cell.name else ""))
    return tuple(found)


def refused(cell: Cell, error: TfbuildError, state: CellState = "failed") -> Cell:
    """The cell of which nothing was made, and why; with the page of its run where there is one."""
    page = Path(error.log).with_name("report.html") if error.log else Path()
    return replace(
        cell,
        state=state,
        message=error.message,
        why=error.why,
        hint=error.hint,
        log=error.log,
        report=str(page) if page.is_file() else "",
        exit_code=error.exit_code,
        code=error.code,
    )


def run_cells(
    cells: Sequence[Cell],
    build: BuildCell,
    *,
    report: Callable[[str], None],
    keep: Callable[[Sequence[Cell]], object],
) -> tuple[Cell, ...]:
    """What became of each cell; report gets one that fails, and the next one is begun.

    build gives the finished cell, and notes its stages in the list while they run. keep is shown
    all cells whenever one has changed. Whoever stops one stops all: the others stay as they are.
    """
    found = list(cells)
    keep(found)
    todo = [index for index, cell in enumerate(found) if cell.state == "not begun"]
    for number, index in enumerate(todo, 1):
        cell = found[index]
        report(f"cell {number} of {len(todo)}: {' '.join(f'{a}={v}' for a, v in cell.axes)}")
        if cell.same_as:
            report(f"comes out as the plan of {cell.same_as}: not built again")
            found[index] = _like_its_twin(cell, found)
        else:
            found[index] = replace(cell, state="begun")
            keep(found)
            found[index] = _attempt(cell, build)
        keep(found)
        if found[index].state == "failed":
            report(f"failed: {found[index].message}")
        if found[index].state == "stopped":
            break
    return tuple(found)


def exit_code(cells: Sequence[Cell]) -> int:
    """130 where it was stopped, else that of the first failure, else 3 where a cell cannot be."""
    for state in ("stopped", "failed", "impossible"):
        for cell in cells:
            if cell.state == state:
                return cell.exit_code
    return 0


def count_states(cells: Sequence[Cell]) -> dict[str, int]:
    """How many cells are in each state; states that none is in are left out."""
    return dict(Counter(cell.state for cell in cells))


def cells_document(cells: Sequence[Cell], started_at: str, subject: Subject) -> dict[str, Any]:
    """The matrix as the JSON document tfbuild.cells/1."""
    plain = [
        {
            **to_plain(cell),
            "axes": dict(cell.axes),
            "versions": dict(cell.versions),
            "beside": dict(cell.beside),
        }
        for cell in cells
    ]
    return {
        "schema": _SCHEMA,
        "tfbuild_version": tfbuild.__version__,
        "started_at": started_at,
        "title": subject.title,
        "noun": subject.noun,
        "counts": count_states(cells),
        "cells": plain,
    }


def _attempt(cell: Cell, build: BuildCell) -> Cell:
    """The cell as it ended, with its times; a bug of ours ends no other cell."""
    stages: list[StageRecord] = []
    start = monotonic()
    try:
        done = build(cell, stages)
    except Interrupted as error:
        done = refused(cell, error, "stopped")
    except KeyboardInterrupt:
        done = refused(cell, Interrupted("stopped"), "stopped")
    except TfbuildError as error:
        done = refused(cell, error)
    except Exception as error:  # noqa: BLE001  (the other cells are none the worse for it)
        done = refused(cell, foreseen(error))
    # A stage that raised has the error as its words: those are no tally.
    words = {s.name: s.detail for s in stages if s.detail != done.message}
    return replace(
        done,
        seconds=round(monotonic() - start, 3),
        stages=tuple(stages),
        audit=words.get("audit", ""),
        smoke=words.get("smoke", ""),
    )


def _like_its_twin(cell: Cell, found: Sequence[Cell]) -> Cell:
    """The cell with all that its twin has but the time, which was spent once."""
    twin = next(other for other in found if other.name == cell.same_as)
    return replace(twin, axes=cell.axes, same_as=twin.name, seconds=0.0, stages=())
