"""Pages as a browser draws them: accessible, no word broken, nothing cut, also on paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.accessibility import axe_core, broken_words, looks, violations
from tests.browser import Browser, a_browser
from tests.sample_pages import write_pages

pytestmark = pytest.mark.docs
_IS_WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with a_browser(tmp_path) as found:
        yield found


def test_every_kind_of_page_is_accessible(browser: Browser, tmp_path: Path) -> None:
    axe = axe_core(tmp_path)
    assert violations(browser, write_pages(tmp_path), axe) == []


def test_what_is_not_accessible_is_found(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><html><title>a</title><main><h1>a</h1><img src=a.png></main>")
    found = violations(browser, [page], axe_core(tmp_path))
    assert {text.split(": ")[1] for text in found} == {"html-has-lang", "image-alt"}


def test_no_word_is_broken_and_no_page_is_wider_than_the_screen(
    browser: Browser, tmp_path: Path
) -> None:
    for page in write_pages(tmp_path):
        for look in looks(browser, page):
            assert (look, broken_words(browser)) == (look, [])
            assert (look, browser.run(_IS_WIDER)) == (look, False)


def test_a_broken_word_is_found(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "narrow.html"
    page.write_text("<main style='width:2rem;overflow-wrap:anywhere'>unmistakable</main>")
    browser.open(page.as_uri(), width=400)
    assert broken_words(browser) == ["unmistakable"]


def test_paper_is_white_and_has_everything(browser: Browser, tmp_path: Path) -> None:
    report = write_pages(tmp_path)[0]
    browser.open(report.as_uri(), width=718, scheme="dark", media="print")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not browser.run(_IS_WIDER)
    hidden = "[...document.querySelectorAll('details > :not(summary)')]"
    hidden += ".filter(one => !one.getBoundingClientRect().height).length"
    assert browser.run(hidden) == 0, "details are opened"
    target = "getComputedStyle(document.querySelector('.links a'), '::after').content"
    assert "a.whl" in browser.run("document.querySelector('.links a').outerHTML")
    assert "a.whl" in browser.run(target)
    assert browser.printed().startswith(b"%PDF")
