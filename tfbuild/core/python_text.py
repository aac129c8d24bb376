"""The one reader of Python and Starlark that anybody may have written: parsed, never run.

A parsed text takes a hundred times its bytes and more, so it is measured before that.
"""

import ast
import re

_MOST_WORDS = 200_000  # numbers, texts, signs and lines too; the largest file of Bazel has 35,000
_LONGEST_FORMATTED = 10_000  # letters: until 3.12 Python reads one in time that grows by the square
# Each text ends somewhere, so that nothing is tried again; no group is possessive, which Python
# before 3.11.5 matches wrongly.
_WORD = re.compile(
    r"""
    [ \t\f]++ | \#[^\r\n]*+
    | (?P<prefix>(?:[bu]r?|r[bf]?|fr?)?)
      (?: \"{3} [^"\\]*+ (?: (?: \\. | "(?!"") ) [^"\\]*+ )* (?: \"{3} | \\?\Z )
        | '{3} [^'\\]*+ (?: (?: \\. | '(?!'') ) [^'\\]*+ )* (?: '{3} | \\?\Z )
        | " [^"\\\r\n]*+ (?: \\. [^"\\\r\n]*+ )* "?
        | ' [^'\\\r\n]*+ (?: \\. [^'\\\r\n]*+ )* '?
      )
    | \w++ | .
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def parse_python(text: str) -> ast.Module:
    """The syntax tree of a text; ValueError where it is no Python, or larger than any real one."""
    words_of(text)
    try:
        return ast.parse(text)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is no Python that can be read: {error}") from error


def words_of(text: str) -> int:
    """How many words, numbers, texts, signs and lines it has, which is what parsing it takes.

    ValueError where they are more than any real file has.
    """
    words = 0
    for found in _WORD.finditer(text):
        size = 1
        if "f" in (found["prefix"] or "").lower():
            size = found.end() - found.start()  # it holds expressions
            if size > _LONGEST_FORMATTED:
                raise ValueError(f"a formatted text has more than {_LONGEST_FORMATTED:,} letters")
        elif text[found.start()] in " \t\f#":
            size = 0
        words += size
        if words > _MOST_WORDS:
            raise ValueError(f"it has more than {_MOST_WORDS:,} words and signs")
    return words
