"""Where lines and columns are cut for a terminal: never in a word, a name or a time."""

import textwrap
from collections.abc import Callable, Sequence

from tfbuild.core.durations import clock

_BAR = 20  # letters
_GAP = 2  # between columns
_LONGEST_WORD = 48  # letters of a word that no column is made narrower for
_LINES_OF_WORDS = 2
_WIDEST = 100  # letters to which the cells of a column are padded in a file or a pipe


def stage_lines(
    name: str,
    seconds: float,
    count: tuple[int, int],
    words: str,
    width: int,
    *,
    left: Sequence[str] = (),
) -> list[str]:
    """The running stage in up to four lines: its name, time and count; what runs; what is left."""
    done, total = count
    head = f"{name:<11} {clock(seconds):>8}"
    if said := counted(done, total):
        head += f"  {said}"
    if total:
        filled = round(_BAR * min(1.0, done / total))
        bar = f"{'█' * filled}{'░' * (_BAR - filled)} {done / total:4.0%}"
        head += f"  {bar}" if len(head) + len(bar) + _GAP <= width else ""
    lines = textwrap.wrap(words, max(width - _GAP, 1), break_on_hyphens=False)
    if len(lines) > _LINES_OF_WORDS:
        rest = " ".join(lines[_LINES_OF_WORDS - 1 :])
        lines = [*lines[: _LINES_OF_WORDS - 1], cut_middle(rest, width - _GAP)]
    if left:
        lines += textwrap.wrap(f"then {', '.join(left)}", max(width - _GAP, 1))[:1]
    return [head, *(f"  {line}" for line in lines)]


def counted(done: int, total: int) -> str:
    """How much is done of how much, or how much so far; empty where nothing is counted."""
    if total:
        return f"[{done:,} / {total:,}]"
    return f"[{done:,} step{'' if done == 1 else 's'} so far]" if done else ""


def cut_middle(text: str, width: int) -> str:
    """The text, its middle left out where it is too long: paths end with what matters."""
    if len(text) <= width:
        return text
    first = max(1, (width - 1) // 3)
    return f"{text[:first]}…{text[len(text) - max(1, width - 1 - first) :]}"


def widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The widths of the columns of a table; empty where a word of one would have to be broken.

    Each has room for its longest word; what is left goes to those first that need the least of it.
    """
    cells = [*zip(columns, *rows, strict=True)]
    found = [_longest(column, str.split, _LONGEST_WORD) for column in cells]
    whole = [_longest(column, str.splitlines, width) for column in cells]
    left = width - sum(found) - _GAP * (len(found) - 1)
    if left < 0:
        return []
    order = sorted(range(len(found)), key=lambda n: whole[n] - found[n])
    for place, number in enumerate(order):
        more = min(max(whole[number] - found[number], 0), left // (len(order) - place))
        found[number] += more
        left -= more
    return found


def _longest(cells: Sequence[str], parts: Callable[[str], list[str]], most: int) -> int:
    return min(max((len(part) for cell in cells for part in parts(cell)), default=0), most)


def row_lines(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """A line for each row of a table that programs read: its cells, padded where one follows.

    No line ends with blanks, and a very long cell moves what follows it in its own row alone.
    """
    cells = [[" ".join(cell.splitlines()) for cell in row] for row in rows]
    sizes = [min(max(map(len, column)), _WIDEST) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        last = max((n for n, cell in enumerate(row) if cell), default=0)
        padded = [
            cell + " " * (max(size - len(cell), 0) + _GAP)
            for cell, size in zip(row[:last], sizes, strict=False)
        ]
        lines.append([*padded, row[last].rstrip()])
    return lines


def stacked(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The rows of a table that a terminal is too narrow for, one below the other.

    The first line of each has what is short and has no title; titles name the rest.
    """
    lines = []
    for row in rows:
        cells = [(head, cell) for head, cell in zip(columns, row, strict=True) if cell]
        first = next((n for n, (head, _) in enumerate(cells) if head), len(cells)) + 1
        lines += _folded("  ".join(cell for _, cell in cells[:first]), width, "")
        for head, cell in cells[first:]:
            lines += _folded(f"{head}: {cell}" if head else cell, width, "  ")
    return lines


def _folded(text: str, width: int, indent: str) -> list[str]:
    return [
        line
        for part in text.splitlines()
        for line in textwrap.wrap(
            part,
            width,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
        )
    ]
