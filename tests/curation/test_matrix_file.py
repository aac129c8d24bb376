"""Edits of a matrix touch the lines that they are about, and no others."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.failing import fails
from tfbuild.curation.matrix_file import _parse, as_line, edit, read_matrix

TEXT = """\
# A remark that stays.
about: 'Releases: some of them.'
sources:
  docs: The manual

  index: 'Package index, lists'
rows:
# Newest first.
- {version: '2.1', requires: {python: ">=3.10"}, source: [docs], checked: '2026-01-01', note: ''}
-  {version:   '2.0',  source: [docs], checked: '2026-01-01', evidence: documented}   # odd spaces
- {version: '1.10', source: [docs], checked: '2026-01-01', evidence: documented}
absent:
- {version: '1.11', says: There was none, source: [docs], checked: '2026-01-01'}
"""


def row(version: str, **fields: object) -> dict[str, object]:
    return {"version": version, **fields, "source": ["index"], "checked": "2026-02-02"}


def new_lines(after: str, before: str = TEXT) -> list[str]:
    old = before.splitlines()
    assert [line for line in after.splitlines() if line in old] == old
    return [line for line in after.splitlines() if line not in old]


def test_rows_go_where_their_age_puts_them() -> None:
    matrix = read_matrix("tiny.yaml", TEXT)
    added = [row("1.9"), row("3.0"), row("2.0.1"), row("1.12")]
    after = edit(matrix, added=added, changed=[], sources={})
    assert len(new_lines(after)) == 4
    order = [str(r["version"]) for r in read_matrix("tiny.yaml", after).rows]
    assert order == ["3.0", "2.1", "2.0.1", "2.0", "1.12", "1.10", "1.9"]
    assert after.index("'1.9'") < after.index("absent:")


def test_a_changed_row_keeps_its_place() -> None:
    matrix = read_matrix("tiny.yaml", TEXT)
    after = edit(matrix, added=[row("2.2")], changed=[row("2.0", note="new")], sources={})
    lines = after.splitlines()
    assert lines[10] == ("- {version: '2.0', note: new, source: [index], checked: '2026-02-02'}")
    assert [n for n, line in enumerate(TEXT.splitlines()) if line not in lines] == [9]


def test_a_source_is_added_once_and_below_the_others() -> None:
    matrix = read_matrix("tiny.yaml", TEXT)
    sources = {"index": "not written again", "more": "Words: with a colon"}
    after = edit(matrix, added=[row("3")], changed=[], sources=sources)
    assert "  index: 'Package index, lists'\n  more: 'Words: with a colon'\nrows:" in after
    assert "not written again" not in after


def test_a_source_stands_before_what_divides_the_sections() -> None:
    text = "sources:\n  docs: a\n\n# Newest first.\nrows:\n- {version: '1'}\n"
    after = edit(read_matrix("a.yaml", text), added=[row("2")], changed=[], sources={"index": "b"})
    assert after.startswith("sources:\n  docs: a\n  index: b\n\n# Newest first.\nrows:\n")


def test_nothing_to_change_changes_nothing() -> None:
    assert edit(read_matrix("tiny.yaml", TEXT), added=[], changed=[], sources={}) == TEXT


def test_fields_have_an_order_and_only_the_quotes_that_they_need() -> None:
    line = as_line(
        {
            "evidence": "metadata",
            "source": ["index"],
            "note": "it's: quoted",
            "wheels": {"linux-x86_64": "3.9 3.10"},
            "hermetic_python": True,
            "requires": {"python": ">=3.9", "cuda": "none", "gcc": "no"},
            "version": "1.0",
        }
    )
    assert line == (
        "- {version: '1.0', requires: {python: '>=3.9', cuda: none, gcc: 'no'}, "
        "hermetic_python: true, wheels: {linux-x86_64: '3.9 3.10'}, note: 'it''s: quoted', "
        "source: [index], evidence: metadata}"
    )


@given(st.text(alphabet=string.printable + "éß{}[],:#&*!|>'\"%@`", max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_words_come_back_as_they_were(words: str) -> None:
    line = " ".join(words.split())
    text = as_line({"version": "1", "note": line, "free_threaded": [line], "requires": {"a": line}})
    assert _parse("x.yaml", text) == [
        {"version": "1", "note": line, "free_threaded": [line], "requires": {"a": line}}
    ]


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("- {version: '1'}\n", "matrix-rows-missing", ""),
        ("rows: 3\n", "matrix-rows-missing", ""),
        ("rows:\n- {name: x}\n", "entry-field-missing", "'version'"),
        ("rows: [{version: '1'}]\n", "matrix-rows-not-lines", ""),
        ("rows:\n- {version: '1'\n", "not-yaml", ""),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, code: str, named: str) -> None:
    with fails(code, "tiny.yaml", named):
        read_matrix("tiny.yaml", text)


def test_a_row_over_several_lines_is_not_torn() -> None:
    text = "sources:\n  index: x\nrows:\n- version: '2'\n  note: two lines\n- {version: '1'}\n"
    matrix = read_matrix("tiny.yaml", text)
    assert new_lines(edit(matrix, added=[row("1.5")], changed=[], sources={}), text)
    with fails("matrix-edit-wrong", "tiny.yaml"):
        edit(matrix, added=[], changed=[row("2")], sources={})


def test_sources_on_one_line_take_no_other() -> None:
    matrix = read_matrix("tiny.yaml", "sources: {a: b}\nrows:\n- {version: '1'}\n")
    with fails("matrix-sources-not-lines", "tiny.yaml") as caught:
        edit(matrix, added=[row("2")], changed=[], sources={"index": "x"})
    assert caught.value.hint


def test_a_version_twice_is_refused() -> None:
    matrix = read_matrix("tiny.yaml", TEXT)
    with fails("matrix-version-twice", "tiny.yaml"):
        edit(matrix, added=[row("2.0")], changed=[], sources={})
