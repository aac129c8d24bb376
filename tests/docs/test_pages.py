"""What the documentation promises to those who read it: links that lead somewhere, plain words."""

import re
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, blocks, pages
from tests.source_files import ROOT
from tfbuild.core.errors import EXIT_CODES

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_TOP_HEADING = re.compile(r"^# \S", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors_of(page: Path) -> set[str]:
    """The places of a page that a link may name, as GitHub calls them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    wrong = []
    for link in _LINK.findall(page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            wrong.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors_of(target):
            wrong.append(f"{link}: there is no such heading")
    assert wrong == []


def linked_from(page: Path) -> set[Path]:
    return {
        (page.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(page.read_text())
    }


@pytest.mark.parametrize("folder", ["tutorial", "how-to", "explanation"])
def test_every_page_is_reached_from_the_overview(folder: str) -> None:
    index = PAGES / folder / "index.md"
    assert index in linked_from(PAGES / "index.md")
    assert {*(PAGES / folder).glob("*.md")} - linked_from(index) - {index} == set()


def test_the_readme_fits_on_a_screen_or_two() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 100


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_a_page_has_one_title(page: Path) -> None:
    text = page.read_text()
    for block in blocks(page):
        text = text.replace(block.text, "")
    assert len(_TOP_HEADING.findall(text)) == 1


def test_the_exit_codes_are_those_of_the_errors() -> None:
    page = (PAGES / "how-to" / "failed-build.md").read_text()
    listed = re.findall(r"^\| (\d+) \| ", page, re.MULTILINE)
    assert [int(code) for code in listed] == sorted(EXIT_CODES)
