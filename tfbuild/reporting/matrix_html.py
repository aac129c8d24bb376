"""A matrix of wheels as one HTML page: a row per cell, how two axes cross, where the time went."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tfbuild.core.reports import cell_name
from tfbuild.reporting.charts import duration, stacked
from tfbuild.reporting.html import Tile, render
from tfbuild.reporting.summary import versions_text

Document = Mapping[str, Any]
# The stages that take long; all others are drawn as one.
_LONG_STAGES = ("environment", "build", "smoke", "perf")


def matrix_page(document: Document, folder: Path) -> str:
    """The page of a document as `tfbuild.cells/1` describes it; links are relative to folder."""
    values = _values(document["cells"])
    cells = [_shown(cell, folder) for cell in document["cells"]]
    timed = [cell for cell in cells if cell["stages"]]
    title = "Wheels for " + " and ".join(
        f"{axis} {', '.join(found)}" for axis, found in values.items()
    )
    return render(
        "matrix.html",
        document=document,
        title=title,
        started=str(document["started_at"]).replace("T", " ").partition("+")[0],
        figures=tuple(_tiles(document)),
        crossing=_crossing(cells, values),
        cells=cells,
        stages=stacked(timed, _LONG_STAGES) if timed else None,
    )


def _shown(cell: Document, folder: Path) -> Document:
    """The cell with what is said of it in words, and the way to the report of its build."""
    report = cell["report"]
    return {
        **cell,
        "name": cell_name(tuple(cell["axes"].items())),
        "time": _time(cell),
        "compared": versions_text(cell["versions"]).split(", "),
        # A path, whatever is in it: quoted, a colon makes no scheme of what stands before it.
        "link": quote(os.path.relpath(report, folder)) if report else "",
    }


def _time(cell: Document) -> str:
    """How long it took; whose result it is, where it was not built for itself."""
    if cell["same_as"]:
        return f"as {cell['same_as']}"
    return duration(float(cell["seconds"])) if cell["stages"] else ""


def _tiles(document: Document) -> Iterator[Tile]:
    cells, counts = document["cells"], document["counts"]
    passed = f"{counts.get('passed', 0)} of {len(cells)}"
    yield Tile(name="wheels", value=passed, state=_whole_state(counts))
    for state, number in counts.items():
        if state != "passed":
            yield Tile(name="cells", value=f"{number} {state}", state=state)
    yield Tile(name="together", value=duration(sum(float(cell["seconds"]) for cell in cells)))


def _whole_state(counts: Mapping[str, int]) -> str:
    if "failed" in counts:
        return "failed"
    return "passed" if set(counts) == {"passed"} else ""


def _crossing(
    cells: Sequence[Document], values: Mapping[str, Sequence[str]]
) -> dict[str, object] | None:
    """One axis down, the other across, where exactly two have more than one value."""
    varied = [axis for axis, found in values.items() if len(found) > 1]
    if len(varied) != 2:
        return None
    down, across = varied
    found = {(cell["axes"][down], cell["axes"][across]): cell for cell in cells}
    rows = [(one, [found[one, other] for other in values[across]]) for one in values[down]]
    return {"down": down, "across": across, "columns": values[across], "rows": rows}


def _values(cells: Sequence[Document]) -> dict[str, list[str]]:
    """The values of each axis, in their order."""
    names = cells[0]["axes"]
    return {name: list(dict.fromkeys(cell["axes"][name] for cell in cells)) for name in names}
