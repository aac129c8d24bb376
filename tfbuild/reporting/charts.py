"""Draws the charts of a report as inline SVG: stages in time, ratios with their spread, shares."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH = 900
_LEFT = 190
_RIGHT = 150
_ROW = 28
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

Entry = Mapping[str, Any]


def timeline(stages: Sequence[Entry]) -> str:
    """A row per stage from its start to its end."""
    end = max((float(s["started"]) + float(s["seconds"]) for s in stages), default=0.0) or 1.0
    plot = _WIDTH - _LEFT - _RIGHT
    parts = [_time_grid(end, len(stages))]
    for row, stage in enumerate(stages):
        middle = row * _ROW + 14
        x = _LEFT + plot * float(stage["started"]) / end
        width = max(plot * float(stage["seconds"]) / end, 2.0)
        parts.append(_text(_LEFT - 12, middle, str(stage["name"]), anchor="end"))
        parts.append(_rect(str(stage["state"]), x, middle, width))
        words = duration(float(stage["seconds"]))
        if stage["state"] != "passed":
            words += f", {stage['state']}"
        parts.append(_text(x + width + 8, middle, words, css="soft"))
    return _svg(len(stages) * _ROW + 24, "stages of the run in time", parts)


def ratios(entries: Sequence[Entry], floors: Mapping[str, float]) -> str:
    """A row per ratio on a logarithmic scale: spread, median, noise around 1, and the bar."""
    ends = [float(e[key]) for e in entries for key in ("low", "high")]
    ends += [float(e["bar"]) for e in entries if e["bar"]] + [0.8, 1.25]
    scale = _LogScale(min(ends), max(ends))
    height = len(entries) * _ROW
    parts = [_scale_grid(scale, height)]
    for row, entry in enumerate(entries):
        middle = row * _ROW + 14
        floor = floors.get(str(entry["name"]), 0.0)
        low, high = scale.x(1 / (1 + floor)), scale.x(1 + floor)
        parts.append(
            f'<rect class="noise" x="{low:.1f}" y="{middle - 10}" '
            f'width="{max(high - low, 0):.1f}" height="20"/>'
        )
        parts += _ratio_row(entry, scale, middle)
    parts.append(
        f'<line class="one" x1="{scale.x(1):.1f}" x2="{scale.x(1):.1f}" y1="0" y2="{height}"/>'
    )
    return _svg(height + 24, "ratios with their spread", parts)


def shares(entries: Sequence[Entry]) -> str:
    """A row per measurement: how much of the machine's peak it reaches."""
    plot = _WIDTH - _LEFT - _RIGHT
    parts = []
    for row, entry in enumerate(entries):
        middle = row * _ROW + 14
        share = float(entry["achieved"]) / float(entry["peak"])
        words = f"{share:.0%} of {number(float(entry['peak']))} {entry['unit']}"
        words = words if share < 1 else "at the measured peak"
        parts += [
            _text(_LEFT - 12, middle, str(entry["name"]), anchor="end"),
            _rect("track", _LEFT, middle, plot),
            _rect("fill", _LEFT, middle, plot * min(share, 1.0)),
            _text(_WIDTH - _RIGHT + 10, middle, words, css="soft"),
        ]
    return _svg(len(entries) * _ROW, "share of the machine's peak", parts)


def stacked(entries: Sequence[Entry], named: Sequence[str]) -> str:
    """A bar per entry, as long as it took: a part for each named stage, and one for the rest."""
    end = max((float(entry["seconds"]) for entry in entries), default=0.0) or 1.0
    plot = _WIDTH - _LEFT - _RIGHT
    parts = [_time_grid(end, len(entries))]
    for row, entry in enumerate(entries):
        middle = row * _ROW + 14
        parts.append(_text(_LEFT - 12, middle, str(entry["name"]), anchor="end"))
        x: float = _LEFT
        for number, (name, seconds) in enumerate(_shared_out(entry, named)):
            width = plot * seconds / end
            parts.append(
                f'<rect class="part{number}" x="{x:.1f}" y="{middle - 8}" width="{width:.1f}" '
                f'height="16"><title>{escape(name)}: {duration(seconds)}</title></rect>'
            )
            x += width
        words = duration(float(entry["seconds"]))
        words += "" if entry["state"] == "passed" else f", {entry['state']}"
        parts.append(_text(x + 8, middle, words, css="soft"))
    keys = "".join(
        f'<span><svg viewBox="0 0 12 12"><rect class="part{number}" width="12" height="12"/></svg>'
        f"{escape(name)}</span>"
        for number, name in enumerate((*named, "the rest"))
    )
    drawn = _svg(len(entries) * _ROW + 24, "time of each stage", parts)
    return f'<p class="keys">{keys}</p>{drawn}'


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
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _ratio_row(entry: Entry, scale: _LogScale, middle: int) -> list[str]:
    css = escape(str(entry["verdict"]))
    low, value, high = (scale.x(float(entry[key])) for key in ("low", "value", "high"))
    parts = [
        _text(_LEFT - 12, middle, str(entry["name"]), anchor="end"),
        _spread(css, low, high, middle),
        f'<circle class="{css}" cx="{value:.1f}" cy="{middle}" r="5"/>',
        _text(_WIDTH - _RIGHT + 10, middle, f"{number(float(entry['value']))}x {entry['verdict']}"),
    ]
    if entry["bar"]:
        at = scale.x(float(entry["bar"]))
        parts.append(
            f'<line class="bar" x1="{at:.1f}" x2="{at:.1f}" y1="{middle - 9}" y2="{middle + 9}">'
            f"<title>the bar: {float(entry['bar']):g}x</title></line>"
        )
    return parts


def _spread(css: str, low: float, high: float, middle: int) -> str:
    return (
        f'<line class="{css}" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" '
        'stroke-width="3" stroke-linecap="round"/>'
    )


def _rect(css: str, x: float, middle: int, width: float) -> str:
    return (
        f'<rect class="{escape(css)}" x="{x:.1f}" y="{middle - 8}" '
        f'width="{width:.1f}" height="16" rx="3"/>'
    )


def _scale_grid(scale: _LogScale, height: int) -> str:
    parts = []
    last = -100.0
    for tick in _TICKS:
        if not scale.low <= tick <= scale.high:
            continue
        at = scale.x(tick)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height}"/>')
        if at - last > 48:
            parts.append(_text(at, height + 14, f"{tick:g}x", anchor="middle", css="soft"))
            last = at
    return "".join(parts)


def _time_grid(end: float, rows: int) -> str:
    """Vertical lines at round times."""
    step = next(s for s in (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1e9) if end / s <= 9)
    parts = []
    at = 0.0
    while at <= end:
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * at / end
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{rows * _ROW}"/>')
        words = f"{at:g} s" if step < 60 else f"{at / 60:g} min"
        words = words if at else "0"
        parts.append(_text(x, rows * _ROW + 14, words, anchor="middle", css="soft"))
        at += step
    return "".join(parts)


def _text(x: float, y: float, words: str, *, anchor: str = "start", css: str = "") -> str:
    kind = f' class="{css}"' if css else ""
    return f'<text{kind} x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg></div>'
    )
