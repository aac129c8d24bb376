"""Reads a page back: its elements, what stands in them, and where they lead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

# Markup, an end of every kind of quote and of every element, and a scheme that runs.
HOSTILE = (
    "javascript:alert(1)//\"'` onload=alert(2); x='--></style></title></script><b>&amp;<script>"
)
# As long and as much broken, without the characters that HTML reads.
HARMLESS = HOSTILE.translate(str.maketrans("<>\"'`&=", "lgdsbae"))


@dataclass(slots=True)
class Page:
    """The elements of a page in their order, each with the text directly in it."""

    elements: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def references(self) -> list[str]:
        """What is loaded or linked."""
        names = ("src", "href", "xlink:href", "action", "data")
        return [found[name] for _, found in self.elements for name in names if name in found]

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """The elements and the names of their attributes, without any value."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    @property
    def text(self) -> str:
        """All that is said, without markup and style."""
        said = (t for (tag, _), t in zip(self.elements, self.texts, strict=True) if tag != "style")
        return "\n".join(said)

    def texts_of(self, tag: str) -> list[str]:
        """What stands directly in each element of that tag."""
        return [t for (one, _), t in zip(self.elements, self.texts, strict=True) if one == tag]


def read_page(text: str) -> Page:
    """The page; an element that is not closed, or closed without being open, is an error."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.opened == [], "not closed"
    return reader.page


def prefixed(value: Any, prefix: str, *, kept: Sequence[str] = (), maps: Sequence[str] = ()) -> Any:
    """The plain data with the prefix before every text in it, be it empty.

    What stands under a key that is kept stays, and under maps the keys are texts as well.
    """
    if isinstance(value, dict):
        return {
            key: item
            if key in kept
            else prefixed(
                {prefix + name: one for name, one in item.items()} if key in maps else item,
                prefix, kept=kept, maps=maps,
            )
            for key, item in value.items()
        }  # fmt: skip
    if isinstance(value, (list, tuple)):
        return [prefixed(item, prefix, kept=kept, maps=maps) for item in value]
    return prefix + value if isinstance(value, str) else value


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.opened: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br", "wbr"}:
            self.opened.append(len(self.page.elements))
        self.page.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.page.texts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.opened.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.page.elements[self.opened.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        if self.opened:
            self.page.texts[self.opened[-1]] += data
