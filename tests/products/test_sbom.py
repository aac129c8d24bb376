"""The SBOM of a product."""

import json
from dataclasses import replace
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.sample_product import a_product_report
from tests.sample_report import an_environment
from tfbuild.products.sbom import product_sbom


def test_an_sbom_is_valid_and_names_what_is_in_it_and_what_it_needs(tmp_path: Path) -> None:
    text = product_sbom(a_product_report(tmp_path))
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    sbom = json.loads(text)
    root = sbom["metadata"]["component"]
    assert (root["name"], root["version"]) == ("greet", "1.10")
    assert [file["name"] for file in root["components"]] == ["lib/libgreet.so.1.10.0"]
    named = {component["name"]: component for component in sbom["components"]}
    assert named["greet source code"]["hashes"][0]["content"] == "a" * 64
    assert named["zlib1g"]["purl"].startswith("pkg:deb/zlib1g@1.2.13")
    assert {tool["name"] for tool in sbom["metadata"]["tools"]["components"]} == {"tfbuild", "cc"}


def test_the_same_product_has_the_same_sbom(tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    assert product_sbom(report) == product_sbom(replace(report, run_id="another"))
    assert product_sbom(report) != product_sbom(replace(report, sha256="e" * 64))


def test_the_container_is_in_it(tmp_path: Path) -> None:
    report = replace(a_product_report(tmp_path), environment=an_environment())
    text = product_sbom(report)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert "pkg:oci" in text or "image:" in text


def test_the_digest_of_a_folder_is_no_digest_of_a_file(tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    source = replace(report.plan.source, kind="folder")
    sbom = json.loads(product_sbom(replace(report, plan=replace(report.plan, source=source))))
    (code,) = (part for part in sbom["components"] if part["bom-ref"] == "source")
    assert "hashes" not in code
