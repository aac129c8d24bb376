"""What can stand in a recipe file: documentation and JSON Schema, both made of the records."""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from tfbuild.core.field_comments import comments_of, summary_of
from tfbuild.recipes.reader import hints_of, keyed_by
from tfbuild.recipes.recipe import Recipe

_ID = "tfbuild.recipe/1"
_TEXT = {"type": ["string", "integer", "boolean"]}  # on, off and 2 are text, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a recipe file."""

    path: str  # source.releases.version
    form: str  # text, list of texts, mapping, ...
    says: str
    is_required: bool


def all_keys() -> tuple[Key, ...]:
    """Every key, in the order of the file; those of lists of records behind the list."""
    return tuple(_keys(Recipe, ""))


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) by which editors check and complete recipe files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": _ID,
        "title": "A recipe of tfbuild",
        **_schema(Recipe),
    }


# --- inside ------------------------------------------------------------------------------------


def _keys(kind: type, above: str) -> Iterator[Key]:
    said = comments_of(kind)
    required = _required(kind)
    for name, hint in hints_of(kind).items():
        inner = _record_in(hint)
        yield Key(
            path=above + name, form=_form(hint), says=said.get(name) or summary_of(inner),
            is_required=name in required,
        )  # fmt: skip
        if inner:
            yield from _keys(inner, f"{above}{name}.")


def _form(hint: Any) -> str:  # noqa: ANN401
    if get_origin(hint) is Literal:
        return " or ".join(get_args(hint))
    if is_dataclass(hint):
        return "mapping"
    if hint in {str, int}:
        return "text" if hint is str else "whole number"
    inner = get_args(hint)[0]
    if is_dataclass(inner):
        return f"list of mappings, or a mapping by {keyed_by(inner)}"  # type: ignore[arg-type]
    return "list of texts" if inner is str else "mapping of texts"


def _record_in(hint: Any) -> Any:  # noqa: ANN401
    if is_dataclass(hint):
        return hint
    arguments = get_args(hint)
    return arguments[0] if arguments and is_dataclass(arguments[0]) else None


def _required(kind: type) -> set[str]:
    return {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}


def _schema(kind: type) -> dict[str, Any]:
    said = comments_of(kind)
    properties = {
        name: {**_schema_of(hint), "description": said.get(name) or summary_of(_record_in(hint))}
        for name, hint in hints_of(kind).items()
    }
    required = [name for name in properties if name in _required(kind)]
    return {
        "type": "object",
        "description": summary_of(kind),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _schema_of(hint: Any) -> dict[str, Any]:  # noqa: ANN401
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if is_dataclass(hint):
        return _schema(hint)  # type: ignore[arg-type]
    if hint in {str, int}:
        return _TEXT if hint is str else {"type": "integer"}
    inner = get_args(hint)[0]
    if is_dataclass(inner):
        return _list_schema(_schema(inner))  # type: ignore[arg-type]
    if inner is str:
        return {"type": "array", "items": _TEXT}
    return {"type": "object", "additionalProperties": _TEXT}


def _list_schema(item: dict[str, Any]) -> dict[str, Any]:
    """A list of such items; or a mapping by their first key, with the second one as short form."""
    first, second = list(item["properties"])[:2]
    shorter = {
        **item,
        "properties": {n: p for n, p in item["properties"].items() if n != first},
        "required": [n for n in item["required"] if n != first],
    }
    forms = [shorter, item["properties"][second], {"type": "null"}]
    by_key = {"type": "object", "additionalProperties": {"anyOf": forms}}
    return {"anyOf": [{"type": "array", "items": item}, by_key]}
