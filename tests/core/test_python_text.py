"""Python that anybody may have written, measured and parsed."""

import ast

import pytest

from tfbuild.core.python_text import parse_python, words_of


def test_what_is_parsed() -> None:
    assert ast.unparse(parse_python("a = f'{b}'\n")) == "a = f'{b}'"


@pytest.mark.parametrize(
    "text", ["def f(:", "-" * 90_000 + "a", "not " * 5_000 + "a", "a\0"], ids=range(4)
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        parse_python(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1  # b c d\n", 4),
        ("'a b' + \"c d\"", 3),
        ('\'\'\'a\n\'b\' \'\'\' """c \\""" d"""', 2),
        ("r'a' or'b'", 3),
        ("# a\rb", 2),
        ("'a\rb", 3),
        ("'''a b", 1),
        ("f'{a}{b}'", 9),
    ],
)
def test_its_words(text: str, words: int) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = [" + "a," * 100_000 + "]", "more than 200,000 words"),
        ("a\n" * 100_001, "more than 200,000 words"),
        ("x = f'" + "{a}" * 4_000 + "'", "a formatted text has more than 10,000 letters"),
        ("x = rF'''" + "{a}" * 4_000, "a formatted text has more than 10,000 letters"),
        ("f'{a}{a}'\n" * 25_000, "more than 200,000 words"),
    ],
    ids=range(5),
)
def test_more_than_any_real_file_has(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_python(text)


def test_a_long_text_in_code_is_one_word() -> None:
    parse_python('"""' + "a, " * 300_000 + '"""')
