"""JSON Schemas out of the records that are printed; the published files are compared with these."""

import json
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import jsonschema

from tfbuild.bazel.failed_action import FailedActions
from tfbuild.containers.base_image import BaseImage
from tfbuild.containers.retention import RetainedItem
from tfbuild.core.documents import VERSIONS
from tfbuild.core.error_catalogue import ErrorMeaning
from tfbuild.core.field_comments import comments_of, summary_of
from tfbuild.core.outputs import Configured
from tfbuild.core.paths import PACKAGE
from tfbuild.core.plans import Plan
from tfbuild.core.records import Choice, Host
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.reports import AuditReport, Cell, PerfReport, Report, SmokeReport
from tfbuild.core.settings import Setting
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceReport
from tfbuild.curation.cases import CaseScore
from tfbuild.curation.consistency import AxisSummary, Inconsistency
from tfbuild.curation.evidence import Refusal
from tfbuild.diagnosis.findings import Diagnosis
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.facts.fact import Fact
from tfbuild.facts.rows import GpuRow, Target, TestedRow
from tfbuild.fetch.cache import CacheEntry
from tfbuild.recipes.fields import json_schema
from tfbuild.recipes.recipe import OwnRecipe, Recipe
from tfbuild.recipes.records import KnownNeed, ProductPlan, ProductReport
from tfbuild.resolver.explain import Explained
from tfbuild.resolver.resolution import Conflict, ResolutionWarning, ResolvedVersion
from tfbuild.sources.archives import SourceArchive

FOLDER = PACKAGE / "schemas"
_PLAIN = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean"}
_SPEC = {
    **{key: {"type": "string"} for key in ("group", "name", "looks_at")},
    "seconds": {"type": "number"},
}
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_WHOLE = {"type": "integer"}
_MAP = {"type": "object", "additionalProperties": {"type": "string"}}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Every published schema by its name."""
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
                    "request": _of(BuildNeeds),
                    "checks": {"type": "array", "items": _check()},
                    "host": _of(Host),
                }
            ),
        ),
        "checks": _document(
            "checks", _object({"checks": {"type": "array", "items": _object(_SPEC)}})
        ),
        "config": _document(
            "config",
            _object(
                {
                    "settings": {"type": "array", "items": _of(Setting)},
                    "warnings": {"type": "array", "items": _of(CodedWarning)},
                }
            ),
        ),
        "base": _document("base", _of(BaseImage)),
        **_of_recipes(),
        "workspace": _document("workspace", _of(WorkspaceReport)),
        "workspace.plan": _document("workspace.plan", _of(WorkspacePlan)),
        "debug": _document("debug", _of(FailedActions)),
        "diagnosis": _document("diagnosis", _of(Diagnosis)),
        "cells": _document("cells", _cells()),
        "cache": _document("cache", _cache()),
        **_answers(),
        **_of_trees(),
        **_facts(),
        **_of_errors(),
    }


def published(name: str) -> dict[str, Any]:
    """A schema as it lies in the package."""
    schema: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return schema


def check(name: str, document: dict[str, Any]) -> None:
    """Hold a document, as it would be printed, against its published schema."""
    jsonschema.Draft202012Validator(published(name)).validate(json.loads(json.dumps(document)))


def _of_errors() -> dict[str, dict[str, Any]]:
    """An error, and what all codes of errors mean."""
    words = dict.fromkeys(("code", "message", "why", "hint", "log"), _TEXT)
    codes = {"type": "array", "items": _of(ErrorMeaning)}
    return {
        "error": _document("error", _object({"exit_code": _WHOLE} | words)),
        "error-codes": _document("error-codes", _object({"codes": codes})),
    }


def _of_recipes() -> dict[str, dict[str, Any]]:
    """Recipes, and what is built by one."""
    row = _object({"name": _TEXT, "summary": _TEXT})
    return {
        "product": _document("product", _of(ProductReport)),
        "product-plan": _document("product-plan", _of(ProductPlan)),
        "recipe": json_schema(),
        "recipe-shown": _document("recipe-shown", _of(Recipe)),
        "needs": _document("needs", _object({"needs": {"type": "array", "items": _of(KnownNeed)}})),
        "own-recipe": _document("own-recipe", _of(OwnRecipe)),
        "recipes": _document("recipes", _object({"recipes": {"type": "array", "items": row}})),
    }


def _of_trees() -> dict[str, dict[str, Any]]:
    """What is said of source trees."""
    return {
        "archives": _document(
            "archives",
            _object(
                {
                    "repository_cache": _TEXT,
                    "archives": {"type": "array", "items": _archive()},
                    "unread": _TEXTS,
                    "foreign": _TEXTS,
                }
            ),
        ),
        "configured": _document("configured", _of(Configured)),
    }


def _check() -> dict[str, Any]:
    """A line of doctor, with its code."""
    found: dict[str, Any] = _of(Check)
    return _object({"code": _TEXT, **found["properties"]})


def _warning() -> dict[str, Any]:
    """One of an answer, with the code of its kind."""
    found: dict[str, Any] = _of(ResolutionWarning)
    return _object({"code": _TEXT, **found["properties"]})


def _archive() -> dict[str, Any]:
    """One that a source tree downloads, and whether it is here."""
    found: dict[str, Any] = _of(SourceArchive)
    return _object({**found["properties"], "is_here": {"type": "boolean"}, "place": _TEXT})


def _cells() -> dict[str, Any]:
    """The builds of a matrix: axes and versions by name, and how many are in each state."""
    cell = _of(Cell)
    cell["properties"] |= {"axes": _MAP, "versions": _MAP, "beside": _MAP}
    counts = {"type": "object", "additionalProperties": _WHOLE}
    cells = {"type": "array", "items": cell}
    words = dict.fromkeys(("tfbuild_version", "started_at", "title", "noun"), _TEXT)
    return _object({**words, "counts": counts, "cells": cells})


def _answers() -> dict[str, dict[str, Any]]:
    """What the resolver says: an answer, and the verdicts on one axis."""
    chosen = _of(ResolvedVersion)["properties"]
    version = {"version": chosen["value"]} | {
        n: chosen[n] for n in ("evidence", "because", "others")
    }
    version["against"] = _MAP
    body = _object(
        {
            "status": {"enum": ["ok", "doubtful", "conflict", "unknown"]},
            "cases": {
                "type": "array",
                "items": _object(
                    {
                        **dict.fromkeys(("id", "thread", "says"), _TEXT),
                        "outcome": {"enum": ["failed", "worked"]},
                        "differs": _TEXTS,
                    }
                ),
            },
            "confidence": {"enum": ["tested", "likely", "doubtful", ""]},
            "constraints": _TEXTS,
            "versions": {"type": "object", "additionalProperties": _object(version)},
            "conflicts": {"type": "array", "items": _of(Conflict)},
            "alternatives": {
                "type": "array",
                "items": _object({"change": _MAP, "versions": _MAP}),
            },
            "warnings": {"type": "array", "items": _warning()},
            "images": _TEXTS,
            "facts": {"type": "object", "additionalProperties": _of(Fact)},
        }
    )
    values = {"type": "array", "items": _of(Explained)}
    return {
        "resolution": _document("resolution", body),
        "explanation": _document("explanation", _object({"axis": _TEXT, "values": values})),
    }


def _facts() -> dict[str, dict[str, Any]]:
    """The facts: a summary, the rows of an axis, what is wrong with them, what is new."""
    case: dict[str, Any] = dict.fromkeys(("name", "thread", "status", "message"), _TEXT)
    case |= {"outcome": {"enum": ["failed", "worked"]}, "cause": _TEXTS}
    case |= {"conflicts": {"type": "array", "items": _TEXTS}, "is_right": {"type": "boolean"}}
    lines = {"type": "object", "additionalProperties": _TEXTS}
    return {
        "facts": _document(
            "facts",
            _object({"axes": {"type": "array", "items": _of(AxisSummary)}, "rules": _WHOLE}),
        ),
        "facts.rows": _document(
            "facts.rows",
            _object(
                {
                    "axis": _TEXT,
                    "rows": {"type": "array", "items": _row()},
                    "tested": {"type": "array", "items": _tested_row()},
                    "gpus": {"type": "array", "items": _gpu()},
                }
            ),
        ),
        "facts.source": _document(
            "facts.source",
            _object({"name": _TEXT, "source": _TEXT, "rows": _TEXTS, "rules": _TEXTS}),
        ),
        "facts.verify": _document("facts.verify", _verify()),
        "facts.check": _document(
            "facts.check",
            _object(
                {
                    "findings": {"type": "array", "items": _of(Inconsistency)},
                    "cases": {"type": "array", "items": _object(case)},
                    "held_out": _of(CaseScore),
                    "rest": _of(CaseScore),
                }
            ),
        ),
        "facts.refresh": _document(
            "facts.refresh",
            _object({"added": lines, "changed": lines, "diff": _TEXT, "written": _TEXTS}),
        ),
    }


def _row() -> dict[str, Any]:
    """A row as it is printed: only the fields that are filled, pairs as mappings."""
    schema = _of(Target)  # a row of the axis platform, which has more fields than the others
    hints = get_type_hints(Target)
    pairs = {name for name, hint in hints.items() if hint == tuple[tuple[str, str], ...]}
    schema["properties"] |= dict.fromkeys(sorted(pairs), _MAP)
    schema["required"] = ["version", "source", "checked", "evidence"]
    return schema


def _tested_row() -> dict[str, Any]:
    """A tested build as it is printed: only the fields that are filled."""
    required = ["platform", "device", "source", "checked", "evidence"]
    return {**_of(TestedRow), "required": required}


def _gpu() -> dict[str, Any]:
    """A GPU as it is printed: the fields that are filled, and what it is called besides."""
    schema = _of(GpuRow)
    schema["properties"] |= {"architecture": _TEXT, "aliases": _TEXTS}
    required = [name for name in schema["properties"] if name not in {"category", "note"}]
    return {**schema, "required": required}


def _verify() -> dict[str, Any]:
    """What finished builds prove, and which of them are not believed."""
    news = {"enum": ["new", "renewed", "known"]}
    proven = _object({"report": _TEXT, "news": news, "row": _tested_row()})
    return _object(
        {
            "proven": {"type": "array", "items": proven},
            "refused": {"type": "array", "items": _of(Refusal)},
            "diff": _TEXT,
            "written": _TEXTS,
        }
    )


def _cache() -> dict[str, Any]:
    """What is cached, was removed or would be: one of them, in the folder and by the engine."""
    schema = _one_of_three(CacheEntry, {"bytes": _WHOLE})
    schema["properties"]["engine"] = _one_of_three(
        RetainedItem, {"name": _TEXT, "why": _TEXT, "bytes": _WHOLE}
    )
    schema["required"].append("engine")
    return schema


def _one_of_three(record: type, fields: dict[str, Any]) -> dict[str, Any]:
    schema, entries = _object(fields), {"type": "array", "items": _of(record)}
    schema["properties"] |= {"cached": entries, "removed": entries, "removable": entries}
    return schema


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
    title = f"tfbuild.{name}/{VERSIONS.get(name, 1)}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **body,
        "properties": {"schema": {"const": title}, **body["properties"]},
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
        return _object({f.name: _described(hint, f.name, hints[f.name]) for f in fields(hint)})
    if get_origin(hint) is tuple:
        return _of_tuple(get_args(hint))
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) is UnionType:
        return {"anyOf": [_of(one) for one in get_args(hint)]}
    return {"type": _PLAIN[hint]}


def _described(kind: Any, name: str, hint: Any) -> dict[str, Any]:
    """The schema of a field, with what its comment says, or what the record in it is."""
    inner = hint if is_dataclass(hint) else next(iter(get_args(hint)), None)
    said = comments_of(kind).get(name) or summary_of(inner if is_dataclass(inner) else None)  # type: ignore[arg-type]
    return {**({"description": said} if said else {}), **_of(hint)}


def _of_tuple(hints: tuple[Any, ...]) -> dict[str, Any]:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return {"type": "array", "items": _of(hints[0])}
    parts = [_of(hint) for hint in hints]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
