"""Lines and columns that fit a terminal."""

import pytest

from tfbuild.reporting.layout import cut_middle, row_lines, stacked, stage_lines, widths

WORDS = (
    "12 to 19 min left, 31% from caches, 5.1 of 8.0 GB memory, "
    "Compiling tensorflow/core/kernels/a_very_long_folder/another_one/conv_grad_filter_ops.cc"
)
ROWS = [
    ("impossible", "python=3.9 gcc=9", "no versions go together: gcc and glibc collide"),
    ("passed", "python=3.11", ""),
]


@pytest.mark.parametrize("width", [40, 80, 100, 120])
def test_a_running_stage_keeps_its_name_its_time_and_its_count(width: int) -> None:
    lines = stage_lines("environment", 5025.0, (1204, 2310), WORDS, width)
    assert lines[0].startswith("environment 1:23:45 h  [1,204 / 2,310]")
    assert ("52%" in lines[0]) == (width >= 80)
    assert len(lines) == 3
    assert max(map(len, lines)) <= width
    assert lines[1].startswith("  12 to 19 min left")
    assert lines[-1].endswith("filter_ops.cc"), "the end of a path says most"


def test_a_stage_of_which_little_is_known_is_one_line() -> None:
    assert stage_lines("audit", 0.4, (0, 0), "", 80) == ["audit          0.4 s"]


def test_what_is_left_is_one_line_more() -> None:
    left = ("wheel", "audit", "smoke", "perf")
    lines = stage_lines("build", 0.4, (1, 2), "Compiling a.cc", 80, left=left)
    assert lines[1:] == ["  Compiling a.cc", "  then wheel, audit, smoke, perf"]
    narrow = stage_lines("build", 0.4, (1, 2), "Compiling a.cc", 24, left=left)
    assert narrow[-1] == "  then wheel, audit,"


def test_the_middle_is_cut() -> None:
    assert cut_middle("short", 5) == "short"
    assert cut_middle("0123456789", 7) == "01…6789"


def test_a_table_that_would_break_words_is_stacked() -> None:
    columns = ("", "cell", "why")
    assert widths(columns, ROWS, 40)
    assert widths(columns, ROWS, 30) == []
    assert stacked(columns, ROWS, 30) == [
        "impossible  python=3.9 gcc=9",
        "  why: no versions go",
        "    together: gcc and glibc",
        "    collide",
        "passed  python=3.11",
    ]


def test_what_is_left_of_a_line_goes_to_the_columns_that_need_it() -> None:
    columns = ("", "cell", "why")
    assert widths(columns, ROWS, 200) == [10, 16, 46], "no wider than what stands in them"
    assert widths(columns, ROWS, 60) == [10, 16, 30]
    assert sum(widths(columns, ROWS, 40)) + 4 <= 40


def test_a_row_for_programs_is_one_line_without_blanks_at_its_end() -> None:
    lines = [
        "".join(line) for line in row_lines([("state", "cell", "why"), *ROWS, ("a", "b\nc", "x ")])
    ]
    assert lines == [
        "state       cell              why",
        "impossible  python=3.9 gcc=9  no versions go together: gcc and glibc collide",
        "passed      python=3.11",
        "a           b c               x",
    ]
    assert row_lines([("", "")]) == [[""]]


def test_a_very_long_cell_does_not_widen_the_other_rows() -> None:
    first, second = ("".join(line) for line in row_lines([("a", "end"), ("b" * 4000, "end")]))
    assert len(first) < 120
    assert second == "b" * 4000 + "  end"
