"""Draws progress, tables and errors on stderr; results go to stdout as plain text or JSON."""

import io
import json
import os
import re
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from tfbuild.core.durations import clock
from tfbuild.core.errors import TfbuildError
from tfbuild.core.masking import mask, mask_all
from tfbuild.core.printable import printable, printable_json
from tfbuild.reporting.layout import counted, row_lines, stacked, stage_lines, widths

# Halves of pairs that stand for no byte of a name: no file can hold them.
_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_PLAIN_SECONDS = 15.0  # between two plain lines about a stage
_SCREEN = 100
_LONGEST = 4000  # characters of a cell or a part of an error: the library folds by the square
# Colours that can be read on white as on black: yellow and what is dim cannot.
_MARKS = {
    "passed": ("green", "✓"),
    "reused": ("blue", "✓"),
    "skipped": ("magenta", "-"),
    "failed": ("red", "✗"),
}


class ConsoleReporter:
    """A Reporter that keeps one live line per stage, or prints plain lines into a file or pipe.

    Plain lines come by the clock, whatever happens or does not: a build never looks as if it hung.

    verbosity: -1 errors only, 0 stages, 1 commands too, 2 the output of programs too.
    """

    def __init__(self, verbosity: int = 0, console: Console | None = None) -> None:
        self.console = console or _console(sys.stderr)
        self._verbosity = verbosity
        self._live: Live | None = None
        self._line: _StageLine | None = None
        self._spoken = 0.0
        self._still: Event | None = None  # set when the stage has ended
        self._left: tuple[str, ...] = ()  # the stages that are to come

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop_live()
        self._rest()

    def to_come(self, names: Sequence[str]) -> None:
        """Show below each stage which ones are left."""
        self._left = tuple(names)

    def stage(self, name: str) -> None:
        """Start the line of a stage."""
        if name in self._left:
            self._left = self._left[self._left.index(name) + 1 :]
        self._line = _StageLine(name, self._left)
        self._spoken = time.monotonic()
        if self._verbosity < 0:
            return
        if self.console.is_interactive:
            self._stop_live()
            self._live = Live(
                self._line, console=self.console, refresh_per_second=8, transient=True
            )
            self._live.start()
        else:
            self._rest()
            self._still = Event()
            Thread(target=self._beat, args=(self._line, self._still), daemon=True).start()

    def progress(
        self, text: str, done: int = 0, total: int = 0, *, is_growing: bool = False
    ) -> None:
        """Put what runs into the live line; plain lines say it from time to time."""
        if self._line is not None:
            self._line.update(text, done, total, is_growing=is_growing)

    def step(self, text: str) -> None:
        """Put it into the live line; print it where there is none."""
        self.progress(text)
        if self._line is not None and self._live is None and self._verbosity >= 0:
            self._speak(self._line)

    def note(self, text: str) -> None:
        """Print a sentence."""
        if self._verbosity >= 0:
            self._spoken = time.monotonic()
            self._print(f"  {text}")

    def warn(self, text: str, *, code: str) -> None:
        """Print a warning, also with -q."""
        head = (f"warning[{code}]: ", "bold magenta")
        self.console.print(Text.assemble(head, _shown(text)), soft_wrap=True)

    def command(self, line: str) -> None:
        """Print a command with -v."""
        if self._verbosity >= 1:
            self._print(f"  $ {line}")

    def line(self, text: str) -> None:
        """Print a line of output with -vv."""
        if self._verbosity >= 2:
            self._print(f"    {text}")

    def done(self, name: str, *, seconds: float, state: str, detail: str = "") -> None:
        """Turn the live line into a final one."""
        self._stop_live()
        self._rest()
        self._line = None
        if self._verbosity < 0:
            return
        colour, mark = _MARKS[state]
        # A failed stage is reported once, by the error that follows.
        words = "" if state == "failed" else detail
        self.console.print(
            Text.assemble(
                (mark if self.console.is_interactive else f"{state}:", colour),
                f" {name:<12}",
                (f"{clock(seconds):>8}", "bold" if seconds > 60 else ""),
                f"  {_shown(words)}" if words else "",
            ),
            soft_wrap=True,
        )

    def error(self, error: TfbuildError, log: str = "") -> None:
        """Say what failed, why, what to do, and where the log is."""
        self._stop_live()
        self._rest()
        log = error.log or log
        head = f"error[{error.code}]" if error.code else "error"
        lines = [
            (head, error.message),
            ("why", error.why),
            ("do this", error.hint),
            ("report", error.report),
            ("log", log if os.path.exists(log) else ""),  # noqa: PTH110  (may be empty)
            ("more", f"tfbuild explain {error.code}" if error.code else ""),
        ]
        for title, text in lines:
            if text:
                style = "bold red" if title == head else "bold"
                self._print_titled(title, style, _shown(_cut(text)))

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Draw a table of a result on stdout."""
        _draw(_console(sys.stdout), title, columns, rows)

    def outlook(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Draw a table of what is about to be done."""
        if self._verbosity >= 0:
            _draw(self.console, "", columns, rows)

    def _print_titled(self, title: str, style: str, text: str) -> None:
        """Print a part of an error, further lines of it further in, so that they are no titles.

        A path that is longer than a line stays one to be copied.
        """
        first, *others = f"{title}: {text}".splitlines()
        lines = [first, *(line if line.startswith(" ") else f"  {line}" for line in others)]
        if self.console.is_interactive:
            lines = [part for line in lines for part in _folded(line, self.console.width)]
        said = Text("\n".join(lines))
        said.stylize(style, 0, len(title))
        self.console.print(said, soft_wrap=True)

    def _print(self, text: str) -> None:
        self.console.print(Text(_shown(text)), soft_wrap=True)

    def _speak(self, line: "_StageLine") -> None:
        self._spoken = time.monotonic()
        self._print(line.plain())

    def _beat(self, line: "_StageLine", still: Event) -> None:
        """Say where the stage stands whenever nothing was said for a while, until it has ended."""
        while not still.wait(max(self._spoken + _PLAIN_SECONDS - time.monotonic(), 0.0)):
            if time.monotonic() - self._spoken >= _PLAIN_SECONDS:
                self._speak(line)

    def _rest(self) -> None:
        """Say no more of the stage."""
        if self._still is not None:
            self._still.set()
            self._still = None

    def _stop_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


class _StageLine:
    """The lines of the running stage; rich asks it for its looks several times a second."""

    def __init__(self, name: str, left: Sequence[str]) -> None:
        self._name, self._left = name, left
        self._started = time.monotonic()
        self._count = (0, 0)
        self._is_growing = False
        self._words = ""
        self._spinner = Spinner("dots")

    def update(self, text: str, done: int, total: int, *, is_growing: bool) -> None:
        """Take what is running now."""
        self._count, self._words, self._is_growing = (done, total), _shown(text), is_growing

    def plain(self) -> str:
        """All of it in one line; a total that grows would look as if it were one of the work."""
        done, total = self._count
        said = (counted(done, 0 if self._is_growing else total), self._words)
        return f"{self._name}: {clock(self._seconds())}  {' '.join(filter(None, said))}".rstrip()

    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - 2  # the spinner and a space
        head, *rest = stage_lines(
            self._name, self._seconds(), self._count, self._words, width, left=self._left
        )
        frame = self._spinner.render(console.get_time())
        yield Text.assemble(frame if isinstance(frame, Text) else "", " ", (head, "bold"))
        yield from (Text(f"  {line}", no_wrap=True) for line in rest)


def print_json(document: Any) -> None:  # noqa: ANN401  (any JSON value)
    """Print one JSON document on stdout, secrets hidden."""
    text = json.dumps(mask_all(document), indent=1, ensure_ascii=False)
    sys.stdout.write(printable_json(text) + "\n")


def can_ask() -> bool:
    """Whether somebody sits at a terminal who sees a question and can answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Whether the answer is yes; the end of the input is none."""
    try:
        answer = _console(sys.stderr).input(Text(f"{_shown(question)} [y/N] "))
    except EOFError:
        return False
    return answer.strip().lower() in {"y", "yes"}


def _console(stream: TextIO) -> Console:
    """That of a stream; what moves is only for a terminal, even where FORCE_COLOR wants colours."""
    return Console(
        file=stream, highlight=False, force_interactive=None if stream.isatty() else False
    )


def screen_width() -> int:
    """Columns of the terminal that results go to, 100 at most; no limit into a file or a pipe."""
    console = _console(sys.stdout)
    return min(console.width, _SCREEN) if console.is_interactive else sys.maxsize


def print_text(text: str) -> None:
    """Print plain text for people on stdout, secrets hidden."""
    _print(_shown(text))


def print_folded(lines: Iterable[str]) -> None:
    """Print lines on stdout, what a terminal is too narrow for below itself and further in.

    Into a file or a pipe each line goes as it is, where it can be searched.
    """
    console = _console(sys.stdout)
    width = console.width if console.is_interactive else sys.maxsize
    print_text("\n".join(folded for line in lines for folded in _folded(line, width)))


def print_file(text: str) -> None:
    """Print the content of a file on stdout as it stands: another program reads it.

    A terminal gets it harmless. Others get UTF-8, as of every file, and names that are none as the
    bytes that they are.
    """
    if sys.stdout.isatty():
        text = printable(text)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        text = _HALVES.sub("\ufffd", text)
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    _print(text)


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def _shown(text: str) -> str:
    """What may be shown of a text from anywhere: no secrets, and nothing that steers a terminal."""
    return printable(mask(text))


def _cut(text: str) -> str:
    """The text, the middle of a very long one left out: its begin and its end say most."""
    left = len(text) - _LONGEST
    if left <= 0:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} [{left:,} characters left out] {text[-half:]}"


def _folded(line: str, width: int) -> Sequence[str]:
    if len(line) <= width:
        return (line,)
    indent = line[: len(line) - len(line.lstrip())]
    deeper = indent if len(indent) > width // 2 else f"{indent}  "
    return textwrap.wrap(
        line[len(indent) :],
        width,
        initial_indent=indent,
        subsequent_indent=deeper,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], sizes: Sequence[int]
) -> Table:
    table = Table(
        title=_shown(title) or None,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        show_header=any(columns),
    )
    for column, width in zip(columns, sizes, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in rows:
        table.add_row(*(_coloured(cell) for cell in row))
    return table


def _draw(
    console: Console, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Draw a table as wide as the terminal; into a file or a pipe, a line for each row.

    What a terminal is too narrow for stands row below row: no word is broken.
    """
    rows = [[_cut(cell) for cell in row] for row in rows]
    if not console.is_interactive:
        cells = row_lines([columns, *rows] if any(columns) else rows)
        for row in ([title], *cells) if title else cells:
            console.print(Text.assemble(*map(_coloured, row)), soft_wrap=True)
        return
    if sizes := widths(columns, rows, console.width):
        console.print(_table(title, columns, rows, sizes))
        return
    for line in (*([title] if title else []), *stacked(columns, rows, console.width)):
        console.print(Text(_shown(line)))


def _coloured(cell: str) -> Text:
    colours = {state: colour for state, (colour, _) in _MARKS.items()}
    colours |= {
        "pass": "green", "warning": "magenta", "failure": "red", "impossible": "magenta",
    }  # fmt: skip
    return Text(_shown(cell), style=colours.get(cell.strip(), ""))
