"""The page of a matrix: well formed, needing nothing else, and showing every cell."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.reporting.pages import HARMLESS, HOSTILE, prefixed, read_page
from tfbuild.builds.build_matrix import Subject, cells_document, cross, refused
from tfbuild.core.errors import BuildFailed, NoSolution
from tfbuild.core.reports import Cell, StageRecord
from tfbuild.reporting.matrix_html import matrix_page

WHEELS = Subject(title="Wheels", noun="wheel")
STAGES = (
    StageRecord(name="environment", started=0, seconds=30, state="passed"),
    StageRecord(name="build", started=30, seconds=200, state="passed"),
)


def four_cells(folder: Path) -> tuple[Cell, ...]:
    """One that passed, its twin, one that failed, and one that cannot be."""
    axes = cross((("python", ("3.11", "3.14")), ("gcc", ("12", "16"))))
    first, second, third, last = (Cell(axes=one) for one in axes)
    report = str(folder / first.name / "report.html")
    passed = replace(
        first, state="passed", system="debian 12", versions=(("gcc", "12.2"),), stages=STAGES,
        seconds=240.0, tag="cp311-cp311-manylinux_2_34_x86_64", size=2_500_000,
        audit="9 passed", smoke="20 passed", report=report,
        product=str(folder / first.name / "a-1.whl"), command="pip install a-1.whl",
        beside=(("lock", str(folder / first.name / "a-1.lock.yaml")),),
    )  # fmt: skip
    twin = replace(passed, axes=second.axes, same_as=first.name, seconds=0.0, stages=())
    failed = refused(third, BuildFailed("it <broke>", why="a\nb", hint="fix it", log="/x/log.txt"))
    failed = replace(failed, stages=STAGES[:1], seconds=31.0)
    return passed, twin, failed, refused(last, NoSolution("no system has it"), "impossible")


def page_of(cells: Sequence[Cell], folder: Path) -> str:
    return matrix_page(cells_document(cells, "2026-01-02T03:04:05+00:00", WHEELS), folder)


def test_page_is_well_formed_and_needs_nothing_else(tmp_path: Path) -> None:
    page = page_of(four_cells(tmp_path), tmp_path)
    files = {way for way in read_page(page).references if not way.startswith("#")}
    stem = "python3.11-gcc12/a-1"
    assert files == {
        "python3.11-gcc12/report.html", f"{stem}.whl", f"{stem}.lock.yaml",
        quote(os.path.relpath("/x/log.txt", tmp_path)),
        quote(os.path.relpath("/x/rerun.sh", tmp_path)),
    }  # fmt: skip
    assert not re.search(r"https?:|@import|url\(", page)


def test_links_hold_whatever_a_folder_is_called(tmp_path: Path) -> None:
    page = page_of(four_cells(tmp_path / "50% #1"), tmp_path)
    assert 'href="50%25%20%231/python3.11-gcc12/report.html"' in page


@pytest.mark.parametrize("report", ["javascript:alert(1)", "//elsewhere/x", "a\"b'<c>"])
def test_a_link_leads_into_the_folder_whatever_a_report_is_called(
    tmp_path: Path, report: str
) -> None:
    cell = replace(four_cells(tmp_path)[0], report=f"{tmp_path}/{report}")
    for link in read_page(page_of((cell,), tmp_path)).references:
        assert urlsplit(link)[:2] == ("", "")
        assert not link.startswith("/")


@pytest.mark.parametrize("kept", [(), ("state",), ("same_as",)], ids=str)
def test_no_text_of_a_matrix_becomes_markup(tmp_path: Path, kept: tuple[str, ...]) -> None:
    document = cells_document(four_cells(tmp_path), "2026-01-02T03:04:05+00:00", WHEELS)
    hostile, harmless = (
        read_page(
            matrix_page(
                # Names of cells, made of their axes, have no such letters.
                prefixed(document, prefix, kept=(*kept, "axes"), maps=("counts", "beside")),
                tmp_path,
            )
        )
        for prefix in (HOSTILE, HARMLESS)
    )
    assert hostile.shape == harmless.shape
    assert all(urlsplit(link)[:2] == ("", "") for link in hostile.references)
    assert hostile.text.count("<script>") == harmless.text.count("lscriptg") > 20


def test_page_shows_what_became_of_each_cell(tmp_path: Path) -> None:
    cells = four_cells(tmp_path)
    page = page_of(cells, tmp_path)
    assert all(cell.name in page for cell in cells)
    for text in (
        "2 of 4", "debian\N{NO-BREAK SPACE}12", "gcc\N{NO-BREAK SPACE}12.2", cells[0].tag,
        "2.5 MB", "9 passed", "as python3.11-gcc12", "Begun 2026-01-02 03:04 UTC",
        "⊘ impossible",
    ):  # fmt: skip
        assert text in page
    for text in ("it &lt;broke&gt;", "a\nb</li>", "exit code 6", "fix it", "/x/log.txt"):
        assert text in page


def test_two_axes_are_crossed_and_one_is_not(tmp_path: Path) -> None:
    cells = four_cells(tmp_path)
    page = page_of(cells, tmp_path)
    crossing = page.partition("Cells</h2>")[0]
    assert re.findall(r'<td class="([a-z]+)" data-label="gcc \d+">', crossing) == [
        "passed", "passed", "failed", "impossible",
    ]  # fmt: skip
    assert 'class="crossing"' not in page_of(cells[:2], tmp_path)


def test_the_verdict_comes_first_with_the_next_command(tmp_path: Path) -> None:
    passed, twin, failed, impossible = four_cells(tmp_path)
    impossible = replace(impossible, axes=twin.axes)
    install = passed.command
    untried = replace(passed, is_gpu_untried=True)
    for cells, state, says, command in (
        ((passed, twin), "passed", "Each passed all its checks.", install),
        ((passed, failed), "failed", f"No wheel for {failed.name}.", "tfbuild diagnose /x/log.txt"),
        ((passed, impossible), "unproven", f"Impossible: {impossible.name}.", install),
        ((passed, untried), "unproven", "never executed: python3.11-gcc12.", install),
        ((passed, Cell(axes=twin.axes)), "unproven", "Yet to be built: python3.11-gcc16.", install),
    ):
        page = page_of(cells, tmp_path)
        before, _, after = page.partition(f'<div class="verdict {state}">')
        assert "<h1>" in before
        assert "<p" not in before
        head = after.partition("<header>")[0].partition("</header>")[0]
        assert says in head
        assert f"<code>{command}</code>" in head


def test_what_failed_comes_first_and_what_passed_last(tmp_path: Path) -> None:
    page = page_of(four_cells(tmp_path), tmp_path)
    table = page.partition("<h2>Cells</h2>")[2]
    assert re.findall(r"<td><b>([^<]*)</b></td>", table) == [
        "python3.14-gcc12", "python3.14-gcc16", "python3.11-gcc12", "python3.11-gcc16",
    ]  # fmt: skip


def test_a_reason_that_two_cells_share_stands_once(tmp_path: Path) -> None:
    *_, failed, _ = four_cells(tmp_path)
    other = replace(failed, axes=(("python", "3.9"), failed.axes[1]))
    page = page_of((failed, other), tmp_path)
    assert page.count("a\nb") == 1
    assert page.count('href="#why-1"') == 2


def test_time_is_drawn_stage_by_stage(tmp_path: Path) -> None:
    page = page_of(four_cells(tmp_path), tmp_path)
    assert "<title>environment: 30 s</title>" in page
    assert "<title>build: 3:20 min</title>" in page
    assert "<title>the rest: 10 s</title>" in page


def test_before_anything_is_built_there_is_no_picture_of_time(tmp_path: Path) -> None:
    cells = [Cell(axes=cell.axes) for cell in four_cells(tmp_path)]
    page = page_of(cells, tmp_path)
    assert "Where the time went" not in page
    assert "Why there is no wheel" not in page
    assert "4 not begun" in page


def test_a_page_of_archives_speaks_of_archives(tmp_path: Path) -> None:
    subject = Subject(title="zstd", noun="archive")
    cells = four_cells(tmp_path)
    page = matrix_page(cells_document(cells, "2026-01-02T03:04:05+00:00", subject), tmp_path)
    assert "zstd for python 3.11, 3.14 and gcc 12, 16" in page
    assert "1 of 4 archives are ready" in page or "2 of 4 archives are ready" in page
    assert "wheel" not in page.partition("</style>")[2]
