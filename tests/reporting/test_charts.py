import xml.etree.ElementTree as ET

import pytest

from tfbuild.reporting.charts import Chart, duration, number, ratios, shares, stacked, timeline
from tfbuild.reporting.html import render

RATIO = {
    "name": "matmul <1024>", "value": 1.5, "low": 1.2, "high": 1.9, "verdict": "faster", "bar": 1.0,
}  # fmt: skip


def drawn(chart: Chart) -> list[ET.Element]:
    """All elements as a page has them; a chart that is not well formed is an error."""
    return list(ET.fromstring(f"<div>{render('chart.html', chart=chart)}</div>").iter())


def test_timeline_has_a_bar_for_each_stage() -> None:
    stages = [
        {"name": "plan", "started": 0.0, "seconds": 1.0, "state": "passed"},
        {"name": "build", "started": 1.0, "seconds": 100.0, "state": "reused"},
    ]
    bars = [e for e in drawn(timeline(stages)) if e.tag == "rect"]
    assert [bar.get("class") for bar in bars] == ["passed", "reused"]
    assert float(bars[1].get("width", 0)) > 50 * float(bars[0].get("width", 0))


def test_timeline_of_nothing_is_drawn() -> None:
    assert drawn(timeline([]))


def test_ratio_lies_between_its_ends_and_right_of_one() -> None:
    elements = drawn(ratios([RATIO], {"matmul <1024>": 0.1}))
    (dot,) = [e for e in elements if e.tag == "circle"]
    (spread,) = [e for e in elements if e.tag == "line" and e.get("class") == "faster"]
    (one,) = [e for e in elements if e.get("class") == "one"]
    low, high = float(spread.get("x1", 0)), float(spread.get("x2", 0))
    assert low < float(dot.get("cx", 0)) < high
    assert float(one.get("x1", 0)) < low
    assert [e for e in elements if e.get("class") == "bar"]
    assert "matmul <1024>" in [e.text for e in elements]


@pytest.mark.parametrize("value", [0.0001, 0.5, 1.0, 12345.0])
def test_any_ratio_is_drawn_inside(value: float) -> None:
    entry = RATIO | {"value": value, "low": value * 0.9, "high": value * 1.1}
    (dot,) = [e for e in drawn(ratios([entry], {})) if e.tag == "circle"]
    assert 0 < float(dot.get("cx", -1)) < 900


def test_share_of_the_peak() -> None:
    elements = drawn(shares([{"name": "a", "peak": 500.0, "achieved": 250.0, "unit": "GFLOP/s"}]))
    track, fill = (e for e in elements if e.tag == "rect")
    assert float(fill.get("width", 0)) == pytest.approx(float(track.get("width", 0)) / 2)
    assert any("50% of 500 GFLOP/s" in (e.text or "") for e in elements)


def test_more_than_the_peak_is_at_the_peak() -> None:
    elements = drawn(shares([{"name": "a", "peak": 500.0, "achieved": 550.0, "unit": "GFLOP/s"}]))
    track, fill = (e for e in elements if e.tag == "rect")
    assert fill.get("width") == track.get("width")
    assert "at the measured peak" in [e.text for e in elements]


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.01234, "0.0123"), (1.5, "1.50"), (12345.6, "12,346")]
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.44, "0.4 s"), (12.3, "12 s"), (200.0, "3 min 20 s")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_stacked_bar_is_as_long_as_its_entry_and_shared_out_among_its_stages() -> None:
    stages = [{"name": "build", "seconds": 60.0}, {"name": "wheel", "seconds": 10.0}]
    entries = [
        {"name": "a <1>", "seconds": 100.0, "state": "passed", "stages": stages},
        {"name": "b", "seconds": 50.0, "state": "failed", "stages": []},
    ]
    elements = drawn(stacked(entries, ("build", "smoke")))
    bars = [e for e in elements if e.tag == "rect" and e.get("x")]
    assert [bar.get("class") for bar in bars] == ["part0", "part1", "part2"] * 2
    widths = [float(bar.get("width", 0)) for bar in bars]
    assert sum(widths[:3]) == pytest.approx(2 * sum(widths[3:]), abs=1)
    assert widths[0] == pytest.approx(1.5 * widths[2], abs=1)
    assert widths[1] == 0
    words = [e.text for e in elements if e.tag in {"text", "span"}]
    assert "50 s, failed" in words
    assert "the rest: 40 s" in [e.text for e in elements if e.tag == "title"]
