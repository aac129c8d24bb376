"""The bill of a C++ library names its libraries, and what it was made with."""

import json
from dataclasses import replace
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.builds.stages.test_configure_tree import plan_of
from tests.fakes import a_host
from tests.sample_report import an_environment
from tfbuild.core.reports import AuditReport, LibraryFile, LibraryReport
from tfbuild.facts.tables import Tables
from tfbuild.run.library_bill import library_bill


def a_library_report(tables: Tables, folder: Path) -> LibraryReport:
    return LibraryReport(
        run_id="one",
        started_at="2026-11-29T12:00:00+00:00",
        tfbuild_version="0.1.0",
        host=a_host(),
        plan=plan_of(tables, folder, "2.6.5"),
        tools=(("bazel", "4.2.3"), ("gcc", "12.2.0")),
        audit=AuditReport(wheel="libtensorflow_cc-2.6.5-cpu", sha256="c" * 64, findings=()),
        folder=folder / "libtensorflow_cc-2.6.5-cpu",
        files=(
            LibraryFile(name="include/a.h", size=1, sha256="a" * 64),
            LibraryFile(name="lib/a.so", size=1, sha256="b" * 64, target="lib/a.so.2"),
            LibraryFile(name="lib/a.so.2", size=1, sha256="b" * 64),
        ),
    )


def test_libraries_tools_and_surroundings_are_in_it(tables: Tables, tmp_path: Path) -> None:
    report = a_library_report(tables, tmp_path)
    inside = replace(report, environment=an_environment("dpkg zlib1g 1.2.13 amd64"))
    text = library_bill(inside)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    root = bill["metadata"]["component"]
    assert [file["name"] for file in root["components"]] == ["lib/a.so.2"]
    assert root["hashes"][0]["content"] == "c" * 64
    assert {tool["name"] for tool in bill["metadata"]["tools"]["components"]} == {"bazel", "gcc"}
    names = {component["name"] for component in bill["components"]}
    assert {"TensorFlow source code", "zlib1g"} <= names


def test_the_same_libraries_have_the_same_bill(tables: Tables, tmp_path: Path) -> None:
    report = a_library_report(tables, tmp_path)
    assert library_bill(report) == library_bill(replace(report, run_id="another"))
