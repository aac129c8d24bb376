"""The comparison of a wheel with one baseline: a row for each ratio, on one logarithmic scale.

A row is a line of a table: its name, its mark as inline SVG, its numbers as text. So names have
room, and who does not see the marks reads the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfbuild.reporting.charts import Chart, Entry, Shape, across, number, shape, upright

_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_NEAR = (0.8, 0.9, 1.1, 1.25, 1.5)  # where all ratios are near 1
_LEAST_GAP = 13.0  # percent of the width between two ticks, so that their numbers have room
_HEIGHT = 24  # of a row's mark, and of the scale
_MIDDLE = _HEIGHT // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioRow:
    """One quantity: its mark, and what it comes to in words."""

    name: str
    mark: Chart
    words: str  # 1.23x
    spread: str  # 1.10x to 1.31x
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioChart:
    """All ratios to one baseline, the slowest first; open are the names of what is undecided."""

    against: str
    scale: Chart
    rows: tuple[RatioRow, ...]
    open: tuple[str, ...]


def ratio_chart(against: str, entries: Sequence[Entry], floors: Mapping[str, float]) -> RatioChart:
    """The ratios to a baseline; floors are what a wheel differs from itself by."""
    drawn = sorted(
        (entry for entry in entries if entry["verdict"] != "undecidable"),
        key=lambda entry: float(entry["value"]),
    )
    ends = [float(e[key]) for e in drawn for key in ("low", "high")]
    ends += [float(e["bar"]) for e in drawn if e["bar"]] + [0.8, 1.25]
    scale = _LogScale(min(ends), max(ends))
    return RatioChart(
        against=against,
        scale=_scale(scale),
        rows=tuple(_row(e, scale, floors.get(str(e["name"]), 0.0)) for e in drawn),
        open=tuple(str(e["name"]) for e in entries if e["verdict"] == "undecidable"),
    )


# --- inside ------------------------------------------------------------------------------------


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

    def ticks(self) -> list[float]:
        """Round ratios, as many as have room for their number; 1 is always among them."""
        found: list[float] = []
        near = sorted(_TICKS, key=lambda tick: (tick != 1, abs(math.log(tick))))
        for tick in (*near, *_NEAR):
            is_free = all(abs(self.x(tick) - self.x(other)) >= _LEAST_GAP for other in found)
            if self.low <= tick <= self.high and is_free:
                found.append(tick)
        return sorted(found)


def _row(entry: Entry, scale: _LogScale, floor: float) -> RatioRow:
    low, value, high = (float(entry[key]) for key in ("low", "value", "high"))
    words, spread = f"{number(value)}x", f"{number(low)}x to {number(high)}x"
    verdict = str(entry["verdict"])
    said = f"{words} {verdict}, from {spread}"
    mark = Chart(title=said, height=_HEIGHT, shapes=tuple(_mark(entry, scale, floor)))
    return RatioRow(name=str(entry["name"]), mark=mark, words=words, spread=spread, verdict=verdict)


def _mark(entry: Entry, scale: _LogScale, floor: float) -> Iterator[Shape]:
    """The grid behind, the noise around 1, the interval, the value, and the bar to reach."""
    verdict = str(entry["verdict"])
    left, right = scale.x(1 / (1 + floor)), scale.x(1 + floor)
    box = {"x": across(left), "width": across(max(right - left, 0)), "y": 3, "height": _HEIGHT - 6}
    yield shape("rect", "noise", box)
    for tick in scale.ticks():
        yield upright("one" if tick == 1 else "grid", scale.x(tick), 0, _HEIGHT)
    low, value, high = (across(scale.x(float(entry[key]))) for key in ("low", "value", "high"))
    ends = {"x1": low, "x2": high, "y1": _MIDDLE, "y2": _MIDDLE}
    yield shape("line", verdict, {**ends, "stroke-width": 3, "stroke-linecap": "round"})
    yield shape("circle", verdict, {"cx": value, "cy": _MIDDLE, "r": 5})
    if entry["bar"]:
        tip = f"the bar: {float(entry['bar']):g}x"
        yield upright("bar", scale.x(float(entry["bar"])), 2, _HEIGHT - 2, tip=tip)


def _scale(scale: _LogScale) -> Chart:
    shapes = []
    for tick in scale.ticks():
        x = scale.x(tick)
        anchor = "start" if x < 5 else "end" if x > 95 else "middle"
        place = {"x": across(x), "y": _MIDDLE + 4, "text-anchor": anchor}
        shapes.append(shape("text", "soft", place, words=f"{tick:g}x"))
    return Chart(title="the scale of the ratios", height=_HEIGHT, shapes=tuple(shapes))
