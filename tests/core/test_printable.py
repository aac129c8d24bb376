"""Text that steers a terminal, or hides letters, becomes text that says so."""

import json
import sys
import unicodedata

import pytest

from tfbuild.core.printable import printable, printable_json

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


def is_harmful(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind in {"Cf", "Cs", "Zl", "Zp"} or (kind == "Cc" and letter not in "\n\t")


def test_no_character_that_steers_is_left() -> None:
    assert not any(map(is_harmful, printable("".join(EVERY))))


def test_letters_of_all_scripts_stay() -> None:
    kept = [c for c in EVERY if unicodedata.category(c)[0] in "LNPSZ" and not is_harmful(c)]
    hidden = ["\u115f", "\u1160", "\u3164", "\uffa0"]  # letters of Hangul without an image
    assert [c for c in kept if printable(c) != c] == hidden
    assert printable("ä ß 中文 עברית 🙂 \n\t") == "ä ß 中文 עברית 🙂 \n\t"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("\r\x08\x7f\0", r"\x0d\x08\x7f\x00"),
        ("gnp\u202efdp.so", r"gnp\u202efdp.so"),
        ("a\u200bb\u2028c", r"a\u200bb\u2028c"),
        ("\ud800x", r"\ud800x"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_is_harmful_is_shown_by_its_number(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown


def test_json_means_the_same() -> None:
    text = "".join(EVERY[:0xD800] + EVERY[0xE000:])
    document = printable_json(json.dumps({text: [text]}, ensure_ascii=False, indent=1))
    assert json.loads(document) == {text: [text]}
    assert not any(map(is_harmful, document))
    assert json.loads(printable_json('"\ud800"')) == "\ud800"
