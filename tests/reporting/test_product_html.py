"""The page of a build by a recipe."""

from dataclasses import replace
from pathlib import Path

from tests.builds.stages.test_configure_tree import plan_of
from tests.reporting.pages import read_page
from tests.sample_product import a_failed_product_report, a_product_report
from tfbuild.core.rebuilds import CostOfRebuild, Rebuild
from tfbuild.core.records import Artifact
from tfbuild.core.reports import StageRecord
from tfbuild.facts.tables import Tables
from tfbuild.recipes.records import TreeBuild
from tfbuild.reporting.product_html import product_page
from tfbuild.run.report import report_document


def test_a_page_says_first_that_it_is_ready(tmp_path: Path) -> None:
    page = product_page(report_document(a_product_report(tmp_path)))
    assert "Ready to use" in page
    assert "tar -xf greet-1.10-linux-x86_64.tar.gz" in page
    for said in ("libgreet.so.1", "zlib1g", "option loud", "GREET_LOUD", "hardening"):
        assert said in page


def test_a_stage_of_an_earlier_run_has_its_run_and_its_date(tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    stages = (
        *report.stages,
        StageRecord(
            name="audit", started=0, seconds=0.1, state="reused", original_seconds=2.0,
            reused_from="20261128-231505-ca5b",
        ),
    )  # fmt: skip
    page = product_page(report_document(replace(report, stages=stages)))
    assert "audit was taken from run 20261128-231505-ca5b of 2026-11-28 23:15 UTC" in page


def test_what_it_was_tried_beside_is_named(tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    beside = tuple(
        Artifact(distribution=name, version="1.2", filename="", sha256="", kind="smoke")
        for name in ("ai-edge-litert", "numpy")
    )
    report = replace(report, smoke=replace(report.smoke, artifacts=beside))
    page = " ".join(product_page(report_document(report)).split())
    assert "Tried beside ai-edge-litert 1.2, numpy 1.2." in page


def test_versions_of_a_tree_and_what_bazel_did_are_shown(tables: Tables, tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    tree = plan_of(tables, tmp_path, "2.6.5")
    cost = CostOfRebuild(name="a source has changed", actions=3)
    anew = Rebuild(since="20260102-030405-1dd0", actions=3, reasons=(cost,))
    report = replace(
        report,
        plan=replace(report.plan, steps=(TreeBuild(plan=tree),)),
        build=replace(report.build, rebuild=anew),
    )
    seen = read_page(product_page(report_document(report))).text
    for said in ("3.9, derived", "Why it rebuilt", "20260102-030405-1dd0", "a source has changed"):
        assert said in seen
    usual = read_page(product_page(report_document(a_product_report(tmp_path)))).text
    assert "Why it rebuilt" not in usual


def test_a_failure_is_reported_with_its_remedy(tmp_path: Path) -> None:
    page = product_page(report_document(a_failed_product_report(tmp_path)))
    assert "Not delivered" in page
    assert "greet.c:1: error" in page
    assert "The audit was not run." in page


def test_what_a_recipe_says_is_text(tmp_path: Path) -> None:
    document = report_document(a_product_report(tmp_path))
    document["plan"]["recipe"] = "<script>alert(1)</script>"
    assert "<script>alert" not in product_page(document)
