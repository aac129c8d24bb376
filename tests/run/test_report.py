"""The documents of a build by a recipe, and how its archive is delivered."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_product import a_failed_product_report, a_product_plan, a_product_report
from tests.schema_maker import check
from tfbuild.core.paths import file_digest
from tfbuild.core.report_seal import is_own
from tfbuild.recipes.records import ProductReport
from tfbuild.run.report import (
    deliver,
    plan_document,
    read_plan,
    report_document,
    report_in,
    write_plan,
    write_report,
)


def _read(path: Path) -> ProductReport:
    return report_in(json.loads(path.read_text()), path)


def test_documents_obey_their_published_schemas(tmp_path: Path) -> None:
    check("product-plan", plan_document(a_product_plan(tmp_path)))
    check("product", report_document(a_product_report(tmp_path)))
    check("product", report_document(a_failed_product_report(tmp_path)))


def test_plan_and_report_lie_in_the_run(tmp_path: Path) -> None:
    assert write_plan(a_product_plan(tmp_path), tmp_path).name == "plan.json"
    assert write_report(a_product_report(tmp_path), tmp_path) == tmp_path / "report.html"
    assert (tmp_path / "report.json").is_file()


def test_plan_and_report_are_read_back_as_they_were(tmp_path: Path) -> None:
    plan, report = a_product_plan(tmp_path), a_product_report(tmp_path)
    write_plan(plan, tmp_path)
    write_report(report, tmp_path)
    assert read_plan(tmp_path / "plan.json") == plan
    assert _read(tmp_path / "report.json") == report
    assert read_plan(tmp_path / "report.json") == report.plan
    with fails("saved-file-wrong-kind", "tfbuild.product/2"):
        _read(tmp_path / "plan.json")


def test_archive_and_report_are_delivered_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    archive, run, output = tmp_path / "made.tar.gz", tmp_path / "run", tmp_path / "dist"
    archive.write_bytes(b"packed")
    run.mkdir()
    report = replace(a_product_report(output), sha256=file_digest(archive))
    done = deliver(report, archive, run, "{}", "a lock\n")
    assert done.archive.read_bytes() == b"packed"
    endings = ("", ".cdx.json", ".lock.yaml", ".report.html", ".report.json")
    names = [f"{done.archive.name}{ending}" for ending in endings]
    assert sorted(path.name for path in output.iterdir()) == names
    report = json.loads((output / names[-1]).read_text())
    assert is_own(report), "tfbuild believes by itself what it has delivered"


def test_another_archive_than_the_proven_one_is_not_delivered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    archive, run, output = tmp_path / "made.tar.gz", tmp_path / "run", tmp_path / "dist"
    archive.write_bytes(b"changed")
    run.mkdir()
    report = a_product_report(output)
    with fails("product-changed-since-proven", report.plan.archive):
        deliver(report, archive, run, "{}", "a lock\n")
    assert list(output.iterdir()) == []
