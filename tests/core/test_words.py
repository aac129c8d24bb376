"""Words as shlex splits them, in time proportional to the text."""

import random
import shlex
import time

import pytest

from tfbuild.core.words import LONGEST_WORD, split_words


def _split(split: object, text: str, comments: bool) -> object:
    try:
        return split(text, comments=comments)  # type: ignore[operator]
    except ValueError:
        return "refused"


def test_the_words_are_those_of_shlex() -> None:
    chance = random.Random(3)
    for _ in range(20_000):
        text = "".join(chance.choices("ab'\"\\# \t\n\r=\x0b\u00e9", k=chance.randrange(12)))
        for comments in (False, True):
            there, here = _split(shlex.split, text, comments), _split(split_words, text, comments)
            assert here == there, repr(text)


@pytest.mark.parametrize("text", ['a "b', "a 'b", "a \\", 'a "b\\'])
def test_what_is_open_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"No (closing quotation|escaped character)"):
        split_words(text)


@pytest.mark.parametrize(
    "text",
    ["a" * 2_000_000, "'a'" * 600_000, '"' + "\\\\" * 900_000 + '"'],
    ids=["plain", "quoted", "escaped"],
)
def test_a_word_without_an_end_is_refused_at_once(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(ValueError, match="letters, 100000 at most"):
        split_words(text)
    assert time.process_time() - begun < 5
    assert split_words("a" * LONGEST_WORD) == ["a" * LONGEST_WORD]
