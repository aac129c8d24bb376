"""A matrix of builds as one HTML page: a row per cell, how two axes cross, where the time went."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfbuild.core.durations import clock
from tfbuild.core.layout import SCRIPT
from tfbuild.core.reports import cell_name
from tfbuild.reporting.charts import stacked
from tfbuild.reporting.html import Link, Outcome, Tile, card, link_to, numbered, render, utc
from tfbuild.reporting.summary import log_command, versions_text

Document = Mapping[str, Any]
# What needs to be looked at stands first; states that are not named come in between.
_FIRST = ("failed", "stopped", "impossible")
_LAST = "passed"
# The stages that take long; all others are drawn as one.
_LONG_STAGES = ("environment", "build", "smoke", "perf")


def matrix_page(document: Document, folder: Path) -> str:
    """The page of a document as `tfbuild.cells/1` describes it; links are relative to folder."""
    values = _values(document["cells"])
    noun = str(document["noun"])
    cells = [_shown(cell, folder, noun) for cell in document["cells"]]
    troubled = [cell for cell in cells if cell["message"] and not cell["same_as"]]
    timed = [cell for cell in cells if cell["stages"]]
    whys, reasons = numbered([cell["why"]] if cell["why"] else [] for cell in troubled)
    title = f"{document['title']} for " + " and ".join(
        f"{axis} {', '.join(found)}" for axis, found in values.items()
    )
    return render(
        "matrix.html",
        document=document,
        title=title,
        started=utc(str(document["started_at"])),
        figures=tuple(_tiles(document)),
        crossing=_crossing(cells, values),
        cells=sorted(cells, key=_urgency),
        outcome=matrix_outcome(document),
        card=card(
            title,
            matrix_outcome(document),
            [(_name(cell), str(cell["state"])) for cell in document["cells"]],
        ),
        troubled=list(zip(troubled, whys, strict=True)),
        reasons=reasons,
        stages=stacked(timed, _LONG_STAGES) if timed else None,
    )


def _shown(cell: Document, folder: Path, noun: str) -> Document:
    """The cell with what is said of it in words, and the ways to what its build has left."""
    return {
        **cell,
        "name": _name(cell),
        "time": _time(cell),
        "compared": versions_text(cell["versions"]).split(", "),
        "link": link_to("report", cell["report"], folder).target if cell["report"] else "",
        "links": tuple(_links(cell, folder, noun)),
    }


def _links(cell: Document, folder: Path, noun: str) -> Iterator[Link]:
    """The files of a cell: what it delivered, and what its run keeps."""
    if cell["report"]:
        yield link_to("report", cell["report"], folder)
    if cell["product"]:
        for name, path in ((noun, cell["product"]), *cell["beside"].items()):
            yield link_to(name, path, folder)
    if cell["log"]:
        yield link_to("log", cell["log"], folder)
        yield link_to("script", str(Path(cell["log"]).with_name(SCRIPT)), folder)


def _urgency(cell: Document) -> int:
    state = str(cell["state"])
    return _FIRST.index(state) if state in _FIRST else len(_FIRST) + (state == _LAST)


def matrix_outcome(document: Document) -> Outcome:
    """What became of all of it, and what to type next."""
    cells, noun = document["cells"], document["noun"]
    made = [cell for cell in cells if cell["state"] == "passed"]
    title = f"{len(made)} of {len(cells)} {noun}s are ready"
    use = str(made[0]["command"]) if made else ""
    if failed := _in(cells, "failed", "stopped"):
        log = next((cell["log"] for cell in failed if cell["log"]), "")
        command = log_command(log) if log else use
        none = f"No {noun} for {_names(failed)}."
        return Outcome(state="failed", title=title, says=none, command=command)
    untried = [cell for cell in made if cell["is_gpu_untried"]]
    says = [
        f"{words} {_names(found)}."
        for words, found in (
            ("Yet to be built:", _in(cells, "begun", "not begun")),
            ("Impossible:", _in(cells, "impossible")),
            ("GPU code was compiled and never executed:", untried),
        )
        if found
    ]
    return Outcome(
        state="unproven" if says else "passed",
        title=title,
        says=" ".join(says) or "Each passed all its checks.",
        command=use,
    )


def _in(cells: Sequence[Document], *states: str) -> list[Document]:
    return [cell for cell in cells if cell["state"] in states]


def _names(cells: Sequence[Document]) -> str:
    return ", ".join(_name(cell) for cell in cells)


def _name(cell: Document) -> str:
    return cell_name(tuple(cell["axes"].items()))


def _time(cell: Document) -> str:
    """How long it took; whose result it is, where it was not built for itself."""
    if cell["same_as"]:
        return f"as {cell['same_as']}"
    return clock(float(cell["seconds"])) if cell["stages"] else ""


def _tiles(document: Document) -> Iterator[Tile]:
    cells, counts = document["cells"], document["counts"]
    passed = f"{counts.get('passed', 0)} of {len(cells)}"
    yield Tile(name=f"{document['noun']}s", value=passed, state=_whole_state(counts))
    for state, number in counts.items():
        if state != "passed":
            yield Tile(name="cells", value=f"{number} {state}", state=state)
    yield Tile(name="together", value=clock(sum(float(cell["seconds"]) for cell in cells)))


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
