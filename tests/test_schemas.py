"""The published schemas are those of the records, and real documents obey them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.fakes import a_host, a_request
from tests.planning import planned
from tests.sample_report import a_report
from tests.schema_maker import FOLDER, all_schemas, check, published
from tests.source_files import python_files
from tfbuild.builds.stages.report import report_document
from tfbuild.core.documents import VERSIONS
from tfbuild.core.serialization import to_plain
from tfbuild.facts.tables import Tables

_OF_RELEASES_BEFORE = {f"tfbuild.{name}/1" for name in VERSIONS}


@pytest.mark.parametrize("name", all_schemas())
def test_published_schema_is_current(name: str, pytestconfig: pytest.Config) -> None:
    schema = all_schemas()[name]
    if pytestconfig.getoption("--rewrite-golden"):
        (FOLDER / f"{name}.json").write_text(json.dumps(schema, indent=1) + "\n")
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema == published(name), "publish it: pytest --rewrite-golden"


def test_no_other_schema_is_published() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(all_schemas())


def test_every_schema_that_a_document_names_is_published() -> None:
    text = "".join(path.read_text() for path in python_files())
    named = set(re.findall(r'"(tfbuild\.[a-z.-]+/[0-9])"', text)) - _OF_RELEASES_BEFORE
    wanted = {f"tfbuild.{name}/{VERSIONS.get(name, 1)}" for name in all_schemas()}
    assert named - {"tfbuild.lock/2"} == wanted, "a lock is a file of its own kind"


def test_report_and_its_parts(tmp_path: Path) -> None:
    report = a_report(tmp_path)
    check("report", report_document(report))
    check("audit", {"schema": "tfbuild.audit/1", **to_plain(report.audit)})
    check("smoke", {"schema": "tfbuild.smoke/2", **to_plain(report.smoke)})
    check("perf", {"schema": "tfbuild.perf/1", **to_plain(report.perf)})


def test_plan(tables: Tables, tmp_path: Path) -> None:
    host, request = a_host(), a_request(tmp_path, recipe="cuda")
    plan = planned(request, tables, host)
    check("plan", {"schema": "tfbuild.plan/2", **to_plain(plan)})


def test_a_wrong_document_is_refused(tmp_path: Path) -> None:
    document = report_document(a_report(tmp_path))
    document["audit"]["findings"][0]["state"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError):
        check("report", document)


@pytest.mark.parametrize("name", all_schemas())
def test_every_field_says_what_it_means(name: str) -> None:
    assert [*_unsaid(published(name))] == []


def _unsaid(schema: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The fields without a meaning, at any depth; the values of a pair have no names."""
    for name, inner in schema.get("properties", {}).items():
        if not inner.get("description", "").strip():
            yield f"{above}{name}"
        yield from _unsaid(inner, f"{above}{name}.")
    inside = [schema.get("items"), schema.get("additionalProperties")]
    for part in (*inside, *schema.get("anyOf", ()), *schema.get("prefixItems", ())):
        if isinstance(part, dict):
            yield from _unsaid(part, above)
