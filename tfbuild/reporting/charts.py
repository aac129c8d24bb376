"""The charts of a report as shapes for inline SVG: stages in time, and shares.

Here is decided what stands where; templates/chart.html writes and escapes it. Across, places are
shares of the width, so that words keep their size on every screen; a row has its words above its
bar.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfbuild.core.durations import clock

_ROW = 42
_WORDS = 13  # from the top of a row down to the middle of its words
_BAR = 29  # down to the middle of its bar
_FOOT = 24  # for the ticks below all rows
_MOST_TICKS = 6  # of a time; more would run into one another on a small screen
_STEPS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000)
_UNITS = ((3600, "h"), (60, "min"), (0, "s"))

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One element of a chart: tag and attributes, the words in it, what pointing at it shows."""

    tag: str
    attributes: Mapping[str, str]
    words: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Shapes from back to front; keys are the meanings of part0, part1 and so on."""

    title: str
    height: int
    shapes: tuple[Shape, ...]
    keys: tuple[str, ...] = ()


def timeline(stages: Sequence[Entry]) -> Chart:
    """A row per stage from its start to its end."""
    end = max((float(s["started"]) + float(s["seconds"]) for s in stages), default=0.0) or 1.0
    shapes = [*_time_grid(end, len(stages))]
    for row, stage in enumerate(stages):
        x = 100 * float(stage["started"]) / end
        width = max(100 * float(stage["seconds"]) / end, 0.4)
        shapes += _words(row, str(stage["name"]), _time_and_state(stage))
        shapes.append(_bar(str(stage["state"]), min(x, 99.6), row, width))
    return _chart("stages of the run in time", len(stages), shapes)


def shares(entries: Sequence[Entry]) -> Chart:
    """A row per measurement: how much of the machine's peak it reaches."""
    shapes = [*_share_grid(len(entries))]
    for row, entry in enumerate(entries):
        share = min(float(entry["achieved"]) / float(entry["peak"]), 1.0)
        words = f"{share:.0%} of {number(float(entry['peak']))} {entry['unit']}"
        words = words if share < 1 else "at the measured peak"
        shapes += _words(row, str(entry["name"]), words)
        shapes.append(_bar("track", 0, row, 100))
        shapes.append(_bar("fill", 0, row, 100 * share))
    return _chart("share of the machine's peak", len(entries), shapes)


def stacked(entries: Sequence[Entry], named: Sequence[str]) -> Chart:
    """A bar per entry, as long as it took: a part for each named stage, and one for the rest."""
    end = max((float(entry["seconds"]) for entry in entries), default=0.0) or 1.0
    shapes = [*_time_grid(end, len(entries))]
    for row, entry in enumerate(entries):
        shapes += _words(row, str(entry["name"]), _time_and_state(entry))
        x = 0.0
        for part, (name, seconds) in enumerate(_shared_out(entry, named)):
            width = 100 * seconds / end
            tip, box = f"{name}: {clock(seconds)}", _box(x, row, width, 16)
            shapes.append(shape("rect", f"part{part}", box, tip=tip))
            x += width
    return _chart("time of each stage", len(entries), shapes, keys=(*named, "the rest"))


def number(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


# --- rows and scales -----------------------------------------------------------------------------


def _words(row: int, name: str, words: str) -> Iterator[Shape]:
    """What a row is called, and at its other end what it comes to."""
    yield _text(0, row * _ROW + _WORDS, name)
    yield _text(100, row * _ROW + _WORDS, words, anchor="end", css="soft")


def _time_and_state(entry: Entry) -> str:
    """How long it took, how it ended, and how long the result took that was taken again."""
    words = clock(float(entry["seconds"]))
    if entry["state"] == "reused" and entry["original_seconds"]:
        return f"{words}, reused (took {clock(float(entry['original_seconds']))})"
    return words if entry["state"] == "passed" else f"{words}, {entry['state']}"


def _shared_out(entry: Entry, named: Sequence[str]) -> list[tuple[str, float]]:
    """The seconds of each named stage, and what is left of the whole."""
    spent = {str(stage["name"]): float(stage["seconds"]) for stage in entry["stages"]}
    parts = [(name, spent.get(name, 0.0)) for name in named]
    rest = float(entry["seconds"]) - sum(seconds for _, seconds in parts)
    return [*parts, ("the rest", max(rest, 0.0))]


def _share_grid(rows: int) -> Iterator[Shape]:
    """Lines at each quarter."""
    for percent in (0, 25, 50, 75, 100):
        yield from _tick(percent, rows, f"{percent}%")


def _time_grid(end: float, rows: int) -> Iterator[Shape]:
    """Lines at round times."""
    step = next((s for s in _STEPS if end / s <= _MOST_TICKS), end)
    for count in range(int(end / step) + 1):
        at = count * step
        size, unit = next((size or 1, unit) for size, unit in _UNITS if step >= size)
        yield from _tick(100 * at / end, rows, f"{at / size:g} {unit}" if at else "0")


def _tick(x: float, rows: int, words: str) -> Iterator[Shape]:
    """A line through all rows with its meaning below, which stays inside the picture."""
    yield upright("grid", x, 0, rows * _ROW)
    anchor = "start" if x < 5 else "end" if x > 95 else "middle"
    yield _text(x, rows * _ROW + _WORDS, words, anchor=anchor, css="soft")


# --- shapes --------------------------------------------------------------------------------------


def _chart(title: str, rows: int, shapes: Sequence[Shape], keys: tuple[str, ...] = ()) -> Chart:
    return Chart(title=title, height=rows * _ROW + _FOOT, shapes=tuple(shapes), keys=keys)


def shape(
    tag: str, css: str, attributes: Mapping[str, object], *, words: str = "", tip: str = ""
) -> Shape:
    """An element with its CSS class."""
    named = {"class": css} if css else {}
    named |= {name: str(value) for name, value in attributes.items()}
    return Shape(tag=tag, attributes=named, words=words, tip=tip)


def across(share: float) -> str:
    """A place or a width as the share of the whole width that it is."""
    return f"{share:.2f}%"


def _text(x: float, y: float, words: str, *, anchor: str = "start", css: str = "") -> Shape:
    place = {"x": across(x), "y": f"{y + 4:.1f}", "text-anchor": anchor}
    return shape("text", css, place, words=words)


def _bar(css: str, x: float, row: int, width: float) -> Shape:
    return shape("rect", css, {**_box(x, row, width, 14), "rx": 3})


def _box(x: float, row: int, width: float, height: int) -> dict[str, object]:
    y = row * _ROW + _BAR - height // 2
    return {"x": across(x), "y": y, "width": across(width), "height": height}


def upright(css: str, x: float, top: float, bottom: float, *, tip: str = "") -> Shape:
    """A line from the top down, at a share of the width."""
    ends = {"x1": across(x), "x2": across(x), "y1": top, "y2": bottom}
    return shape("line", css, ends, tip=tip)
