"""Splits text into words as a shell quotes them, in time proportional to its length.

As shlex does, which takes time by the square of a word's length: text of strangers may be one word.
"""

import re

from tfbuild.core.counts import counted

LONGEST_WORD = 100_000  # letters; Linux takes 131,071 for an argument

_PIECE = re.compile(
    r"(?P<space>[ \t\r\n]++)"
    r"|(?P<plain>[^ \t\r\n'\"\\#]++)"
    r"|(?P<hash>\#)"
    r"|'(?P<single>[^']*+)'"
    r'|"(?P<double>(?:[^"\\]++|\\.)*+)"'
    r"|\\(?P<escaped>.)",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\])')


def split_words(text: str, *, comments: bool = False) -> list[str]:
    """The words of a text; with comments what follows a `#` in a line is none.

    Raises ValueError for an open quote, a backslash at the end, and a word of endless length.
    """
    words: list[str] = []
    pieces: list[str] | None = None  # of the word that is read
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            raise ValueError("No escaped character" if text[at] == "\\" else "No closing quotation")
        at = found.end()
        is_comment = comments and found.lastgroup == "hash"
        if is_comment:
            at = text.find("\n", at) + 1 or len(text)
        if not is_comment and found.lastgroup != "space":
            pieces = pieces or []
            pieces.append(_meant(found))
        elif pieces is not None:
            words.append(_joined(pieces))
            pieces = None
    return words if pieces is None else [*words, _joined(pieces)]


# --- inside ------------------------------------------------------------------------------------


def _meant(piece: re.Match[str]) -> str:
    if piece.lastgroup == "hash":
        return "#"
    said = piece[piece.lastgroup or 0]
    return _ESCAPED.sub(r"\1", said) if piece.lastgroup == "double" else said


def _joined(pieces: list[str]) -> str:
    word = "".join(pieces)
    if len(word) > LONGEST_WORD:
        raise ValueError(f"a word has {counted(len(word), 'letter')}, {LONGEST_WORD} at most")
    return word
