"""Archives are shown alike, whatever built them."""

from pathlib import Path

from tests.sample_product import a_product_report
from tests.schema_maker import check
from tests.shared_libraries import real_tools
from tfbuild.commands.buildable.archive import BuildableArchive
from tfbuild.commands.buildable.library import BuildableLibrary
from tfbuild.commands.buildable.product import BuildableProduct
from tfbuild.core.reports import Cell


def test_plan_report_and_cell_are_reported_alike(tmp_path: Path) -> None:
    report = a_product_report(tmp_path)
    archive = BuildableArchive()
    check("product", archive.report_document(report))
    check("product-plan", archive.plan_document(report.plan))
    assert f"archive {report.archive}" in archive.report_text(report, tmp_path)
    cell = archive.finished(Cell(axes=(("loud", "on"),)), report, real_tools(tmp_path))
    assert (cell.state, cell.product, cell.size) == ("passed", str(report.archive), report.size)
    assert dict(cell.beside) == {
        "lock": f"{report.archive}.lock.yaml", "sbom": f"{report.archive}.cdx.json",
    }  # fmt: skip
    assert cell.report == f"{report.archive}.report.html"


def test_no_kind_of_archive_shows_its_report_otherwise() -> None:
    for kind in (BuildableLibrary, BuildableProduct):
        assert kind.report_document is BuildableArchive.report_document
        assert kind.finished is BuildableArchive.finished
