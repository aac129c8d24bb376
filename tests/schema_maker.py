"""JSON Schemas out of the records that are printed; the published files are compared with these."""

import json
from typing import Any

import jsonschema

from tests.schema_forms import (
    CASE_ENDED,
    TEXT,
    TEXTS,
    TEXTS_BY_NAME,
    WHOLE,
    Schema,
    as_texts_by_name,
    by_name_said,
    document,
    list_said,
    object_of,
    said,
    schema_of,
)
from tests.schema_of_facts import fact_schemas
from tfbuild.bazel.failed_action import FailedActions
from tfbuild.containers.base_image import BaseImage
from tfbuild.containers.retention import RetainedItem
from tfbuild.core.error_catalogue import ErrorMeaning
from tfbuild.core.outputs import Configured
from tfbuild.core.paths import PACKAGE
from tfbuild.core.plans import Plan
from tfbuild.core.records import Choice, Host
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.reports import AuditReport, Cell, PerfReport, Report, SmokeReport
from tfbuild.core.settings import Setting
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceReport
from tfbuild.diagnosis.findings import Diagnosis
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.facts.fact import Fact
from tfbuild.fetch.cache import CacheEntry
from tfbuild.recipes.fields import json_schema
from tfbuild.recipes.recipe import OwnRecipe, Recipe
from tfbuild.recipes.records import KnownNeed, ProductPlan, ProductReport
from tfbuild.resolver.explain import Explained
from tfbuild.resolver.resolution import Conflict, ResolutionWarning, ResolvedVersion
from tfbuild.sources.archives import SourceArchive

FOLDER = PACKAGE / "schemas"


def all_schemas() -> dict[str, Schema]:
    """Every published schema by its name."""
    return {
        "audit": document("audit", schema_of(AuditReport)),
        "smoke": document("smoke", schema_of(SmokeReport)),
        "perf": document("perf", schema_of(PerfReport)),
        "plan": document("plan", schema_of(Plan)),
        "report": document("report", _report()),
        "base": document("base", schema_of(BaseImage)),
        **_of_this_machine(),
        **_of_recipes(),
        "workspace": document("workspace", schema_of(WorkspaceReport)),
        "workspace.plan": document("workspace.plan", schema_of(WorkspacePlan)),
        "debug": document("debug", schema_of(FailedActions)),
        "diagnosis": document("diagnosis", schema_of(Diagnosis)),
        "cells": document("cells", _cells()),
        "cache": document("cache", _cache()),
        **_answers(),
        **_of_trees(),
        **fact_schemas(),
        **_of_errors(),
    }


def published(name: str) -> Schema:
    """A schema as it lies in the package."""
    schema: Schema = json.loads((FOLDER / f"{name}.json").read_text())
    return schema


def check(name: str, printed: dict[str, Any]) -> None:
    """Hold a document, as it would be printed, against its published schema."""
    jsonschema.Draft202012Validator(published(name)).validate(json.loads(json.dumps(printed)))


def _of_this_machine() -> dict[str, Schema]:
    """What doctor finds, what it can check, and which settings count."""
    needs = said("the build that the machine is judged for", schema_of(BuildNeeds))
    found = {
        "status": said("failure: the build cannot work as it is", {"enum": ["ok", "failure"]}),
        "request": needs,
        "checks": list_said("what was looked at, by group", _check()),
        "host": said("what the machine has", schema_of(Host)),
    }
    spec = {
        "group": said("of checks: host, compiler, cuda, ...", TEXT),
        "name": said("within its group", TEXT),
        "looks_at": said("what it looks at, in words", TEXT),
        "seconds": said("what it usually takes; 0: no time at all", {"type": "number"}),
    }
    settings = list_said("those that somebody gave", schema_of(Setting))
    warnings = list_said("what looked odd while they were read", schema_of(CodedWarning))
    checks = list_said("each check that there is", object_of(spec))
    return {
        "doctor": document("doctor", object_of(found)),
        "checks": document("checks", object_of({"checks": checks})),
        "config": document("config", object_of({"settings": settings, "warnings": warnings})),
    }


def _of_errors() -> dict[str, Schema]:
    """An error, and what all codes of errors mean."""
    error = {
        "exit_code": said("with which tfbuild ends", WHOLE),
        "code": said("what is wrong in two to four words; `tfbuild explain` knows it", TEXT),
        "message": said("what failed, in one sentence", TEXT),
        "why": said("the cause, as far as it is known; may be empty", TEXT),
        "hint": said("what to do; may be empty", TEXT),
        "report": said("path of the report's page; empty: no build has ended with it", TEXT),
        "log": said("path of the log of the run; empty: there is none", TEXT),
    }
    codes = list_said("the code that was asked for, or all", schema_of(ErrorMeaning))
    return {
        "error": document("error", object_of(error)),
        "error-codes": document("error-codes", object_of({"codes": codes})),
    }


def _of_recipes() -> dict[str, Schema]:
    """Recipes, and what is built by one."""
    row = {
        "name": said("by which `tfbuild build` knows it", TEXT),
        "summary": said("what it is, in a few words", TEXT),
    }
    recipes = list_said("what can be built by name", object_of(row))
    needs = list_said("each tool and library that a recipe may name", schema_of(KnownNeed))
    return {
        "product": document("product", schema_of(ProductReport)),
        "product-plan": document("product-plan", schema_of(ProductPlan)),
        "recipe": json_schema(),
        "recipe-shown": document("recipe-shown", schema_of(Recipe)),
        "needs": document("needs", object_of({"needs": needs})),
        "own-recipe": document("own-recipe", schema_of(OwnRecipe)),
        "recipes": document("recipes", object_of({"recipes": recipes})),
    }


def _of_trees() -> dict[str, Schema]:
    """What is said of source trees."""
    archives = {
        "repository_cache": said("folder of the repository cache of Bazel", TEXT),
        "archives": list_said("what the tree downloads by name", _archive()),
        "unread": said("file:line of calls whose address is computed", TEXTS),
        "foreign": said("loads from other repositories, which may download more", TEXTS),
    }
    return {
        "archives": document("archives", object_of(archives)),
        "configured": document("configured", schema_of(Configured)),
    }


def _check() -> Schema:
    """A line of doctor, with its code."""
    code = said("group and name: compiler.gcc; `tfbuild explain` knows it", TEXT)
    return object_of({"code": code, **schema_of(Check)["properties"]})


def _warning() -> Schema:
    """One of an answer, with the code of its kind."""
    code = said("of its kind, as `tfbuild explain` knows it", TEXT)
    return object_of({"code": code, **schema_of(ResolutionWarning)["properties"]})


def _archive() -> Schema:
    """One that a source tree downloads, and whether it is here."""
    more = {
        "is_here": said("whether it is in the repository cache", {"type": "boolean"}),
        "place": said("where it lies in the repository cache, or would", TEXT),
    }
    return object_of({**schema_of(SourceArchive)["properties"], **more})


def _cells() -> Schema:
    """The builds of a matrix: axes and versions by name, and how many are in each state."""
    cell = schema_of(Cell)
    as_texts_by_name(cell, "axes", "versions", "beside")
    return object_of(
        {
            "tfbuild_version": said("of the tfbuild that built them", TEXT),
            "started_at": said("day and time, ISO 8601 in UTC", TEXT),
            "title": said("what the cells are builds of: Wheels, zstd", TEXT),
            "noun": said("what one of them brings: wheel, archive", TEXT),
            "counts": by_name_said("state -> how many cells are in it", WHOLE),
            "cells": list_said("each combination of the matrix, in order", cell),
        }
    )


def _answers() -> dict[str, Schema]:
    """What the resolver says: an answer, and the verdicts on one axis."""
    values = list_said("each known value of the axis, newest first", schema_of(Explained))
    axis = said("the axis that was asked about", TEXT)
    return {
        "resolution": document("resolution", _resolution()),
        "explanation": document("explanation", object_of({"axis": axis, "values": values})),
    }


def _resolution() -> Schema:
    resolved = schema_of(ResolvedVersion)
    as_texts_by_name(resolved, "against")
    version = resolved["properties"]
    version = {"version": version.pop("value"), **version}
    version.pop("axis")
    change = {
        "change": said("axis -> what to ask for instead", TEXTS_BY_NAME),
        "versions": said("axis -> what is chosen then", TEXTS_BY_NAME),
    }
    case = {
        "id": said("name of its file in matrices/cases/", TEXT),
        "thread": said("address of the thread", TEXT),
        "says": said("what happened, in one sentence", TEXT),
        "outcome": CASE_ENDED,
        "differs": said("axes on which it is not as was asked", TEXTS),
    }
    status = (
        "ok: versions go together; doubtful: nothing forbids them, and hardly anybody tried them;"
        " conflict: none do; unknown: no fact covers what was asked"
    )
    confidence = (
        "tested: a row of tested builds covers all of it; likely: within every known limit, and"
        " near such a row; doubtful: hardly tried; empty: there are no versions"
    )
    return object_of(
        {
            "status": said(status, {"enum": ["ok", "doubtful", "conflict", "unknown"]}),
            "cases": list_said("known cases near what was asked", object_of(case)),
            "confidence": said(confidence, {"enum": ["tested", "likely", "doubtful", ""]}),
            "constraints": said("each as it was understood, with who asked", TEXTS),
            "versions": by_name_said("axis -> what was chosen", object_of(version)),
            "conflicts": list_said("what collides", schema_of(Conflict)),
            "alternatives": list_said(
                "the nearest without a known conflict, where what was asked does not",
                object_of(change),
            ),
            "warnings": list_said("what does not forbid the versions", _warning()),
            "images": said("container images that have the CUDA, cuDNN and system", TEXTS),
            "facts": by_name_said("id -> a fact that the versions rest on", schema_of(Fact)),
        }
    )


def _cache() -> Schema:
    """What is cached, was removed or would be: one of them, in the folder and by the engine."""
    size = said("of all that is listed", WHOLE)
    schema = _one_of_three(CacheEntry, {"bytes": size})
    engine = {
        "name": said("of the container engine, and its version; empty: none answers", TEXT),
        "why": said("why none answers; empty: one does", TEXT),
        "bytes": size,
    }
    meaning = "what the container engine keeps of tfbuild's"
    schema["properties"]["engine"] = said(meaning, _one_of_three(RetainedItem, engine))
    schema["required"].append("engine")
    return schema


def _one_of_three(record: type, fields: dict[str, Schema]) -> Schema:
    schema, entry = object_of(fields), schema_of(record)
    schema["properties"] |= {
        "cached": list_said("what is there: of `cache show`", entry),
        "removed": list_said("what is gone now: of `cache prune`", entry),
        "removable": list_said("what would go: of `cache prune --dry-run`", entry),
    }
    return schema


def _report() -> Schema:
    """The report: versions by axis, and where the wheel was delivered when it is printed."""
    schema = schema_of(Report)
    choice = schema_of(Choice)
    choice["properties"].pop("axis")
    choice["required"].remove("axis")
    properties = schema["properties"]
    properties["versions"] = by_name_said("axis -> what was chosen", choice)
    properties["plan"]["properties"]["versions"] = said("axis -> chosen value", TEXTS_BY_NAME)
    properties["delivered"] = said("path of the wheel; not in the file `report.json`", TEXT)
    return schema
