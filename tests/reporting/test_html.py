"""Pages are made of escaped values, and need nothing else."""

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from tests.reporting.pages import read_page
from tfbuild.reporting import html
from tfbuild.reporting.html import megabytes, render

TEMPLATES = Path(html.__file__).with_name("templates")


def test_a_page_is_well_formed_and_needs_nothing_else() -> None:
    whole = render("page.html", title='a & "b" <i>')
    page = read_page(whole)
    assert page.texts_of("title") == ['a & "b" <i>']
    assert page.references == []
    assert not re.search(r"https?:|@import|url\(|<script", whole)
    (style,) = page.texts_of("style")
    assert '"Segoe UI"' in style, "CSS is not text of a page: it is not escaped"


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render("page.html")


def test_no_template_trusts_a_value() -> None:
    templates = sorted(TEMPLATES.glob("*.html"))
    assert templates
    for path in templates:
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", path.read_text()), path.name


def test_sizes() -> None:
    assert megabytes(2_480_000) == "2.5 MB"
