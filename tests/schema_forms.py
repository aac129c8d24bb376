"""JSON Schemas of records and of objects that are put together by hand, each with its meanings."""

from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tfbuild.core.documents import VERSIONS
from tfbuild.core.field_comments import comments_of, summary_of

Schema = dict[str, Any]
_PLAIN = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean"}
_NAMES_ITSELF = "the JSON Schema that the document follows, and its version"
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
WHOLE: Schema = {"type": "integer"}
TEXTS_BY_NAME: Schema = {"type": "object", "additionalProperties": TEXT}
CASE_ENDED: Schema = {"enum": ["failed", "worked"], "description": "how it ended"}


def document(name: str, body: Schema) -> Schema:
    """The body with the field that names its schema."""
    title = f"tfbuild.{name}/{VERSIONS.get(name, 1)}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **body,
        "properties": {"schema": said(_NAMES_ITSELF, {"const": title}), **body["properties"]},
        "required": ["schema", *body["required"]],
    }


def said(meaning: str, schema: Schema) -> Schema:
    """The schema of a field, with what the field means."""
    return {**schema, "description": meaning}


def list_said(meaning: str, item: Schema) -> Schema:
    """The schema of a field that is a list of such items, with what the field means."""
    return said(meaning, {"type": "array", "items": item})


def by_name_said(meaning: str, value: Schema) -> Schema:
    """The schema of a field that is an object with any names, with what the field means."""
    return said(meaning, {"type": "object", "additionalProperties": value})


def as_texts_by_name(schema: Schema, *names: str) -> None:
    """Let fields of an object be what pairs are printed as; they mean what they meant."""
    for name in names:
        schema["properties"][name] = said(schema["properties"][name]["description"], TEXTS_BY_NAME)


def object_of(properties: Schema) -> Schema:
    """An object that has all these fields and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def schema_of(hint: Any) -> Schema:
    """The schema of a record, or of what a field of one may hold."""
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        assert all(f.default_factory is MISSING for f in fields(hint))
        return object_of({f.name: _described(hint, f.name, hints[f.name]) for f in fields(hint)})
    if get_origin(hint) is tuple:
        return _of_tuple(get_args(hint))
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) is UnionType:
        return {"anyOf": [schema_of(one) for one in get_args(hint)]}
    return {"type": _PLAIN[hint]}


def _described(kind: Any, name: str, hint: Any) -> Schema:
    """The schema of a field, with what its comment says, or what the record in it is."""
    inner = hint if is_dataclass(hint) else next(iter(get_args(hint)), None)
    meaning = comments_of(kind).get(name) or summary_of(inner if is_dataclass(inner) else None)  # type: ignore[arg-type]
    return {**({"description": meaning} if meaning else {}), **schema_of(hint)}


def _of_tuple(hints: tuple[Any, ...]) -> Schema:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return {"type": "array", "items": schema_of(hints[0])}
    parts = [schema_of(hint) for hint in hints]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
