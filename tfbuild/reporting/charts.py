"""The charts of a report as shapes for inline SVG: stages in time, ratios with spread, shares.

Here is decided what stands where; templates/chart.html writes and escapes it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_WIDTH = 900
_LEFT = 190
_RIGHT = 150
_PLOT = _WIDTH - _LEFT - _RIGHT
_ROW = 28
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

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
    width: int = _WIDTH


def timeline(stages: Sequence[Entry]) -> Chart:
    """A row per stage from its start to its end."""
    end = max((float(s["started"]) + float(s["seconds"]) for s in stages), default=0.0) or 1.0
    shapes = [*_time_grid(end, len(stages))]
    for row, stage in enumerate(stages):
        middle = _middle(row)
        x = _LEFT + _PLOT * float(stage["started"]) / end
        width = max(_PLOT * float(stage["seconds"]) / end, 2.0)
        shapes += [
            _name(stage, middle),
            _bar(str(stage["state"]), x, middle, width),
            _text(x + width + 8, middle, _time_and_state(stage), css="soft"),
        ]
    return _chart("stages of the run in time", len(stages) * _ROW + 24, shapes)


def ratios(entries: Sequence[Entry], floors: Mapping[str, float]) -> Chart:
    """A row per ratio on a logarithmic scale: spread, value, noise around 1, and the bar."""
    ends = [float(e[key]) for e in entries for key in ("low", "high")]
    ends += [float(e["bar"]) for e in entries if e["bar"]] + [0.8, 1.25]
    scale = _LogScale(min(ends), max(ends))
    height = len(entries) * _ROW
    shapes = [*_scale_grid(scale, height)]
    for row, entry in enumerate(entries):
        floor = floors.get(str(entry["name"]), 0.0)
        low, high = scale.x(1 / (1 + floor)), scale.x(1 + floor)
        shapes.append(_shape("rect", "noise", _box(low, _middle(row), max(high - low, 0), 20)))
        shapes += _ratio_row(entry, scale, _middle(row))
    shapes.append(_upright("one", scale.x(1), 0, height))
    return _chart("ratios with their spread", height + 24, shapes)


def shares(entries: Sequence[Entry]) -> Chart:
    """A row per measurement: how much of the machine's peak it reaches."""
    shapes = []
    for row, entry in enumerate(entries):
        middle = _middle(row)
        share = float(entry["achieved"]) / float(entry["peak"])
        words = f"{share:.0%} of {number(float(entry['peak']))} {entry['unit']}"
        words = words if share < 1 else "at the measured peak"
        shapes += [
            _name(entry, middle),
            _bar("track", _LEFT, middle, _PLOT),
            _bar("fill", _LEFT, middle, _PLOT * min(share, 1.0)),
            _text(_WIDTH - _RIGHT + 10, middle, words, css="soft"),
        ]
    return _chart("share of the machine's peak", len(entries) * _ROW, shapes)


def stacked(entries: Sequence[Entry], named: Sequence[str]) -> Chart:
    """A bar per entry, as long as it took: a part for each named stage, and one for the rest."""
    end = max((float(entry["seconds"]) for entry in entries), default=0.0) or 1.0
    shapes = [*_time_grid(end, len(entries))]
    for row, entry in enumerate(entries):
        middle = _middle(row)
        shapes.append(_name(entry, middle))
        x: float = _LEFT
        for part, (name, seconds) in enumerate(_shared_out(entry, named)):
            width = _PLOT * seconds / end
            tip, box = f"{name}: {duration(seconds)}", _box(x, middle, width, 16)
            shapes.append(_shape("rect", f"part{part}", box, tip=tip))
            x += width
        shapes.append(_text(x + 8, middle, _time_and_state(entry), css="soft"))
    height = len(entries) * _ROW + 24
    return _chart("time of each stage", height, shapes, keys=(*named, "the rest"))


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


def _middle(row: int) -> int:
    return row * _ROW + _ROW // 2


def _time_and_state(entry: Entry) -> str:
    words = duration(float(entry["seconds"]))
    return words if entry["state"] == "passed" else f"{words}, {entry['state']}"


def _shared_out(entry: Entry, named: Sequence[str]) -> list[tuple[str, float]]:
    """The seconds of each named stage, and what is left of the whole."""
    spent = {str(stage["name"]): float(stage["seconds"]) for stage in entry["stages"]}
    shares = [(name, spent.get(name, 0.0)) for name in named]
    rest = float(entry["seconds"]) - sum(seconds for _, seconds in shares)
    return [*shares, ("the rest", max(rest, 0.0))]


class _LogScale:
    """Positions of ratios between the smallest and the largest."""

    def __init__(self, low: float, high: float) -> None:
        self.low = max(low, 1e-3) / 1.15
        self.high = max(high, self.low * 1.01) * 1.15

    def x(self, ratio: float) -> float:
        """Where a ratio is drawn."""
        clipped = min(max(ratio, self.low), self.high)
        share = math.log(clipped / self.low) / math.log(self.high / self.low)
        return _LEFT + _PLOT * share


def _ratio_row(entry: Entry, scale: _LogScale, middle: int) -> Iterator[Shape]:
    verdict = str(entry["verdict"])
    low, value, high = (scale.x(float(entry[key])) for key in ("low", "value", "high"))
    yield _name(entry, middle)
    yield _spread(verdict, low, high, middle)
    yield _shape("circle", verdict, {"cx": f"{value:.1f}", "cy": middle, "r": 5})
    words = f"{number(float(entry['value']))}x {verdict}"
    yield _text(_WIDTH - _RIGHT + 10, middle, words)
    if entry["bar"]:
        tip = f"the bar: {float(entry['bar']):g}x"
        yield _upright("bar", scale.x(float(entry["bar"])), middle - 9, middle + 9, tip=tip)


def _scale_grid(scale: _LogScale, height: int) -> Iterator[Shape]:
    last = -100.0
    for tick in _TICKS:
        if not scale.low <= tick <= scale.high:
            continue
        at = scale.x(tick)
        yield _upright("grid", at, 0, height)
        if at - last > 48:
            yield _text(at, height + 14, f"{tick:g}x", anchor="middle", css="soft")
            last = at


def _time_grid(end: float, rows: int) -> Iterator[Shape]:
    """Vertical lines at round times."""
    step = next(s for s in (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1e9) if end / s <= 9)
    at = 0.0
    while at <= end:
        x = _LEFT + _PLOT * at / end
        yield _upright("grid", x, 0, rows * _ROW)
        words = f"{at:g} s" if step < 60 else f"{at / 60:g} min"
        yield _text(x, rows * _ROW + 14, words if at else "0", anchor="middle", css="soft")
        at += step


# --- shapes --------------------------------------------------------------------------------------


def _chart(title: str, height: int, shapes: Sequence[Shape], keys: tuple[str, ...] = ()) -> Chart:
    return Chart(title=title, height=height, shapes=tuple(shapes), keys=keys)


def _shape(
    tag: str, css: str, attributes: Mapping[str, object], *, words: str = "", tip: str = ""
) -> Shape:
    named = {"class": css} if css else {}
    named |= {name: str(value) for name, value in attributes.items()}
    return Shape(tag=tag, attributes=named, words=words, tip=tip)


def _name(entry: Entry, middle: int) -> Shape:
    """What a row is called, left of it."""
    return _text(_LEFT - 12, middle, str(entry["name"]), anchor="end")


def _text(x: float, y: float, words: str, *, anchor: str = "start", css: str = "") -> Shape:
    place = {"x": f"{x:.1f}", "y": f"{y + 4:.1f}", "text-anchor": anchor}
    return _shape("text", css, place, words=words)


def _bar(css: str, x: float, middle: int, width: float) -> Shape:
    return _shape("rect", css, {**_box(x, middle, width, 16), "rx": 3})


def _box(x: float, middle: int, width: float, height: int) -> dict[str, object]:
    y = middle - height // 2
    return {"x": f"{x:.1f}", "y": y, "width": f"{width:.1f}", "height": height}


def _upright(css: str, x: float, top: float, bottom: float, *, tip: str = "") -> Shape:
    ends = {"x1": f"{x:.1f}", "x2": f"{x:.1f}", "y1": top, "y2": bottom}
    return _shape("line", css, ends, tip=tip)


def _spread(css: str, low: float, high: float, middle: int) -> Shape:
    ends = {"x1": f"{low:.1f}", "x2": f"{high:.1f}", "y1": middle, "y2": middle}
    return _shape("line", css, {**ends, "stroke-width": 3, "stroke-linecap": "round"})
