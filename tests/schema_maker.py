"""JSON Schemas out of the records that are printed; the published files are compared with these."""

from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tfbuild.cache import CacheEntry
from tfbuild.checks.model import Check, Wish
from tfbuild.records import Choice, Host, Plan
from tfbuild.reports import AuditReport, PerfReport, Report, SmokeReport
from tfbuild.settings import Setting

_PLAIN = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean"}
_SPEC = {
    **{key: {"type": "string"} for key in ("group", "name", "looks_at")},
    "seconds": {"type": "number"},
}
_MAP = {"type": "object", "additionalProperties": {"type": "string"}}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Every published schema by its name."""
    text, whole = {"type": "string"}, {"type": "integer"}
    return {
        "audit": _document("audit", _of(AuditReport)),
        "smoke": _document("smoke", _of(SmokeReport)),
        "perf": _document("perf", _of(PerfReport)),
        "plan": _document("plan", _of(Plan)),
        "report": _document("report", _report()),
        "doctor": _document(
            "doctor",
            _object(
                {
                    "status": {"enum": ["ok", "failure"]},
                    "wish": _of(Wish),
                    "checks": {"type": "array", "items": _of(Check)},
                    "host": _of(Host),
                }
            ),
        ),
        "checks": _document(
            "checks",
            _object({"checks": {"type": "array", "items": _object(_SPEC)}}),
        ),
        "config": _document(
            "config",
            _object(
                {
                    "settings": {"type": "array", "items": _of(Setting)},
                    "warnings": {"type": "array", "items": text},
                }
            ),
        ),
        "cache": _document(
            "cache",
            {
                **_object({"bytes": whole}),
                "properties": {
                    "bytes": whole,
                    "cached": {"type": "array", "items": _of(CacheEntry)},
                    "removed": {"type": "array", "items": _of(CacheEntry)},
                },
            },
        ),
        "error": _document(
            "error",
            _object({"exit_code": whole, **dict.fromkeys(("message", "why", "hint", "log"), text)}),
        ),
    }


def _report() -> dict[str, Any]:
    """The report: versions by axis, and where the wheel was delivered when it is printed."""
    schema = _of(Report)
    choice = _of(Choice)
    choice["properties"].pop("axis")
    choice["required"].remove("axis")
    schema["properties"]["versions"] = {"type": "object", "additionalProperties": choice}
    schema["properties"]["plan"]["properties"]["versions"] = _MAP
    schema["properties"]["delivered"] = {"type": "string"}
    return schema


def _document(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body with the field that names its schema."""
    mark = {"const": f"tfbuild.{name}/1"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"tfbuild.{name}/1",
        **body,
        "properties": {"schema": mark, **body["properties"]},
        "required": ["schema", *body["required"]],
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _of(hint: Any) -> dict[str, Any]:
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        assert all(f.default_factory is MISSING for f in fields(hint))
        return _object({field.name: _of(hints[field.name]) for field in fields(hint)})
    if get_origin(hint) is tuple:
        return _of_tuple(get_args(hint))
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    return {"type": _PLAIN[hint]}


def _of_tuple(hints: tuple[Any, ...]) -> dict[str, Any]:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return {"type": "array", "items": _of(hints[0])}
    parts = [_of(hint) for hint in hints]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
