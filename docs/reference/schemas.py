"""The JSON Schemas of what `--json` prints: each one's fields as a table."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docs.reference.markdown import code, page, prose, table
from tfbuild.core.paths import PACKAGE
from tfbuild.core.safe_files import read_json

SCHEMAS = PACKAGE / "schemas"
_FOLDER = "reference/schemas"
_Schema = Mapping[str, Any]

# What each document is. A test asks for all of them, and whether the commands are there.
DOCUMENTS = {
    "archives": "What a source tree downloads: `tfbuild fetch --json`.",
    "audit": "What a wheel or an archive is found to be: `tfbuild audit --json`.",
    "base": "A base image of a container: `tfbuild env base --json`.",
    "cache": "What is cached or was removed: `tfbuild cache show --json`, or `prune`.",
    "cells": "The builds of a matrix: `tfbuild build --matrix ... --json`, or `plan`.",
    "checks": "The names of all checks: `tfbuild doctor --list-checks --json`.",
    "config": "Each setting and where it comes from: `tfbuild config show --json`.",
    "configured": "The configuration of a TensorFlow tree: `tfbuild configure --json`.",
    "debug": "The commands that failed in a build: `tfbuild debug --json`.",
    "diagnosis": "Why a build failed: `tfbuild diagnose --json`.",
    "doctor": "What this machine has and lacks: `tfbuild doctor --json`.",
    "error": "The error of any command that was asked for JSON, as in `tfbuild build --json`.",
    "error-codes": "What codes of errors mean: `tfbuild explain --json`.",
    "explanation": "Why this version and not that one: `tfbuild resolve --explain AXIS --json`.",
    "facts": "How much is known of each axis: `tfbuild facts list --json`.",
    "facts.check": "What is wrong with the facts: `tfbuild facts check --json`.",
    "facts.refresh": "What is newer than the facts: `tfbuild facts refresh --json`.",
    "facts.rows": "The facts of an axis: `tfbuild facts show AXIS --json`.",
    "facts.source": "What stands on one source: `tfbuild facts show SOURCE --json`.",
    "facts.verify": "What finished builds prove: `tfbuild facts verify --json`.",
    "needs": "Tools and libraries that recipes may need: `tfbuild recipes needs --json`.",
    "own-recipe": "What code of tfbuild builds: `tfbuild recipes show runtime --json`.",
    "perf": "What was measured of a wheel: `tfbuild perf --json`.",
    "plan": "The plan of a wheel: `tfbuild plan --json`.",
    "product": "The report of a recipe's build: `tfbuild build RECIPE --json`.",
    "product-plan": "The plan of a recipe's build: `tfbuild plan RECIPE --json`.",
    "recipe": "The file of a recipe, for editors: `tfbuild recipes fields --schema`.",
    "recipe-shown": "A recipe as it was read: `tfbuild recipes show RECIPE --json`.",
    "recipes": "What can be built: `tfbuild recipes list --json`.",
    "report": "The report of a wheel's build, `report.json`: `tfbuild build --json`.",
    "resolution": "The versions for a request, or what collides: `tfbuild resolve --json`.",
    "smoke": "How a wheel or an archive did in a clean environment: `tfbuild smoke --json`.",
    "workspace": "The report of a Bazel workspace: `tfbuild build --workspace DIR --json`.",
    "workspace.plan": "The plan of a Bazel workspace: `tfbuild plan --workspace DIR --json`.",
}  # fmt: skip


def schema_pages() -> dict[str, str]:
    """A page for each schema, and the list of them."""
    files = sorted(SCHEMAS.glob("*.json"))
    return {f"{_FOLDER}/index.md": _list(files)} | {
        f"{_FOLDER}/{path.stem}.md": _page(path) for path in files
    }


def field_rows(schema: _Schema, above: str = "") -> Iterator[tuple[str, str, str, str]]:
    """The fields of a schema: path, type, whether it is always there, meaning."""
    for name, inner in schema.get("properties", {}).items():
        path = f"{above}{name}"
        always = "yes" if name in schema.get("required", ()) else ""
        yield path, _type(inner), always, inner.get("description", "")
        forms: dict[str, list[_Schema]] = {}
        for mark, part in _parts(inner):
            forms.setdefault(mark, []).append(part)
        for mark, parts in forms.items():
            yield from field_rows(_together(parts), f"{path}{mark}.")


# --- inside ------------------------------------------------------------------------------------


def _list(files: list[Path]) -> str:
    rows = [(f"[`{path.stem}`]({path.stem}.md)", prose(DOCUMENTS[path.stem])) for path in files]
    return page(
        "JSON documents",
        "With `--json` a command prints one JSON document on standard output. Its first field,"
        " `schema`, names the JSON Schema (draft 2020-12) that it follows, as in `tfbuild.plan/2`."
        " The schemas are files of the package, in `tfbuild/schemas/`.",
        table(("Schema", "Document"), rows),
        summary="Every JSON Schema of what `--json` prints, with its fields.",
    )


def _page(path: Path) -> str:
    schema = read_json(path)
    rows = [
        (code(field), kind, always, prose(says)) for field, kind, always, says in field_rows(schema)
    ]
    return page(
        path.stem,
        prose(DOCUMENTS[path.stem]),
        f"File: `tfbuild/schemas/{path.name}`. `[]` stands for each item of a list, `{{}}` for each"
        " value of an object with any names.\n",
        table(("Field", "Type", "Always there", "Meaning"), rows),
    )


def _type(schema: _Schema) -> str:
    """The type of a field in words."""
    if "const" in schema:
        return f"always {code(str(schema['const']))}"
    if "enum" in schema:
        return " or ".join(code(str(one)) if one else "empty" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    kind = schema["type"]
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        parts = [schema["items"]] if "items" in schema else schema["prefixItems"]
        return f"list of {', '.join(map(_type, parts))}" if len(parts) == 1 else _tuple(parts)
    return str(kind)


def _tuple(parts: list[_Schema]) -> str:
    return f"[{', '.join(map(_type, parts))}]"


def _together(forms: list[_Schema]) -> _Schema:
    """Objects of which a field holds one, as one: its fields have any of the types and meanings."""
    found: dict[str, list[_Schema]] = {}
    for form in forms:
        for name, inner in form["properties"].items():
            found.setdefault(name, []).append(inner)
    return {
        "properties": {
            name: inner[0] if len(inner) == 1 else {"anyOf": inner, "description": _meanings(inner)}
            for name, inner in found.items()
        },
        "required": set.intersection(*(set(form.get("required", ())) for form in forms)),
    }


def _meanings(forms: list[_Schema]) -> str:
    said = dict.fromkeys(form.get("description", "") for form in forms)
    return "; or ".join(filter(None, said))


def _parts(schema: _Schema) -> Iterator[tuple[str, _Schema]]:
    """The objects inside a field, each with the mark of how one comes to it."""
    if "properties" in schema:
        yield "", schema
    for mark, key in (("[]", "items"), ("{}", "additionalProperties")):
        if isinstance(inner := schema.get(key), dict):
            yield from ((mark + more, part) for more, part in _parts(inner))
    for mark, key in (("", "anyOf"), ("[]", "prefixItems")):
        for one in schema.get(key, ()):
            yield from ((mark + more, part) for more, part in _parts(one))
