"""Pages are made of escaped values, and need nothing else."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from tests.reporting.pages import read_page
from tfbuild.reporting import html
from tfbuild.reporting.html import Outcome, card, grouped, link_to, megabytes, numbered, render, utc

TEMPLATES = Path(html.__file__).with_name("templates")


def test_a_page_is_well_formed_and_needs_nothing_else() -> None:
    whole = render("page.html", title='a & "b" <i>')
    page = read_page(whole)
    assert page.texts_of("title") == ['a & "b" <i>']
    assert page.references == []
    assert not re.search(r"https?:|@import|url\(", whole)
    (style,) = page.texts_of("style")
    assert '"Segoe UI"' in style, "CSS is not text of a page: it is not escaped"


def test_a_browser_runs_the_one_script_that_copies_and_no_other() -> None:
    page = read_page(render("page.html", title="a"))
    (script,) = page.texts_of("script")
    assert script == (TEMPLATES / "copy.js").read_text().removesuffix("\n")
    (policy,) = [found["content"] for tag, found in page.elements if "http-equiv" in found]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" == policy


def test_each_sentence_has_one_number() -> None:
    assert numbered([["a", "b"], [], ["b", "c", "a"]]) == ([(1, 2), (), (2, 3, 1)], ("a", "b", "c"))


def test_a_link_leads_from_the_folder_of_its_page_whatever_a_file_is_called() -> None:
    found = link_to("log", "/home/me/50% runs/javascript:x", Path("/home/me/dist"))
    assert found.target == "../50%25%20runs/javascript%3Ax"


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render("page.html")


def test_no_template_trusts_a_value() -> None:
    templates = sorted(TEMPLATES.glob("*.html"))
    assert templates
    for path in templates:
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", path.read_text()), path.name


def test_times() -> None:
    assert utc("2026-11-30T23:15:46+00:00") == "2026-11-30 23:15 UTC"
    assert utc("2026-12-01T00:15:46.5+01:00") == "2026-11-30 23:15 UTC"
    assert utc("some day") == "some day"


def test_what_was_skipped_is_grouped_by_its_reason() -> None:
    entries = [
        {"name": name, "state": state, "reason": reason}
        for name, state, reason in (("a", "skipped", "x"), ("b", "passed", "x"),
                                    ("c", "skipped", "y"), ("d", "skipped", "x"))
    ]  # fmt: skip
    assert grouped(entries, "reason") == {"x": ["a", "d"], "y": ["c"]}


def test_a_summary_stands_alone() -> None:
    outcome = Outcome(state="passed", title="Ready", says="Audit: 1 passed.")
    said = card("a.whl", outcome, [("built", "today"), ("size", "")])
    assert said == "**a.whl**: Ready\n\nAudit: 1 passed.\n\n- built: today"


def test_sizes() -> None:
    assert megabytes(2_480_000) == "2.5 MB"
    assert megabytes(99_900) == "99.9 kB"
    assert megabytes(0) == "0.0 kB"
