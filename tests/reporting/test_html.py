"""The pieces of pages: escaped, well formed, and needing nothing else."""

import re

from tests.reporting.test_report_html import Balance
from tfbuild.reporting.html import long_text, note, page, section, state_badge, table, tile


def test_a_page_of_all_pieces_is_well_formed_and_needs_nothing_else() -> None:
    body = (
        tile("wheels <built>", "5 of 6 and more than fits", "passed")
        + section("Cells & more", table(("name", "time"), [("<b>a</b>", "1 s")], numbers_from=1))
        + note("as <it> is")
        + state_badge("failed")
    )
    whole = page("a & b", body)
    balance = Balance()
    balance.feed(whole)
    assert balance.opened == []
    assert balance.references == []
    assert not re.search(r"https?:|@import|url\(|<script", whole)
    assert "<title>a &amp; b</title>" in whole
    assert "Cells &amp; more" in whole
    assert "as &lt;it&gt; is" in whole
    assert '<td><b>a</b></td><td class="number">1 s</td>' in whole


def test_nothing_to_note_is_no_paragraph() -> None:
    assert note("") == ""


def test_each_part_of_a_long_text_has_a_line() -> None:
    assert long_text("a <1>; b") == "a &lt;1&gt;;<br>b"


def test_a_state_without_a_mark_is_its_word() -> None:
    assert state_badge("not begun") == '<span class="state not begun">not begun</span>'
    assert "✗ failed" in state_badge("failed")
