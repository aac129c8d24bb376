"""A card that sums a build up: one SVG that loads nothing, to be put into a message or a page."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.reporting.html import Outcome, render

_WIDTH, _LINE, _TOP = 640, 24, 92  # pixels; the first fact stands below name and verdict
_LETTER = 0.62  # of a letter's height: its width, at most, as far as fonts go
_LARGEST, _ROOM = 17, 592


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """A fact on a card, where it stands, and the size of its letters."""

    name: str
    value: str
    y: int
    size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What templates/card.svg draws, in pixels."""

    title: str
    size: float  # of the title's letters
    outcome: Outcome
    rows: tuple[CardRow, ...]
    made: str
    height: int
    width: int = _WIDTH

    @property
    def picture(self) -> str:
        """The card as SVG."""
        return render("card.svg", card=self)

    @property
    def address(self) -> str:
        """An address that holds the picture, from which a browser saves it."""
        return f"data:image/svg+xml;base64,{b64encode(self.picture.encode()).decode()}"


def card_of(title: str, outcome: Outcome, facts: Sequence[tuple[str, str]], made: str) -> Card:
    """The card of a product: its name, how its build ended, facts as name and value, and when."""
    rows = tuple(
        CardRow(name=name, value=value, y=_TOP + _LINE * row, size=_fitting(value, 14, 500))
        for row, (name, value) in enumerate(facts)
    )
    return Card(
        title=title,
        size=_fitting(title, _LARGEST, _ROOM),
        outcome=outcome,
        rows=rows,
        made=made,
        height=_TOP + _LINE * len(rows) + 26,
    )


def _fitting(text: str, size: int, room: int) -> float:
    """The size of letters with which a text has room in one line."""
    return round(min(size, room / (_LETTER * max(len(text), 1))), 1)
