import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from tfbuild.reporting.charts import Chart, Ratios, number, ratios, shares, stacked, timeline
from tfbuild.reporting.html import render

RATIO = {
    "name": "matmul <1024>", "value": 1.5, "low": 1.2, "high": 1.9, "verdict": "faster", "bar": 1.0,
}  # fmt: skip


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


def drawn_ratios(found: Ratios) -> list[ET.Element]:
    """All elements of the table of ratios, as a page has it."""
    text = render("ratios.html", found=found, undecided="undecided (load 10 on 2 processors)")
    return list(ET.fromstring(f"<div>{text}</div>").iter())


def test_ratio_lies_between_its_ends_and_right_of_one() -> None:
    found = ratios([RATIO], {"matmul <1024>": 0.1}, {"matmul <1024>": "GFLOP/s"})
    elements = drawn_ratios(found)
    (dot,) = [e for e in elements if e.tag == "circle"]
    (spread,) = [e for e in elements if e.tag == "line" and e.get("class") == "faster"]
    (one,) = [e for e in elements if e.get("class") == "one"]
    low, high = share(spread, "x1"), share(spread, "x2")
    assert low < share(dot, "cx") < high
    assert share(one, "x1") < low
    assert [e for e in elements if e.get("class") == "bar"]
    words = [e.text for e in elements]
    for said in ("matmul <1024>", "GFLOP/s", "1.50x", "(1.20x to 1.90x)", "faster"):
        assert said in words


def test_what_cannot_be_decided_is_folded_and_has_no_mark() -> None:
    open_one = RATIO | {"verdict": "undecidable"}
    elements = drawn_ratios(ratios([open_one], {}, {}))
    assert not [e for e in elements if e.tag in {"circle", "table"}]
    (details,) = [e for e in elements if e.tag == "details"]
    words = list(details.itertext())
    assert "1 of 1 comparisons: undecided (load 10 on 2 processors)" in words
    assert "matmul <1024>" in words
    assert not [e for e in elements if e.text and "1.50" in e.text]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.4, 12.0, ["0.5x", "1x", "2x", "5x", "10x"]),
        (0.9, 1.2, ["0.7x", "0.8x", "1x", "1.25x"]),
        (0.02, 700.0, ["0.1x", "1x", "10x", "100x"]),
    ],
)
def test_the_scale_has_round_ratios_with_room_between_them(
    low: float, high: float, ticks: list[str]
) -> None:
    found = ratios([RATIO | {"low": low, "high": high}], {}, {})
    assert [tick.words for tick in found.ticks] == ticks
    places = [float(tick.attributes["x"][:-1]) for tick in found.ticks]
    assert min(b - a for a, b in pairwise(places)) >= 14, "a small screen has room for a number"


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


@pytest.mark.parametrize("value", [0.0001, 0.5, 1.0, 12345.0])
def test_any_ratio_is_drawn_inside(value: float) -> None:
    entry = RATIO | {"value": value, "low": value * 0.9, "high": value * 1.1}
    (dot,) = [e for e in drawn_ratios(ratios([entry], {}, {})) if e.tag == "circle"]
    assert 0 < share(dot, "cx") < 100


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
