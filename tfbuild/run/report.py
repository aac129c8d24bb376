"""The plan and the report of a build by a recipe, as documents, and the delivery of its archive."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfbuild.builds.delivery import delivery
from tfbuild.builds.saved_files import document_of, read_document, record_of
from tfbuild.core.errors import BadRequest, BuildFailed
from tfbuild.core.lock_file import archive_lock_path
from tfbuild.core.masking import mask_all
from tfbuild.core.paths import copy_aside, file_digest, write_aside
from tfbuild.core.report_seal import sealed
from tfbuild.core.serialization import to_plain
from tfbuild.facts.targets import all_targets
from tfbuild.recipes.forms import is_name, is_too_long, leads_out
from tfbuild.recipes.records import ProductPlan, ProductReport
from tfbuild.wheels.cpu_level import LEVELS

REPORT = "tfbuild.product/2"


def plan_document(plan: ProductPlan) -> dict[str, Any]:
    """The plan as a JSON document, secrets hidden."""
    return {"schema": "tfbuild.product-plan/2", **mask_all(to_plain(plan))}


def report_document(report: ProductReport) -> dict[str, Any]:
    """The report as a JSON document, secrets hidden."""
    return {"schema": REPORT, **mask_all(to_plain(report))}


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
    report: ProductReport, archive: Path, folder: Path, sbom: str, lock: str
) -> ProductReport:
    """Put archive, report, SBOM and lock into the output folder, all of it or nothing.

    Raises BuildFailed where the copy is not the archive that was proven, and what delivery raises.
    """
    from tfbuild.reporting.product_html import product_page

    plan = report.plan
    done = replace(report, archive=plan.output / plan.archive)
    document = report_document(done)
    write_report(done, folder)
    with delivery(plan.output, last=plan.archive) as aside:
        write_aside(aside / f"{plan.archive}.report.json", _text(sealed(document)))
        write_aside(aside / f"{plan.archive}.report.html", product_page(document))
        write_aside(aside / f"{plan.archive}.cdx.json", sbom)
        write_aside(archive_lock_path(aside / plan.archive), lock)
        copy = copy_aside(archive, aside / plan.archive)
        if file_digest(copy) != report.sha256:
            raise BuildFailed(
                f"{plan.archive} is not the archive that was proven",
                code="product-changed-since-proven",
                why="it has changed since, or while it was copied",
                hint="run the same command again, and check the disk where this comes back",
            )
    return done


def report_in(read: object, path: Path) -> ProductReport:
    """The report in what was read from a file; BadRequest where it is none, or cannot be."""
    document = document_of(read, path, (REPORT,))
    del document["schema"]
    report = record_of(ProductReport, document, path)
    _require_sound(report.plan, path)
    return report


def read_plan(path: Path) -> ProductPlan:
    """The plan in a plan.json, or in a report; BadRequest where it is neither."""
    document = read_document(path, ("tfbuild.product-plan/2", REPORT))
    if document["schema"] == REPORT:
        return report_in(document, path).plan
    del document["schema"]
    plan = record_of(ProductPlan, document, path)
    _require_sound(plan, path)
    return plan


# --- inside ------------------------------------------------------------------------------------


def _require_sound(plan: ProductPlan, path: Path) -> None:
    """What the types of the records do not say: names of files below the product, a target."""
    product = plan.product
    names = (*product.libraries, *product.programs, *product.headers, *product.licenses)
    faults = [f"'{name}' leads out of the product" for name in names if leads_out(name)]
    faults += [] if is_name(plan.recipe) else [f"the recipe is '{plan.recipe}'"]
    targets = {target.version for target in all_targets()}
    faults += [] if plan.target in targets else [f"the platform is '{plan.target}'"]
    faults += [] if plan.audit.cpu_level in LEVELS else [f"the level is '{plan.audit.cpu_level}'"]
    faults += ["dispatched is too long"] if is_too_long(plan.dispatched) else []
    faults += ["it holds a letter that ends texts"] if _holds_nul(to_plain(plan)) else []
    if faults:
        raise BadRequest(
            f"{path} was changed by hand",
            code="report-changed-by-hand",
            why=faults[0],
            hint="build it again, or fetch it again",
        )


def _holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(map(_holds_nul, value.values()))
    return isinstance(value, list) and any(map(_holds_nul, value))


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
