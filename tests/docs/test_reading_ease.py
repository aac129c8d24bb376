"""What counts as a sentence, and that the texts for users are easy to read."""

from pathlib import Path

import pytest

from docs.reading_ease import (
    dictionary_syllables,
    long_sentences,
    main,
    reading_ease,
    sentences,
    words,
)

PAGE = """\
---
title: Not read. Never.
---

# A heading. Not read

It is `one` [link](a.md). Two e.g. here? tfbuild
goes on.

- An item
  of two lines
- Another item

1. A step. And a sentence:

        an indented block. Not read.

| a table. | is not read. |
|---|---|
| no | no |

```sh
nothing of this. Or this.
```

![A picture. Not read](x.png)
"""


def test_sentences_are_those_of_paragraphs_and_items() -> None:
    assert list(sentences(PAGE)) == [
        "It is \0 link.", "Two e.g. here?", "tfbuild goes on.", "An item of two lines",
        "Another item", "A step.", "And a sentence:",
    ]  # fmt: skip


def test_code_is_one_word() -> None:
    assert words("Take `a` \0 and 3.11, don't") == ["Take", "a", "\0", "and", "3.11,", "don't"]


def test_ease_is_that_of_the_formula() -> None:
    # Two sentences of 3 and 5 words; each word has two syllables.
    ease = reading_ease("One two three. One two three four five.", lambda _: 2)
    assert ease == pytest.approx(206.835 - 1.015 * 4 - 84.6 * 2)


def test_code_and_numbers_are_not_spoken() -> None:
    ease = reading_ease("Take `internationalization` 3.11 now.", lambda _: 1)
    assert ease == pytest.approx(206.835 - 1.015 * 4 - 84.6)


def test_a_long_sentence_is_found() -> None:
    just = " ".join(["word"] * 30)
    assert long_sentences(f"{just}.") == []
    assert long_sentences(f"Short. {just} more.") == [f"{just} more."]


@pytest.mark.docs
def test_syllables_are_those_of_the_dictionary_and_else_of_hyphens() -> None:
    count = dictionary_syllables()
    assert [count(word) for word in ("cat", "Any", "compiler", "don\u2019t")] == [1, 2, 3, 1]
    assert count("tensorflowish") > 1


@pytest.mark.docs
def test_a_text_that_is_hard_to_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "tutorial" / "1.md"
    page.parent.mkdir()
    page.write_text("Institutional heterogeneity necessitates organizational deliberation.\n")
    assert main([str(page)]) == 1
    page.write_text("The cat sat on the mat. It was a good day.\n")
    assert main([str(page)]) == 0
    page.write_text(" ".join(["cat"] * 31) + ".\n")
    assert main([str(page)]) == 1
    assert "31 words: cat" in capsys.readouterr().out


@pytest.mark.docs
def test_the_texts_for_users_are_easy_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    is_wrong = main([])
    said = capsys.readouterr().out
    assert is_wrong == 0, said
    assert "README.md" in said
