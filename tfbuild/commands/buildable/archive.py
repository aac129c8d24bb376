"""What is packed as an archive: how its plan and its report are shown, whatever built it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tfbuild.commands.context import log_of
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import archive_lock_path
from tfbuild.core.reports import Cell
from tfbuild.recipes.records import ProductPlan, ProductReport
from tfbuild.reporting.summary import unpack_command


class BuildableArchive:
    """What all archives have in common."""

    __slots__ = ()

    def plan_document(self, plan: ProductPlan) -> dict[str, Any]:
        """The plan as a JSON document."""
        from tfbuild.run.report import plan_document

        return plan_document(plan)

    def report_document(self, report: ProductReport) -> dict[str, Any]:
        """The report as a JSON document."""
        from tfbuild.run.report import report_document

        return report_document(report)

    def report_text(self, report: ProductReport, run: Path) -> str:
        """The tallies of the checks, and what to type next."""
        from tfbuild.run.text import report_text

        return report_text(report, run)

    def finished(self, cell: Cell, report: ProductReport, tools: Tools) -> Cell:
        """The cell with its archive."""
        archive = report.archive
        return replace(
            cell,
            state="passed",
            product=str(archive),
            beside=(("lock", str(archive_lock_path(archive))), ("sbom", f"{archive}.cdx.json")),
            command=unpack_command(str(archive)),
            tag=report.plan.target,
            size=report.size,
            report=f"{archive}.report.html",
            log=log_of(tools),
        )
