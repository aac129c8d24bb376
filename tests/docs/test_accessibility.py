"""The pages of the documentation's site pass an accessibility checker."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.accessibility import axe_core, violations
from tests.browser import a_browser
from tests.source_files import ROOT

_PAGES = ("", "tutorial/1-first-wheel", "how-to/containers", "reference/settings")


@pytest.mark.docs
def test_pages_of_every_kind_are_accessible(tmp_path: Path) -> None:
    axe = axe_core(tmp_path)
    with a_browser(tmp_path) as browser:
        words = [sys.executable, "-m", "docs", "--output", str(tmp_path / "site")]
        subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
        # The theme keeps the scheme that it has once shown.
        forget = "try { localStorage.clear() } catch {}"
        browser.ask("Page.addScriptToEvaluateOnNewDocument", source=forget)
        pages = [tmp_path / "site" / name / "index.html" for name in _PAGES]
        assert violations(browser, pages, axe) == []
