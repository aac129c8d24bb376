"""The door to YAML: text to plain data and back, with no tags, no references and no surprises."""

from collections.abc import Hashable
from functools import cache
from typing import Any

import yaml

_DEEPEST = 50  # libyaml's composer calls itself for each level, and ends the process when too deep
_BASE: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str) -> Any:  # noqa: ANN401  (whatever the text holds)
    """The data that a text holds, 3.10 and 2026-11-20 as they are written.

    Raises ValueError, which says in which line, for broken text, a key that stands twice in one
    mapping, a reference to another place, and nesting that no file of ours has.
    """
    try:
        _check_events(text)
        return yaml.load(text, _loader())  # noqa: S506  (a safe loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def to_yaml(value: object) -> str:
    """The value as YAML text, keys in the order given, text of several lines as a block."""
    return yaml.dump(value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100)


# --- inside ------------------------------------------------------------------------------------


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, _BASE):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"{_line(event)}: references (*name) are not read; write it out")
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
