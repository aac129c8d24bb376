"""Pages in a real browser: readable for everybody, on wide and narrow screens, light and dark."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, Scheme, a_browser
from tests.npm import npm_package
from tests.reporting.test_matrix_html import four_cells
from tests.reporting.test_matrix_html import page_of as matrix_page_of
from tests.sample_product import a_product_report
from tests.sample_report import a_report
from tests.sample_workspace import a_workspace_report
from tfbuild.builds.stages.report import report_document
from tfbuild.builds.workspace_build import workspace_document
from tfbuild.core.reports import Ratio
from tfbuild.reporting.product_html import product_page
from tfbuild.reporting.report_html import report_page
from tfbuild.reporting.workspace_html import workspace_page
from tfbuild.run.report import report_document as product_document

pytestmark = pytest.mark.browser

# The engine that accessibility checkers run; its release and its hash as npm has them.
_AXE = (
    "axe-core@4.14.1",
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
_FOLDED = "document.querySelector('details.skipped ul')"
_WIDTHS = (1280, 400)
_SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker as a script. A test that was asked for and cannot run has failed."""
    try:
        folder = npm_package(*_AXE, tmp_path_factory.mktemp("axe"))
    except pytest.skip.Exception as error:
        pytest.fail(str(error))
    return (folder / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with a_browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


def many_ratios() -> tuple[Ratio, ...]:
    """As many as a report of the bundled runtime has, of every verdict."""
    verdicts = ("faster", "same", "slower", "undecidable")
    return tuple(
        Ratio(
            name=f"measurement_with_a_long_name_{n}", against="numpy 2.4", value=0.5 + n,
            low=0.4 + n, high=0.6 + n, verdict=verdicts[n % 4],  # type: ignore[arg-type]
        )
        for n in range(32)
    )  # fmt: skip


def wheel_page(folder: Path) -> str:
    report = a_report(folder)
    report = replace(report, perf=replace(report.perf, ratios=many_ratios()))
    return report_page(report_document(report))


PAGES: dict[str, Callable[[Path], str]] = {
    "wheel": wheel_page,
    "archive": lambda folder: product_page(product_document(a_product_report(folder))),
    "workspace": lambda _folder: workspace_page(workspace_document(a_workspace_report())),
    "matrix": lambda folder: matrix_page_of(four_cells(folder), folder),
}


def violations(browser: Browser, axe: str) -> list[str]:
    """What the checker finds in the page that is shown: the rule and the elements."""
    browser.run(axe + ";0")
    found: list[dict[str, Any]] = json.loads(
        browser.run("axe.run().then(found => JSON.stringify(found.violations))")
    )
    return [f"{one['id']}: {[node['html'][:200] for node in one['nodes']][:3]}" for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_an_accessibility_checker_finds_nothing(
    tmp_path: Path, browser: Browser, axe: str, name: str
) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGES[name](tmp_path))
    for width in _WIDTHS:
        for scheme in _SCHEMES:
            browser.open(page.as_uri(), width=width, scheme=scheme)
            found = violations(browser, axe)
            assert found == [], f"{width} pixels, {scheme}"


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_screen(tmp_path: Path, browser: Browser, name: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGES[name](tmp_path))
    for width in _WIDTHS:
        browser.open(page.as_uri(), width=width)
        assert browser.run("document.documentElement.scrollWidth") <= width


def test_what_is_folded_is_printed(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    page.write_text(wheel_page(tmp_path))
    seen = f"{_FOLDED}.checkVisibility()"
    browser.open(page.as_uri(), width=1280)
    assert not browser.run(seen)
    browser.open(page.as_uri(), width=1280, media="print")
    assert browser.run(seen)
    assert browser.printed().startswith(b"%PDF-")
