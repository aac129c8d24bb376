"""The plan and the report of a build by a recipe, as documents, and the delivery of its archive."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfbuild.builds.delivery import delivery
from tfbuild.core.errors import BuildFailed
from tfbuild.core.lock_file import archive_lock_path
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import copy_aside, file_digest, write_aside
from tfbuild.core.serialization import to_plain
from tfbuild.recipes.records import ProductPlan, ProductReport


def plan_document(plan: ProductPlan) -> dict[str, Any]:
    """The plan as a JSON document, secrets hidden."""
    return {"schema": "tfbuild.product-plan/1", **mask_all(to_plain(plan))}


def report_document(report: ProductReport) -> dict[str, Any]:
    """The report as a JSON document, secrets hidden."""
    return {"schema": "tfbuild.product/1", **mask_all(to_plain(report))}


def write_plan(plan: ProductPlan, folder: Path) -> Path:
    """Write plan.json into a run's folder, before anything is done by it."""
    return write_aside(folder / "plan.json", _text(plan_document(plan)))


def write_report(report: ProductReport, folder: Path) -> Path:
    """Write report.json and report.html into a run's folder; the path of the page."""
    from tfbuild.reporting.product_html import product_page

    document = report_document(report)
    write_aside(folder / "report.json", _text(document))
    return write_aside(folder / "report.html", product_page(document))


def deliver(
    report: ProductReport, archive: Path, folder: Path, bill: str, lock: str
) -> ProductReport:
    """Put archive, report, bill and lock into the output folder, all of it or nothing.

    Raises BuildFailed where the copy is not the archive that was proven, and what delivery raises.
    """
    from tfbuild.reporting.product_html import product_page

    plan = report.plan
    done = replace(report, archive=plan.output / plan.archive)
    document = report_document(done)
    write_report(done, folder)
    with delivery(plan.output, last=plan.archive) as aside:
        write_aside(aside / f"{plan.archive}.report.json", _text(document))
        write_aside(aside / f"{plan.archive}.report.html", product_page(document))
        write_aside(aside / f"{plan.archive}.cdx.json", bill)
        write_aside(archive_lock_path(aside / plan.archive), lock)
        copy = copy_aside(archive, aside / plan.archive)
        if file_digest(copy) != report.sha256:
            raise BuildFailed(
                f"{plan.archive} is not the archive that was proven",
                why="it has changed since, or while it was copied",
                hint="run the same command again, and check the disk where this comes back",
            )
    return done


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
