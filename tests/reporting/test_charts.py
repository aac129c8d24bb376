import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from tfbuild.reporting.charts import Chart, number, shares, stacked, timeline
from tfbuild.reporting.html import render


def share(element: ET.Element, name: str) -> float:
    """A place or a width in percent of the whole width."""
    text = element.get(name, "")
    assert text.endswith("%"), "it would not shrink with the page"
    return float(text[:-1])


def drawn(chart: Chart) -> list[ET.Element]:
    """All elements as a page has them; a chart that is not well formed is an error."""
    return list(ET.fromstring(f"<div>{render('chart.html', chart=chart)}</div>").iter())


def test_timeline_has_a_bar_for_each_stage() -> None:
    stages = [
        {"name": "plan", "started": 0.0, "seconds": 1.0, "state": "passed"},
        {
            "name": "build", "started": 1.0, "seconds": 100.0, "state": "reused",
            "original_seconds": 0.0,
        },
    ]  # fmt: skip
    bars = [e for e in drawn(timeline(stages)) if e.tag == "rect"]
    assert [bar.get("class") for bar in bars] == ["passed", "reused"]
    assert share(bars[1], "width") > 50 * share(bars[0], "width")


def test_timeline_of_nothing_is_drawn() -> None:
    assert drawn(timeline([]))


@pytest.mark.parametrize(
    "chart",
    [
        timeline([{"name": "a", "started": 0.0, "seconds": 7.3, "state": "passed"}]),
        timeline([{"name": "a", "started": 0.0, "seconds": 9000.0, "state": "passed"}]),
        shares([{"name": "a", "peak": 5.0, "achieved": 2.0, "unit": "s"}]),
    ],
    ids=["seconds", "hours", "shares"],
)
def test_each_line_of_a_grid_has_its_meaning_below_and_room_for_it(chart: Chart) -> None:
    elements = drawn(chart)
    lines = [share(e, "x1") for e in elements if e.get("class") == "grid"]
    ticks = [e for e in elements if e.tag == "text" and float(e.get("y", 0)) > chart.height - 24]
    assert [share(e, "x") for e in ticks] == lines
    assert all(e.text for e in ticks)
    gaps = [b - a for a, b in pairwise(sorted(lines))]
    assert len(gaps) >= 2
    assert min(gaps) >= 14, "on a small screen a seventh of the width holds a number and its unit"


def test_a_result_that_was_taken_again_shows_what_it_took_when_it_was_made() -> None:
    stage = {"name": "smoke", "started": 0.0, "seconds": 0.1, "state": "reused"}
    words = [e.text for e in drawn(timeline([stage | {"original_seconds": 32.0}]))]
    assert "0.1 s, reused (took 32 s)" in words


def test_share_of_the_peak() -> None:
    elements = drawn(shares([{"name": "a", "peak": 500.0, "achieved": 250.0, "unit": "GFLOP/s"}]))
    track, fill = (e for e in elements if e.tag == "rect")
    assert (share(track, "width"), share(fill, "width")) == (100, 50)
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


def test_a_stacked_bar_is_as_long_as_its_entry_and_shared_out_among_its_stages() -> None:
    stages = [{"name": "build", "seconds": 60.0}, {"name": "wheel", "seconds": 10.0}]
    entries = [
        {"name": "a <1>", "seconds": 100.0, "state": "passed", "stages": stages},
        {"name": "b", "seconds": 50.0, "state": "failed", "stages": []},
    ]
    elements = drawn(stacked(entries, ("build", "smoke")))
    bars = [e for e in elements if e.tag == "rect" and e.get("x")]
    assert [bar.get("class") for bar in bars] == ["part0", "part1", "part2"] * 2
    widths = [share(bar, "width") for bar in bars]
    assert sum(widths[:3]) == pytest.approx(2 * sum(widths[3:]), abs=0.1)
    assert widths[0] == pytest.approx(1.5 * widths[2], abs=0.1)
    assert widths[1] == 0
    words = [e.text for e in elements if e.tag in {"text", "span"}]
    assert "50 s, failed" in words
    assert "the rest: 40 s" in [e.text for e in elements if e.tag == "title"]
