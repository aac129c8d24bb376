"""Ratios on one scale: legible with many rows, and never a mark for what is undecided."""

import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest

from tests.reporting.test_charts import drawn, share
from tfbuild.reporting.html import render
from tfbuild.reporting.ratio_chart import ratio_chart

RATIO = {
    "name": "matmul <1024>", "value": 1.5, "low": 1.2, "high": 1.9, "verdict": "faster", "bar": 1.0,
}  # fmt: skip


def mark_of(entry: dict[str, Any], floor: float = 0.1) -> list[ET.Element]:
    (row,) = ratio_chart("numpy", [entry], {str(entry["name"]): floor}).rows
    return drawn(row.mark)


def test_the_value_lies_between_its_ends_and_right_of_one() -> None:
    elements = mark_of(RATIO)
    (dot,) = [e for e in elements if e.tag == "circle"]
    (spread,) = [e for e in elements if e.tag == "line" and e.get("class") == "faster"]
    (one,) = [e for e in elements if e.get("class") == "one"]
    low, high = share(spread, "x1"), share(spread, "x2")
    assert low < share(dot, "cx") < high
    assert share(one, "x1") < low
    assert [e for e in elements if e.get("class") == "bar"]


def test_a_row_says_the_same_in_words() -> None:
    (row,) = ratio_chart("numpy", [RATIO], {}).rows
    assert (row.name, row.words, row.verdict) == ("matmul <1024>", "1.50x", "faster")
    assert (row.spread, row.mark.title) == (
        "1.20x to 1.90x", "1.50x faster, from 1.20x to 1.90x",
    )  # fmt: skip


def test_what_is_undecided_is_a_name_without_a_mark_or_a_number() -> None:
    chart = ratio_chart("numpy", [RATIO, RATIO | {"name": "b", "verdict": "undecidable"}], {})
    assert ([row.name for row in chart.rows], chart.open) == (["matmul <1024>"], ("b",))
    nothing = ratio_chart("numpy", [RATIO | {"verdict": "undecidable"}], {})
    assert (nothing.rows, nothing.open) == ((), ("matmul <1024>",))


def test_the_slowest_stands_first() -> None:
    entries = [RATIO | {"name": name, "value": value} for name, value in (("a", 3.0), ("b", 0.5))]
    assert [row.name for row in ratio_chart("numpy", entries, {}).rows] == ["b", "a"]


@pytest.mark.parametrize("value", [0.0001, 0.5, 1.0, 12345.0])
def test_any_ratio_is_drawn_inside(value: float) -> None:
    entry = RATIO | {"value": value, "low": value * 0.9, "high": value * 1.1}
    (dot,) = [e for e in mark_of(entry) if e.tag == "circle"]
    assert 0 < share(dot, "cx") < 100


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.1), (0.3, 4.0), (0.02, 700.0)])
def test_all_rows_have_the_lines_of_one_scale_whose_numbers_have_room(
    low: float, high: float
) -> None:
    entries = [RATIO | {"name": str(n), "low": low, "high": high, "bar": 0.0} for n in range(32)]
    chart = ratio_chart("numpy", entries, {})
    ticks = [e for e in drawn(chart.scale) if e.tag == "text"]
    at = [share(e, "x") for e in ticks]
    assert "1x" in [e.text for e in ticks]
    assert len(ticks) >= 3
    assert min(b - a for a, b in pairwise(at)) >= 12
    for row in chart.rows:
        lines = [e for e in drawn(row.mark) if e.get("class") in {"grid", "one"}]
        assert [share(e, "x1") for e in lines] == at


def test_a_page_escapes_names() -> None:
    text = render("report_ratios.html", ratios=ratio_chart("n", [RATIO], {}), undecided="open")
    assert "matmul &lt;1024&gt;" in text
    assert "<1024>" not in text
