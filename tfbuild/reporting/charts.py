"""The charts of a report as shapes for inline SVG: stages in time, ratios with spread, shares.

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
_SERIES = (  # of ratios at which lines stand, in the order in which they are tried
    tuple(digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5)),
    (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0),
)
_FEWEST_TICKS = 3
_PLOT = 24  # the height of a ratio's row
_MOST_TICKS = 6  # of a time; more would run into one another on a small screen
_LEAST_GAP = 15.0  # percent of the width between the ticks of a scale, for the same reason
_STEPS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000)
_UNITS = ((3600, "h"), (60, "min"), (0, "s"))

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One element of a chart: its tag and attributes, the words in it, what is said on pointing."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioRow:
    """One ratio: what it is called, what it comes to, and its picture."""

    name: str
    unit: str
    value: str
    spread: str
    verdict: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Ratios against one baseline: a scale, a row for each that is decided, the others by name."""

    ticks: tuple[Shape, ...]
    rows: tuple[RatioRow, ...]
    undecided: tuple[str, ...]


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


def ratios(
    entries: Sequence[Entry], floors: Mapping[str, float], units: Mapping[str, str]
) -> Ratios:
    """A row per ratio that is decided, on one logarithmic scale; the names of the others."""
    drawn = [entry for entry in entries if entry["verdict"] != "undecidable"]
    ends = [float(e[key]) for e in drawn for key in ("low", "high")]
    ends += [float(e["bar"]) for e in drawn if e["bar"]] + [0.8, 1.25]
    scale = _LogScale(min(ends), max(ends))
    ticks = _ticks(scale)
    grid = [_upright("grid", scale.x(tick), 0, _PLOT) for tick in ticks]
    grid.append(_upright("one", scale.x(1), 0, _PLOT))
    return Ratios(
        ticks=tuple(_tick_word(scale.x(tick), f"{tick:g}x") for tick in ticks),
        rows=tuple(
            RatioRow(
                name=str(entry["name"]),
                unit=units.get(str(entry["name"]), ""),
                value=f"{number(float(entry['value']))}x",
                spread=f"{number(float(entry['low']))}x to {number(float(entry['high']))}x",
                verdict=str(entry["verdict"]),
                shapes=(*_ratio_shapes(entry, scale, floors, grid),),
            )
            for entry in drawn
        ),
        undecided=tuple(str(e["name"]) for e in entries if e["verdict"] == "undecidable"),
    )


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
            shapes.append(_shape("rect", f"part{part}", box, tip=tip))
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


class _LogScale:
    """Positions of ratios between the smallest and the largest."""

    def __init__(self, low: float, high: float) -> None:
        self.low = max(low, 1e-3) / 1.15
        self.high = max(high, self.low * 1.01) * 1.15

    def x(self, ratio: float) -> float:
        """Where a ratio is drawn, in percent of the width."""
        clipped = min(max(ratio, self.low), self.high)
        share = math.log(clipped / self.low) / math.log(self.high / self.low)
        return 1 + 98 * share  # a mark at an end lies inside


def _ratio_shapes(
    entry: Entry, scale: _LogScale, floors: Mapping[str, float], grid: Sequence[Shape]
) -> Iterator[Shape]:
    """The noise around 1, the scale, the spread, the value, and the bar that must be reached."""
    verdict, middle = str(entry["verdict"]), _PLOT // 2
    low, value, high = (scale.x(float(entry[key])) for key in ("low", "value", "high"))
    floor = floors.get(str(entry["name"]), 0.0)
    left, right = scale.x(1 / (1 + floor)), scale.x(1 + floor)
    band = {"x": _across(left), "width": _across(max(right - left, 0)), "y": 3}
    yield _shape("rect", "noise", {**band, "height": _PLOT - 6})
    yield from grid
    ends = {"x1": _across(low), "x2": _across(high), "y1": middle, "y2": middle}
    yield _shape("line", verdict, {**ends, "stroke-width": 3, "stroke-linecap": "round"})
    yield _shape("circle", verdict, {"cx": _across(value), "cy": middle, "r": 5})
    if entry["bar"]:
        tip = f"the bar: {float(entry['bar']):g}x"
        yield _upright("bar", scale.x(float(entry["bar"])), middle - 9, middle + 9, tip=tip)


def _ticks(scale: _LogScale) -> list[float]:
    """Round ratios as many as have room, 1 always among them: 1, 2, 5, 10 where these suffice."""
    found: list[float] = []
    for series in _SERIES:
        found = []
        for tick in sorted(series, key=lambda tick: (tick != 1, abs(math.log(tick)))):
            has_room = all(abs(scale.x(tick) - scale.x(one)) >= _LEAST_GAP for one in found)
            if scale.low <= tick <= scale.high and has_room:
                found.append(tick)
        if len(found) >= _FEWEST_TICKS:
            break
    return sorted(found)


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
    """A line through all rows with its meaning below."""
    yield _upright("grid", x, 0, rows * _ROW)
    yield _tick_word(x, words, top=rows * _ROW)


def _tick_word(x: float, words: str, top: float = 0) -> Shape:
    """The meaning of a line, which stays inside the picture."""
    anchor = "start" if x < 5 else "end" if x > 95 else "middle"
    return _text(x, top + _WORDS, words, anchor=anchor, css="soft")


# --- shapes --------------------------------------------------------------------------------------


def _chart(title: str, rows: int, shapes: Sequence[Shape], keys: tuple[str, ...] = ()) -> Chart:
    return Chart(title=title, height=rows * _ROW + _FOOT, shapes=tuple(shapes), keys=keys)


def _shape(
    tag: str, css: str, attributes: Mapping[str, object], *, words: str = "", tip: str = ""
) -> Shape:
    named = {"class": css} if css else {}
    named |= {name: str(value) for name, value in attributes.items()}
    return Shape(tag=tag, attributes=named, words=words, tip=tip)


def _across(share: float) -> str:
    """A place or a width as the share of the whole width that it is."""
    return f"{share:.2f}%"


def _text(x: float, y: float, words: str, *, anchor: str = "start", css: str = "") -> Shape:
    place = {"x": _across(x), "y": f"{y + 4:.1f}", "text-anchor": anchor}
    return _shape("text", css, place, words=words)


def _bar(css: str, x: float, row: int, width: float) -> Shape:
    return _shape("rect", css, {**_box(x, row, width, 14), "rx": 3})


def _box(x: float, row: int, width: float, height: int) -> dict[str, object]:
    y = row * _ROW + _BAR - height // 2
    return {"x": _across(x), "y": y, "width": _across(width), "height": height}


def _upright(css: str, x: float, top: float, bottom: float, *, tip: str = "") -> Shape:
    ends = {"x1": _across(x), "x2": _across(x), "y1": top, "y2": bottom}
    return _shape("line", css, ends, tip=tip)
