"""The documentation as tests read it: its pages, their blocks, commands and sentences."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.source_files import ROOT

PAGES = ROOT / "docs" / "pages"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^`([\w./-]+)`:\n\n\Z", re.MULTILINE)
_OPERATORS = {"&&", "||", "|", ";", ">", ">>", "<", "(", ")"}
_PROGRAMS = {"tfbuild", ".venv/bin/tfbuild", "./bootstrap.sh"}
_VARIABLE = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class Block:
    """What stands between two fences: its language, its text, and the file that it is to become."""

    page: Path
    line: int
    language: str
    text: str
    file: str

    @property
    def place(self) -> str:
        """Where it is, for who has to correct it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Shown:
    """A command of a console block, with what the page says that it prints."""

    place: str
    command: str
    output: tuple[str, ...]


@cache
def pages() -> tuple[Path, ...]:
    """Every page that people read, the README first."""
    return (ROOT / "README.md", *sorted(PAGES.rglob("*.md")))


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in their order."""
    text = page.read_text()
    for found in _FENCE.finditer(text):
        before = text[: found.start()]
        named = _FILE.search(before[before.rfind("\n\n", 0, -2) + 1 :])
        yield Block(page, before.count("\n") + 1, found[1], found[2], named[1] if named else "")


def shown_commands(block: Block) -> Iterator[Shown]:
    """The commands of a console block, each with the lines below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *output = part.rstrip("\n").split("\n")
        yield Shown(block.place, command, tuple(output))


def command_lines(block: Block) -> Iterator[str]:
    """The lines of a console or sh block that a shell would get."""
    if block.language == "console":
        yield from (shown.command for shown in shown_commands(block))
    elif block.language == "sh":
        lines = block.text.replace("\\\n", " ").splitlines()
        yield from (line for line in lines if line.strip() and not line.startswith("#"))


def calls_of_tfbuild(line: str) -> Iterator[tuple[str, ...]]:
    """The words behind each `tfbuild` of a line, without variables before it and redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    call: list[str] = []
    tokens = [*lexer, ";"]
    skipped = False
    for token in tokens:
        if token in _OPERATORS:
            while call and _VARIABLE.match(call[0]):
                call.pop(0)
            if call and call[0] in _PROGRAMS:
                yield tuple(call)
            call = call if token in {">", ">>", "<"} else []
            if token in {">", ">>", "<"}:
                call, skipped = [], True
        elif skipped:
            skipped = False
        else:
            call.append(token)


def commands_in_prose(page: Path) -> Iterator[tuple[str, ...]]:
    """The calls of tfbuild that sentences and tables name, as in `tfbuild explain CODE`."""
    text = _FENCE.sub("", page.read_text())
    for code in re.findall(r"`(tfbuild [^`]+)`", text):
        if "..." not in code and "COMMAND" not in code:
            yield from calls_of_tfbuild(" ".join(code.split()))


def prose(page: Path) -> str:
    """A page's sentences: without blocks, tables, headings, pictures, code and addresses."""
    text = _FENCE.sub("\n\n", page.read_text())
    text = re.sub(r"^(\||#|!\[|\s{4,}\S).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "NAME", text)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)
    return re.sub(r"[*_]", "", text)
