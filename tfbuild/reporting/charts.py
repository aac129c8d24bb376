"""The charts of a report as shapes for inline SVG: stages in time, ratios with spread, shares.

Here is decided what stands where; templates/chart.html writes and escapes it. Across, places are
shares of the width, so that words keep their size on every screen; a row has its words above its
bar.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ROW = 42
_WORDS = 13  # from the top of a row down to the middle of its words
_BAR = 29  # down to the middle of its bar
_FOOT = 24  # for the ticks below all rows
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 5, 10, 20, 50, 100,
          200, 500, 1000)  # fmt: skip
_MOST_TICKS = 6  # of a time; more would run into one another on a small screen
_LEAST_GAP = 15.0  # percent of the width between the ticks of a scale, for the same reason
_STEPS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000)
_UNITS = ((3600, "h"), (60, "min"), (0, "s"))

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One element of a chart: its tag and attributes, the words in it, what is told on pointing."""

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


def ratios(entries: Sequence[Entry], floors: Mapping[str, float], undecided: str) -> Chart:
    """A row per ratio on a logarithmic scale: spread, value, noise around 1, and the bar.

    What cannot be decided is told in those words alone.
    """
    drawn = [entry for entry in entries if entry["verdict"] != "undecidable"]
    ends = [float(e[key]) for e in drawn for key in ("low", "high")]
    ends += [float(e["bar"]) for e in drawn if e["bar"]] + [0.8, 1.25]
    scale = _LogScale(min(ends), max(ends))
    shapes = [*_scale_grid(scale, len(entries))]
    shapes.append(_upright("one", scale.x(1), 0, len(entries) * _ROW))
    for row, entry in enumerate(entries):
        floor = floors.get(str(entry["name"]), 0.0)
        low, high = scale.x(1 / (1 + floor)), scale.x(1 + floor)
        shapes.append(_shape("rect", "noise", _box(low, row, max(high - low, 0), 20)))
        if entry["verdict"] == "undecidable":
            shapes += _words(row, str(entry["name"]), undecided)
        else:
            shapes += _ratio_row(entry, scale, row)
    return _chart("ratios with their spread", len(entries), shapes)


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
            tip, box = f"{name}: {duration(seconds)}", _box(x, row, width, 16)
            shapes.append(_shape("rect", f"part{part}", box, tip=tip))
            x += width
    return _chart("time of each stage", len(entries), shapes, keys=(*named, "the rest"))


def duration(seconds: float) -> str:
    """The time as one reads it: 0.4 s, 12 s, 3 min 20 s."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


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
    words = duration(float(entry["seconds"]))
    if entry["state"] == "reused" and entry["original_seconds"]:
        return f"{words}, reused (took {duration(float(entry['original_seconds']))})"
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


def _ratio_row(entry: Entry, scale: _LogScale, row: int) -> Iterator[Shape]:
    verdict = str(entry["verdict"])
    low, value, high = (scale.x(float(entry[key])) for key in ("low", "value", "high"))
    yield from _words(row, str(entry["name"]), f"{number(float(entry['value']))}x {verdict}")
    yield _spread(verdict, low, high, row)
    yield _shape("circle", verdict, {"cx": _across(value), "cy": row * _ROW + _BAR, "r": 5})
    if entry["bar"]:
        tip = f"the bar: {float(entry['bar']):g}x"
        middle = row * _ROW + _BAR
        yield _upright("bar", scale.x(float(entry["bar"])), middle - 9, middle + 9, tip=tip)


def _scale_grid(scale: _LogScale, rows: int) -> Iterator[Shape]:
    """Lines at round ratios, as many as have room for their number; 1 is always among them."""
    at: list[float] = []
    for tick in sorted(_TICKS, key=lambda tick: (tick != 1, abs(math.log(tick)))):
        x = scale.x(tick)
        if scale.low <= tick <= scale.high and all(abs(x - other) >= _LEAST_GAP for other in at):
            at.append(x)
            yield from _tick(x, rows, f"{tick:g}x")


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
    yield _upright("grid", x, 0, rows * _ROW)
    anchor = "start" if x < 5 else "end" if x > 95 else "middle"
    yield _text(x, rows * _ROW + _WORDS, words, anchor=anchor, css="soft")


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


def _spread(css: str, low: float, high: float, row: int) -> Shape:
    middle = row * _ROW + _BAR
    ends = {"x1": _across(low), "x2": _across(high), "y1": middle, "y2": middle}
    return _shape("line", css, {**ends, "stroke-width": 3, "stroke-linecap": "round"})
