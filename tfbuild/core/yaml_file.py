"""The adapter for YAML: text to plain data and back, without tags, references and surprises."""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any

import yaml

from tfbuild.core.counts import counted

_DEEPEST = 50  # libyaml's composer calls itself for each level, and ends the process when too deep
_MOST_DIGITS = 20  # of a whole number; a longer one is no number of ours
# At the begin of any line, as libyaml counts lines; a byte order mark may stand before.
_DIRECTIVE = re.compile(r"(?:\A|[\r\n\x85\u2028\u2029])\ufeff?%")
_BASE: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str) -> Any:  # noqa: ANN401  (whatever the text holds)
    """The data that a text holds, 3.10 and 2026-11-20 as they are written.

    Raises ValueError, which says in which line, for broken text, a key that stands twice in one
    mapping, a reference to another place, a directive, and nesting that no file of ours has.
    """
    # libyaml compares each directive with all before it, ahead of the first event.
    if found := _DIRECTIVE.search(text):
        line = text.count("\n", 0, found.end()) + 1
        raise ValueError(f"line {line}: directives (%NAME) are not read; leave them out")
    reader: Any = _loader()(text)
    try:
        return _PlainDocument(reader).read()
    except (_NotPlainError, yaml.YAMLError):
        return _load(text)
    finally:
        reader.dispose()


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and of each item of a list ([2]), by the keys that lead there.

    The text is one that `parse_yaml` reads.
    """
    found: dict[tuple[str, ...], int] = {}
    left: list[tuple[tuple[str, ...], Any]] = [((), yaml.compose(text, _loader()))]
    while left:
        place, node = left.pop()
        if isinstance(node, yaml.MappingNode):
            inner = [((*place, str(key.value)), key, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            inner = [((*place, f"[{n}]"), item, item) for n, item in enumerate(node.value, 1)]
        else:
            continue
        for at, named, value in inner:
            found[at] = named.start_mark.line + 1
            left.append((at, value))
    return found


def to_yaml(value: object) -> str:
    """The value as YAML text, keys in the order given, text of several lines as a block."""
    return yaml.dump(value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100)


# --- inside ------------------------------------------------------------------------------------


def _load(text: str) -> Any:  # noqa: ANN401
    """The data as the library reads it, by a tree of nodes; a ValueError says what is wrong."""
    try:
        _check_events(text)
        return yaml.load(text, _loader())  # noqa: S506  (a safe loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error).replace('in "<unicode string>", ', "in ")) from error


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, _BASE):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"{_line(event)}: references (*name) are not read; write it out")
        if getattr(event, "tag", None) is not None:
            raise ValueError(f"{_line(event)}: types (!name) are not read; leave it out")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise ValueError(f"{_line(event)}: nested more than {_DEEPEST} levels deep")


def _line(event: yaml.Event) -> str:
    return f"line {event.start_mark.line + 1}" if event.start_mark else "somewhere"


@cache
def _loader() -> type[yaml.SafeLoader]:
    """A safe loader that takes numbers with a point, and dates, as text."""

    class TextLoader(_BASE):  # type: ignore[misc, valid-type]
        def construct_mapping(
            self,
            node: yaml.MappingNode,
            deep: bool = False,  # noqa: FBT001, FBT002
        ) -> dict[Hashable, Any]:
            _check_keys(node)
            found: dict[Hashable, Any] = super().construct_mapping(node, deep)
            return found

        def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
            if len(node.value) > _MOST_DIGITS:
                raise ValueError(
                    f"line {node.start_mark.line + 1}: "
                    f"a number of {counted(len(node.value), 'digit')}"
                )
            found: int = super().construct_yaml_int(node)
            return found

    TextLoader.add_constructor("tag:yaml.org,2002:int", TextLoader.construct_yaml_int)
    TextLoader.yaml_implicit_resolvers = {
        first: [
            (tag, pattern) for tag, pattern in pairs if not tag.endswith((":float", ":timestamp"))
        ]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return TextLoader


def _check_keys(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                raise ValueError(
                    f"line {key.start_mark.line + 1}: '{key.value}' stands there twice"
                )
            seen.add(key.value)


@cache
def _dumper() -> type[yaml.SafeDumper]:
    """A safe dumper that people like to read: blocks for scripts, no references."""

    class TextDumper(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  (the library's)
            return True

    def text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    TextDumper.add_representer(str, text_node)
    return TextDumper


class _NotPlainError(Exception):
    """There is something that the library must read, or a mistake that it must report."""


class _PlainDocument:
    """The one document of a reader, built from its events in half the library's time."""

    def __init__(self, reader: Any) -> None:  # noqa: ANN401
        self._reader = reader
        self._next = reader.get_event
        self._words: dict[str, Any] = {}  # the same ones stand in a matrix again and again

    def read(self) -> Any:  # noqa: ANN401
        """Its value; _NotPlainError or a YAMLError where the library must read it."""
        self._next()  # the stream starts
        _expect(self._next(), yaml.DocumentStartEvent)
        value = self._value(self._next(), 0)
        self._next()  # the document ends
        _expect(self._next(), yaml.StreamEndEvent)
        return value

    def _value(self, event: Any, depth: int) -> Any:  # noqa: ANN401
        if event.anchor is not None or event.tag is not None or depth > _DEEPEST:
            raise _NotPlainError
        kind = type(event)
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.SequenceStartEvent:
            items = []
            while type(inner := self._next()) is not yaml.SequenceEndEvent:
                items.append(self._value(inner, depth + 1))
            return items
        pairs = {}
        while type(inner := self._next()) is not yaml.MappingEndEvent:
            _expect(inner, yaml.ScalarEvent)
            key = self._value(inner, depth + 1)
            if type(key) is not str or key in pairs:
                raise _NotPlainError
            pairs[key] = self._value(self._next(), depth + 1)
        return pairs

    def _scalar(self, event: Any) -> Any:  # noqa: ANN401
        """Its text where it is quoted, else what the loader makes of it."""
        text = event.value
        if not event.implicit[0]:
            return text
        if text not in self._words:
            tag = self._reader.resolve(yaml.ScalarNode, text, event.implicit)
            node = yaml.ScalarNode(tag, text, event.start_mark)
            self._words[text] = self._reader.construct_object(node)
        return self._words[text]


def _expect(event: object, kind: type) -> None:
    if type(event) is not kind:
        raise _NotPlainError
