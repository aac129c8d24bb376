"""A matrix of wheels as one HTML page: a row per cell, how two axes cross, where the time went."""

import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tfbuild.core.reports import cell_name
from tfbuild.reporting.charts import duration, stacked
from tfbuild.reporting.html import page, section, state_badge, table, tile
from tfbuild.reporting.summary import versions_text

Document = Mapping[str, Any]
# The stages that take long; all others are drawn as one.
_LONG_STAGES = ("environment", "build", "smoke", "perf")


def matrix_page(document: Document, folder: Path) -> str:
    """The page of a document as `tfbuild.cells/1` describes it; links are relative to folder."""
    cells = document["cells"]
    varied = _varied(cells)
    title = "Wheels for " + " and ".join(
        f"{axis} {', '.join(values)}" for axis, values in _values(cells).items()
    )
    parts = [_head(document, title)]
    if len(varied) == 2:
        parts.append(section(" and ".join(varied), _crossing(cells, varied, folder)))
    parts.append(section("Cells", _cells(cells, folder)))
    if timed := [{**cell, "name": _name(cell)} for cell in cells if cell["stages"]]:
        parts.append(section("Where the time went", stacked(timed, _LONG_STAGES)))
    if missing := [cell for cell in cells if cell["message"] and not cell["same_as"]]:
        parts.append(section("Why there is no wheel", "".join(map(_trouble, missing))))
    return page(title, "".join(parts))


def _head(document: Document, title: str) -> str:
    cells, counts = document["cells"], document["counts"]
    started = str(document["started_at"]).replace("T", " ").partition("+")[0]
    words = f"Begun {started} UTC by tfbuild {document['tfbuild_version']}."
    tiles = [tile("wheels", f"{counts.get('passed', 0)} of {len(cells)}", _whole_state(counts))]
    tiles += [
        tile("cells", f"{number} {state}", state)
        for state, number in counts.items()
        if state != "passed"
    ]
    tiles.append(tile("together", duration(sum(float(cell["seconds"]) for cell in cells)), ""))
    return (
        f'<header><h1>{escape(title)}</h1><p class="soft">{escape(words)}</p></header>'
        f'<div class="tiles">{"".join(tiles)}</div>'
    )


def _whole_state(counts: Mapping[str, int]) -> str:
    if "failed" in counts:
        return "failed"
    return "passed" if set(counts) == {"passed"} else ""


def _cells(cells: Sequence[Document], folder: Path) -> str:
    rows = [
        (
            state_badge(cell["state"]),
            f"<b>{escape(_name(cell))}</b>",
            escape(cell["system"]).replace(" ", "&nbsp;"),
            escape(versions_text(cell["versions"])).replace(" ", "&nbsp;").replace(",&nbsp;", ", "),
            f'<code class="tag">{escape(cell["tag"])}</code>',
            " ".join(_checks(cell)),
            _link(cell, folder, "report") if cell["report"] else "",
            f"{cell['size'] / 1e6:.1f} MB" if cell["size"] else "",
            _time(cell),
        )
        for cell in cells
    ]
    heads = ("", "cell", "system", "versions", "tag", "checks", "", "size", "time")
    return table(heads, rows, numbers_from=7)


def _checks(cell: Document) -> Iterator[str]:
    for name in ("audit", "smoke"):
        if cell[name]:
            yield f'<div><span class="soft">{name}</span> {escape(cell[name])}</div>'


def _crossing(cells: Sequence[Document], varied: Sequence[str], folder: Path) -> str:
    """One axis down, the other across: what holds where is seen at a glance."""
    down, across = (_values(cells)[axis] for axis in varied)
    found = {tuple(cell["axes"][axis] for axis in varied): cell for cell in cells}
    head = "".join(f"<th>{escape(f'{varied[1]} {value}')}</th>" for value in across)
    rows = "".join(
        f"<tr><th>{escape(f'{varied[0]} {value}')}</th>"
        + "".join(_square(found[value, other], folder) for other in across)
        + "</tr>"
        for value in down
    )
    body = f"<tr><th></th>{head}</tr>{rows}"
    return f'<div class="scroll"><table class="crossing">{body}</table></div>'


def _square(cell: Document, folder: Path) -> str:
    words = " · ".join(part for part in (escape(cell["system"]), _time(cell)) if part)
    state = escape(cell["state"])
    said = _link(cell, folder, cell["state"]) if cell["report"] else state
    return f'<td class="{state}">{said}<div class="soft">{words}</div></td>'


def _trouble(cell: Document) -> str:
    code = f", exit code {cell['exit_code']}" if cell["exit_code"] else ""
    log = f"<p>Log: <code>{escape(cell['log'])}</code></p>" if cell["log"] else ""
    why = f"<pre>{escape(cell['why'])}</pre>" if cell["why"] else ""
    hint = f"<p>Do this: {escape(cell['hint'])}</p>" if cell["hint"] else ""
    said = f"<p><b>{escape(cell['message'])}</b></p>"
    state = f"{escape(cell['state'])}{code}"
    return f"<h3>{escape(_name(cell))}: {state}</h3>{said}{why}{hint}{log}"


# --- pieces --------------------------------------------------------------------------------------


def _name(cell: Document) -> str:
    return cell_name(tuple(cell["axes"].items()))


def _time(cell: Document) -> str:
    """How long it took; whose result it is, where it was not built for itself."""
    if cell["same_as"]:
        return f"as {escape(cell['same_as'])}"
    return duration(float(cell["seconds"])) if cell["stages"] else ""


def _link(cell: Document, folder: Path, words: str) -> str:
    """The words as a link to the report of the cell's build."""
    path = quote(os.path.relpath(cell["report"], folder))
    return f'<a href="{escape(path)}">{escape(words)}</a>'


def _values(cells: Sequence[Document]) -> dict[str, list[str]]:
    """The values of each axis, in their order."""
    names = cells[0]["axes"]
    return {name: list(dict.fromkeys(cell["axes"][name] for cell in cells)) for name in names}


def _varied(cells: Sequence[Document]) -> list[str]:
    """The axes that have more than one value."""
    return [axis for axis, values in _values(cells).items() if len(values) > 1]
