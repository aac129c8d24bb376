"""Words that every match of an expression holds."""

import pytest

from tfbuild.diagnosis.literals import required_literals


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Killed", ("Killed",)),
        (r"Checksum was (?P<found>[0-9a-f]{64}) but wanted", ("Checksum was ",)),
        (r"^nvcc fatal\s*: Unsupported gpu", (": Unsupported gpu",)),
        (r"(?:Read timed out|connect timed out)", ("Read timed out", "connect timed out")),
        (r"first thing|another one", ("first thing", "another one")),
        (r"\(Exit 127\)", ("(Exit 127)",)),
        (r"colou?rful", ("colo",)),
        (r"long(?: and optional)? words here", (" words here",)),
        (r"abcdef+g", ("abcdef",)),
        (r"x(?:one|two)y and more", ("y and more",)),
        (r"[']]quote[d]? text", ("]quote",)),
        (r"ab{2,3}cdefg", ("cdefg",)),
    ],
)
def test_words_of_a_pattern(pattern: str, words: tuple[str, ...]) -> None:
    assert required_literals(pattern) == words


@pytest.mark.parametrize(
    "pattern", [r"\d+", "abc", r"(?:long enough|no)", r"(?:maybe)? .*", "x)y", "(?i)words"]
)
def test_a_pattern_without_a_word_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"word|parenthesis|group"):
        required_literals(pattern)
