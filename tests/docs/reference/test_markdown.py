"""Markdown that shows what it was given."""

from markdown_it import MarkdownIt

from docs.reference.markdown import block, code, codes, heading, page, prose, table


def shown(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def test_prose_is_read_as_it_is_and_its_code_is_code() -> None:
    assert prose("a  *b*\n_c_ [d] `e_*f`") == r"a \*b\* \_c\_ \[d\] `e_*f`"
    assert shown(prose("<b> & [x](y) *z* `<i>`")) == (
        "<p>&lt;b&gt; &amp; [x](y) *z* <code>&lt;i&gt;</code></p>\n"
    )


def test_code() -> None:
    assert (code("a b"), code("")) == ("`a b`", "")
    assert codes(["a", "b"]) == "`a`, `b`"
    assert block("a\nb\n", "sh") == "```sh\na\nb\n```\n"


def test_a_heading_has_the_anchor_that_is_given() -> None:
    assert heading(3, "`lock-differs`", "lock-differs") == "### `lock-differs` { #lock-differs }\n"


def test_a_table_keeps_its_cells() -> None:
    text = table(("A", "B"), [("x|y", "`host`"), ("", "z")])
    assert text.splitlines() == ["| A | B |", "| --- | --- |", "| x&#124;y | `host` |", "|  | z |"]
    assert table(("A", "B"), []) == ""
    assert "<td>x|y</td>" in shown(text)


def test_a_page_has_a_description_without_marks() -> None:
    text = page("Title", 'About `a` and "b" [c](d.md).', "part\n", "", summary="")
    assert text.splitlines() == [
        "---", r'description: "About a and \"b\" c."', "search: {boost: 0.3}", "---",
        "", "# Title", "",
        'About `a` and "b" [c](d.md).', "", "part",
    ]  # fmt: skip
    assert 'description: "Short [x]."' in page("T", "Long.", summary="Short `[x]`.")
