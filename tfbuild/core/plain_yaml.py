"""Reads YAML that is nothing but texts, lists and mappings, as matrices are, in half the time.

It builds from the events of the library's parser and leaves out its tree of nodes. Whatever is more
than plain (anchors, tags, merged keys, several documents, mistakes) is left to the library.
"""

from typing import Any

import yaml


def load_yaml(text: str, loader: type[Any]) -> Any:  # noqa: ANN401  (any value, untyped library)
    """What yaml.load gives for the text and a safe loader, and its errors."""
    reader = loader(text)
    try:
        return _PlainDocument(reader).read()
    except (_NotPlainError, yaml.YAMLError):
        return yaml.load(text, loader)  # noqa: S506  (a safe loader)
    finally:
        reader.dispose()


class _NotPlainError(Exception):
    """There is something that only the library understands."""


class _PlainDocument:
    """The one document that a reader's events tell of."""

    def __init__(self, reader: Any) -> None:  # noqa: ANN401
        self._reader = reader
        self._next = reader.get_event
        self._words: dict[str, Any] = {}  # the same ones stand in a matrix again and again

    def read(self) -> Any:  # noqa: ANN401
        """Its value; _NotPlainError or a YAMLError where the library must read it."""
        self._next()  # the stream starts
        _expect(self._next(), yaml.DocumentStartEvent)
        value = self._value(self._next())
        self._next()  # the document ends
        _expect(self._next(), yaml.StreamEndEvent)
        return value

    def _value(self, event: Any) -> Any:  # noqa: ANN401
        if event.anchor is not None or event.tag is not None:
            raise _NotPlainError
        kind = type(event)
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.SequenceStartEvent:
            items = []
            while type(inner := self._next()) is not yaml.SequenceEndEvent:
                items.append(self._value(inner))
            return items
        pairs = {}
        while type(inner := self._next()) is not yaml.MappingEndEvent:
            _expect(inner, yaml.ScalarEvent)
            key = self._value(inner)
            pairs[key] = self._value(self._next())
        return pairs

    def _scalar(self, event: Any) -> Any:  # noqa: ANN401
        """Its text where it is quoted, else what the loader makes of it."""
        text = event.value
        if not event.implicit[0]:
            return text
        if text not in self._words:
            tag = self._reader.resolve(yaml.ScalarNode, text, event.implicit)
            self._words[text] = self._reader.construct_object(yaml.ScalarNode(tag, text))
        return self._words[text]


def _expect(event: object, kind: type) -> None:
    if type(event) is not kind:
        raise _NotPlainError
