"""The navigation follows the folders."""

from docs.navigation import navigation


def test_sections_have_their_order_and_pages_theirs() -> None:
    written = [
        "how-to/ci.md",
        "tutorial/10-end.md",
        "tutorial/2-own.md",
        "index.md",
        "explanation/a.md",
    ]
    generated = ["reference/index.md", "reference/commands/index.md", "reference/commands/b.md"]
    assert navigation(dict.fromkeys(written, ""), [*generated, "reference/axes.md"]) == [
        "index.md",
        {"Tutorial": ["tutorial/2-own.md", "tutorial/10-end.md"]},
        {"How-to guides": ["how-to/ci.md"]},
        {"Explanation": ["explanation/a.md"]},
        {
            "Reference": [
                "reference/index.md",
                {"Commands": ["reference/commands/index.md", "reference/commands/b.md"]},
                "reference/axes.md",
            ]
        },
    ]


def test_the_index_of_a_folder_is_its_first_page() -> None:
    assert navigation({"how-to/a.md": "", "how-to/index.md": ""}, []) == [
        {"How-to guides": ["how-to/index.md", "how-to/a.md"]}
    ]


def test_an_unknown_folder_is_a_section_at_the_end() -> None:
    found = navigation({"aside-notes/x.md": "", "tutorial/1.md": ""}, [])
    assert found == [{"Tutorial": ["tutorial/1.md"]}, {"Aside notes": ["aside-notes/x.md"]}]


def test_pages_stand_as_the_index_of_their_folder_has_them() -> None:
    index = "[c](c.md), [a page](a.md#part), [far](../tutorial/1.md)"
    pages = {f"how-to/{name}.md": "" for name in "abc"} | {"how-to/index.md": index}
    assert navigation(pages, []) == [
        {"How-to guides": ["how-to/index.md", "how-to/c.md", "how-to/a.md", "how-to/b.md"]}
    ]
